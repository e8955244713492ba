# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Counts by key: of a group of CPUs or of several tasks, what each cgroup, process, thread or command has come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, Literal, Optional, Sequence

from ._errors import check, check_handle, text
from ._native import ffi, lib
from ._reading import Event, Reading

KeyType = Literal["cgroup", "process", "thread", "command"]
KeyKind = Literal["key", "idle", "other", "overflow"]
KEY_TYPES: Dict[str, Any] = {"cgroup": lib.PMCGRP_KEY_CGROUP, "process": lib.PMCGRP_KEY_PROCESS,
                             "thread": lib.PMCGRP_KEY_THREAD, "command": lib.PMCGRP_KEY_COMMAND}


@dataclass(frozen=True)
class Key:
    """A key, and what it has come to.

    - kind: "key"; or what is left of others: "idle" CPUs, "other" tasks, and "overflow": keys that found
      no room
    - id: of the cgroup, process or thread; 0 of a command
    - comm: the name of the task that came last
    - ended: the kernel has it no more
    - total, delta: since the table was made, and between the last two update()
    - stays: of the total, how often a task of the key came after one of another key
    """

    kind: KeyKind
    id: int
    comm: str
    ended: bool
    total: Reading
    delta: Reading
    stays: int


class Keys:
    """A group's table of keys; Group.keys() makes it. It needs its user's lock.

    update() ends an interval; then the table is a sequence of Key, which is asked for one by one.
    """

    def __init__(self, handle: Any, group: Any, events: Sequence[Event], by: KeyType, slots: int) -> None:
        if by not in KEY_TYPES:
            raise ValueError(f"counts are told apart by {', '.join(KEY_TYPES)}, not {by!r}")
        options = ffi.new("struct pmcgrp_key_options *", {"type": KEY_TYPES[by], "slots": slots})
        out = ffi.new("struct pmcgrp_key_table **")
        check_handle(lib.pmcgrp_group_set_keys(handle, group, options, out), handle)
        self._table: Optional[Any] = ffi.gc(out[0], lib.pmcgrp_keys_free)
        self._events = tuple(events)
        self._by = by
        self._kinds = {lib.PMCGRP_KEY_KIND_KEY: "key", lib.PMCGRP_KEY_KIND_IDLE: "idle",
                       lib.PMCGRP_KEY_KIND_OTHER: "other", lib.PMCGRP_KEY_KIND_OVERFLOW: "overflow"}

    def _open(self) -> Any:
        if self._table is None:
            raise ValueError("the group of these keys is closed")
        return self._table

    def close(self) -> None:
        """Called by the group's close()."""
        if self._table is not None:
            ffi.release(self._table)
            self._table = None

    def update(self) -> None:
        """Read the table, and end an interval."""
        check(lib.pmcgrp_keys_update(self._open()), "read counts by key")

    def drop_ended(self) -> None:
        """Forget the keys that have ended: their counts are in dropped() then."""
        lib.pmcgrp_keys_drop_ended(self._open())

    def _reading(self, counts: Any) -> Reading:
        return Reading(self._events, list(ffi.unpack(counts.value, len(self._events))), counts.time_enabled,
                       counts.time_running)

    def dropped(self) -> Reading:
        """The total of all keys that drop_ended() has forgotten."""
        return self._reading(lib.pmcgrp_keys_dropped(self._open()))

    def total(self) -> Reading:
        """All keys together, as the kernel has counted them."""
        totals = ffi.new("struct pmcgrp_key_totals *")
        lib.pmcgrp_keys_totals(self._open(), totals)
        return self._reading(totals)

    def __iter__(self) -> Iterator[Key]:
        at = ffi.new("size_t *")
        while True:
            key = lib.pmcgrp_keys_next(self._open(), at)
            if not key:
                return
            yield Key(self._kinds[key.kind], 0 if self._by == "command" else key.key[0],  # type: ignore[arg-type]
                      text(key.comm), bool(key.ended), self._reading(key.total), self._reading(key.delta),
                      key.total.stays)
