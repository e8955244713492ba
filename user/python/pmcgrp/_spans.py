# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Spans: what functions of the kernel and of programs cost, and what is between two tracepoints."""

from __future__ import annotations

import array
import errno
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, Literal, Optional, Sequence, Union

from ._errors import Error, check_handle, text
from ._keys import KEY_TYPES, KeyType
from ._native import ffi, lib
from ._reading import Event

SpanKeyKind = Literal["cpu", "key", "overflow"]


@dataclass(frozen=True)
class FileFunction:
    """A function of a program or library: the file, and where in it the function begins, in bytes."""

    path: Union[str, "os.PathLike[str]"]
    offset: int


@dataclass(frozen=True)
class Stat:
    """Over all calls of a span: the sum, the least and the greatest value of one.

    - histogram: how many calls by their value: [n] has those from 2 ** (n - 1) to 2 ** n - 1, [0] those of 0;
      empty where it was not asked for. numpy takes it without a copy
    """

    sum: int
    min: int
    max: int
    histogram: Sequence[int] = ()


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


@dataclass(frozen=True)
class SpanKey:
    """What a span has come to on a CPU, or by a key.

    - kind: "cpu": all on the CPU `cpu`; "key"; and "overflow": keys that found no room
    - id: of the cgroup, process or thread; 0 of a command
    - comm: the name of the task that came last
    - count, time, members: as SpanReading has them
    """

    kind: SpanKeyKind
    cpu: int
    id: int
    comm: str
    count: int
    time: Stat
    members: Dict[str, Stat]


class SpanKeys(Sequence[SpanKey]):
    """What a span has come to by CPU and key: CPUs first, then keys. Span.read_keys() makes it.

    - histograms: of each entry by the time and each event, shape (entries, 1 + events, buckets): the library's
      own memory, which numpy takes without a copy
    """

    histograms: memoryview

    def __init__(self, counts: Any, events: Sequence[Event], by: Optional[KeyType]) -> None:
        self._counts = counts
        self._names = tuple(event.name for event in events)
        self._by = by
        self.histograms = self._buckets()

    def _buckets(self) -> memoryview:
        counts = self._counts
        room = 1 + lib.PMCGRP_SECTION_MEMBERS_MAX
        # It keeps what the memory belongs to.
        memory = ffi.gc(counts.buckets, lambda _: counts)
        size = counts.nr * ffi.sizeof("struct pmcgrp_section_key_buckets")
        words = memoryview(ffi.buffer(memory, size)).toreadonly().cast("B")
        return words.cast("Q", (counts.nr, room, lib.PMCGRP_SECTION_BUCKETS))

    def _stat(self, i: int, member: int) -> Stat:
        stat = self._counts.entry[i].stat[member]
        buckets = self._counts.buckets[i].bucket[member]
        return Stat(stat.sum, stat.min, stat.max, array.array("Q", ffi.unpack(buckets, lib.PMCGRP_SECTION_BUCKETS)))

    def _one(self, i: int) -> SpanKey:
        entry = self._counts.entry[i]
        kinds: Dict[int, SpanKeyKind] = {lib.PMCGRP_SECTION_KEY_TOTAL: "cpu", lib.PMCGRP_SECTION_KEY_TASKS: "key",
                                         lib.PMCGRP_SECTION_KEY_OVERFLOW: "overflow"}
        command = self._by == "command"
        comm = ffi.cast("char *", entry.key) if command else entry.comm
        return SpanKey(kinds[entry.kind], entry.cpu, 0 if command else entry.key[0], text(comm), entry.count,
                       self._stat(i, 0), {name: self._stat(i, 1 + k) for k, name in enumerate(self._names)})

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return [self._one(i) for i in range(*which.indices(len(self)))]
        if not -len(self) <= which < len(self):
            raise IndexError(f"there are {len(self)} entries")
        return self._one(which % len(self))

    def __len__(self) -> int:
        return int(self._counts.nr)


class Span:
    """A span of a group, which it goes with; Group.span() makes it.

    - name, id: as `pmcgrp section` shows it
    - record_id: what its records have as their id, if it writes any
    """

    def __init__(self, handle: Any, group: Any, events: Sequence[Event], begin: Union[str, FileFunction],
                 end: Optional[str], by: Optional[KeyType], slots: int, options: Dict[str, Any],
                 using: Callable[[], Any]) -> None:
        function = begin if isinstance(begin, FileFunction) else None
        first = os.fspath(function.path) if function else str(begin)
        names = [ffi.new("char[]", os.fsencode(name)) for name in (first, end or "")]
        number, record = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        spec = ffi.new("struct pmcgrp_span_spec *", {"begin": names[0], "record_id": record, **options})
        spec.end = names[1] if end is not None else ffi.NULL
        spec.kind = lib.PMCGRP_SECTION_TRACEPOINTS if end is not None else lib.PMCGRP_SECTION_FUNCTION
        if function:
            if end is not None:
                raise ValueError("a function has no other end than its own")
            spec.kind, spec.offset = lib.PMCGRP_SECTION_USER_FUNCTION, function.offset
        keys = ffi.new("struct pmcgrp_key_options *", {"slots": slots})
        if by is not None:
            if by not in KEY_TYPES:
                raise ValueError(f"spans are told apart by {', '.join(KEY_TYPES)}, not {by!r}")
            keys.type = KEY_TYPES[by]
            spec.by = keys
        check_handle(lib.pmcgrp_group_add_span(handle, group, spec, number), handle)
        self.name = first
        self.id = int(number[0])
        self.record_id = int(record[0])
        self._by = by
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
            stats.append(Stat(stat.sum, stat.min, stat.max,
                              array.array("Q", ffi.unpack(stat.bucket, lib.PMCGRP_SECTION_BUCKETS)))
                         if stat else Stat(0, 0, 0))
        missed = {text(lib.pmcgrp_missed_name(i)): n for i, n in enumerate(info.missed) if n}
        return SpanReading(info.count, info.in_flight, missed, stats[0],
                           {event.name: stat for event, stat in zip(self._events, stats[1:])})

    def read_keys(self) -> SpanKeys:
        """What it has come to on each CPU, and by each key if it was made with `by`."""
        out = ffi.new("struct pmcgrp_section_counts **")
        handle = self._using()
        check_handle(lib.pmcgrp_section_read_histograms(handle, self.id, out), handle)
        return SpanKeys(ffi.gc(out[0], lib.pmcgrp_section_counts_free), self._events, self._by)
