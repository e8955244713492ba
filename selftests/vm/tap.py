# SPDX-License-Identifier: GPL-2.0-only
"""From what a guest prints to one TAP stream.

A guest's console is a sequence of lines. Those that start with the run's token
are init's (see there); between them stands the output of a test or the kernel's
log. Every sub test that a program reports becomes a result of the run.
"""

import re
import time

# What a healthy kernel never logs.
SPLAT = re.compile(
    r"WARNING:|BUG:|BUG |Oops|Unable to handle|Call [Tt]race|INFO: possible|INFO: trying to register|"
    r"INFO: inconsistent|={50,}|kmemleak: \d+ new|UBSAN|KASAN|rcu: INFO|blocked for more than|"
    r"hung task|soft lockup|hard LOCKUP|general protection|refcount_t|Kernel panic|"
    r"Internal error|ODEBUG|list_(add|del) corruption|sleeping function called|"
    r"scheduling while atomic|bad unlock balance|[Ss]uspicious RCU|nobody cared|stack guard page|"
    r"unreferenced object|possible recursive locking|held lock freed|lock held when returning|"
    r"DEBUG_LOCKS_WARN_ON|using smp_processor_id\(\) in preemptible|Invalid wait context|"
    r"NMI received for unknown reason|Dazed and confused"
)
# KCSAN and KASAN draw one above and below a report.
RULE = re.compile(r"={50,}$")
ACCESS = re.compile(r"(read|write)\b.* to 0x[0-9a-f]+ of \d+ bytes by ")
# The OOM killer shows where it was called from, and whom it kills where it could not get
# a page for user space: one stack trace each.
OOM = re.compile(r" invoked oom-killer: |: page allocation failure: .*\(GFP_HIGHUSER_MOVABLE\b")
# 6.12 counts a CPU's fair server among what runs there (kernel/sched/deadline.c:
# inc_dl_tasks()), and sched_cpu_dying() (kernel/sched/core.c) stops it only after it has
# complained of what is left: of two it can then name the stopper alone.
DYING = "Dying CPU not properly vacated!"
DYING_LINES = 80
DYING_TASKS = re.compile(r"CPU\d+ enqueued tasks \((\d+) total\):")
DYING_TASK = re.compile(r"\tpid: \d+, name: (.*)")
KERNEL_LINE = re.compile(r"^(<\d+>)?\[ *\d+\.\d+\]")
RESULT = re.compile(r"^(not )?ok\b(?: +\d+)?(?: +-)?(?: +(.*?))?(?:\s*# *(SKIP|XFAIL|TODO)\b[: ]*(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)(?:\s*# *SKIP\b[: ]*(.*))?")
# Out-of-tree (O) and unsigned (E) are what pmcgrp.ko itself stands for.
TAINT_ALLOWED = 1 << 12 | 1 << 13
TAINT_WARN = 1 << 9
# Its driver of MSRs taints the kernel at each write, until it ends (S).
TAINT_MSR = 1 << 2
TAINT_LETTERS = "PFSRMBUDAWCIOELKXTN"
SPLAT_LINES = 40


class Result:
    """One line of results; of which programs it may be the fault, if it is one."""

    def __init__(self, number, good, name, directive, reason, of):
        self.number, self.good, self.name = number, good, name
        self.directive, self.reason, self.of = directive, reason, frozenset(of)

    def state(self):
        if self.directive == "SKIP":
            return "skipped"
        return "passed" if self.good or self.directive else "failed"

    def __str__(self):
        tail = f" # {self.directive} {self.reason}".rstrip() if self.directive else ""
        return f"{'ok' if self.good else 'not ok'} {self.number} {self.name}{tail}"


class Report:
    """Numbers, counts and prints results; keeps them for the results file."""

    def __init__(self, write):
        self.write = write
        self.lines = []         # text and Result
        self.say("TAP version 13")

    def say(self, line):
        self.lines.append(line)
        self.write(str(line))

    def results(self):
        return [line for line in self.lines if isinstance(line, Result)]

    def number(self, state):
        return sum(result.state() == state for result in self.results())

    def failures(self):
        return [result for result in self.results() if result.state() == "failed"]

    def result(self, good, name, directive="", reason="", of=()):
        self.say(Result(len(self.results()) + 1, good, name, directive, reason, of))

    def note(self, text):
        self.say(f"# {text}".rstrip())

    def finish(self):
        self.say(f"1..{len(self.results())}")

    def text(self):
        return "".join(f"{line}\n" for line in self.lines)


