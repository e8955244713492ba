#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""count_events.py ARCH_FOLDER ARCH: how many events and metrics each model of perf's own tables has,
counted in the tables themselves. Prints lines "CPUID MODEL EVENTS METRICS", one for each line of
mapfile.csv whose model has any; CPUID is one that the line's pattern is of.
"""

import json
import pathlib
import re
import sys


def names(path, field):
    """The name of each event or metric of a file, in lower case."""
    return [row[field].lower() for row in json.loads(path.read_text()) if field in row]


def nr_metrics(paths):
    """With metrics that perf's programs make, each once (user/events/convert)."""
    rows = [(row["MetricName"], row.get("Unit")) for path in paths
            for row in json.loads(path.read_text()) if "MetricName" in row]
    made = any(path.name == "extra-metrics.json" for path in paths)
    return len(set(rows)) if made else len(rows)


def example(pattern):
    """A CPU of this pattern, and of none of the lines before it in the kernel's files."""
    text = pattern.replace("[[:xdigit:]]+", "FF").replace("[[:xdigit:]]", "1")
    text = re.sub(r"\[(.)[^]]*\]", r"\1", text)
    text = re.sub(r"\(([^|]*)[^)]*\)", r"\1", text)
    return text if text.startswith("0x") or text.count("-") == 3 else text + "-0"


def main():
    folder = pathlib.Path(sys.argv[1], sys.argv[2])
    fields = "EventName", "MetricName"
    standard = [{name for path in folder.glob("*.json") for name in names(path, field)}
                for field in fields]
    for line in (folder / "mapfile.csv").read_text().splitlines():
        columns = line.split(",")
        if line.startswith("#") or len(columns) < 3 or not (folder / columns[2]).is_dir():
            continue
        paths = [path for path in (folder / columns[2]).glob("*.json")
                 if not path.name.endswith("metricgroups.json")]
        referred = [name for path in paths for name in names(path, "ArchStdEvent")]
        own = sum(len(names(path, "EventName")) for path in paths), nr_metrics(paths)
        count = [nr + sum(name in known for name in referred)
                 for nr, known in zip(own, standard)]
        if any(count):
            print(example(columns[0]), columns[2], *count)


if __name__ == "__main__":
    main()
