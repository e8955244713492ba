# SPDX-License-Identifier: GPL-2.0-only
"""The clients of shim-test, by suite: what is run in a guest, as it is and by `pmcgrp run`."""

import dataclasses

WORKLOAD = "sha256sum /tmp/data"
GROUP = "'{cycles,instructions}'"


@dataclasses.dataclass
class Client:
    """@same: it prints the same but for numbers. @strict: it counts by itself, and pmcgrp counts nine of ten
    for it. @seconds: of the guest, after which it is ended. @only: on that architecture.
    @todo: why it does not pass yet.
    """
    name: str
    command: str
    same: bool = False
    strict: bool = False
    seconds: int = 20
    only: str = ""
    todo: str = ""


def stat(name, options, strict=True):
    return Client(f"stat {name}".strip(), f"perf stat -x, {options}", same=True, strict=strict)


PERF = (
    stat("", WORKLOAD),
    stat("group", f"-e {GROUP} {WORKLOAD}"),
    stat("group:u", f"-e '{{cycles:u,instructions:u}}' {WORKLOAD}"),
    stat("-a", f"-a -e cycles,instructions {WORKLOAD}"),
    stat("-C 0 -A", f"-C 0 -A -e {GROUP} {WORKLOAD}"),
    stat("-i", f"-i -e cycles,page-faults {WORKLOAD}"),
    stat("-r 3", f"-r 3 -e instructions {WORKLOAD}"),
    stat("-I", f"-I 20 -e cycles {WORKLOAD}"),
    stat("-p", "-e cycles -p $$ sleep 0.1"),
    stat("--per-thread", "-e cycles --per-thread -p $$ sleep 0.1"),
    stat("-d", f"-d {WORKLOAD}"),
    # perf of Linux 7.3 refuses -j with -x.
    Client("stat -j", f"perf stat -j -e {GROUP} {WORKLOAD}", same=True, strict=True),
    stat("--no-inherit group", f"--no-inherit -e '{{instructions,page-faults}}' {WORKLOAD}"),
    stat("tracepoint", f"-e sched:sched_switch {WORKLOAD}", strict=False),
    stat("of none", f"-e nosuch {WORKLOAD}", strict=False),
    Client("record", f"perf record -q -o /tmp/perf.data -e cycles {WORKLOAD}", same=True),
    Client("script", "perf script -i /tmp/perf.data -F comm,event | sort -u", same=True),
    Client("report", "perf report -i /tmp/perf.data --stdio -s comm 2>/dev/null | grep sha256sum", same=True),
    Client("record leader", f"perf record -q -o /tmp/perf.data -e {GROUP}:S {WORKLOAD}", same=True),
    Client("script leader", "perf script -i /tmp/perf.data -F comm,event | sort -u", same=True),
    Client("record -a", f"perf record -q -a -o /tmp/perf.data -e cpu-clock {WORKLOAD}", same=True),
    Client("top", "timeout -s INT 4 perf top --stdio -d 1 -e cpu-clock -K 2>&1 | grep -c PerfTop >/dev/null"),
    Client("list", "perf list hw sw cache", same=True),
)
PERF_CORE = ("stat", "stat group", "stat -a", "stat -I", "stat of none")

PAPI_TOOLS = (
    Client("papi_avail", "papi_avail", same=True),
    Client("papi_command_line", "papi_command_line perf::INSTRUCTIONS perf::CYCLES", same=True, strict=True),
    Client("papi_command_line -x", "papi_command_line -x perf::PAGE-FAULTS", same=True, strict=True),
    Client("papi_component_avail", "papi_component_avail", same=True),
    Client("papi_event_chooser", "papi_event_chooser NATIVE perf::CYCLES"),
    # It wants PAPI's presets, which libpfm has for the Skylake.
    Client("papi_cost", "papi_cost -t 200", strict=True, only="x86_64"),
)

# Support of other tests, and those that take minutes, most of which PAPI's own list leaves out as well.
PAPI_LONG = ("burn", "attach_target", "pthrtough2", "timer_overflow", "clockres_pthreads",
             "flops_validation", "filter_helgrind")