class Program:
    """One test program's own TAP, from its first line to its exit status."""

    def __init__(self, name, report):
        self.name, self.report = name, report
        self.plan = None
        self.results = self.failures = 0

    def result(self, good, name, directive="", reason=""):
        self.report.result(good, name, directive, reason, {self.name})

    def line(self, text):
        plan = PLAN.match(text)
        match = RESULT.match(text)
        if plan:
            self.plan = int(plan[1])
            if plan[2] is not None and not self.plan:
                self.result(True, self.name, "SKIP", plan[2])
        elif match:
            self.results += 1
            good = not match[1]
            self.failures += not good and not match[3]
            self.result(good, f"{self.name}: {match[2] or self.results}",
                        match[3] or "", match[4] or "")
        elif text and not text.startswith("TAP version"):
            self.report.note(text.lstrip("# "))

    def end(self, status, late):
        """The status says what the program could not: that it died or gave up."""
        trouble = None
        if late:
            trouble = "stopped at its time limit"
        elif status > 128:
            trouble = f"killed by signal {status - 128}"
        elif self.plan is not None and self.plan != self.results:
            trouble = f"planned {self.plan} results and reported {self.results}"
        elif status == 4 and not self.results:
            if self.plan is None:
                self.result(True, self.name, "SKIP")
        elif status not in (0, 4) and not self.failures:
            trouble = f"exit status {status}"
        elif self.results and self.plan is None:
            trouble = "no plan"
        elif not self.results and self.plan is None:
            # A plain program: its exit status is its result.
            self.result(True, self.name)
        if trouble:
            self.result(False, f"{self.name}: {trouble}")


