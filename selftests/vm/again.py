# SPDX-License-Identifier: GPL-2.0-only
"""Programs that have failed run once more, each alone in a fresh guest.

One that passes then is flaky: listed as such, and no failure of the run. One that fails
again has failed. A failure that is nobody's in particular, a leak, stays one.
"""

import tap

GUESTS = 4          # that one run may use up: when one dies, another goes on behind the culprit
AGAIN = 5           # with more programs than that failing, something is broken: nothing flakes
FLAKY = "flaky: it passed when it ran again, alone"


def run_all(names, guest, report):
    """Runs programs, guest(names, report) being one boot that returns its tap.Console.

    Where a guest dies the programs that it has not come to get another one.
    """
    left = list(names)
    for _ in range(GUESTS):
        console = guest(left, report)
        if console.finished:
            return
        # One that has not even booted counts as a try of its first program.
        left = left[max(len(console.begun), 1):]
        if not left:
            return
        report.note(f"{len(left)} programs go on in another guest")
    for name in left:
        report.result(False, f"{name}: not run, for too many guests have died", of={name})


def suspects(report):
    """The programs that failures may be the fault of, in the order of these."""
    return list(dict.fromkeys(name for result in report.failures() for name in sorted(result.of)))


def passed(name, second):
    """Whether a program has passed when it ran alone: not if it has only skipped."""
    return not second.failures() and any(result.of == {name} and result.state() == "passed"
                                         for result in second.results())


def is_flaky(result, second):
    """Whether a failure did not come again: all that it may be the fault of have passed."""
    return bool(result.of) and all(
        passed(name, second[name]) and
        all(other.state() == "passed" for other in second[name].results()
            if other.name == result.name)
        for name in result.of)


def run_again(guest, report):
    """Runs those once more that have failed, and settles what their failures are."""
    names = suspects(report)
    if len(names) > AGAIN:
        report.note(f"{len(names)} programs have failed, too many to be flaky: none runs again")
        return
    second = {}
    for name in names:
        report.note(f"again, alone: {name}")
        second[name] = tap.Report(lambda line: None)
        guest([name], second[name])
        for result in second[name].failures():
            report.note(f"again, alone: {result}")
        if passed(name, second[name]):
            report.note(f"again, alone: {name} has passed")
    for result in report.failures():
        if is_flaky(result, second):
            result.directive, result.reason = "TODO", FLAKY
