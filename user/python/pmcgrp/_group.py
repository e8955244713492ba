# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Counter groups: made, controlled, read and closed."""

from __future__ import annotations

import errno
import threading
from dataclasses import replace
from types import TracebackType
from typing import Any, Dict, List, Literal, Optional, Sequence, Tuple, Type, Union, cast

from ._errors import Error, EventError, check, check_handle, text
from ._keys import Keys, KeyType
from ._members import Member
from ._native import ffi, lib
from ._reading import Event, Reading
from ._rings import Rings, SpanRings, check_rate
from ._spans import FileFunction, Span
from ._targets import Placed, Target, Task

Backend = Literal["pmcgrp", "perf_event_open"]
Events = Union[str, Sequence[str]]

_WORD = 8


def _parse(events: Events) -> Any:
    """The library's list of events of one group, braces or not."""
    written = events if isinstance(events, str) else ",".join(events)
    out, error = ffi.new("struct pmcgrp_events **"), ffi.new("struct pmcgrp_events_error *")
    result = lib.pmcgrp_events_parse(out, written.encode(), 0, error)
    if result == -errno.EINVAL:
        raise EventError(-result, f'events "{written}", character {error.column + 1}: {text(error.text)}',
                         error.column)
    made = ffi.gc(out[0], lib.pmcgrp_events_free) if check(result, "events") == 0 else None
    groups = [lib.pmcgrp_events_group(made, i) for i in range(lib.pmcgrp_events_nr_groups(made))]
    if len(groups) > 1 and any(g.flags & lib.PMCGRP_EVENT_GROUP_BRACES for g in groups):
        column = lib.pmcgrp_events_at(made, groups[1].first).column
        raise EventError(errno.EINVAL, f'events "{written}", character {column + 1}: this is a second '
                         "group: make one of each", column)
    if not groups:
        raise EventError(errno.EINVAL, "no events are named")
    return made


def _open(backend: Optional[Backend]) -> Any:
    flags = {None: lib.PMCGRP_OPEN_FALLBACK, "pmcgrp": 0, "perf_event_open": lib.PMCGRP_OPEN_PERF}
    if backend not in flags:
        raise ValueError(f"a backend is 'pmcgrp' or 'perf_event_open', not {backend!r}")
    out = ffi.new("struct pmcgrp **")
    check_handle(lib.pmcgrp_open(out, flags[backend]), ffi.NULL)
    return ffi.gc(out[0], lib.pmcgrp_close)


def _spec(events: Any, flags: int) -> Any:
    out = ffi.new("struct pmcgrp_spec **")
    check(lib.pmcgrp_spec_new(out), "a group")
    made = ffi.gc(out[0], lib.pmcgrp_spec_free)
    check(lib.pmcgrp_spec_set_flags(made, flags), "flags")
    for i in range(lib.pmcgrp_events_nr_groups(events)):
        check(lib.pmcgrp_spec_add_events(made, events, i), "events of a group")
    return made


