# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Spans: what functions of the kernel cost, and what is between two tracepoints."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Sequence

from ._errors import Error, check_handle, text
from ._native import ffi, lib
from ._reading import Event


@dataclass(frozen=True)
class Stat:
    """Over all calls of a span: the sum, the least and the greatest value of one."""

    sum: int
    min: int
    max: int


@dataclass(frozen=True)
class SpanReading:
    """What a span has come to.

    - count: calls that were counted; in_flight: those that have begun and not ended
    - missed: those that were not counted, by a word for the reason
    - time: in ns; members: of each event by its name
    """

    count: int
    in_flight: int
    missed: Dict[str, int]
    time: Stat
    members: Dict[str, Stat]


class Span:
    """A span of a group, which it goes with; Group.span() makes it."""

    def __init__(self, handle: Any, group: Any, events: Sequence[Event], begin: str, end: Optional[str],
                 using: Callable[[], Any]) -> None:
        names = [ffi.new("char[]", name.encode()) for name in (begin, end or "")]
        kind = lib.PMCGRP_SECTION_FUNCTION if end is None else lib.PMCGRP_SECTION_TRACEPOINTS
        spec = ffi.new("struct pmcgrp_span_spec *", {"kind": kind, "begin": names[0],
                                                     "end": ffi.NULL if end is None else names[1]})
        number = ffi.new("uint64_t *")
        check_handle(lib.pmcgrp_group_add_span(handle, group, spec, number), handle)
        self.name = begin
        self.id = int(number[0])
        self._events = tuple(events)
        self._using = using

    def read(self) -> SpanReading:
        """What it has come to by now."""
        out = ffi.new("struct pmcgrp_section_info **")
        handle = self._using()
        check_handle(lib.pmcgrp_section_next(handle, self.id, out), handle)
        info = ffi.gc(out[0], lib.pmcgrp_section_free)
        if info.id != self.id:
            raise Error(errno.ENOENT, f"span {self.name}: it is no more")
        stats = []
        for i in range(1 + len(self._events)):
            stat = lib.pmcgrp_section_stat(info, i)
            stats.append(Stat(stat.sum, stat.min, stat.max) if stat else Stat(0, 0, 0))
        missed = {text(lib.pmcgrp_missed_name(i)): n for i, n in enumerate(info.missed) if n}
        return SpanReading(info.count, info.in_flight, missed, stats[0],
                           {event.name: stat for event, stat in zip(self._events, stats[1:])})
