# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Rings: samples of a group over the time, and records of its spans, as rows that numpy takes, or one by one."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Iterator, List, Optional, Sequence, Tuple, TypeVar

from ._errors import check, check_handle
from ._native import ffi, lib
from ._reading import Event

# What a row begins with; the counts of the members follow.
COLUMNS = ("time", "cpu", "pid", "tid", "ip", "trigger", "enabled", "running", "lost")
SPAN_COLUMNS = ("time", "cpu", "pid", "tid", "span", "begin", "duration")
_ROWS = 256
_WORD = 8

Record = TypeVar("Record")


def check_rate(period: int, frequency: int) -> None:
    """Whether a trigger has one of them."""
    if bool(period) == bool(frequency):
        raise ValueError("a trigger has either a period or a frequency")


@dataclass(frozen=True)
class Sample:
    """What was counted from one sample of a CPU or thread to the next.

    - time: of its end, in ns; cpu, pid, tid, ip: where and in whom that was
    - trigger: what has caused it: an index of Rings.triggers; 0: Rings.sample()
    - enabled, running: what the times grew by, in ns
    - lost: samples that are missing in between
    - counts: of each member
    """

    time: int
    cpu: int
    pid: int
    tid: int
    ip: int
    trigger: int
    enabled: int
    running: int
    lost: int
    counts: Tuple[int, ...]


@dataclass(frozen=True)
class SpanRecord:
    """One call of a span.

    - time: of its end, in ns; cpu, pid, tid: where and in whom that was
    - span: Span.id
    - begin, duration: in ns
    - counts: of each member
    """

    time: int
    cpu: int
    pid: int
    tid: int
    span: int
    begin: int
    duration: int
    counts: Tuple[int, ...]


class _Mapped(Generic[Record]):
    """The rings of a group, whatever they have. They need their user's lock, and end with the group."""

    columns: Tuple[str, ...]

    def __init__(self, handle: Any, group: Any, kinds: int, flags: int) -> None:
        check_handle(lib.pmcgrp_group_set_ring(handle, group, flags, kinds, 0), handle)
        self._group = group
        self._rings: Optional[Any] = None

    def _map(self, pages: int) -> None:
        out = ffi.new("struct pmcgrp_rings **")
        check(lib.pmcgrp_rings_map(out, self._group, pages), "map the rings")
        self._rings = ffi.gc(out[0], lib.pmcgrp_rings_free)
        lib.pmcgrp_rings_from_zero(self._rings)

    def _open(self) -> Any:
        if self._rings is None:
            raise ValueError("the group of these rings is closed")
        return self._rings

    def close(self) -> None:
        """Called by the group's close()."""
        if self._rings is not None:
            ffi.release(self._rings)
            self._rings = None

    def wait(self, seconds: Optional[float] = None) -> bool:
        """Wait until a ring is half full, or the target has ended; False: the time was over before."""
        timeout = -1 if seconds is None else int(seconds * 1000)
        return check(lib.pmcgrp_rings_wait(self._open(), timeout), "wait for samples") != 0

    def flush(self) -> None:
        """Nothing comes any more: the next reads give what was held back for the order of time."""
        lib.pmcgrp_rings_flush(self._open())

    def update(self) -> int:
        """Map the rings of CPUs that have come online since; returns how many."""
        return check(lib.pmcgrp_rings_update(self._open()), "map the rings")

    def _fill(self, rows: Any, nr: int) -> int:
        raise NotImplementedError

    def _record(self, row: List[int]) -> Record:
        raise NotImplementedError

    def read_into(self, buffer: Any) -> int:
        """Write records, in the order of time, into memory of the caller's: rows of uint64, as `columns` has it.

        Returns how many rows are written, 0: there are none now. With numpy:
        `rows = numpy.empty((1000, len(rings.columns)), numpy.uint64)`.
        """
        memory = ffi.from_buffer("uint64_t[]", buffer, require_writable=True)
        nr = len(memory) // len(self.columns)
        if not nr:
            raise ValueError(f"a row has {len(self.columns) * _WORD} bytes")
        return check(self._fill(memory, nr), "read records")

    def __iter__(self) -> Iterator[Record]:
        wide, rows = len(self.columns), ffi.new("uint64_t[]", _ROWS * len(self.columns))
        while True:
            nr = self.read_into(ffi.buffer(rows))
            for i in range(nr):
                yield self._record(ffi.unpack(rows + i * wide, wide))
            if nr < _ROWS:
                return


