# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""What a group counts: a thread, a process, a cgroup, CPUs, or the machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterable, Union

from ._errors import Error, check
from ._native import ffi, lib


@dataclass(frozen=True)
class Task:
    """One thread, on whatever CPU it runs; 0: the one that makes the group."""

    tid: int = 0


@dataclass(frozen=True)
class Process:
    """All threads of a process, those that it has and those to come; 0: this process."""

    pid: int = 0


@dataclass(frozen=True)
class Cgroup:
    """The tasks of a cgroup of version 2, and of those below it: the path of its folder."""

    path: str


@dataclass(frozen=True)
class Cpus:
    """Whatever runs on these CPUs: a list such as "0-3,7", or their numbers.

    >>> Cpus([0, 2])
    Cpus(cpus=[0, 2])
    """

    cpus: Union[str, int, Iterable[int]]


@dataclass(frozen=True)
class AllCpus:
    """Whatever runs on the machine."""


Target = Union[Task, Process, Cgroup, Cpus, AllCpus]


def _cpus(cpus: Union[str, int, Iterable[int]]) -> Any:
    made = ffi.new("struct pmcgrp_cpus *")
    if isinstance(cpus, str):
        check(lib.pmcgrp_cpus_parse(made, cpus.encode(), ffi.NULL), f"CPUs {cpus!r}")
    else:
        for cpu in [cpus] if isinstance(cpus, int) else cpus:
            check(lib.pmcgrp_cpus_set(made, cpu), f"CPU {cpu}")
    return made


class Placed:
    """A spec with its target. A cgroup's descriptor is needed until the group is made."""

    def __init__(self, spec: Any, target: Target) -> None:
        self._cgroup = -1
        if isinstance(target, Task):
            check(lib.pmcgrp_spec_set_task(spec, target.tid), f"thread {target.tid}")
        elif isinstance(target, Process):
            check(lib.pmcgrp_spec_set_process(spec, target.pid), f"process {target.pid}")
        elif isinstance(target, Cpus):
            check(lib.pmcgrp_spec_set_cpus(spec, _cpus(target.cpus)), "a set of CPUs")
        elif isinstance(target, AllCpus):
            check(lib.pmcgrp_spec_set_all_cpus(spec), "all CPUs")
        elif isinstance(target, Cgroup):
            try:
                self._cgroup = os.open(target.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError as error:
                raise Error(error.errno or 0, f"cgroup {target.path}: {error.strerror}") from error
            check(lib.pmcgrp_spec_set_cgroup(spec, self._cgroup), f"cgroup {target.path}")
        else:
            raise TypeError(f"a target is Task, Process, Cgroup, Cpus or AllCpus, not {target!r}")

    def __enter__(self) -> Placed:
        return self

    def __exit__(self, *_: object) -> None:
        if self._cgroup >= 0:
            os.close(self._cgroup)