# What does not pass yet, and why.
PAPI_TODO = {"overflow_allcounters": "equal events share a counter, so that a group runs which perf could not sample"}


def papi(folder):
    """PAPI's own tests, as they were built. They want its presets, and start each other."""
    return tuple(Client(file.name, f"cd /clients/papi; PATH=$PATH:. ./{file.name} TESTS_QUIET", only="x86_64",
                        todo=PAPI_TODO.get(file.name, ""))
                 for file in sorted((folder / "papi").glob("*")) if file.name not in PAPI_LONG)


EVENTS = "perf::CYCLES,perf::INSTRUCTIONS"
# Those that sample are for the Skylake: the emulated PMU of arm64 has no interrupts that all of them end by.
PFM = tuple(Client(name, f"/clients/pfm/{name.split()[0]} {options}".strip(), strict=strict,
                   only="" if strict else "x86_64", seconds=20 if strict or name == "self_count" else 4)
            for name, options, strict in (
    ("self", "", True),
    ("self_basic", "", True),
    ("self_count", "", False),
    ("self_pipe", f"-e {EVENTS} -d 1", True),
    ("self_smpl_multi", "-t 1", False),
    ("notify_self", "", False),
    ("notify_group", "", False),
    ("task", f"-e {EVENTS} sha256sum /tmp/data", True),
    ("task -f -i", f"-f -i -e {EVENTS} sha256sum /tmp/data", True),
    ("task_cpu", f"-e {EVENTS} sha256sum /tmp/data", False),
    ("task_attach_timeout", f"-e {EVENTS} -p 1 -d 1", True),
    ("task_attach_timeout -g", f"-g -e {EVENTS} -p 1 -d 1", True),
    ("task_smpl", "-e perf::CYCLES -p 100000 sha256sum /tmp/data", False),
    ("syst", f"-e {EVENTS} -d 1", True),
    ("syst -g", f"-g -e {EVENTS} -d 1", True),
    ("syst_count", f"-e {EVENTS} -d 1", True),
    ("syst_smpl", "-e perf::CYCLES -d 1", False),
    ("evt2raw", "perf::CYCLES", False),
    ("branch_smpl", "-e perf::CYCLES sha256sum /tmp/data", False),
))
PYTHON = (
    Client("self.py", "python3 /clients/python/self.py -e PERF_COUNT_HW_INSTRUCTIONS", same=True, strict=True),
    # It goes on until it is told to stop.
    Client("sys.py", "timeout -s INT 12 python3 -u /clients/python/sys.py -c 0 -e "
           "PERF_COUNT_HW_CPU_CYCLES,PERF_COUNT_HW_INSTRUCTIONS | grep -q CPU0", strict=True),
)

BENCHMARK = tuple(
    Client(f"{name} {counters}", f"/clients/benchmark/{name} --benchmark_perf_counters={counters} "
           "--benchmark_min_time=0.01" + more, strict=counters != "NOSUCH",
           only="x86_64" if "BRANCHES" in counters else "")
    for name, counters, more in (
        ("perf_counters_test", "CYCLES,BRANCHES", ""),
        ("basic_test", "CYCLES,INSTRUCTIONS", " --benchmark_filter=BM_empty$"),
        ("basic_test", "INSTRUCTIONS", " --benchmark_filter=BM_spin_pause_before"),
        ("basic_test", "NOSUCH", " --benchmark_filter=BM_empty$"),
    ))

OWN = tuple(Client(name, f"/clients/own/{name}", same=True, strict=True) for name in
            ("two_events", "cache_group"))
OWN_CORE = ("two_events", "cache_group")


def suites(folder):
    """All of them by their names, and which clients the gate takes: perf's and our own, for which nothing else
    has to be downloaded or built. @folder has what was built.
    """
    return {"perf": (PERF, PERF_CORE), "papi-tools": (PAPI_TOOLS, ()),
            "papi": (papi(folder), ()), "libpfm4": (PFM, ()), "python": (PYTHON, ()),
            "benchmark": (BENCHMARK, ()), "own": (OWN, OWN_CORE)}