class Group:
    """A counter group; group() makes them.

    Its methods may be called from several threads. As a context manager it counts what is within, and is
    closed behind it: `result` has the counts then.

    - backend: who counts: "pmcgrp", the module, or "perf_event_open", without it
    - events: its members
    """

    backend: Backend
    events: Tuple[Event, ...]

    def __init__(self, events: Events, target: Target, flags: int, backend: Optional[Backend]) -> None:
        parsed, handle, out = _parse(events), _open(backend), ffi.new("struct pmcgrp_group **")
        spec = _spec(parsed, flags)
        with Placed(spec, target):
            check_handle(lib.pmcgrp_group_create(handle, spec, out), handle)
        self._group = ffi.gc(out[0], lib.pmcgrp_group_close)
        self._handle = handle
        self._keys: Optional[Keys] = None
        self._rings: Union[Rings, SpanRings, None] = None
        self._members: List[Member] = []
        self._lock = threading.Lock()
        self._flags = flags
        self._result: Optional[Reading] = None
        self._format = lib.pmcgrp_group_read_format(self._group)
        self._view = ffi.new("struct pmcgrp_view *")
        self.backend = "pmcgrp" if lib.pmcgrp_backend(handle) == lib.PMCGRP_BACKEND_DEVICE else "perf_event_open"
        self._made = tuple(self._event(parsed, i) for i in range(lib.pmcgrp_group_nr(self._group)))
        self._lay_out()

    def _lay_out(self) -> None:
        """Memory for a read of the members that there are now."""
        nr = len(self._made)
        self.events = (*self._made, *(replace(member.event, whole=nr + i) for i, member in enumerate(self._members)))
        size = lib.pmcgrp_read_size(self._format, len(self.events))
        self._buffer = ffi.new("uint64_t[]", size // _WORD)
        self._words = memoryview(ffi.buffer(self._buffer)).toreadonly().cast("B").cast("Q")
        # As an empty read: the view then knows where the counts lie.
        self._buffer[0] = len(self.events)
        check(lib.pmcgrp_view_init(self._view, self._buffer, size, self._format), "the layout of a read")

    def _event(self, parsed: Any, i: int) -> Event:
        event = lib.pmcgrp_events_at(parsed, i)
        return Event(text(event.name), lib.pmcgrp_group_id(self._group, i), text(event.unit), event.scale,
                     event.sum)

    def _open_group(self) -> Any:
        if self._group is None:
            raise ValueError("the group is closed")
        return self._group

    # ---- Control ----

    def enable(self) -> None:
        """Start to count. It also takes a pinned group out of its error state."""
        with self._lock:
            check(lib.pmcgrp_group_enable(self._open_group()), "enable")

    def disable(self) -> None:
        """Stop counting; the counts stay readable."""
        with self._lock:
            check(lib.pmcgrp_group_disable(self._open_group()), "disable")

    def reset(self, *, times: bool = False) -> None:
        """Set all counts to 0, and with `times` time_enabled and time_running, too."""
        with self._lock:
            reset = lib.pmcgrp_group_reset_times if times else lib.pmcgrp_group_reset
            check(reset(self._open_group()), "reset")

    def close(self) -> None:
        """End the group. The counters are free for others then."""
        with self._lock:
            if self._group is not None:
                for mapped in (self._keys, self._rings):
                    if mapped:
                        mapped.close()
                for member in self._members:
                    member.alone()
                self._members = []
                ffi.release(self._group)
                ffi.release(self._handle)
                self._group = None

    @property
    def closed(self) -> bool:
        """Whether it is."""
        return self._group is None

    def fileno(self) -> int:
        """The descriptor behind the group, which stays the group's."""
        return int(lib.pmcgrp_group_fd(self._open_group()))

    # ---- Reading ----

    def read(self) -> Reading:
        """All members at the same instant. It renews `words` and `counts`, too."""
        with self._lock:
            size = check(lib.pmcgrp_group_read(self._open_group(), self._buffer, self._words.nbytes), "read")
            return self._reading(self._view, lib.pmcgrp_view_init(self._view, self._buffer, size, self._format))

    def _reading(self, view: Any, result: int) -> Reading:
        if result == -errno.ENODATA:
            raise Error(errno.ENODATA, f"{', '.join(e.name for e in self.events)}: the group is pinned, and "
                        "there was no room on the PMU for it; enable() tries again")
        check(result, "what was read")
        times = [ffi.new("uint64_t *"), ffi.new("uint64_t *")]
        lib.pmcgrp_view_time_enabled(view, times[0])
        lib.pmcgrp_view_time_running(view, times[1])
        return Reading(self.events, [lib.pmcgrp_view_value(view, i) for i in range(lib.pmcgrp_view_nr(view))],
                       times[0][0], times[1][0])

    def read_into(self, buffer: Any) -> int:
        """Read into memory of the caller's that can be written, such as a row of a numpy array.

        Returns the number of bytes: of `words`, whose layout they have; 0 of a pinned group that could not
        be put on the PMU. Nothing is made or copied beside.
        """
        with self._lock:
            memory = ffi.from_buffer(buffer, require_writable=True)
            return check(lib.pmcgrp_group_read(self._open_group(), memory, len(memory)), "read")

    @property
    def words(self) -> memoryview:
        """What the last read() has read, as it is; numpy takes it without a copy, and sees the next one.

        perf_event_open(2) has the layout: nr, time_enabled, time_running, and of each member value and id.
        """
        return self._words

    @property
    def layout(self) -> slice:
        """Which of `words` are the counts: `words[layout]`, or `rows[:, layout]` of what read_into() filled."""
        return slice(self._view.values // _WORD, None, self._view.stride // _WORD)

    @property
    def counts(self) -> memoryview:
        """Of `words` the counts alone, one for each member."""
        return self._words[self.layout]

    def read_cpus(self) -> Dict[int, Reading]:
        """Each CPU of a group of CPUs apart, by its number."""
        with self._lock:
            group, size, buffer = self._open_group(), 0, ffi.NULL
            while True:
                size = lib.pmcgrp_group_read_cpus(group, buffer, size)
                # CPUs that have come online meanwhile.
                if size >= 0 and buffer != ffi.NULL:
                    break
                if size == -errno.ENOSPC:
                    size = lib.pmcgrp_group_read_cpus(group, ffi.NULL, 0)
                buffer = ffi.new("uint64_t[]", check(size, "read each CPU") // _WORD)
            found: List[Tuple[int, Reading]] = []
            view = ffi.new("struct pmcgrp_view *")
            while True:
                cpu = lib.pmcgrp_view_cpu(view, buffer, size, self._format, len(found))
                if cpu == -errno.ENOENT:
                    return dict(found)
                found.append((cpu, self._reading(view, min(cpu, 0))))

    def keys(self, by: KeyType, *, slots: int = 0) -> Keys:
        """Tell counts apart from now on: by cgroup, process, thread or command. Once for a group.

        It is for groups of the module's, of CPUs or of several tasks, before they are enabled. The table ends
        with the group. `slots`: for so many keys each CPU has room between two updates.
        """
        with self._lock:
            self._keys = Keys(self._handle, self._open_group(), self.events, by, slots)
            return self._keys

    def rings(self, trigger: Optional[str] = None, *, period: int = 0, frequency: int = 0, pages: int = 64,
              overwrite: bool = False) -> Rings:
        """Take samples of all members: whenever the event `trigger` has counted `period`, or so many a second.

        It is for groups of the module's, before they are enabled; once for a group. trigger() adds more of
        them; without any, Rings.sample() takes samples. `pages`: of each ring, a power of two. `overwrite`: the
        newest samples over the oldest, to be read within Rings.paused(). The rings end with the group.
        """
        if trigger is not None:
            check_rate(period, frequency)
        with self._lock:
            made = Rings(self._handle, self._open_group(), self.events, pages, overwrite)
            self._rings = made
        if trigger is not None:
            self.trigger(trigger, period=period, frequency=frequency)
        return made

    def trigger(self, event: str, *, period: int = 0, frequency: int = 0) -> None:
        """Take samples whenever this event has counted `period` as well, or so many a second."""
        check_rate(period, frequency)
        parsed = _parse(event)
        with self._lock:
            self._open_group()
            if not isinstance(self._rings, Rings):
                raise ValueError("the group has no rings for samples: rings() makes them")
            self._rings.add_trigger(lib.pmcgrp_events_at(parsed, 0), event, period, frequency)

    def span_rings(self, *, pages: int = 64) -> SpanRings:
        """Have a record of each call of spans, which span() with `record` makes; once for a group, in place of rings().

        It is for groups of the module's. `pages`: of each ring, a power of two. The rings end with the group.
        """
        with self._lock:
            made = SpanRings(self._handle, self._open_group(), self.events, pages)
            self._rings = made
            return made

    def span(self, begin: Union[str, FileFunction], end: Optional[str] = None, *, by: Optional[KeyType] = None,
             slots: int = 0, histograms: bool = False, record: bool = False, force: bool = False,
             max_active: int = 0) -> Span:
        """Count what a function costs; or with `end` what a task does between two tracepoints.

        It is for groups of the module's with at most 8 events, and counts while they are enabled.

        - begin: a function of the kernel by its name, MODULE:FUNCTION for one of a module; a FileFunction of a
          program; or a tracepoint
        - by: tell calls apart by the task that ends them, for Span.read_keys(); slots: for so many keys each CPU
          has room; histograms: of each key, too
        - record: each call as a record, in the rings that span_rings() has made
        - force: of a program's function, leave out exits that are not certain
        - max_active: how many calls can be in flight at once; 0: the module chooses
        """
        options = {"histograms": histograms, "record": record, "force": force, "max_active": max_active}
        with self._lock:
            return Span(self._handle, self._open_group(), self.events, begin, end, by, slots, options,
                        self._open_handle)

    # ---- Members that come and go ----

    def add(self, event: str, *, disabled: bool = False) -> Member:
        """Add a member to a group that was made with `leader`; it counts from now on, unless it is `disabled`.

        `events`, `words` and `counts` are new ones then. It leaves with its close().
        """
        parsed = _parse(event)
        if lib.pmcgrp_events_nr(parsed) != 1:
            raise ValueError(f"a member is one event, not {event!r}")
        with self._lock:
            member = Member(self._handle, self._open_group(), lib.pmcgrp_events_at(parsed, 0), disabled, self._leave)
            self._members.append(member)
            self._lay_out()
            return member

    def _leave(self, member: Member) -> None:
        with self._lock:
            member.shut()
            if member in self._members:
                self._members.remove(member)
                self._lay_out()

    def _open_handle(self) -> Any:
        self._open_group()
        return self._handle

    @property
    def result(self) -> Reading:
        """What was counted within the context manager."""
        if self._result is None:
            raise ValueError("the group was not left yet as a context manager")
        return self._result

    # ---- As a context manager ----

    def __enter__(self) -> Group:
        if not self._flags & lib.PMCGRP_CREATE_ENABLE_ON_EXEC:
            self.enable()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            if not self.closed:
                self.disable()
                self._result = self.read()
        except Error:
            # The one that has left the block says more.
            if error is None:
                raise
        finally:
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"<pmcgrp.Group {', '.join(e.name for e in self.events)} by {self.backend}, {state}>"


def group(events: Events, target: Target = Task(), *, inherit: bool = False, pinned: bool = False,
          enable_on_exec: bool = False, until_exit: bool = False, leader: bool = False,
          background: bool = False, backend: Optional[Backend] = None) -> Group:
    """Make a counter group: all its events are counted together or not at all.

    - events: as `pmcgrp stat -e` takes them, "cycles,instructions:u" or a list of these; all are one group
    - target: what it counts: Task(), which is the thread that calls this; Process(), Cgroup(), Cpus(),
      AllCpus()
    - inherit: count with a thread or process also those that it makes
    - pinned: read() fails if there is no room on the PMU
    - enable_on_exec: the target's execve() starts it, not `with`
    - until_exit: count tasks through exit(2), as perf does
    - background: count only while nobody else wants the hardware counters
    - leader: Group.add() can add members, which can leave; the first event leads
    - backend: "pmcgrp" or "perf_event_open"; by default the module if it is there, else perf_event_open(2)

    It starts disabled: `with` enables it, or enable().

    >>> with group("task-clock,page-faults") as g:
    ...     _ = bytearray(1 << 22)
    >>> g.result["page-faults"].value > 0
    True
    >>> g.result.share
    1.0
    """
    flags = int(lib.PMCGRP_CREATE_DISABLED)
    for wanted, flag in ((inherit, lib.PMCGRP_CREATE_INHERIT), (pinned, lib.PMCGRP_CREATE_PINNED),
                         (enable_on_exec, lib.PMCGRP_CREATE_ENABLE_ON_EXEC),
                         (until_exit, lib.PMCGRP_CREATE_UNTIL_EXIT), (leader, lib.PMCGRP_CREATE_LEADER),
                         (background, lib.PMCGRP_CREATE_BACKGROUND)):
        flags |= cast(int, flag) if wanted else 0
    return Group(events, target, flags, backend)


def why_not(events: Events, target: Target = Task(), *, backend: Optional[Backend] = None) -> Optional[Error]:
    """Why such a group cannot be made here, or None: it can.

    >>> why_not("task-clock") is None
    True
    >>> print(why_not("no-such-event").errno)
    22
    """
    try:
        group(events, target, backend=backend).close()
    except Error as error:
        return error
    return None
