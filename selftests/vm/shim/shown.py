# SPDX-License-Identifier: GPL-2.0-only
"""What it buys, with perf stat as it is: on a machine of 8 CPUs the counts are those of `pmcgrp stat`; two
clients share counters; groups are on together; and `pmcgrp info` says what keeps a group from counting.
"""

import json
import typing

MACHINE = "x86_64-skl-6.12-smp8"
FOUR = "branches,branch-misses,cache-references,cache-misses"
OTHERS = "r00c0,r01c2,r20c4,r40c4"      # four more that take any of the four counters
COUNTED = "cycles,instructions,branches,branch-misses"
WORKLOAD = "sha256sum /tmp/data"
# Two runs of one kind differ by up to 0.6 percent.
DIFFER = 0.01
SHOWN = 12          # lines: one of the eight groups
RUN = "pmcgrp run --log /tmp/log -- "


def marked(name, command):
    return [f"echo '=== {name}'", command]


def script():
    """Lines for the guest."""
    lines = ["echo 0 >/proc/sys/kernel/nmi_watchdog"]
    stat = f"-x, -a -e '{{{COUNTED}}}' {WORKLOAD} 2>&1 >/dev/null"
    for number in (1, 2):
        lines += marked(f"native {number}", f"perf stat {stat}")
        lines += marked(f"shim {number}", f"{RUN}perf stat {stat}")
        lines += marked(f"ours {number}", f"pmcgrp stat {stat}")
    # Each next one begins, and is looked at, when the one before is well under way.
    two = f"perf stat -x, -a -e '{{{FOUR}}}' sleep 2"
    for how, run in (("native", ""), ("shim", RUN)):
        lines += marked(f"two {how}", f"{run}{two} >/tmp/a 2>&1 & {run}{two} >/tmp/b 2>&1 & sleep 1; "
                        "pmcgrp info -j >/tmp/info; wait; cat /tmp/a /tmp/b; cat /tmp/info")
        lines += marked(f"groups {how}", f"{run}perf stat -x, -e '{{{FOUR}}},{{{OTHERS}}}' {WORKLOAD} 2>&1 >/dev/null")
        # Someone has all counters, pinned.
        lines += marked(f"full {how}", f"perf stat -a -e '{{{FOUR}}}:D' sleep 4 >/dev/null 2>&1 & sleep 1; "
                        f"{run}perf stat -x, -a -e '{{{OTHERS}}}' sleep 2 >/tmp/a 2>&1 & sleep 1; "
                        "pmcgrp info >/tmp/info; pmcgrp info -j >/tmp/json; wait; cat /tmp/a /tmp/info /tmp/json")
    return lines


class Got(typing.NamedTuple):
    """A line of perf stat -x; value: None if it was not counted."""
    event: str
    value: int
    time: int
    share: float


def values(lines):
    found = []
    for line in lines:
        fields = line.split(",")
        if len(fields) > 5 and fields[3].isdigit():
            value = int(fields[0]) if fields[0].isdigit() else None
            found.append(Got(fields[2], value, int(fields[3]), float(fields[4])))
    return found


def info(lines):
    """The groups of `pmcgrp info -j`, which comes last."""
    if "{" not in lines:
        return []
    return json.loads("\n".join(lines[lines.index("{"):]))["groups"]


def counts_as_ours(found):
    """perf stat counts the same with the shim as without. Beside pmcgrp stat it does more of its own in the
    interval, on all CPUs: so these are compared by what they count per time.
    """
    runs = {how: [values(found.get(f"{how} {number}", [])) for number in (1, 2)] for how in ("native", "shim", "ours")}
    wrong = []
    for i, event in enumerate(COUNTED.split(",")):
        of = {how: [run[i] for run in two if len(run) > i] for how, two in runs.items()}
        if any([got.event for got in two] != 2 * [event] for two in of.values()):
            wrong.append(f"{event}: {of}")
            continue
        count = {how: [got.value for got in two] for how, two in of.items()}
        rate = {how: sum(got.value / got.time for got in two) / 2 for how, two in of.items()}
        text = f"{event}: " + "; ".join(f"{how} {a} {b}, {rate[how]:.5f} per ns" for how, (a, b) in count.items())
        print(f"# {text}")
        if abs(sum(count["shim"]) / sum(count["native"]) - 1) > DIFFER or abs(rate["shim"] / rate["ours"] - 1) > DIFFER:
            wrong.append(text)
    return wrong


def two_share(found):
    """Two clients at once: natively each waits for the other; by the shim one set of counters is both's."""
    wrong = []
    for how in ("native", "shim"):
        shares = [got.share for got in values(found.get(f"two {how}", [])) if got.value is not None]
        print(f"# two clients, {how}: {len(shares)} events, {min(shares, default=0)} % of the time")
        if len(shares) != 2 * len(FOUR.split(",")) or (min(shares) < 99) == (how == "shim"):
            wrong.append(f"{how}: {shares}")
    cpus = [cpu for group in info(found.get("two shim", [])) for member in group["members"] for cpu in member["cpus"]]
    print(f"# {len(cpus)} events on a CPU, on {len({(cpu['cpu'], cpu['counter']) for cpu in cpus})} counters")
    if len(cpus) != 8 * 8 or len({(cpu["cpu"], cpu["counter"]) for cpu in cpus}) != 8 * 4:
        wrong.append("not two events on each counter")
    return wrong + [f"{cpu}" for cpu in cpus if cpu["groups"] != 2 or cpu["state"] != "running"]


def groups_together(found):
    """Each group's events were on for the same time."""
    wrong = []
    for how in ("native", "shim"):
        shares = {got.event: got.share for got in values(found.get(f"groups {how}", []))}
        parts = [{shares.get(event) for event in group.split(",")} for group in (FOUR, OTHERS)]
        print(f"# two groups, {how}: {parts}")
        if any(len(part) != 1 or None in part for part in parts):
            wrong.append(f"{how}: {shares}")
    return wrong


def says_why(found):
    """perf stat says <not counted>; `pmcgrp info` says that perf events have the counters."""
    lines = found.get("full shim", [])
    wrong = []
    if not any("<not counted>" in line for line in found.get("full native", [])):
        wrong.append("natively it is counted")
    reasons = {(cpu["state"], cpu["why"]) for group in info(lines) for member in group["members"]
               for cpu in member["cpus"]}
    print(f"# {sorted(reasons, key=str)}")
    for line in lines[:SHOWN]:
        print(f"#   {line}")
    if not reasons or any(state == "running" or not why for state, why in reasons):
        wrong += ["no reason", *lines]
    return wrong


CHECKS = (("perf stat -a of 4 events on 8 CPUs counts as pmcgrp stat does", counts_as_ours),
          ("two clients share counters", two_share), ("the events of a group are on together", groups_together),
          ("pmcgrp info says why a group is not counted", says_why))
