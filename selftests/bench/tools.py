# SPDX-License-Identifier: GPL-2.0-only
"""Rows in which a whole tool is measured, as users run it: pmcgrp against Debian's perf of this
host's suite, in a guest of one processor.

What a tool costs is the difference between a long and a short run, of everything that the CPU
executes meanwhile, by how many more intervals or samples the long one has.
"""

import pathlib
import re
import subprocess
import sys

from table import DEB_ARCH
from tree import cross_prefix

# The first four members of members.c.
EVENTS = {
    "arm64": ("r11", "r8", "r100000011", "r100000008"),
    "x86_64": ("rc4", "rc5", "r4f2e", "r412e"),
}
SIDES = ("perf", "pmcgrp")
TICK = 500_000_000          # instructions a second
SHORT, LONG = 0.2, 1.2      # seconds


def needed(path, folders, prefix):
    """All libraries that a program needs, by name."""
    found, todo = {}, [path]
    while todo:
        out = subprocess.run([f"{prefix}readelf", "-d", todo.pop()], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        for name in re.findall(r"NEEDED.*\[(.*)\]", out):
            if name not in found:
                found[name] = next(f / name for f in folders if (f / name).exists())
                todo.append(found[name])
    return found


def perf_files(vm, arch):
    """Arguments that put perf into a guest."""
    root = pathlib.Path(subprocess.run([vm / "fetch", "--perf", "host", DEB_ARCH[arch]], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout.strip())
    folders = [f for pattern in ("lib/*-linux-gnu", "usr/lib/*-linux-gnu")
               for f in root.glob(pattern)]
    program = root / "usr/bin/perf"
    libraries = needed(program, folders, cross_prefix(arch))
    files = {f"/lib/{name}": path for name, path in libraries.items()}
    files["/bin/perf"] = program
    if arch == "x86_64":
        loader = "ld-linux-x86-64.so.2"
        files[f"/lib64/{loader}"] = libraries[loader]
    return [arg for target, path in files.items() for arg in ("--file", f"{path}:{target}")]


def interval(seconds, arch):
    """`stat -a -I 1`, both sides and the floor: what is run, and what counts its intervals."""
    last = EVENTS[arch][1]
    how = f"stat -a -I 1 -e '{{{','.join(EVENTS[arch])}}}' -o /tmp/out -- sleep {seconds}"
    times = int(seconds * 1000)
    return {side: (f"{side} {how}", f"grep -c '{last}$\\|{last} ' /tmp/out") for side in SIDES} | {
        "floor": (f"/bench -s {times}", f"echo {times}")}


def record(seconds, arch):
    """Each 100 us of a thread into a perf.data file."""
    events = ",".join(EVENTS[arch])
    how = {"perf": (f"-q -B -c 100000 -e '{{cpu-clock,{events}}}:S'", "cpu-clock"),
           "pmcgrp": (f"--every 100us -e '{{{events}}}'", "every")}
    work = f"-o /tmp/out -- /bench -w {int(seconds * TICK)}"
    return {side: (f"{side} record {options} {work}",
                   f"perf script -i /tmp/out -F event 2>/dev/null | grep -c {name}")
            for side, (options, name) in how.items()}


def run(seconds, _):
    """`stat -- true` with what it counts by default, ten times a second."""
    times = int(seconds * 10)
    loop = f"sh -c 'for i in $(seq -s ' ' {times}); do {{}}/bin/true; done'"
    return {side: (loop.format(f"{side} stat -o /tmp/out "), f"echo {times}")
            for side in SIDES} | {"floor": (loop.format(""), f"echo {times}")}


# name, the commands by seconds, whether the work itself is to be taken off, the goal, the floor
ROWS = (
    ("interval.1ms.4hw", interval, False, 0.20, "to sleep each ms, and nothing else"),
    ("record.100us.4hw", record, True, None, None),
    ("stat.true", run, False, 0.25, "the command alone"),
)


def script(arch, told):
    """For the guest: each command, counted; then how many intervals or samples it had."""
    lines = ["export PERF_CONFIG=/dev/null"]
    for name, commands, *_ in ROWS:
        # The first one finds nothing in the page cache, and is not looked at.
        for seconds in (0, SHORT, LONG):
            for side, (command, count) in commands(seconds, arch).items():
                lines += [f"echo; echo 'tool {name} {side} {seconds}'",
                          f"eval \"/bench {told} -x {command}\" 2>/tmp/err || cat /tmp/err",
                          f"echo \"units $({count})\""]
    return "\n".join(lines)


def measured(out):
    """From what the guest has printed, by name, side and seconds: units, and their costs."""
    pattern = r"^tool (\S+) (\S+) (\S+)$.*?^counted (.+?)$.*?^units (\d+)$"
    return {(name, side, float(seconds)): (int(units), *map(int, costs.split()))
            for name, side, seconds, costs, units in re.findall(pattern, out, re.M | re.S)}


def take(row, side, found, works):
    """Puts what a side costs into a row; returns whether it was measured."""
    short, long = (found.get((row["name"], side, seconds)) for seconds in (SHORT, LONG))
    if not short or not long or long[0] - short[0] < 10:
        return False
    units, insns, *accesses = (b - a for a, b in zip(short, long))
    row[side] = round((insns - (TICK * (LONG - SHORT) if works else 0)) / units, 2)
    if side in SIDES:
        for what, nr in zip(("reads", "writes"), accesses):
            row[f"{side}_{what}"] = round(nr / units, 2)
    return True


def measure(vm, program, machine, kernel, how, told):
    """The rows, and the names of those that failed. How accesses are counted: `run` says it."""
    arch = machine.split("-", maxsplit=1)[0]
    out = subprocess.run([vm / "run", machine, "--limit", "600", *how, *perf_files(vm, arch),
                          "--file", f"{program}:/bench", "--sh", script(arch, told)],
                         stdout=subprocess.PIPE, text=True, check=False).stdout
    found = measured(out)
    rows, failed = [], []
    for name, _, works, goal, floor in ROWS:
        row = {"name": name, "unit": "instructions", "kernel": kernel}
        bad = [side for side in ((*SIDES, "floor") if floor else SIDES)
               if not take(row, side, found, works)]
        if bad:
            failed.append(f"{name} by {' and '.join(bad)} on {machine}")
            continue
        row["ratio"] = round(row["pmcgrp"] / row["perf"], 4) if row["perf"] > 0 else None
        if goal:
            row["goal"] = goal
        if floor:
            row["floor_is"] = floor
        rows.append(row)
    if failed:
        print(out, file=sys.stderr)
    return rows, failed
