# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""The fixture for pytest, in runs of pytest of its own."""

import json

import pmcgrp
import pytest

pytest_plugins = ["pytester"]

ONE = """
    import pmcgrp, pytest

    @pytest.mark.pmcgrp(events="page-faults,task-clock", rounds=3)
    def test_it(pmcgrp_count):
        calls = []
        assert pmcgrp_count(lambda x, y: calls.append(bytearray(1 << 22)) or x + y, 1, y=2) == 3
        assert len(calls) == 4 and len(pmcgrp_count.readings) == 3
"""
# As a read of a group that had to share the PMU.
SHARED = """
    import pmcgrp._group
    from pmcgrp import Reading

    def read(self, real=pmcgrp._group.Group.read):
        now = real(self)
        return Reading(self.events, [value.value for value in now], 1000, RUNNING)

    pmcgrp._group.Group.read = read
"""


def run(pytester, *options):
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)


def test_counts_are_shown(pytester):
    pytester.makepyfile(ONE)
    result = run(pytester, "--pmcgrp-json", "out.json")
    result.assert_outcomes(passed=1)
    backend = pmcgrp.group("task-clock").backend
    result.stdout.fnmatch_lines([f"*pmcgrp: counts by {backend}*", "test *event *min *median *max *rounds",
                                 "*::test_it *page-faults * 3", "*::test_it *task-clock * 3"])
    rows = json.loads((pytester.path / "out.json").read_text())
    assert [row["event"] for row in rows] == ["page-faults", "task-clock"]
    assert 0 < rows[0]["min"] <= rows[0]["median"] <= rows[0]["max"] and rows[0]["rounds"] == 3
    assert rows[0]["backend"] == backend


@pytest.mark.parametrize("running, words", [(431, "multiplexed: counted for 43.1% of the time"), (0, "not counted")])
def test_what_was_multiplexed_fails_by_name(pytester, running, words):
    pytester.makepyfile(ONE)
    pytester.makeconftest(SHARED.replace("RUNNING", str(running)))
    result = run(pytester, "--pmcgrp-json", "out.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*page-faults, task-clock: {words} (round 1 of 3, by *)*"])
    result.stdout.no_fnmatch_line("*pmcgrp: counts by*")
    assert json.loads((pytester.path / "out.json").read_text()) == []


def test_what_cannot_be_counted_fails_by_name_or_is_skipped(pytester):
    pytester.makepyfile("def test_it(pmcgrp_count):\n    pmcgrp_count(len, ())\n")
    events = "--pmcgrp-events=task-clock,no-such-event"
    result = run(pytester, events)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*task-clock,no-such-event: not counted: *no-such-event*"])
    run(pytester, events, "--pmcgrp-absent=skip").assert_outcomes(skipped=1)


def test_instructions_are_the_default(pytester):
    why = pmcgrp.why_not("instructions:u")
    pytester.makepyfile("def test_it(pmcgrp_count):\n    pmcgrp_count(sum, range(10000))\n")
    result = run(pytester)
    if why:
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*instructions:u: not counted: *"])
    else:
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(["*::test_it *instructions:u * 5"])


def test_a_wrong_mark_or_number_is_said(pytester):
    pytester.makepyfile("""
        import pytest

        @pytest.mark.pmcgrp("cycles")
        def test_it(pmcgrp_count):
            pass

        @pytest.mark.pmcgrp(rounds=0)
        def test_rounds(pmcgrp_count):
            pass
    """)
    result = run(pytester)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*takes events, rounds, inherit by name*", "*at least one round*"])


def test_a_pmu_that_is_shared(pytester):
    """Three groups of four hardware events, and the one that is to be counted."""
    four, mine = "branches,branch-misses,cache-references,cache-misses", "branches:u,branch-misses:u,cache-references:u"
    why = pmcgrp.why_not(four)
    if why:
        pytest.skip(str(why))
    pytester.makeconftest(f"""
        import pmcgrp

        held = [pmcgrp.group({four!r}) for _ in range(3)]
        for group in held:
            group.enable()
    """)
    pytester.makepyfile(f"""
        import pytest, time

        def work():
            end = time.process_time() + 0.1
            while time.process_time() < end:
                pass

        @pytest.mark.pmcgrp(events={mine!r})
        def test_it(pmcgrp_count):
            pmcgrp_count(work)
    """)
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([rf".*{mine.replace(',', ', ')}: (multiplexed: counted for [0-9.]+%|not counted)"])
