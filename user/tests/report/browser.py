#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""browser.py FOLDER: opens FOLDER/small.html, machine.html and calls.html, pages of `report --html`,
in Chromium, and prints "ok GROUP: WHAT" or "not ok GROUP: WHAT: WHY" for each check.

Chromium is driven through a pipe with its own protocol (DevTools): keys and the pointer are
real input, sizes and themes are what a page sees of them. No check depends on fonts or on the
host's speed: boxes are compared with each other, canvases are searched for colours, and
nothing waits but for an answer.
"""

import fcntl
import itertools
import json
import os
import subprocess
import sys

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--no-first-run", "--remote-debugging-pipe"]
WIDTHS = [320, 360, 1280, 2560, 3000]
KEYS = {"Enter": ("Enter", "\r", 13), "Escape": ("Escape", "", 27), "Tab": ("Tab", "", 9),
        "Space": (" ", " ", 32), "ArrowRight": ("ArrowRight", "", 39),
        "ArrowDown": ("ArrowDown", "", 40), "ArrowUp": ("ArrowUp", "", 38), "Home": ("Home", "", 36)}


class Browser:
    def __init__(self, folder):
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()

        def pipes():
            # Chromium reads from 3 and writes to 4, which may be ends of these pipes.
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, to_write)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        with open(folder + "/browser.log", "wb") as log:
            self.process = subprocess.Popen(
                ["chromium", *FLAGS, f"--user-data-dir={folder}/profile", "about:blank"],
                env=dict(os.environ, HOME=folder), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=pipes, close_fds=False)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.number = itertools.count(1)
        self.session = None
        self.problems = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            if not more:
                sys.exit("chromium has ended: see browser.log")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(one)
        method, more = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = more["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        # It says so of what the checks themselves read from canvases.
        elif method == "Log.entryAdded" and "willReadFrequently" not in more["entry"]["text"]:
            self.problems.append(more["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and more["type"] in ("error", "warning", "assert"):
            self.problems.append(str(more["args"]))
        return message

    def __call__(self, method, **params):
        call = {"id": next(self.number), "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.out, json.dumps(call).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == call["id"]:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, path, width, theme):
        self.size(width)
        self.theme(theme)
        self.problems.clear()
        self("Page.navigate", url="file://" + path)
        while self.message().get("method") != "Page.loadEventFired":
            pass
        self.js("report.view.flush()")

    def size(self, width):
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
             mobile=False)
        self.frames()

    def theme(self, theme):
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.frames()

    def frames(self):
        """Observers of sizes and themes are told between two frames."""
        self("Runtime.evaluate", awaitPromise=True, expression="new Promise((done) => "
             "requestAnimationFrame(() => requestAnimationFrame(done)))")

    def js(self, text):
        answer = self("Runtime.evaluate", expression=text, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{text}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, name, modifiers=0):
        key, text, code = KEYS.get(name, (name, name, ord(name[0])))
        more = {"key": key, "code": name, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self("Input.dispatchKeyEvent", type="keyDown", text=text, **more)
        self("Input.dispatchKeyEvent", type="keyUp", **more)
        self.js("report.view.flush()")

    def mouse(self, kind, x, y, clicks=1):
        self("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=clicks, button="left",
             buttons=0 if kind == "mouseReleased" else 1)

    def close(self):
        self.session = None
        self("Browser.close")
        self.process.wait()


failed = 0


def check(group, what, wrong):
    """@wrong: what is wrong; empty: nothing."""
    global failed
    failed += bool(wrong)
    print(f"not ok {group}: {what}: {wrong}" if wrong else f"ok {group}: {what}", flush=True)


def same(found, wanted):
    return "" if found == wanted else f"{found!r}, not {wanted!r}"


# What the checks say in the page.
HELPERS = """
var $ = (what) => document.querySelector(what), $$ = (what) => [...document.querySelectorAll(what)];
var box = (one) => one.getBoundingClientRect();
var meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 &&
    b.top < a.bottom - 1;
