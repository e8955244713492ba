# SPDX-License-Identifier: GPL-2.0-only
"""One guest: what it is given, what it runs, and what its output means."""

import collections
import json
import re
import shlex
import subprocess
import sys

from cases import CASES, SUBSTITUTES, Figure
from tools import perf_files

BLOCKS = 150_000            # of dd: 0.45 s of the guest's time, some 110 turns
# A task that sleeps runs for a millisecond; by how the timer of the turns stands to that, a turn
# may end in between. Both articles have what comes of it if none does, which is likelier.
TRIES = 5
MARK = "=== "
TOOLS = ("perf", "pmcgrp")
RAW = re.compile(r"\br[0-9a-f]+\b")
# Names that both tools have; all others are perf's own, by models.
GENERIC = re.compile(r"instructions|faults|L1-.*|LLC-.*|dTLB-.*")
PERF_LINE = re.compile(r"\s*(<not counted>|<not supported>|[\d,]+) +(\S+)(?: .*?)??"
                       r"(?:\(([\d.]+)%\))?\s*$")
WATCHDOG = "/proc/sys/kernel/nmi_watchdog"

# codes NAME...: as perf has them in its table for this model, for what pmcgrp is told.
# tool SIDE EVENTS COMMAND: its report, what it says beside, its status.
PREPARE = r"""
export PERF_CONFIG=/dev/null
codes()
{
	perf stat -vv -e "$(echo "$*" | tr ' ' ,)" true >/tmp/said 2>&1
	sed -n 's/^  config  *0x\([0-9a-f]*\)$/\1/p' /tmp/said >/tmp/configs
	[ "$(wc -l </tmp/configs)" -eq $# ] || cat /tmp/said
	number=0
	while read -r config; do
		echo "s/@$number@/r$config/g" >>/tmp/codes
		echo "=== code $1 $config"
		number=$((number + 1))
		shift
	done </tmp/configs
}
tool()
{
	events=$(echo "$2" | sed -f /tmp/codes)
	case $1 in
	perf) perf stat -o /tmp/report -e "$events" -- $3 >/dev/null 2>/tmp/said ;;
	*) pmcgrp stat -j -o /tmp/report -e "$events" -- $3 >/dev/null 2>/tmp/said ;;
	esac
	echo "=== status $?"
	cat /tmp/report 2>/dev/null
	echo "=== said"
	cat /tmp/said
	rm -f /tmp/report
}
: >/tmp/codes
echo "=== kernel"
timeout 1 cat /dev/kmsg | sed -n 's/^[^;]*;//p'
"""


class Run:
    """A case on a machine, with the watchdog on or off: what both tools make of it."""

    def __init__(self, label, case, variant, watchdog, events):
        self.label, self.case, self.variant, self.watchdog = label, case, variant, watchdog
        self.events = events            # as perf is told them
        self.rows = split_events(variant.events)
        self.figures = {}               # by tool
        self.said = {}                  # reasons, by tool
        self.command = case.command.format(blocks=BLOCKS)
        self.tries = TRIES if case.command.startswith("sleep") else 1


def split_events(events):
    """The members, with the braces of their groups, as lines of a table have them."""
    return re.findall(r"\{?[^,{}]+\}?", events)


def plain(event):
    """The name alone."""
    return event.strip("{}").removesuffix(":D")


def runs_of(label, model):
    """What there is to be run on a machine."""
    for case in CASES:
        for variant in case.variants:
            if label not in variant.machines.split():
                continue
            events = variant.events
            for name, other in SUBSTITUTES.get(model, {}).items():
                events = re.sub(rf"{re.escape(name)}\b", other, events)
            for watchdog in case.watchdog:
                yield Run(label, case, variant, watchdog, events)


def named_events(runs):
    """The events that only perf has names for."""
    names = {plain(event) for run in runs for event in split_events(run.events)}
    return sorted(n for n in names if not GENERIC.fullmatch(n) and not RAW.fullmatch(n))


def script(runs):
    """For the guest's shell: everything, each result behind a line that begins with MARK."""
    names = named_events(runs)
    lines = [PREPARE, " ".join(["codes", *names])]
    watchdog = ""
    for number, run in enumerate(runs):
        if run.watchdog != watchdog:
            watchdog = run.watchdog
            lines.append(f"echo {int(watchdog == 'on')} >{WATCHDOG}")
        ours = ",".join(e.replace(plain(e), f"@{names.index(plain(e))}@") if plain(e) in names
                        else e for e in split_events(run.events))
        for tool, events in (("perf", run.events), ("pmcgrp", ours)):
            lines += [f"echo '{MARK}run {number} {tool}'",
                      f"tool {tool} {shlex.quote(events)} {shlex.quote(run.command)}"] * run.tries
    for tool in TOOLS:
        lines += [f"echo '{MARK}known {tool}'", f"tool {tool} instructions:u /known"]
    return "\n".join(lines)


def perf_figures(report, expected):
    """What perf's table says; its remarks are what stands behind the times."""
    found, remarks = [], []
    for line in report.splitlines():
        match = PERF_LINE.fullmatch(line)
        if match and len(found) < len(expected):
            value, name, share = match.groups()
            if name != expected[len(found)].strip("{}"):
                raise ValueError(f"perf has {name}, not {expected[len(found)]}")
            state = value.strip("<>") if value[0] == "<" else "counted"
            share = float(share) if share else 100.0 if state == "counted" else None
            found.append(Figure(state, share))
        elif line[:1].isalpha():
            remarks.append(quoted(line.rstrip(": ")))
    return found, remarks