class Rings(_Mapped[Sample]):
    """Rings of samples; Group.rings() makes them.

    - columns: the names of a row's words: those of COLUMNS, and of the events
    - triggers: what causes samples, by the index that a sample has; [0] is "sample": sample() does
    """

    def __init__(self, handle: Any, group: Any, events: Sequence[Event], pages: int, overwrite: bool) -> None:
        kinds = (lib.PERF_SAMPLE_READ | lib.PERF_SAMPLE_TIME | lib.PERF_SAMPLE_TID | lib.PERF_SAMPLE_CPU |
                 lib.PERF_SAMPLE_IP | lib.PERF_SAMPLE_ID)
        super().__init__(handle, group, kinds, lib.PMCGRP_RING_BACKWARD if overwrite else 0)
        self._handle = handle
        self._map(pages)
        self.triggers: Tuple[str, ...] = ("sample",)
        self.columns = (*COLUMNS, *(event.name for event in events))

    def add_trigger(self, event: Any, name: str, period: int, frequency: int) -> None:
        """Called by Group.rings() and Group.trigger()."""
        self._open()
        check_handle(lib.pmcgrp_python_trigger(self._handle, self._group, event.attr, period, frequency, event.name),
                     self._handle)
        self.triggers += (name,)

    def sample(self, address: int = 0) -> int:
        """A sample now, in the ring of each CPU where the target runs; returns how many were written."""
        self._open()
        return check(lib.pmcgrp_group_sample(self._group, address), "take a sample")

    @contextmanager
    def paused(self) -> Iterator[Rings]:
        """Nothing is written within: rings that are overwritten are read so. What would have been counts as lost."""
        self._open()
        check(lib.pmcgrp_group_pause_rings(self._group, True), "pause the rings")
        try:
            yield self
        finally:
            if self._rings is not None:
                check(lib.pmcgrp_group_pause_rings(self._group, False), "go on with the rings")

    def _fill(self, rows: Any, nr: int) -> int:
        return int(lib.pmcgrp_python_samples(self._open(), self._group, rows, nr, len(self.columns)))

    def _record(self, row: List[int]) -> Sample:
        time, cpu, pid, tid, ip, trigger, enabled, running, lost, *counts = row
        return Sample(time, cpu, pid, tid, ip, trigger, enabled, running, lost, tuple(counts))


class SpanRings(_Mapped[SpanRecord]):
    """Rings with a record of each call of the group's spans; Group.span_rings() makes them.

    - columns: the names of a row's words: those of SPAN_COLUMNS, and of the events
    """

    def __init__(self, handle: Any, group: Any, events: Sequence[Event], pages: int) -> None:
        kinds = (lib.PERF_SAMPLE_IDENTIFIER | lib.PERF_SAMPLE_TIME | lib.PERF_SAMPLE_TID | lib.PERF_SAMPLE_CPU |
                 lib.PERF_SAMPLE_RAW)
        super().__init__(handle, group, kinds, 0)
        self._map(pages)
        self._lost = ffi.new("uint64_t *")
        self.columns = (*SPAN_COLUMNS, *(event.name for event in events))

    @property
    def lost(self) -> int:
        """How many records the rings had no room for, as far as they were read."""
        return int(self._lost[0])

    def _fill(self, rows: Any, nr: int) -> int:
        return int(lib.pmcgrp_python_spans(self._open(), rows, nr, len(self.columns), self._lost))

    def _record(self, row: List[int]) -> SpanRecord:
        time, cpu, pid, tid, span, begin, duration, *counts = row
        return SpanRecord(time, cpu, pid, tid, span, begin, duration, tuple(counts))