var rgb = (text) => { const c = document.createElement("canvas").getContext("2d");
    c.fillStyle = text; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
/* How many pixels of a plot have nearly this colour. */
var pixels = (plot, text) => { const want = rgb(text); let nr = 0;
    for (const c of plot.querySelectorAll(".plot canvas")) {
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        for (let i = 0; i < d.length; i += 4)
            nr += d[i + 3] > 200 && [0, 1, 2].every((n) => Math.abs(d[i + n] - want[n]) < 24);
    } return nr; };
/* The same by rows of a canvas. */
var pixelsOf = (canvas, text) => { const want = rgb(text), rows = [], w = canvas.width;
    const d = canvas.getContext("2d").getImageData(0, 0, w, canvas.height).data;
    for (let i = 0; i < d.length; i += 4)
        rows[Math.floor(i / 4 / w)] = (rows[Math.floor(i / 4 / w)] || 0) + (d[i + 3] > 100 &&
            [0, 1, 2].every((n) => Math.abs(d[i + n] - want[n]) < 24));
    return rows; };
var light = (text) => { const c = rgb(text).slice(0, 3).map((v) => (v /= 255) <= .04045 ? v / 12.92 :
    ((v + .055) / 1.055) ** 2.4); return .2126 * c[0] + .7152 * c[1] + .0722 * c[2]; };
var contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + .05) / (y + .05); };
var css = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
"""

OVERFLOW = """(document.documentElement.scrollWidth > innerWidth ? ["the page scrolls"] : []).concat(
    $$("body *").filter((one) => !one.closest(".scroll, pre, details, dialog, script, #tip") &&
        box(one).width && (box(one).right > innerWidth + 1 || box(one).left < -1))
        .map((one) => one.tagName + "." + one.className)).slice(0, 5).join(" ")"""

LEGEND = """$$(".panel .legend *, .panel h2, .panel .clip, .panel .scale").filter((one) =>
    $$(".box, .heat, .lane").some((plot) => box(plot).width && meet(box(one), box(plot))))
    .map((one) => one.textContent).join(" ")"""

# The boxes of a page: panels follow each other, and all axes of time in a column begin and end alike.
LAYOUT = """(() => { const wrong = [], panels = $$(".panel").map(box);
    panels.forEach((a, i) => panels.slice(i + 1).forEach((b) => meet(a, b) && wrong.push("panels overlap")));
    for (const one of $$("section.panel[id^=plot]")) {
        const plot = box(one.querySelector(".plot")), heat = one.querySelector(".heat canvas");
        if (plot.width < 0.8 * box(one).width || plot.height < 150)
            wrong.push("a plot of " + plot.width + " by " + plot.height);
        const labels = [...one.querySelectorAll(".dygraph-axis-label-y")].map(box);
        if (labels.some((label) => label.left < box(one).left)) wrong.push("labels outside of the panel");
        if (heat && Math.abs(box(heat).left - plot.left) > 1) wrong.push("a heat map beside its plot");
    }
    return wrong.join(" "); })()"""

PAINTED = """report.data.plots.flatMap((plot, i) => plot.lines.filter((line) =>
    line.mean.some((value) => value !== null) && plot.lines.length < 3 &&
    pixels($("#plot-" + i), report.view.style(line.label).color) < 40)
    .map((line) => plot.title + " " + line.label)).join(", ")"""

CONTRAST = """[["text", 4.5], ["muted", 4.5], ["accent", 4.5], ["control", 3], ["frame", 3], ["lost", 3],
    ["off", 3], ["mark", 3], ["thread", 3], ["user", 3], ["kernel", 3], ["found", 3], ...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => [String(n), 3])].flatMap(([name, least]) =>
    ["panel", "back"].filter((back) => contrast(css(name), css(back)) < least).map((back) =>
        name + " on " + back + " " + contrast(css(name), css(back)).toFixed(2)))
    .concat(contrast(css("on-accent"), css("accent")) < 4.5 ? ["on-accent"] : [])
    .concat(["thread", "user", "kernel", "found"].filter((name) =>
        contrast(css("on-flame"), css(name)) < 4.5).map((name) => "on-flame on " + name))
    .concat(contrast(css("text"), css("gap")) < 4.5 ? ["gap"] : []).join(", ")"""


def sizes(b, folder):
    for name, width in itertools.product(("small", "machine"), WIDTHS):
        b.open(f"{folder}/{name}.html", width, "light")
        b.js(HELPERS)
        for theme in "light", "dark":
            where = f"{name} {width} {theme}"
            b.theme(theme)
            b.js("report.view.scale = 'linear'; report.view.flush()")
            check("layout", where + " nothing wider than the page", b.js(OVERFLOW))
            check("layout", where + " no legend over a plot", b.js(LEGEND))
            check("layout", where + " boxes", b.js(LAYOUT))
            if name == "small":
                check("painted", where, b.js(PAINTED))
            b.js("report.view.scale = 'clip'; report.view.flush()")
            check("layout", where + " no note over a plot", b.js(LEGEND) + b.js(OVERFLOW))
        check("errors", f"{name} {width}", " ".join(b.problems))


def resized(b, folder):
    """A window that is drawn narrower, over the width where axes get smaller."""
    b.open(folder + "/small.html", 1280, "light")
    b.js(HELPERS)
    for width in 360, 1280:
        b.size(width)
        check("layout", f"resized to {width}", b.js(LAYOUT) + b.js(LEGEND) + b.js(OVERFLOW))
        check("painted", f"resized to {width}", b.js(PAINTED))


def themes(b, folder):
    b.open(folder + "/small.html", 1280, "light")
    b.js(HELPERS)
    back = "[getComputedStyle(document.body).backgroundColor, css('0')].join(' ')"
    seen = {}
    for theme in "light", "dark":
        b.theme(theme)
        b.js("report.view.flush()")
        seen[theme] = b.js(back)
        check("themes", f"as the system: {theme}", same(b.js("document.documentElement.dataset.theme"),
                                                      theme))
        check("themes", f"contrast: {theme}", b.js(CONTRAST))
        check("painted", f"after a change of the theme: {theme}", b.js(PAINTED))
    check("themes", "differ", "" if seen["light"] != seen["dark"] else seen["light"])
    b.js("$('input[value=light]').click(); report.view.flush()")
    check("themes", "light by hand on a dark system", same(b.js(back), seen["light"]))


def keyboard(b, folder):
    b.open(folder + "/small.html", 1280, "dark")
    b.js(HELPERS)
    width = "Math.round((report.view.to - report.view.from) * 1e6)"
    for _ in range(40):
        b.key("Tab")
        if b.js("document.activeElement.matches('#plot-0 .key')"):
            break
    pressed = "$$('.key').filter((one) => one.textContent.startsWith('CPU 0'))" \
              ".map((one) => one.getAttribute('aria-pressed')).join(' ')"
    blue = "pixels($('#plot-3'), css('0')) > 40"
    check("keyboard", "Tab reaches a legend", same(b.js("document.activeElement.textContent.slice(0, 5)"),
                                                   "CPU 0"))
    check("keyboard", "the focus is seen", same(b.js(
        "getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement)"
        ".outlineWidth"), "solid3px"))
    check("keyboard", "a line is there", same(b.js(blue), True))
    b.key("Enter")
    check("keyboard", "Enter hides it in all plots", same(b.js(pressed), "false false false false"))
    check("keyboard", "and it is gone", same(b.js(blue), False))
    b.key("Space")
    check("keyboard", "Space shows it", same([b.js(pressed), b.js(blue)], ["true true true true", True]))
    b.key("Enter", 8)
    check("keyboard", "Shift+Enter shows it alone", same(b.js("[...report.view.hidden].join()"), "CPU 1"))
    b.key("Enter", 8)
    check("keyboard", "and again all", same(b.js("report.view.hidden.size"), 0))
    b.key("+")
    check("keyboard", "+ zooms", same(b.js(width), 50000))
    b.key("ArrowRight")
    check("keyboard", "an arrow moves", same(b.js("Math.round(report.view.from * 1e6)"), 37500))
    b.key("-")
    b.key("+")
    b.key("Escape")
    check("keyboard", "Escape shows all", same(b.js(width), 100000))
    b.key("+")
    b.key("?")
    check("keyboard", "? shows the help", same(b.js("$('#help').open"), True))
    b.key("Escape")
    check("keyboard", "Escape closes it and zooms nothing", same([b.js("$('#help').open"), b.js(width)],
                                                                  [False, 50000]))
    b.key("Home")
    b.key(".")
    check("keyboard", ". shows values", same(b.js("$('#plot-0 .now.here').textContent"),
                                             "51.0\u00a0M/s"))
    check("errors", "keyboard", " ".join(b.problems))


def scales(b, folder):
    b.open(folder + "/machine.html", 1280, "light")
    b.js(HELPERS)
    note = "$('#plot-0 .clip').hidden ? '' : $('#plot-0 .clip').textContent"
    top = "$$('#plot-0 .dygraph-axis-label-y').map((one) => one.textContent).join(' ')"
    said = b.js(note)
    check("scales", "an outlier is clipped, and the page says so",
          same(said, "Clipped at 3.80\u00a0G/s: 3 of 950 columns above, up to 100\u00a0G/s."))
    check("scales", "clip goes to what is left", same(b.js(top), "0 1\u00a0G 2\u00a0G 3\u00a0G 4\u00a0G"))
    check("scales", "the heat map clips, too", "" if "clipped: up to 100" in
          b.js("$('#plot-0 .scale').textContent") else b.js("$('#plot-0 .scale').textContent"))
    check("scales", "nothing to clip, nothing said", same(b.js("$('#plot-3 .clip').hidden"), True))
    check("scales", "a clock in time", same(b.js("$$('#plot-2 .dygraph-axis-label-y').pop().textContent"),
                                            "1\u00a0s"))
    b.key("l")
    check("scales", "linear says nothing", same(b.js(note), ""))
    check("scales", "linear goes to the outlier", same(b.js(top), "0 50\u00a0G 100\u00a0G"))
    b.key("l")
    check("scales", "log", same(b.js(top), "1\u00a0G 10\u00a0G 100\u00a0G"))
    check("scales", "log says so", "" if "logarithmic" in b.js("$('#plot-0 .kind').textContent") else "no")
    # The rule: one column in a hundred, if there are ten, and it is twice as high as the rest.
    for what, values, want in LIMITS:
        check("scales", what, same(b.js(f"(({{ top, above, nr }}) => [top, above, nr])"
                                        f"(report.scale.limit({values}))"), want))


# Values of columns, and where the scale ends: its top, how many are above, of how many.
LIMITS = (
    ("one of ten", "[1, 1, 1, 1, 9, 1, 1, 1, 1, 1]", [1, 1, 10]),
    ("one of nine is none", "[1, 1, 1, 1, 9, 1, 1, 1, 1]", [9, 0, 9]),
    ("twice as high is none", "[...Array(99).fill(2), 4]", [4, 0, 100]),
    ("two of a hundred are none", "[...Array(98).fill(2), 9, 9]", [9, 0, 100]),
    ("two of 101", "[...Array(99).fill(2), 9, 8]", [2, 2, 101]),
    ("columns without a value", "[...Array(50).fill(null), ...Array(20).fill(1), 7]", [1, 1, 21]),
    ("hardly anything", "[...Array(98).fill(0), 9, 9]", [9, 0, 100]),
    ("nothing", "[]", [0, 0, 0]),
)


def crowd(b, folder):
    """64 CPUs, half of the columns with lost samples, and one outlier."""
    for width, theme in itertools.product((360, 1280, 2560), ("light", "dark")):
        where = f"{width} {theme}"
        b.open(folder + "/crowd.html", width, theme)
        b.js(HELPERS)
        check("crowd", where + " nothing wider than the page", b.js(OVERFLOW))
        check("crowd", where + " no legend over a plot", b.js(LEGEND))
        check("crowd", where + " boxes", b.js(LAYOUT))
        check("crowd", where + " clipped", same(
            b.js("$('#plot-0 .clip').textContent"),
            "Clipped at 1.63\u00a0G/s: 1 of 200 columns above, up to 109\u00a0G/s."))
        marks, axis, drawn = b.js(AXIS)
        check("crowd", where + " lost samples are marked", "" if marks > 30 else f"{marks} columns of pixels")
        check("crowd", where + " the axis is free of marks", same(axis, 0))
        check("crowd", where + " the axis is drawn", "" if drawn > 200 else f"{drawn} pixels")
        check("crowd", where + " 64 rows, whose names are whole", same(b.js(NAMES), [64, 0]))
        check("errors", "crowd " + where, " ".join(b.problems))


# Of plot 0: columns of pixels with a mark of losses above the axis; marks on its line; pixels of that line, which
# is the row with most of its colour.
AXIS = """(() => {
    const canvas = $$("#plot-0 .plot canvas").find((one) => pixelsOf(one, css("frame")).some((nr) => nr > 200));
    if (!canvas) return [0, 0, 0];
    const frame = pixelsOf(canvas, css("frame")), at = frame.lastIndexOf(Math.max(...frame));
    const lost = pixelsOf(canvas, css("lost"));
    return [Math.max(...lost.slice(at - 10, at)), lost[at], frame[at]];
})()"""

# Rows of the heat map, and pixels of names on its uppermost line: a name that is cut off has some.
NAMES = """(() => {
    const d = $("#plot-0 .heat canvas").getContext("2d").getImageData(0, 0, 36, 1).data;
    let nr = 0;
    for (let i = 3; i < d.length; i += 4) nr += d[i] > 60;
    return [report.data.heat.plots[0].lines.length, nr];
})()"""


def pointer(b, folder):
    b.open(folder + "/machine.html", 1280, "light")
    b.js(HELPERS)
    b.js("$('#plot-0').scrollIntoView()")
    area = b.js("(() => { const a = report.data && $('#plot-0 .box'), r = box(a);"
                "return [r.left, r.top, r.width, r.height]; })()")
    at = lambda part: (area[0] + 64 + part * (area[2] - 76), area[1] + area[3] / 2)
    b.mouse("mouseMoved", *at(0.25))
    tip = b.js("$('#tip').hidden ? '' : $('#tip').textContent")
    check("pointer", "a tooltip with values", "" if "100." in tip and "CPU 3" in tip and "/s" in tip
          else tip)
    check("pointer", "a line in all parts", same(b.js("$$('.cross').every((one) => !one.hidden)"), True))
    b.mouse("mousePressed", *at(0.25))
    b.mouse("mouseMoved", *at(0.5))
    check("pointer", "a drag is seen in all parts", same(b.js("$$('.brush').every((one) => !one.hidden)"),
                                                         True))
    b.mouse("mouseReleased", *at(0.5))
    b.js("report.view.flush()")
    window = "[report.view.from, report.view.to].map((t) => Math.round(t * 100)).join(' ')"
    check("pointer", "a drag zooms", same(b.js(window), "10 20"))
    labels = [b.js(f"$$('#plot-{i} .dygraph-axis-label-x').map((one) => one.textContent).join(' ')")
              for i in range(5)]
    check("pointer", "all plots", "" if len(set(labels)) == 1 and "160\u00a0ms" in labels[0] and
          "250\u00a0ms" not in labels[0] else labels)
    for clicks in 1, 2:
        b.mouse("mousePressed", *at(0.5), clicks)
        b.mouse("mouseReleased", *at(0.5), clicks)
    b.js("report.view.flush()")
    check("pointer", "a double click shows all", same(b.js(window), "0 40"))
    check("errors", "pointer", " ".join(b.problems))


def texts(b, folder):
    b.open(folder + "/small.html", 1280, "light")
    b.js(HELPERS)
    titles = b.js("$$('h2 .title').map((one) => one.textContent)")
    check("texts", "titles", same(titles[:4], ["cycles", "instructions", "</script>,\"<b>'x\\x1b",
                                              "instructions/cycles"]))
    check("texts", "a name is no tag", same(b.js("$$('main b').length"), 0))
    check("texts", "marks", same(b.js("$$('.row .name').map((one) => one.textContent).join()"),
                                 "cpu-clock,lost samples,triggers stopped (throttled),group not on the PMU"))
    check("texts", "the note", "" if b.js("$('#note').textContent") ==
          "200 intervals in 4000 columns of 25 µs." else b.js("$('#note').textContent"))
    check("texts", "values of the axis", same(b.js(
        "$$('#plot-0 .dygraph-axis-label-y').map((one) => one.textContent).join(' ')"),
        "0 50\u00a0M 100\u00a0M 150\u00a0M 200\u00a0M"))
    check("texts", "licence", "" if "Permission is hereby granted" in b.js("document.body.textContent")
          else "missing")
    table = b.js("$$('.table')[0].innerText")
    check("texts", "table", "" if "10,150,000" in table and "152.5\u00a0M/s" in table else table)
    b.open(folder + "/calls.html", 1280, "light")
    b.js(HELPERS)
    calls = "$$('.table').filter((one) => one.textContent.startsWith('Between'))"
    check("texts", "calls", same(b.js(calls + ".map((one) => one.querySelector('h2').textContent)"), [
        "Between kprobe:f and kretprobe:f10 calls, 1 without a return"]))
    check("texts", "what calls took", same(b.js(
        calls + ".flatMap((one) => [...one.querySelectorAll('tbody tr')])"
        ".map((row) => [...row.children].map((cell) => cell.textContent).join(' '))"), [
            "time 55.0\u00a0µs 5.50\u00a0µs 1.00\u00a0µs 5.00\u00a0µs 10.0\u00a0µs 10.0\u00a0µs",
            "cycles 550 55 10 50 100 100"]))
    b.open(folder + "/machine.html", 1280, "light")
    b.js(HELPERS)
    check("texts", "more lines than are drawn", same(b.js("$('#plot-0 .more').textContent"),
                                                     "8 of 12 lines, those with the highest totals."))
    check("texts", "a heat map of all CPUs", same(b.js("report.data.heat.plots[0].lines.length"), 12))
    check("texts", "the gap", "" if "no samples" in b.js("$('#lanes').textContent") else "missing")
    b("Page.printToPDF")
    check("texts", "the theme is back after printing", same(
        b.js("[report.view.theme, document.documentElement.style.width].join()"), "system,"))


def main(*parts):
    folder = sys.argv[1]
    b = Browser(folder)
    for part in parts:
        part(b, folder)
    b.close()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(sizes, resized, themes, keyboard, scales, crowd, pointer, texts)