def pmcgrp_figures(report, said, status, number, names):
    """What pmcgrp's lines of JSON say, with its reasons; or why it refused all of them."""
    if status:
        text = next((line for line in said.splitlines() if line.startswith("pmcgrp")), said)
        return [Figure("refused")] * number, [quoted(named(text, names))]
    found, reasons = [], []
    for line in map(json.loads, filter(None, report.splitlines())):
        value = line["counter-value"]
        state = value.strip("<>") if value[0] == "<" else "counted"
        found.append(Figure(state, line["pcnt-running"]))
        if "not-counted-reason" in line:
            reasons.append(quoted(named(line["not-counted-reason"], names)))
        elif state == "counted" and line["pcnt-running"] < 0.1:
            name = named(line["event"], names)
            reasons.append(f"says nothing of {name}, scaled up from {line['event-runtime']:,} ns")
    return found, list(dict.fromkeys(reasons))


def quoted(text):
    return f'says "{text}"'


def named(text, names):
    """The article's names for raw codes."""
    return RAW.sub(lambda code: names.get(code[0], code[0]), text)


def value_of(report):
    """The only number in perf's table, or in pmcgrp's."""
    if report.startswith("{"):
        return int(float(json.loads(report)["counter-value"]))
    return next((int(m[1].replace(",", "")) for m in map(PERF_LINE.fullmatch, report.splitlines())
                 if m and m[1][0] != "<"), None)


def blocks_of(out):
    """What stands behind each mark: pairs of the mark's words and the text."""
    parts = re.split(rf"^{MARK}(.*)\n", out, flags=re.M)
    return [(mark.split(), text) for mark, text in zip(parts[1::2], parts[2::2])]


def facts_of(log):
    """What the kernel has said of the PMU."""
    def number(what):
        return int(re.search(rf"{what}: +(\d+)", log)[1])

    erratum = re.search(r"PMU erratum .*", log)
    return {"general": number("generic registers"), "fixed": number("fixed-purpose events"),
            "driver": re.search(r"Performance Events: ([^,.]*)", log)[1],
            "erratum": erratum[0] if erratum else ""}


def alike(figures):
    """The same for outcomes that differ by chance alone."""
    return tuple((f.state, f.share is not None and round(f.share / 10)) for f in figures)


def choose(outcomes):
    """Of what came of several tries, figures and reasons, the most frequent one."""
    kinds = collections.Counter(alike(figures) for figures, _ in outcomes)
    kind, times = kinds.most_common(1)[0]
    figures, said = next(o for o in outcomes if alike(o[0]) == kind)
    others = [f for f, _ in outcomes if alike(f) != kind]
    if others:
        shares = ", ".join(f"{f.share:.1f} %" if f.state == "counted" else f.state
                           for f in others[0])
        said = [*said, f"so in {times} of {len(outcomes)} runs; another one: {shares}"]
    return figures, said


def outcome(run, tool, result, names):
    """Figures and reasons of one try; exits if that cannot be told."""
    if tool == "perf":
        figures, said = perf_figures(result["report"], split_events(run.events))
    else:
        figures, said = pmcgrp_figures(result["report"], result["said"], result["status"],
                                       len(run.rows), names)
    if len(figures) != len(run.rows):
        print(result, file=sys.stderr)
        sys.exit(f"article: {run.label}: {tool} has {len(figures)} of {len(run.rows)} events of "
                 f"{run.events}")
    return figures, said


def parse(out):
    """Of all that the guest said: the kernel's facts, the codes, the results."""
    facts, codes, results = {}, {}, collections.defaultdict(list)
    for words, text in blocks_of(out):
        if words[0] == "kernel":
            facts = facts_of(text)
        elif words[0] == "code":
            codes[words[1]] = f"r{words[2]}"
        elif words[0] in ("run", "known"):
            target = results[tuple(words)]
        elif words[0] == "status":
            target.append({"status": int(words[1]), "report": text})
        elif words[0] == "said":
            target[-1]["said"] = text
    return facts, codes, results


def measure(vm, machine, label, known):
    """Boots the machine; returns its facts and its runs."""
    runs = list(runs_of(label, machine.events))
    done = subprocess.run([vm / "run", machine.name, *perf_files(vm, "x86_64"),
                           "--file", f"{known}:/known", "--sh", script(runs)],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        sys.exit(f"article: {machine.name}: not all could be measured")
    facts, codes, results = parse(done.stdout)
    if set(codes) != set(named_events(runs)):
        print(done.stdout, file=sys.stderr)
        sys.exit(f"article: {machine.name}: perf does not know all of the events")
    names = {code: name for name, code in codes.items()}
    for number, run in enumerate(runs):
        for tool in TOOLS:
            run.figures[tool], run.said[tool] = choose(
                [outcome(run, tool, result, names) for result in results["run", str(number), tool]])
    facts |= {"name": machine.name, "codes": codes, "known": {
        tool: value_of(results["known", tool][0]["report"].strip()) for tool in TOOLS}}
    return facts, runs
