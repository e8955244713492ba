# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Rings: samples of a group over the time, as rows that numpy takes, or one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Tuple

from ._errors import check, check_handle
from ._native import ffi, lib
from ._reading import Event

# What a row begins with; the counts of the members follow.
COLUMNS = ("time", "cpu", "pid", "tid", "ip", "enabled", "running", "lost")
_ROWS = 256
_WORD = 8


@dataclass(frozen=True)
class Sample:
    """What was counted from one sample of a CPU or thread to the next.

    - time: of its end, in ns; cpu, pid, tid, ip: where and in whom that was
    - enabled, running: what the times grew by, in ns
    - lost: samples that are missing in between
    - counts: of each member
    """

    time: int
    cpu: int
    pid: int
    tid: int
    ip: int
    enabled: int
    running: int
    lost: int
    counts: Tuple[int, ...]


class Rings:
    """The rings of a group; Group.rings() makes them. They need their user's lock, and end with the group.

    - columns: the names of a row's words: those of COLUMNS, and of the events
    """

    def __init__(self, handle: Any, group: Any, events: Sequence[Event], trigger: Any, period: int,
                 frequency: int, pages: int) -> None:
        if bool(period) == bool(frequency):
            raise ValueError("a trigger has either a period or a frequency")
        kinds = (lib.PERF_SAMPLE_READ | lib.PERF_SAMPLE_TIME | lib.PERF_SAMPLE_TID | lib.PERF_SAMPLE_CPU |
                 lib.PERF_SAMPLE_IP | lib.PERF_SAMPLE_ID)
        check_handle(lib.pmcgrp_group_set_ring(handle, group, 0, kinds, 0), handle)
        check_handle(lib.pmcgrp_python_trigger(handle, group, trigger.attr, period, frequency, trigger.name), handle)
        out = ffi.new("struct pmcgrp_rings **")
        check(lib.pmcgrp_rings_map(out, group, pages), "map the rings")
        self._rings: Optional[Any] = ffi.gc(out[0], lib.pmcgrp_rings_free)
        lib.pmcgrp_rings_from_zero(self._rings)
        self.columns = (*COLUMNS, *(event.name for event in events))

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

    def read_into(self, buffer: Any) -> int:
        """Write samples, in the order of time, into memory of the caller's: rows of uint64, as `columns` has it.

        Returns how many rows are written, 0: there are none now. With numpy:
        `rows = numpy.empty((1000, len(rings.columns)), numpy.uint64)`.
        """
        memory = ffi.from_buffer("uint64_t[]", buffer, require_writable=True)
        nr = len(memory) // len(self.columns)
        if not nr:
            raise ValueError(f"a row has {len(self.columns) * _WORD} bytes")
        return check(lib.pmcgrp_python_samples(self._open(), memory, nr, len(self.columns)), "read samples")

    def __iter__(self) -> Iterator[Sample]:
        wide, rows = len(self.columns), ffi.new("uint64_t[]", _ROWS * len(self.columns))
        while True:
            nr = self.read_into(ffi.buffer(rows))
            for i in range(nr):
                time, cpu, pid, tid, ip, enabled, running, lost, *counts = ffi.unpack(rows + i * wide, wide)
                yield Sample(time, cpu, pid, tid, ip, enabled, running, lost, tuple(counts))
            if nr < _ROWS:
                return
