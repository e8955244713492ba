# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Failures, as the library tells of them."""

from __future__ import annotations

import os
from typing import Any, Optional

from ._native import ffi, lib


def text(pointer: Any) -> str:
    """A string of C's; "" for NULL."""
    return str(ffi.string(pointer).decode(errors="replace")) if pointer else ""


class Error(OSError):
    """What the library refuses. It is an OSError: errno and strerror are set.

    - why: the reason in a word, as pmcgrp_why_name(3) has it: "event-unknown", "too-large"; "none" if there
      is only the errno
    - why_text: the same in a few words for people
    - member: index of the event to blame, or None
    - cpu: the CPU on which it happened, or None
    """

    def __init__(self, errno: int, sentence: str, why: int = 0, member: int = -1, cpu: int = -1) -> None:
        super().__init__(errno, sentence or os.strerror(errno))
        self.why = text(lib.pmcgrp_why_name(why))
        self.why_text = text(lib.pmcgrp_why_text(why))
        self.member: Optional[int] = member if member >= 0 else None
        self.cpu: Optional[int] = cpu if cpu >= 0 else None

    def __str__(self) -> str:
        return str(self.strerror)


class EventError(Error, ValueError):
    """A text that names no events, or none of this machine.

    - column: the character that the sentence is about, from 0
    """

    def __init__(self, errno: int, sentence: str, column: int = 0) -> None:
        super().__init__(errno, sentence)
        self.column = column


def check(result: int, what: str) -> int:
    """The result, or the failure that a negative one stands for, of a call without a sentence."""
    if result < 0:
        raise Error(-result, f"{what}: {os.strerror(-result)}")
    return result


def check_handle(result: int, handle: Any) -> int:
    """The same of a call whose failure the handle tells of; NULL: pmcgrp_open()."""
    if result < 0:
        sentence = text(lib.pmcgrp_strerror(handle))
        if not handle:
            raise Error(-result, sentence)
        raise Error(-result, sentence, int(lib.pmcgrp_error_why(handle)), lib.pmcgrp_error_member(handle),
                    lib.pmcgrp_error_cpu(handle))
    return result
