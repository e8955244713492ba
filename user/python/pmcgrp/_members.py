# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Members that come to a group with a leader, and leave it."""

from __future__ import annotations

import fcntl
import os
import sys
from types import TracebackType
from typing import Any, Callable, Optional, Type

from ._errors import check, check_handle, text
from ._native import ffi, lib
from ._reading import Event, Value


class Member:
    """A member with a descriptor of its own; Group.add() makes it. It leaves its group with close().

    It counts while it and the group's leader are enabled. If the group is closed before, it goes on alone.

    - event: what it counts
    """

    def __init__(self, handle: Any, group: Any, event: Any, disabled: bool, leave: Callable[[Member], None]) -> None:
        self._format = (lib.PERF_FORMAT_TOTAL_TIME_ENABLED | lib.PERF_FORMAT_TOTAL_TIME_RUNNING | lib.PERF_FORMAT_ID)
        self._fd = check_handle(lib.pmcgrp_python_add(handle, group, event.attr, disabled, event.name), handle)
        self._leave: Optional[Callable[[Member], None]] = leave
        number = bytearray(8)
        fcntl.ioctl(self._fd, lib.PERF_EVENT_IOC_ID, number, True)
        self.event = Event(text(event.name), int.from_bytes(number, sys.byteorder), text(event.unit), event.scale)

    def fileno(self) -> int:
        """Its descriptor, which stays its own."""
        if self._fd < 0:
            raise ValueError("the member has left its group")
        return self._fd

    def enable(self) -> None:
        """Count from now on, as long as the leader is enabled, too."""
        fcntl.ioctl(self.fileno(), lib.PERF_EVENT_IOC_ENABLE, 0)

    def disable(self) -> None:
        """Count no more; the others go on."""
        fcntl.ioctl(self.fileno(), lib.PERF_EVENT_IOC_DISABLE, 0)

    def reset(self) -> None:
        """Set its count to 0."""
        fcntl.ioctl(self.fileno(), lib.PERF_EVENT_IOC_RESET, 0)

    def read(self) -> Value:
        """Its own count, and its own times: from when it was added."""
        data = os.read(self.fileno(), lib.pmcgrp_read_size(self._format, 1))
        view, times = ffi.new("struct pmcgrp_view *"), [ffi.new("uint64_t *"), ffi.new("uint64_t *")]
        memory = ffi.from_buffer(data)
        check(lib.pmcgrp_view_init(view, memory, len(data), self._format), f"read {self.event.name}")
        lib.pmcgrp_view_time_enabled(view, times[0])
        lib.pmcgrp_view_time_running(view, times[1])
        return Value(self.event.name, lib.pmcgrp_view_id(view, 0), lib.pmcgrp_view_value(view, 0), times[0][0],
                     times[1][0], self.event.unit, self.event.scale)

    def close(self) -> None:
        """Leave the group: the others keep their order."""
        if self._leave:
            self._leave(self)
        else:
            self.shut()

    def alone(self) -> None:
        """Called by the group's close()."""
        self._leave = None

    def shut(self) -> None:
        """Close the descriptor; called by the group as well, with its lock."""
        self._leave = None
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def closed(self) -> bool:
        """Whether it has left."""
        return self._fd < 0

    def __enter__(self) -> Member:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            self.shut()

    def __repr__(self) -> str:
        return f"<pmcgrp.Member {self.event.name}, {'closed' if self.closed else 'open'}>"
