# SPDX-License-Identifier: GPL-2.0-only
"""What becomes of a program that fails: `python3 -m unittest test_again` in this folder.

The guests are made up: each is the lines that a console would show.
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True      # the sources' folder holds sources only
import again
import tap


def script(name):
    """A module from a file that is a program, and has no suffix."""
    path = str(pathlib.Path(__file__).with_name(name))
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


report = script("report")

TOKEN = "vm-1"
GOOD = ["1..2", "ok 1 one", "ok 2 two"]
BAD = ["1..2", "not ok 1 one", "ok 2 two"]
WARNING = "[    1.000000] WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 x+0x0/0x0"
PANIC = "[    2.000000] Kernel panic - not syncing: Oops"


class Program:
    """What one run of a program looks like on the console."""

    def __init__(self, lines, status=0, log=(), dies=False, before=()):
        self.lines, self.status, self.log = lines, status, log
        self.dies, self.before = dies, before


def lines_of(name, run):
    """As init (selftests/vm/init) prints them."""
    yield f"{TOKEN} log before"
    yield from run.before
    yield f"{TOKEN} taint 0"
    yield f"{TOKEN} begin {name}"
    if run.dies:
        yield PANIC
        return
    yield from run.lines
    yield f"{TOKEN} end {run.status} no"
    yield f"{TOKEN} log {name}"
    yield from run.log
    yield f"{TOKEN} taint 0"


class Machine:
    """Guests in which each program does, one run after the other, what its list says."""

    def __init__(self, **runs):
        self.runs = runs
        self.guests = []

    def boot(self, names, to):
        self.guests.append(list(names))
        console = tap.Console(TOKEN, to, plan=names)
        for name in names:
            runs = self.runs[name]
            run = runs.pop(0) if len(runs) > 1 else runs[0]
            for line in lines_of(name, run):
                console.line(line)
            if run.dies:
                console.end("stopped")
                return console
        console.line(f"{TOKEN} done")
        console.end("stopped")
        return console

    def check(self):
        to = tap.Report(lambda line: None)
        again.run_all(list(self.runs), self.boot, to)
        again.run_again(self.boot, to)
        to.finish()
        return to


GOOD_RUN = Program(GOOD)
BAD_RUN = Program(BAD, status=1)


class Again(unittest.TestCase):
    def flaky(self, to):
        return [result.name for result in to.results() if result.reason == again.FLAKY]

    def test_nothing_fails(self):
        machine = Machine(a=[GOOD_RUN], b=[GOOD_RUN])
        self.assertEqual(machine.check().number("passed"), 5)
        self.assertEqual(machine.guests, [["a", "b"]])

    def test_fails_once(self):
        machine = Machine(a=[GOOD_RUN], b=[BAD_RUN, GOOD_RUN])
        to = machine.check()
        self.assertEqual(machine.guests, [["a", "b"], ["b"]])
        self.assertEqual(to.failures(), [])
        self.assertEqual(self.flaky(to), ["b: one"])
        self.assertIn(f"not ok 3 b: one # TODO {again.FLAKY}\n", to.text())
        self.assertTrue(to.text().endswith("1..5\n"))

    def test_fails_twice(self):
        to = Machine(a=[GOOD_RUN], b=[BAD_RUN, BAD_RUN]).check()
        self.assertEqual([result.name for result in to.failures()], ["b: one"])
        self.assertEqual(self.flaky(to), [])
        self.assertIn("# again, alone: not ok 1 b: one\n", to.text())

    def test_fails_elsewhere_then(self):
        other = Program(["1..2", "ok 1 one", "not ok 2 two"], status=1)
        to = Machine(a=[BAD_RUN, other]).check()
        self.assertEqual([result.name for result in to.failures()], ["a: one"])

    def test_only_skips_then(self):
        skip = Program(["1..0 # SKIP no counters"], status=4)
        to = Machine(a=[BAD_RUN, skip]).check()
        self.assertEqual([result.name for result in to.failures()], ["a: one"])

    def test_skips_what_failed(self):
        skip = Program(["1..2", "ok 1 one # SKIP", "ok 2 two"])
        self.assertEqual(len(Machine(a=[BAD_RUN, skip]).check().failures()), 1)

    def test_time_limit_is_a_failure_of_its_own(self):
        dead = Program(["ok 1 one"], status=137)
        to = Machine(a=[dead, GOOD_RUN]).check()
        self.assertEqual(self.flaky(to), ["a: killed by signal 9"])

    def test_kernel_log(self):
        noisy = Program(GOOD, log=[WARNING])
        machine = Machine(a=[GOOD_RUN], b=[noisy, GOOD_RUN], c=[GOOD_RUN])
        to = machine.check()
        self.assertEqual(machine.guests[1:], [["b"]])
        self.assertEqual(len(self.flaky(to)), 1)
        to = Machine(a=[GOOD_RUN], b=[noisy, noisy]).check()
        self.assertEqual(len(to.failures()), 1)

    def test_kernel_log_between_two(self):
        noisy = Program(GOOD, before=[WARNING])
        machine = Machine(a=[GOOD_RUN], b=[noisy, GOOD_RUN])
        to = machine.check()
        self.assertEqual(machine.guests[1:], [["a"], ["b"]])
        self.assertEqual(to.failures(), [])

    def test_panic(self):
        """Those that the guest did not come to run too, and the culprit runs again."""
        machine = Machine(a=[GOOD_RUN], b=[Program([], dies=True), GOOD_RUN], c=[GOOD_RUN])
        to = machine.check()
        self.assertEqual(machine.guests, [["a", "b", "c"], ["c"], ["b"]])
        self.assertEqual(to.failures(), [])
        self.assertEqual(self.flaky(to), ["kernel log, b: Kernel panic - not syncing: Oops",
                                          "guest stopped while b"])

    def test_panic_twice(self):
        dies = Program([], dies=True)
        to = Machine(a=[dies, dies], b=[GOOD_RUN]).check()
        self.assertEqual(len(to.failures()), 2)

    def test_many_panics(self):
        dies = Program([], dies=True)
        machine = Machine(**{name: [dies] for name in "abcdef"})
        to = machine.check()
        self.assertEqual(len(machine.guests), again.GUESTS)
        self.assertIn("not run", to.failures()[-1].name)

    def test_too_many_to_be_flaky(self):
        runs = {name: [BAD_RUN, GOOD_RUN] for name in "abcdef"}
        machine = Machine(**runs)
        self.assertEqual(len(machine.check().failures()), len(runs))
        self.assertEqual(len(machine.guests), 1)

    def next_kernel(self, *kernel):
        """A program that enters another kernel; what that one says before it begins there."""
        to = tap.Report(lambda line: None)
        console = tap.Console(TOKEN, to, plan=["a", "b"])
        for line in [f"{TOKEN} begin a", *kernel, *lines_of("a", GOOD_RUN)]:
            console.line(line)
        return to, console

    def test_next_kernel(self):
        to, console = self.next_kernel()
        self.assertEqual(console.begun, ["a"])
        for line in [*lines_of("b", GOOD_RUN), f"{TOKEN} done"]:
            console.line(line)
        console.end("stopped")
        self.assertEqual([result.state() for result in to.results()], ["passed"] * 5)

    def test_next_kernel_warns(self):
        to, _ = self.next_kernel(WARNING)
        self.assertEqual([result.of for result in to.failures()], [{"a"}])

    def test_next_kernel_does_not_come(self):
        to = tap.Report(lambda line: None)
        console = tap.Console(TOKEN, to, plan=["a"])
        console.line(f"{TOKEN} begin a")
        console.end("said nothing for 1 s")
        self.assertEqual([(result.name, result.of) for result in to.failures()],
                         [("guest said nothing for 1 s while a", {"a"})])

    def test_a_leak_stays(self):
        to = tap.Report(lambda line: None)
        console = tap.Console(TOKEN, to, plan=["a"])
        for line in [*lines_of("a", GOOD_RUN), f"{TOKEN} leaks 1", f"{TOKEN} done"]:
            console.line(line)
        console.end("stopped")
        again.run_again(Machine(a=[GOOD_RUN]).boot, to)
        self.assertEqual(len(to.failures()), 1)


class Reported(unittest.TestCase):
    def part(self, text):
        return report.Part("arm64-6.12", 0, text)

    def test_flaky_is_said(self):
        to = Machine(a=[GOOD_RUN], b=[BAD_RUN, GOOD_RUN], c=[BAD_RUN]).check()
        part = self.part(to.text())
        self.assertEqual(part.total(), {"passed": 5, "flaky": 1, "failed": 1})
        text = "\n".join(report.markdown([part], ["arm64-6.12"]))
        self.assertIn("## Flaky\n\n- b: one: arm64-6.12\n", text)
        self.assertIn("## Failed\n\n- c: one: arm64-6.12\n", text)
        root = report.junit([part]).getroot()
        self.assertEqual([leaf.get("name") for leaf in root.iter("testcase")
                          if leaf.find("flakyFailure") is not None], ["one"])
        self.assertEqual(len(list(root.iter("failure"))), 1)


if __name__ == "__main__":
    unittest.main()
