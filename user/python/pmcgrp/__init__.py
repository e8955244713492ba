# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Counter groups for Linux: several events, counted together and read at one instant.

>>> import pmcgrp
>>> with pmcgrp.group("task-clock,context-switches") as g:
...     work = sum(range(100000))
>>> g.backend in ("pmcgrp", "perf_event_open")
True
>>> [value.name for value in g.result]
['task-clock', 'context-switches']

It calls libpmcgrp, which counts by the module pmcgrp where that is loaded, and by perf_event_open(2) elsewhere.
"""

from ._errors import Error, EventError, text
from ._group import Backend, Group, group, why_not
from ._keys import Key, Keys
from ._members import Member
from ._native import lib
from ._reading import Event, NotCounted, Reading, Value
from ._regions import Region, regions_start, regions_stop
from ._rings import Rings, Sample, SpanRecord, SpanRings
from ._spans import FileFunction, Span, SpanKey, SpanKeys, SpanReading, Stat
from ._targets import AllCpus, Cgroup, Cpus, Process, Target, Task

__version__ = text(lib.pmcgrp_version())

__all__ = ["AllCpus", "Backend", "Cgroup", "Cpus", "Error", "Event", "EventError", "FileFunction", "Group", "Key", "Keys",
           "Member", "NotCounted", "Process", "Reading", "Region", "Rings", "Sample", "Span", "SpanKey", "SpanKeys",
           "SpanReading", "SpanRecord", "SpanRings", "Stat", "Target", "Task", "Value", "group", "regions_start",
           "regions_stop", "why_not"]
