# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""A fixture for pytest that counts what a function executes, and fails where it was not counted all the time.

    def test_parse(pmcgrp_count):
        assert pmcgrp_count(parse, "some text") == 7

The mark `pmcgrp(events=..., rounds=..., inherit=...)` and the options --pmcgrp-* say what is counted.
"""

from __future__ import annotations

import json
import statistics
from typing import Any, Callable, Dict, Generator, List, Optional, TypeVar

import pytest
from _pytest.terminal import TerminalReporter

from ._errors import Error
from ._group import Group, group
from ._reading import NotCounted, Reading

T = TypeVar("T")

EVENTS = "instructions:u"
ROUNDS = 5


class Counter:
    """The fixture: call it with a function and its arguments.

    - events, rounds, inherit: what is counted, how often; and whether threads and processes are that the
      function makes
    - backend: who has counted: "pmcgrp" or "perf_event_open"
    - readings: one of each round
    """

    def __init__(self, name: str, events: str, rounds: int, inherit: bool, absent: str) -> None:
        self.name = name
        self.events = events
        self.rounds = rounds
        self.inherit = inherit
        self.backend: Optional[str] = None
        self.readings: List[Reading] = []
        self._absent = absent

    def __call__(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call it once without counting, then in rounds; returns what the last one has returned."""
        try:
            counters = group(self.events, inherit=self.inherit)
        except Error as error:
            sentence = f"pmcgrp: {self.events}: not counted: {error}"
            if self._absent == "skip":
                pytest.skip(sentence)
            pytest.fail(sentence, pytrace=False)
        self.backend = counters.backend
        self.readings = []
        try:
            result = function(*args, **kwargs)
            for _ in range(self.rounds):
                result = self._round(counters, function, *args, **kwargs)
        finally:
            counters.close()
        return result

    def _round(self, counters: Group, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        counters.reset(times=True)
        counters.enable()
        try:
            result = function(*args, **kwargs)
        finally:
            counters.disable()
        reading = counters.read()
        self.readings.append(reading)
        try:
            reading.require_counted()
        except NotCounted as error:
            pytest.fail(f"pmcgrp: {error} (round {len(self.readings)} of {self.rounds}, by {self.backend})",
                        pytrace=False)
        return result

    def figures(self) -> List[Dict[str, Any]]:
        """Of each event least, median and most of all rounds."""
        rows: List[Dict[str, Any]] = []
        if not self.readings:
            return rows
        for i, value in enumerate(self.readings[0]):
            counts = [reading[i].value for reading in self.readings]
            rows.append({"test": self.name, "event": value.name, "min": min(counts),
                         "median": statistics.median_low(counts), "max": max(counts), "rounds": len(counts),
                         "backend": self.backend})
        return rows


KEY = pytest.StashKey[List[Dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """--pmcgrp-*."""
    options = parser.getgroup("pmcgrp", "counts of hardware events")
    options.addoption("--pmcgrp-events", default=EVENTS, metavar="EVENTS",
                      help="what the fixture pmcgrp_count counts: one group (default: %(default)s)")
    options.addoption("--pmcgrp-rounds", type=int, default=ROUNDS, metavar="N",
                      help="how often it calls the function (default: %(default)s)")
    options.addoption("--pmcgrp-absent", choices=("fail", "skip"), default="fail",
                      help="what becomes of a test whose events cannot be counted here (default: %(default)s)")
    options.addoption("--pmcgrp-json", metavar="FILE", help="write the counts of all tests there")


def pytest_configure(config: pytest.Config) -> None:
    """The mark, and where counts are kept."""
    config.addinivalue_line("markers", "pmcgrp(events, rounds, inherit): what the fixture pmcgrp_count counts")
    rows: List[Dict[str, Any]] = []
    config.stash[KEY] = rows


@pytest.fixture
def pmcgrp_count(request: pytest.FixtureRequest) -> Generator[Counter, None, None]:
    """Counts what a function executes: pmcgrp_count(function, *args)."""
    option, node = request.config.getoption, request.node
    mark = node.get_closest_marker("pmcgrp")
    chosen: Dict[str, Any] = {"events": option("--pmcgrp-events"), "rounds": option("--pmcgrp-rounds"),
                              "inherit": False}
    if mark:
        unknown = [key for key in mark.kwargs if key not in chosen]
        if unknown or mark.args:
            raise pytest.UsageError(f"the mark pmcgrp takes {', '.join(chosen)} by name")
        chosen.update(mark.kwargs)
    if chosen["rounds"] < 1:
        raise pytest.UsageError("pmcgrp: there is at least one round")
    counter = Counter(node.nodeid, absent=option("--pmcgrp-absent"), **chosen)
    yield counter
    # What was not counted all the time is no figure.
    if all(reading.counted for reading in counter.readings):
        request.config.stash[KEY] += counter.figures()


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """A table of all counts."""
    rows = terminalreporter.config.stash[KEY]
    if not rows:
        return
    wide = max(len(row["test"]) for row in rows)
    event = max(len(row["event"]) for row in rows)
    terminalreporter.write_sep("-", f"pmcgrp: counts by {rows[0]['backend']}")
    terminalreporter.write_line(f"{'test':{wide}}  {'event':{event}} {'min':>15} {'median':>15} {'max':>15} {'rounds':>6}")
    for row in rows:
        terminalreporter.write_line(f"{row['test']:{wide}}  {row['event']:{event}} {row['min']:>15,} "
                                    f"{row['median']:>15,} {row['max']:>15,} {row['rounds']:>6}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """--pmcgrp-json."""
    file = config.getoption("--pmcgrp-json", None)
    if file:
        with open(file, "w", encoding="utf-8") as out:
            json.dump(config.stash[KEY], out, indent="\t")
            out.write("\n")
