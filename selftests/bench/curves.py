# SPDX-License-Identifier: GPL-2.0-only
"""Draws how costs grow (`run --curves`), and says how fast."""

import json
import subprocess

TITLES = {
    "read": "a read()",
    "open_close": "making a group and closing it",
    "open_close.warm": "making one more monitor and closing it",
    "switch": "a context switch",
    "switch.software": "a context switch, software events only",
    "switch.different": "a context switch, no two groups with the same events",
    "switch.overlapping": "a context switch, groups with common events that fit together",
    "switch.cpu": "any context switch on a CPU that has the groups",
    "section": "the longest run with interrupts off, groups of a task",
    "section.cpu": "the longest run with interrupts off, groups of a CPU",
    "section.process.different.both": "the longest run with interrupts off, groups of two processes",
    "section.inherited.different.both": "the longest run with interrupts off, inherited groups",
    "open_close.same": "making one more group and closing it, all with the same events",
    "open_close.different": "making one more group and closing it, all with other events",
    "switch.floor": "a context switch, one event that counts nothing for each group by perf",
    "switch.process": "a context switch, groups of one of the processes",
    "switch.process.both": "a context switch, groups of both processes",
    "switch.process.different": "a context switch, other events in each group of a process",
    "switch.process.different.both": "a context switch, other events in each of both processes",
    "switch.inherited.both": "a context switch, inherited groups of both tasks",
    "switch.inherited.different.both": "a context switch, other events in each inherited group",
    "switch.cgroup.different.both": "a context switch, other events in each group of two cgroups",
    "switch.cgroup.others": "a context switch, groups of other cgroups",
    "switch.others": "a context switch, other tasks are counted",
    "rotate.same_cpu": "an interval, groups of a CPU with the same events, and another one",
    "rotate.same_cpus": "the same, groups of all CPUs",
    "share": "the time that the worst group counts",
}
# All that is more than tenfold is drawn on logarithmic axes.
PLOT = """\
set terminal svg size 720,440 font 'sans,13' background 'white'
set output '{out}'
set title "{title}, with more and more {what}"
set xlabel '{what}'
set ylabel '{unit}'
set key top left
set grid
set format y '%.0s%c'
{scale}
$points << END
{points}
END
plot $points using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb '#b0532f' title 'perf\\_event\\_open', \\
     $points using 1:3 with linespoints lw 2 pt 5 ps 0.6 lc rgb '#2f6db0' title 'pmcgrp'
"""


def fit(points):
    """Least squares: the cost without any, and of each one more."""
    n = len(points)
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points) /
             sum((x - mean_x) ** 2 for x, _ in points))
    return mean_y - slope * mean_x, slope


def curves_of(points):
    """The points by curve, in the order in which they came."""
    curves = {}
    for point in points:
        curves.setdefault((point["name"], point["with"]), []).append(point)
    return curves


def draw(folder, name, what, points):
    """One curve's picture; returns its path."""
    out = folder / f"{name}-{what}.svg".lower()
    wide = points[-1]["at"] > 10
    percent = points[0]["unit"].startswith("%")
    costs = [point[by] for point in points for by in ("perf", "pmcgrp")]
    log_y = wide and not percent and max(costs) > 10 * min(costs)
    scale = ("set logscale x\n" if wide else "") + ("set logscale y\n" if log_y else
                                                   "set yrange [0:*]\n")
    rows = "\n".join(f"{p['at']} {p['perf']} {p['pmcgrp']}" for p in points)
    script = PLOT.format(out=out, title=TITLES[name].replace("_", "\\\\_"), what=what,
                         unit=points[0]["unit"], scale=scale, points=rows)
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return out


def grown(curve):
    """What of a curve is said in the table, or None where nothing grows but a share."""
    if curve[0]["unit"].startswith("%"):
        return None
    perf = fit([(p["at"], p["perf"]) for p in curve])
    pmcgrp = fit([(p["at"], p["pmcgrp"]) for p in curve])
    # What does not grow has a slope all the same, of what its points vary by.
    grows = [slope * curve[-1]["at"] > 0.1 * abs(base) for base, slope in (perf, pmcgrp)]
    if not any(grows):
        verdict = "neither grows"
    elif pmcgrp[1] < perf[1]:
        verdict = "slower"
    else:
        verdict = "faster"
    return perf, pmcgrp, verdict


def formula(line):
    base, slope = line
    digits = 0 if abs(slope) >= 10 else 1
    return f"{base:,.0f} {'-' if slope < 0 else '+'} {abs(slope):,.{digits}f} n"


def show(points):
    print(f"{'of':<18}{'n':<10}{'perf':>22}{'pmcgrp':>22}  pmcgrp grows")
    for (name, what), curve in curves_of(points).items():
        found = grown(curve)
        if found:
            perf, pmcgrp, verdict = found
            print(f"{name:<18}{what:<10}{formula(perf):>22}{formula(pmcgrp):>22}  {verdict}")
        else:
            first, last = curve[0], curve[-1]
            print(f"{name:<18}{what:<10}"
                  f"{first['perf']:>14.1f} to {last['perf']:>4.1f}"
                  f"{first['pmcgrp']:>14.1f} to {last['pmcgrp']:>4.1f}"
                  f"  {first['unit']}, {first['at']} to {last['at']}")


def keep(build, points, kernel):
    """Writes the points and the pictures; returns where."""
    folder = build / f"bench-{kernel}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "curves.json"
    path.write_text(json.dumps(points, indent=1) + "\n")
    return [path, *(draw(folder, name, what, curve)
                    for (name, what), curve in curves_of(points).items())]
