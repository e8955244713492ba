# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Regions: parts of a program that it marks, for `pmcgrp stat --regions` or for a report of its own."""

from __future__ import annotations

import errno
import os
from typing import Any, Optional

from ._errors import Error, EventError, check, text
from ._native import ffi, lib


class Region:
    """A region by its name. It costs little while nobody listens; make it once for hot code.

    >>> solve = Region("solve")
    >>> with solve:
    ...     pass
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._region: Any = lib.pmcgrp_region_find(name.encode())
        if not self._region:
            raise Error(errno.EINVAL, f"region {name!r}: a name has 1 to 127 printable characters of ASCII, and "
                        "a program up to 1,024 regions")

    def __enter__(self) -> Region:
        if lib.pmcgrp_regions_on:
            lib.pmcgrp_region_enter_on(self._region)
        return self

    def __exit__(self, *_: object) -> None:
        if lib.pmcgrp_regions_on:
            lib.pmcgrp_region_leave_on(self._region)


def regions_start(events: str = "") -> None:
    """Listen from now on; each thread counts these events, or cycles and others that there are here."""
    error = ffi.new("struct pmcgrp_events_error *")
    result = lib.pmcgrp_regions_start(events.encode(), lib.PMCGRP_OPEN_FALLBACK, error)
    if result == -errno.EINVAL:
        raise EventError(-result, text(error.text), error.column)
    check(result, "listen to regions")


def regions_stop(report: Optional[str] = None) -> None:
    """Listen no more, and write the report to this file if it is named.

    >>> regions_start("task-clock")
    >>> with Region("all"):
    ...     pass
    >>> regions_stop("/dev/null")
    """
    check(lib.pmcgrp_regions_stop(), "stop listening to regions")
    if report is None:
        return
    with open(report, "wb") as out:
        # cffi makes a FILE of C's of it.
        check(lib.pmcgrp_regions_report(out), f"write to {os.fspath(report)}")