class Console:
    """Follows a guest's console line by line."""

    def __init__(self, token, report, show=None, oom=(), plan=(), msr=()):
        self.token, self.report, self.show = token, report, show
        self.clock = time.monotonic     # what a program's time is told by: a guest's is its emulator's
        self.oom = oom          # tests that make memory run out
        self.plan = list(plan)  # the programs that are to run
        self.msr = msr          # tests that write to MSRs
        self.begun = []         # those of them that have begun
        self.oom_trace = False  # a stack trace comes that the test wanted
        self.program = None
        self.log_of = None      # the kernel's log is being printed, about this
        self.seen = set()
        self.splats = 0
        self.splat_lines = 0    # still to be shown
        self.framed = []        # a report whose end has not come yet
        self.foreign_races = 0
        self.dying = []         # what is said of a CPU that is not empty
        self.foreign_warnings = 0
        self.finished = False
        self.doing = "booting"
        self.command_status = None
        self.since = 0.0

    def suspects(self):
        """Whose fault what comes now may be: of the one that runs; between two, of both."""
        if self.program:
            return {self.program.name} - {"-"}
        if self.log_of in self.begun:
            return {self.log_of}
        return set(self.begun[-1:] + self.plan[len(self.begun):][:1])

    def fail(self, name):
        self.report.result(False, name, of=self.suspects())

    def line(self, text):
        if text.startswith(self.token + " "):
            verb, _, rest = text[len(self.token) + 1:].partition(" ")
            getattr(self, "on_" + verb)(rest)
        elif self.log_of is not None or KERNEL_LINE.match(text):
            self.kernel(text)
        elif self.program and self.program.name == "-":
            self.show(text)
        elif self.program:
            self.program.line(text)

    def kernel(self, text):
        # A dying kernel's words come twice: as it dies, and from its log.
        if text in self.seen:
            return
        self.seen.add(text)
        if self.dying or DYING in text:
            over = any(DYING_TASKS.search(line) for line in self.dying)
            if len(self.dying) < DYING_LINES and (not over or DYING_TASK.search(text)):
                self.dying.append(text)
                return
            self.end_dying()
        if not self.framed and not RULE.search(text):
            self.judge(text)
            return
        if len(self.framed) == 1 and RULE.search(text):
            self.framed = []    # that was the end of a report whose beginning the log has lost
        self.framed.append(text)
        race = len(self.framed) == 1 or "BUG: KCSAN:" in self.framed[1]
        if not race or len(self.framed) > 1 and RULE.search(text):
            self.end_frame()

    def end_frame(self):
        """A data race is ours if one of its two accesses is; all else is."""
        lines, self.framed = self.framed, []
        places = [i for i, line in enumerate(lines) if ACCESS.search(line)]
        if "BUG: KCSAN:" in "".join(lines[1:2]) and \
                not any("[pmcgrp" in line for i in places for line in lines[i + 1:i + 3]):
            self.foreign_races += 1
            return
        for line in lines:
            self.judge(line)

    def end_dying(self):
        """One task more than the stopper, and no other to be named, is the fair server."""
        lines, self.dying = self.dying, []
        counts = [found[1] for found in map(DYING_TASKS.search, lines) if found]
        names = [found[1] for found in map(DYING_TASK.search, lines) if found]
        if counts == ["2"] and len(names) == 1 and names[0].startswith("migration/"):
            self.foreign_warnings += 1
            return
        for line in lines:
            self.judge(line)

    def judge(self, text):
        splat = SPLAT.search(text)
        if self.log_of in self.oom and OOM.search(text):
            self.oom_trace = True
        elif splat and self.oom_trace and splat[0].startswith("Call "):
            self.oom_trace, splat = False, None
        if splat and not self.splat_lines:
            self.splats += 1
            self.splat_lines = SPLAT_LINES
            what = re.sub(r"^(<\d+>)?\[[^]]*\] *", "", text)
            self.fail(f"kernel log, {self.log_of or self.doing}: {what}")
        if self.splat_lines:
            self.splat_lines -= 1
            self.report.note("  " + text)

    def on_log(self, what):
        self.log_of, self.splat_lines, self.oom_trace = what, 0, False

    def on_taint(self, value):
        self.end_frame()
        self.end_dying()
        bad = int(value) & ~TAINT_ALLOWED & ~(TAINT_WARN if self.foreign_warnings else 0)
        if any(name in self.msr for name in self.begun):
            bad &= ~TAINT_MSR
        if bad and not self.splats:
            letters = "".join(c for i, c in enumerate(TAINT_LETTERS) if bad >> i & 1)
            self.splats += 1
            self.fail(f"kernel is tainted: {letters}")
        self.log_of, self.splat_lines = None, 0

    def on_leaks(self, count):
        self.report.result(count == "0", "kmemleak: nothing is lost once the module is gone")
        if count != "0":
            self.splats += 1
            self.splat_lines = 5 * SPLAT_LINES
        self.log_of = "leaks"

    def on_begin(self, name):
        # One that has entered another kernel (../machine/kexec.c) begins anew there.
        if not self.program:
            self.since = self.clock()
            if name != "-":
                self.begun.append(name)
        self.doing = name if name != "-" else "running the command"
        self.program = Program(name, self.report)

    def on_end(self, rest):
        status, late = rest.split()
        if self.program.name == "-":
            self.command_status = int(status)
            if late == "yes":
                self.show("(stopped at its time limit)")
        else:
            self.program.end(int(status), late == "yes")
            self.report.note(f"time: {self.program.name} {self.clock() - self.since:.1f} s")
        self.program, self.doing = None, "between tests"

    def on_fail(self, what):
        self.fail(what)

    def on_done(self, _):
        self.finished = True

    def end(self, why):
        """The guest is gone: the last result is about the whole run."""
        if not self.finished:
            self.fail(f"guest {why} while {self.doing}")
        if self.foreign_races:
            self.report.note(f"{self.foreign_races} data races of the kernel's own")
        if self.foreign_warnings:
            self.report.note(f"{self.foreign_warnings} warnings of the scheduler's own "
                             "(a fair server on a dying CPU)")
        if self.finished and not self.splats:
            self.report.result(True, "kernel log from boot to the module's removal")
