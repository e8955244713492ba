# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Command lines made from the grammar of options: which options a subcommand has is read from its source."""

import os

import tables

SUBCOMMANDS = ("stat", "record", "top", "report", "info", "section", "span", "list", "doctor", "run", "export")

OWN = str(os.getpid())
# It stands for that where the lines run elsewhere: a process that is always there.
INIT = "1"

# What stands behind an option: values that it takes, and some that it does not.
VALUES = {
    "number": (("1", "2", "10"), ("x", "-7", "99999999999999999999", "1x")),
    "event": (("page-faults", "task-clock:u", "{page-faults,context-switches}", "dummy,faults"),
              ("nosuch", "page-fualts", "task-clock:x", "page-faults,nosuch:nosuch", "{page-faults",
               "page-faults,,dummy", "nosuchpmu/x=1/", "page-faults/nosuch=1/", "faults:uu", "r",
               "mem:0x1000:rw", "bpf-output")),
    "cpus": (("0", "0-1"), ("x", "3-1", "999999", "0,,1", "0;1")),
    "ids": ((OWN,), ("x", "1,", "0", "-3", "99999999999")),
    "separator": ((",", ";", "\\t"), ("",)),
    "file": (("out",), ("/nonexistent/out",)),
    "command": (("true",), ()),
    "text": (("text",), ()),
    "cgroup": (("/",), ("nosuchcgroup",)),
    "control": ((), ("x", "fd:x", "fifo:", "fifo:/nonexistent")),
    "seconds": (("0.1", "1"), ("x", "0", "-1")),
    "metric": ((), ("nosuchmetric",)),
    "trigger": (("page-faults",), ("nosuch", "cycles", "kprobe:", "uprobe:/bin/ls", "nosuch:nosuch")),
    "every": (("1ms", "100us"), ("x", "1x", "5us", "100", "1000:nosuch", "-1ms")),
    "where": ((), ("unix:/nonexistent", "unix:", "x", "192.0.2.1:9807", "127.0.0.1:0", "127.0.0.1:x")),
    "endless": ((), ("/nonexistent/out",)),
    "amount": (("1M", "100K"), ("x", "1X", "0M")),
}

# What an option's value is, by its name; what a subcommand has otherwise comes first.
KINDS = {
    "list:explain": "event",
    "export:by": ("machine", ("mashine", "", "process")),
    "export:config": "file", "export:textfile": "endless", "export:from": "where", "export:listen": "where",
    "export:format": ("plain", ("x", "plane")),
    "export:interval": ("1", ("x", "0", "-1")),
    "top:delay": "seconds",
    "top:sort": "text",
    "report:time": ("+0,+1", ("x", "1,x", ",")),
    "report:sort": ("comm,tid", ("nosuch", "comm,nosuch", "")),
    "report:ratio": ("page-faults/task-clock", ()),
    "report:between": ("a,b", ()),
    "report:columns": ("100", ("x", "5", "1000000")),
    "report:input": "file",
    "span:record": "file",
    "event": "event", "cpu": "cpus", "pid": "ids", "tid": "ids", "output": "file", "log": "file",
    "field-separator": "separator", "control": "control", "pre": "command", "post": "command",
    "cgroup": "cgroup", "for-each-cgroup": "cgroup", "metrics": "metric",
    "metrics-file": "file", "cputype": ("software", ("nosuchpmu",)),
    "pmu-filter": ("software", ("nosuchpmu",)), "log-fd": ("2", ("x", "0", "99")),
    "by": ("process", ("thred", "", "cgroup:x")), "sort": "text",
    "td-level": "number", "per-cache": ("L1", ("x", "L9")), "regions": "file",
    "every": "every", "on": "trigger", "call-graph": ("fp", ("dwarf", "x")),
    "format": ("csv", ("x", "cvs")), "switch-output": ("1M", ("x",)),
    "switch-output-event": "trigger", "max-size": "amount",
    "compression-level": ("1", ("x", "99")), "uid": ("root", ("nosuchuser",)),
    "freq": ("1000", ("x", "0", "maximum", "1000000")), "mmap-pages": ("16", ("x", "3", "0", "1048576")),
    "color": ("never", ("x", "nver")), "filter": "text", "folded": ("samples", ()),
    "html": "file", "svg": "file", "flame": "file", "perfetto": "file",
    "realtime": ("1", ("x", "0")), "top": "number",
}


class Option:
    def __init__(self, subcommand, name, argument, letter, refused):
        self.name = name
        self.argument = argument
        self.letter = letter
        self.refused = refused
        kind = KINDS.get(f"{subcommand}:{name}", KINDS.get(name, "number"))
        self.good, self.bad = VALUES[kind] if isinstance(kind, str) else ((kind[0],), kind[1])

    def spelled(self):
        """As messages may call it."""
        return [f"--{self.name}"] + ([f"-{self.letter}"] if self.letter else [])


class Line:
    """One command line. @fault: what is wrong, which the message has to show; None: nothing by design."""

    def __init__(self, words, used, fault=None):
        self.words = words
        self.used = used
        self.fault = fault


