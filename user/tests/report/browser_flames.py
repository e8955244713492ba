#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""browser_flames.py FOLDER: the same as browser.py, of the flame graphs in FOLDER/chains.html and
deep.html."""

import itertools
import sys

sys.dont_write_bytecode = True      # the sources' folder holds sources only
from browser import HELPERS, LAYOUT, OVERFLOW, check, main, same

# What a flame graph shows: each box with its depth, and its part of the width in percent.
BOXES = """report.flame.state.boxes.map((one) => one.row + " " + report.tree.name(one.node) + " " +
    (100 * one.width / $("#flame").clientWidth).toFixed(1)).join(", ")"""

# How many pixels of it have nearly this colour.
SHADES = """(text) => { const want = rgb(text), c = $("#flame");
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let nr = 0;
    for (let i = 0; i < d.length; i += 4)
        nr += d[i + 3] > 200 && [0, 1, 2].every((n) => Math.abs(d[i + n] - want[n]) < 12);
    return nr; }"""

ALL = "0 all 100.0, 1 [no call chain] 4.0, 2 sort 4.0, 1 sort 88.0, 2 [main] 88.0, 3 [parse] 40.0, " \
      "4 [parse] 8.0, 5 [read] 8.0, 3 [read] 48.0, 4 [kernel.kallsyms] 48.0, 1 wc:x 8.0, 2 [main] 8.0"


def sizes(b, folder):
    for width, theme in itertools.product((320, 1280, 3000), ("light", "dark")):
        b.open(folder + "/chains.html", width, theme)
        b.js(HELPERS)
        where = f"{width} {theme}"
        check("flames", where + " nothing wider than the page", b.js(OVERFLOW) + b.js(LAYOUT))
        check("flames", where + " boxes", same(b.js(BOXES), ALL))
        check("flames", where + " as wide as its panel", same(b.js(
            "Math.abs(box($('#flame')).width - box($('#flame').parentElement).width) < 1"), True))
        check("flames", where + " colours", b.js(
            f"['thread', 'user', 'kernel'].filter((name) => ({SHADES})(css(name)) < 2000).join()"))
        check("flames", where + " none is found yet", same(b.js(f"({SHADES})(css('found'))"), 0))
        check("errors", "flames " + where, " ".join(b.problems))
    b.size(360)
    check("flames", "resized", same([b.js(BOXES), b.js(OVERFLOW)], [ALL, ""]))


def zoom(b, folder):
    b.open(folder + "/chains.html", 1280, "light")
    b.js(HELPERS)
    b.js("$('#flames').scrollIntoView()")

    def place(name, row):
        return b.js("(() => { const one = report.flame.state.boxes.find((one) => one.row === " + str(row) +
                    " && report.tree.name(one.node) === '" + name + "'), edge = box($('#flame'));"
                    "return [edge.left + one.x + one.width / 2, edge.top + 19 * one.row + 9]; })()")

    def click(name, row):
        at = place(name, row)
        b.mouse("mousePressed", *at)
        b.mouse("mouseReleased", *at)

    b.mouse("mouseMoved", *place("[parse]", 3))
    tip = b.js("$('#tip').hidden ? '' : $('#tip').innerText.replace(/\\s+/g, ' ')")
    check("flames", "a tooltip", same(tip, "[parse] cycles 1,000,000 (40.00 %) by itself 800,000 (32.00 %) "
                                           "instructions/cycles 1.80 insn per cycle"))
    check("flames", "all are shown", same(b.js("$('#flame-all').disabled"), True))
    click("[parse]", 3)
    zoomed = "0 all 100.0, 1 sort 100.0, 2 [main] 100.0, 3 [parse] 100.0, 4 [parse] 20.0, 5 [read] 20.0"
    check("flames", "a click zooms", same(b.js(BOXES), zoomed))
    check("flames", "what it says then", "" if "of what is shown 100.00" in b.js(
        "$('#flame-now').textContent") else b.js("$('#flame-now').textContent"))
    click("[main]", 2)
    check("flames", "a caller zooms out", same(b.js(BOXES), "0 all 100.0, 1 sort 100.0, 2 [main] 100.0, "
          "3 [parse] 45.5, 4 [parse] 9.1, 5 [read] 9.1, 3 [read] 54.5, 4 [kernel.kallsyms] 54.5"))
    b.js("$('#flame-all').click()")
    check("flames", "the button shows all", same(b.js(BOXES), ALL))
    for _ in range(80):
        b.key("Tab")
        if b.js("document.activeElement.id") == "flame":
            break
    check("flames", "Tab reaches it", same(b.js("document.activeElement.id"), "flame"))
    seen = []
    for key in "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight":
        b.key(key)
        seen.append(b.js("$('#flame-now').textContent.split(':')[0]"))
    check("flames", "arrows go from box to box", same(seen, [
        "sort", "[main]", "[read]", "[kernel.kallsyms] (kernel)", "[read]", "[read]"]))
    b.key("ArrowUp")
    b.key("Enter")
    check("flames", "Enter zooms", same(b.js("report.tree.name(report.flame.state.root)"), "[main]"))
    b.key("+")
    b.key("Escape")
    window = "report.view.zoomed()"
    check("flames", "Escape shows all of it", same([b.js(BOXES), b.js(window)], [ALL, True]))
    b.key("Escape")
    check("flames", "and then all of the time", same(b.js(window), False))
    check("errors", "flames zoom", " ".join(b.problems))


def choices(b, folder):
    b.open(folder + "/chains.html", 1280, "light")
    b.js(HELPERS)
    for m, row in enumerate(b.js("report.summary.members.map((one) => [one.event, one.total])")):
        check("flames", f"{row[0]}: the sum is the total", same(
            b.js(f"[report.stacks.members[{m}].name, report.tree.total({m})[0]]"), row))
    check("flames", "samples", same(b.js("report.tree.total(3)[0]"), 18002))
    b.js("$('#flame-search').focus()")
    for key in "READ":
        b.key(key)
    found = "$('#flame-found').textContent"
    check("flames", "search", same(b.js(found), "56.00\u00a0% of cycles, in 2 boxes"))
    check("flames", "what is found is marked", same(b.js(f"({SHADES})(css('found')) > 5000"), True))
    b.js("$('#flame-member').value = 1; $('#flame-member').dispatchEvent(new Event('change'))")
    check("flames", "of another member", same(b.js(found), "29.09\u00a0% of instructions, in 2 boxes"))
    b.key("l")
    check("flames", "letters are the search's own", same([b.js(found), b.js("report.view.scale")],
                                                         ["not found", "clip"]))
    b.key("Escape")
    check("flames", "Escape ends the search", same([b.js("$('#flame-search').value"), b.js(found)], ["", ""]))
    b.js("$('#flame-color').value = 1; $('#flame-color').dispatchEvent(new Event('change'))")
    check("flames", "coloured by a ratio", same(b.js("$('#flame-legend').innerText.replace(/\\s+/g, ' ')"),
                                                "instructions/cycles 0 1.80 insn per cycle"))
    check("flames", "with its colours", same(b.js(
        f"[({SHADES})(css('user')) < 200, ({SHADES})(css('heat').split(' ').pop()) > 5000].join()"),
        "true,true"))
    b.js("report.flame.zoom(4)")
    b.js("$('#flame-member').value = 2; $('#flame-member').dispatchEvent(new Event('change'))")
    check("flames", "nothing was counted where it was", same(b.js(BOXES), "0 all 100.0, 1 wc:x 100.0, "
                                                                          "2 [main] 100.0"))
    notes = b.js("$$('#flames > p.more').filter((one) => !one.hidden).map((one) => one.textContent).join(' ')")
    check("flames", "what is merged", "" if "1 box is in [small], each less than 0.01\u00a0% of "
          "every member" in notes else notes)
    check("flames", "what is not known", "" if "Another kernel runs now" in notes else notes)
    check("errors", "flames choices", " ".join(b.problems))
    b.open(folder + "/small.html", 1280, "light")
    b.js(HELPERS)
    check("flames", "none without chains", same(b.js("[$('#chains').children.length, $$('script').length]"),
                                                [0, 4]))


def deep(b, folder):
    """Which depths are drawn, and whether it is said that there are more."""
    b.open(folder + "/deep.html", 360, "dark")
    b.js(HELPERS)
    shown = """(() => { const all = report.flame.state.boxes.map((one) => report.stacks.depth[one.node]);
        return [all[0], all[all.length - 1], all.length, $("#flame").clientHeight / 19,
            !$$("#flames > .more").find((one) => one.textContent.startsWith("Only 300")).hidden]; })()"""
    check("flames", "deep", same(b.js(shown), [0, 299, 300, 300, True]))
    b.js("report.flame.zoom(299)")
    check("flames", "deeper", same(b.js(shown), [224, 523, 300, 300, True]))
    b.js("report.flame.zoom(1000)")
    check("flames", "the deepest", same(b.js(shown), [925, 1001, 77, 77, False]))
    check("errors", "flames deep", " ".join(b.problems))


if __name__ == "__main__":
    main(sizes, zoom, choices, deep)
