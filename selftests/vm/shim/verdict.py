# SPDX-License-Identifier: GPL-2.0-only
"""What a client has done by itself and by `pmcgrp run`, and who has counted."""

import collections
import re

# What the shim leaves to the real call by choice: samples, what goes with them, breakpoints.
BY_CHOICE = {"samples", "records", "precise", "branches", "breakpoint", "bpf-output"}
COLUMNS = ("pmcgrp", "by choice", "converted", "perf", "refused", "not natively")
# Of those pmcgrp has to count nine of ten.
OWED = ("pmcgrp", "converted", "perf", "not natively")


def who(entries):
    """Of a log: how many events each has counted, by COLUMNS; and why it was not pmcgrp."""
    fate, reasons = {}, collections.Counter()
    last, joined = {}, []
    for number, entry in enumerate(entries):
        key = entry["process"], entry["fd"]
        reason = entry["reason"]
        if reason == "joined":
            # An event that pmcgrp had; whose choice it was says the one that comes next.
            joined.append(last.get(key, number))
            continue
        if entry["by"] == "pmcgrp":
            fate[number] = "pmcgrp"
        elif entry["by"] == "none":
            fate[number] = "refused" if reason == "refused" else "not natively"
        elif reason in BY_CHOICE:
            fate[number] = "by choice"
        elif reason == "leader":
            fate[number] = fate.get(last.get((entry["process"], entry["group"])), "perf")
        else:
            fate[number] = "perf"
        if fate[number] in ("perf", "converted", "not natively"):
            reasons[reason + (f" ({entry['why']})" if entry["why"] else "")] += 1
        for before in joined if entry["converted"] else ():
            fate[before] = "by choice" if fate[number] == "by choice" else "converted"
        joined = []
        if entry["fd"] >= 0:
            last[key] = number
    return collections.Counter(fate.values()), reasons


def share(counted):
    """What pmcgrp has of what it should, in percent; None: there is nothing."""
    owed = sum(counted[column] for column in OWED)
    return 100 * counted["pmcgrp"] / owed if owed else None


def shape(lines):
    """Without numbers, and without what is empty or blank beside them."""
    text = "\n".join(lines)
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d[\d.,]*(e[-+]\d+)?%?", "N", text)).strip()


class Verdict:
    """Of one client."""

    def __init__(self, client, native, shim, log):
        self.client = client
        self.native, self.shim = self.outcome(native), self.outcome(shim)
        self.wrong = []
        self.judge(native[1:], shim[1:])
        self.counted, self.reasons = who(log)
        if client.strict and not self.wrong and self.passes and (share(self.counted) or 0) < 90:
            self.wrong.append(f"pmcgrp counts {self.counted['pmcgrp']}, others {dict(self.reasons)}")

    @staticmethod
    def outcome(lines):
        """The status, and the word that a test of PAPI's says."""
        found = re.fullmatch(r"status (\d+)", lines[0]) if lines else None
        words = re.findall(r"\b(PASSED|FAILED|SKIPPED)\b", "\n".join(lines))
        return " ".join([found[1] if found else "none", *words[-1:]])

    @property
    def passes(self):
        return self.native in ("0", "0 PASSED")

    def judge(self, native, shim):
        if "none" in (self.native, self.shim):
            self.wrong.append("it was not run")
        elif self.native != self.shim and (self.passes or self.client.same):
            self.wrong += [f"status {self.native}, by pmcgrp run {self.shim}", *native[-12:], "by pmcgrp run:",
                           *shim[-12:]]
        elif self.client.same and shape(native) != shape(shim):
            self.wrong += ["prints something else:", *native[:12], "by pmcgrp run:", *shim[:12]]
        if self.client.strict and (not self.passes or any("Failed" in line for line in native)):
            self.wrong += ["it counts nothing by itself:", *native[-12:]]

    def row(self):
        part = share(self.counted)
        return (self.client.name, self.native, self.shim, *(self.counted[column] for column in COLUMNS),
                "-" if part is None else f"{part:.0f} %",
                ", ".join(f"{number} {reason}" for reason, number in self.reasons.items()))


def parse_log(lines):
    """Of the log, shortened in the guest: how often, and the values of some keys."""
    found = []
    for line in lines:
        m = re.fullmatch(r"\s*(\d+) (\d+),(-?\d+),(-?\d+),(\w+),(\w+),([^,]*),(.*)", line)
        if m:           # else it is cut off, as its process was ended
            found += int(m[1]) * [{"process": m[2], "fd": int(m[3]), "group": int(m[4]), "by": m[5],
                                   "converted": m[6] == "true", "reason": m[7], "why": m[8]}]
    return found