class Maker:
    def __init__(self, cli, random, perf):
        """@perf: most lines count by perf_event_open(2), as where the module is not loaded."""
        self.random = random
        self.perf = perf
        self.pid = OWN if perf else INIT
        self.tables = {s: [Option(s, *option) for option in tables.options(cli, s)] for s in SUBCOMMANDS}

    def words(self, option, value):
        """An option and its value, in one of the ways to write them."""
        if value is None:
            return [f"-{option.letter}" if option.letter and self.random.random() < .5
                    else f"--{option.name}"]
        if option.argument == "optional":
            return [f"--{option.name}={value}"]
        if option.letter and self.random.random() < .5:
            return [f"-{option.letter}", value]
        return [f"--{option.name}={value}"] if self.random.random() < .5 else [f"--{option.name}", value]

    def good(self, option):
        """The words of an option that is right by itself; None: there is none that could be."""
        if option.argument == "no":
            return self.words(option, None)
        if option.argument == "optional" and self.random.random() < .5:
            return [f"--{option.name}"]
        if not option.good:
            return None
        value = self.random.choice(option.good)
        return self.words(option, self.pid if value == OWN else value)

    def by_perf(self, share):
        return self.random.random() < share if self.perf else self.random.random() < .2

    def base(self, subcommand):
        """What a line needs so as to end, and to count something."""
        if subcommand == "stat":
            return ["--perf"] * self.by_perf(.8) + ["--timeout", "2000"]
        if subcommand == "record":
            return ["--timeout", "300"]
        if subcommand == "export":
            return ["--stdout", "--event", "page-faults"]
        if subcommand == "top":
            return ["--iterations", "1"] + ["--perf"] * self.by_perf(.7)
        return []

    def tail(self, subcommand):
        if subcommand in ("stat", "record", "run"):
            return ["--", "true"]
        if subcommand == "span":
            return ["vfs_read", "--", "true"]
        if subcommand == "list":
            return ["sw"]
        return []

    def line(self, subcommand, own, fault=None, used=(), last=False):
        """With @last nothing stands behind the options."""
        base = self.base(subcommand)
        if subcommand == "section" and not fault and any(w[:2] == "-I" or "interval-print" in w for w in own) \
                and not any("interval-count" in w for w in own):
            base.append("--interval-count=1")
        words = [subcommand] + base + own
        used = list(used) + [o for o in self.tables[subcommand] if f"--{o.name}" in base]
        return Line(words + ([] if last else self.tail(subcommand)), used, fault)

    # ---- Faults ----

    def misspelled(self, word):
        i = self.random.randrange(1, len(word))
        return self.random.choice((word[:i] + word[i + 1:], word[:i] + "q" + word[i:],
                                   word[:i - 1] + word[i] + word[i - 1] + word[i + 1:]))

    def unknown_option(self, subcommand):
        names = [o.name for o in self.tables[subcommand]]
        while True:
            name = self.misspelled(self.random.choice(names))
            if not any(n.startswith(name) for n in names + ["help"]):
                return self.line(subcommand, [f"--{name}"], f"--{name}")

    def unknown_letter(self, subcommand):
        known = {o.letter for o in self.tables[subcommand]} | {"h"}
        letter = self.random.choice([c for c in "bcefgjklmnqsuvwyzABDEFHJKLMOPQRUVWXYZ0123456789"
                                     if c not in known])
        return self.line(subcommand, [f"-{letter}"], f"-{letter}")

    def no_argument(self, subcommand):
        able = [o for o in self.tables[subcommand] if o.argument == "required"]
        if not able:
            return self.unknown_option(subcommand)
        option = self.random.choice(able)
        word = self.random.choice(option.spelled())
        return self.line(subcommand, [word], word, last=True)

    def too_much(self, subcommand):
        option = self.random.choice([o for o in self.tables[subcommand] if o.argument == "no"])
        return self.line(subcommand, [f"--{option.name}=3"], f"--{option.name}")

    def bad_value(self, subcommand):
        able = [o for o in self.tables[subcommand] if o.argument != "no" and o.bad and not o.refused]
        if not able:
            return self.unknown_letter(subcommand)
        option = self.random.choice(able)
        value = self.random.choice(option.bad)
        # The target is named, and a second one would be the fault.
        return Line(self.line(subcommand, self.words(option, value)).words, [option],
                    [value] * bool(value) + option.spelled())

    def refused(self, subcommand):
        able = [o for o in self.tables[subcommand] if o.refused]
        if not able:
            return self.unknown_option(subcommand)
        option = self.random.choice(able)
        own = self.words(option, None if option.argument == "no" else "1")
        return self.line(subcommand, own, f"--{option.name}")

    def unknown_subcommand(self, subcommand):
        word = self.misspelled(subcommand)
        return Line([word] + self.tail(subcommand), [], word)

    def combined(self, subcommand):
        """Options that are right by themselves: what does not go together is refused by name."""
        able = [o for o in self.tables[subcommand] if not o.refused]
        own, used = [], []
        for option in self.random.sample(able, min(len(able), self.random.randrange(1, 5))):
            words = self.good(option)
            if words:
                own += words
                used.append(option)
        return self.line(subcommand, own, None, used)

    def make(self):
        subcommand = self.random.choices(SUBCOMMANDS, (30, 25, 12, 10, 3, 4, 12, 6, 3, 5, 4))[0]
        kinds = (self.combined, self.bad_value, self.unknown_option, self.unknown_letter,
                 self.no_argument, self.too_much, self.refused, self.unknown_subcommand)
        kind = self.random.choices(kinds, (40, 30, 8, 5, 6, 4, 5, 2))[0]
        return kind(subcommand)
