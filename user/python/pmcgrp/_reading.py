# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""What a read gives: counts with their names, and for which share of the time they were counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence, Tuple, Union


@dataclass(frozen=True)
class Event:
    """A member of a group.

    - name: as it was written
    - id: as PERF_FORMAT_ID has it
    - unit, scale: of its counts, "" and 1.0 if they have none
    - whole: index of the first member that counts for this name: uncore PMUs have one for each box
    """

    name: str
    id: int
    unit: str = ""
    scale: float = 1.0
    whole: int = 0


@dataclass(frozen=True)
class Value:
    """A count, as it is: nothing is scaled up.

    >>> v = Value("cycles", 7, 300, time_enabled=1000, time_running=250)
    >>> v.share, v.multiplexed, v.estimate
    (0.25, True, 1200.0)
    """

    name: str
    id: int
    value: int
    time_enabled: int
    time_running: int
    unit: str = ""
    scale: float = 1.0

    @property
    def share(self) -> float:
        """For which part of the time that it was enabled it was counted: 1.0 is all of it."""
        return self.time_running / self.time_enabled if self.time_enabled else 0.0

    @property
    def counted(self) -> bool:
        """Whether it was counted all the time."""
        return 0 < self.time_enabled == self.time_running

    @property
    def multiplexed(self) -> bool:
        """Whether it was counted for a part of the time."""
        return 0 < self.time_running < self.time_enabled

    @property
    def estimate(self) -> float:
        """What it may have come to in all the time: no count, but a guess. 0 of what was not counted."""
        return self.value / self.share if self.time_running else 0.0

    @property
    def scaled(self) -> float:
        """The count in its unit."""
        return self.value * self.scale


class NotCounted(Exception):
    """Names the events that were not counted all the time.

    - names: these
    - share: for which part of the time they were
    """

    def __init__(self, names: Sequence[str], share: float) -> None:
        self.names = tuple(names)
        self.share = share
        how = f"multiplexed: counted for {share:.1%} of the time" if share else "not counted"
        super().__init__(f"{', '.join(names)}: {how}")


class Reading:
    """All members of a group at one instant.

    It is indexed by name or number; uncore boxes of one name are summed up by the name.

    >>> r = Reading([Event("a", 1), Event("b", 2, whole=1), Event("b", 3, whole=1)], [5, 20, 22], 9, 9)
    >>> r["a"].value, r["b"].value, r[2].value, r.share
    (5, 42, 22, 1.0)
    """

    def __init__(self, events: Sequence[Event], counts: Sequence[int], time_enabled: int,
                 time_running: int) -> None:
        self.time_enabled = time_enabled
        self.time_running = time_running
        self._events = tuple(events)
        self.values: Tuple[Value, ...] = tuple(
            Value(e.name, e.id, count, time_enabled, time_running, e.unit, e.scale)
            for e, count in zip(self._events, counts))

    @property
    def share(self) -> float:
        """For which part of the time the group was counted: all its members, or none."""
        return self.time_running / self.time_enabled if self.time_enabled else 0.0

    @property
    def counted(self) -> bool:
        """Whether it was counted all the time."""
        return 0 < self.time_enabled == self.time_running

    def require_counted(self) -> None:
        """Raises NotCounted unless the group was counted all the time."""
        if not self.counted:
            raise NotCounted([e.name for e in self._events], self.share)

    def __getitem__(self, which: Union[str, int]) -> Value:
        if isinstance(which, int):
            return self.values[which]
        for first, event in enumerate(self._events):
            if event.name == which:
                break
        else:
            raise KeyError(f"{which!r}: the group has {', '.join(e.name for e in self._events)}")
        one = self.values[first]
        total = sum(v.value for v, e in zip(self.values, self._events) if e.whole == event.whole)
        return Value(one.name, one.id, total, one.time_enabled, one.time_running, one.unit, one.scale)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        counts = ", ".join(f"{v.name}={v.value}" for v in self.values)
        return f"<pmcgrp.Reading {counts}, counted for {self.share:.1%} of {self.time_enabled} ns>"
