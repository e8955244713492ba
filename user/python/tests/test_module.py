# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""What only the module has: members that come and go, triggers, rings that are overwritten, spans by key and of files."""

import collections
import ctypes
import errno
import os
import re
import sys
import threading

import pmcgrp
import pytest
from test_group import FAULTS, touch

CALLS = 40


@pytest.fixture
def module():
    if pmcgrp.group("task-clock").backend != "pmcgrp":
        pytest.skip("the module is not loaded")


# ---- Members ----

def test_members_come_and_go(module):
    with pmcgrp.group("task-clock", leader=True) as g:
        faults = g.add("page-faults")
        touch()
        assert [event.name for event in g.events] == ["task-clock", "page-faults"] and len(g.counts) == 2
        now = g.read()
        assert now["page-faults"].value >= FAULTS and now["page-faults"].id == faults.event.id
        alone = faults.read()
        assert alone.name == "page-faults" and alone.id == faults.event.id and alone.value >= now["page-faults"].value
        assert 0 < alone.time_enabled < now.time_enabled + 10 ** 9 and alone.counted
        with g.add("context-switches", disabled=True) as late:
            assert [value.name for value in g.read()] == ["task-clock", "page-faults", "context-switches"]
            assert late.read().value == 0 and not late.read().counted
            late.enable()
            os.sched_yield()
        assert late.closed and [value.name for value in g.read()] == ["task-clock", "page-faults"]
        faults.disable()
        stopped = faults.read()
        touch()
        assert faults.read() == stopped
        faults.reset()
        assert faults.read().value == 0
        faults.close()
        faults.close()
        assert [value.name for value in g.read()] == ["task-clock"]
        with pytest.raises(ValueError, match="left"):
            faults.read()
    assert g.result["task-clock"].value > 0


def test_a_member_goes_on_alone(module):
    g = pmcgrp.group("task-clock", leader=True)
    member = g.add("page-faults")
    g.enable()
    g.close()
    touch()
    assert member.read().value >= FAULTS
    member.close()
    with pytest.raises(ValueError, match="closed"):
        g.add("page-faults")


def test_what_cannot_be_added():
    g = pmcgrp.group("task-clock", leader=pmcgrp.group("task-clock").backend == "pmcgrp")
    with pytest.raises(ValueError, match="one event"):
        g.add("page-faults,context-switches")
    with pytest.raises(pmcgrp.EventError):
        g.add("nosuch")
    plain = pmcgrp.group("task-clock")
    with pytest.raises(pmcgrp.Error) as caught:
        plain.add("page-faults")
    assert caught.value.errno == (errno.EINVAL if plain.backend == "pmcgrp" else errno.EOPNOTSUPP)


# ---- Rings ----

def test_samples_say_their_trigger(module):
    g = pmcgrp.group("page-faults,task-clock")
    rings = g.rings("page-faults", period=64)
    g.trigger("task-clock", period=100_000)
    assert rings.triggers == ("sample", "page-faults", "task-clock")
    with g:
        touch()
        assert rings.sample() == 1
        g.disable()
        rings.flush()
        found = collections.Counter(rings.triggers[sample.trigger] for sample in rings)
    assert found["page-faults"] >= FAULTS // 64 and found["task-clock"] and found["sample"] == 1
    with pytest.raises(ValueError, match="closed"):
        rings.sample()


def test_rings_are_overwritten(module):
    numpy = pytest.importorskip("numpy")
    g = pmcgrp.group("page-faults,task-clock")
    rings = g.rings("page-faults", period=1, pages=1, overwrite=True)
    with g:
        touch()
        with rings.paused():
            newest = list(rings)
        assert 0 < len(newest) < FAULTS and {sample.counts[0] for sample in newest[1:]} <= {0, 1, 2}
        touch(16)
        rows = numpy.empty((256, len(rings.columns)), dtype=numpy.uint64)
        with rings.paused():
            nr = rings.read_into(rows)
        assert nr and rows[:nr, 0].min() > newest[-1].time


def test_rings_without_a_trigger(module):
    g = pmcgrp.group("page-faults")
    with pytest.raises(ValueError, match="rings"):
        g.trigger("task-clock", period=1)
    rings = g.rings()
    with pytest.raises(ValueError, match="either"):
        g.trigger("task-clock")
    with g:
        touch()
        rings.sample()
        touch()
        rings.sample()
        rings.flush()
        first, second = rings
    assert min(first.counts[0], second.counts[0]) >= FAULTS and first.tid == threading.get_native_id()


# ---- Spans ----

def reads(nr=CALLS):
    with open("/proc/self/stat", "rb", buffering=0) as file:
        for _ in range(nr):
            file.read(8)


def test_spans_have_histograms_and_keys(module):
    numpy = pytest.importorskip("numpy")
    g = pmcgrp.group("task-clock,page-faults", pmcgrp.Process())
    span = g.span("vfs_read", by="thread", histograms=True)
    with g:
        other = threading.Thread(target=reads)
        other.start()
        other.join()
        reads()
        g.disable()
        whole, keys = span.read(), span.read_keys()
    buckets = numpy.asarray(whole.time.histogram)
    assert buckets.dtype == numpy.uint64 and buckets.sum() == whole.count >= 2 * CALLS
    least = whole.time.min.bit_length()
    assert buckets[least] and not buckets[:least].any()
    by = {key.id: key for key in keys if key.kind == "key"}
    assert by[threading.get_native_id()].count >= CALLS and by[other.native_id].count >= CALLS
    assert by[other.native_id].comm and by[other.native_id].members["task-clock"].sum > 0
    assert sum(key.count for key in by.values()) == whole.count
    assert sum(key.count for key in keys if key.kind == "cpu") == whole.count
    table = numpy.asarray(keys.histograms)
    assert table.shape == (len(keys), 1 + 8, 65) and not table.flags.owndata and not table.flags.writeable
    assert [int(n) for n in table[:, 0].sum(axis=1)] == [key.count for key in keys]
    assert list(keys[0].time.histogram) == table[0, 0].tolist() and keys[-1] == keys[len(keys) - 1] == keys[-1:][0]
    with pytest.raises(IndexError):
        keys[len(keys)]
    del keys
    assert table[:, 0].sum() == 2 * whole.count


def test_spans_by_command(module):
    g = pmcgrp.group("task-clock", pmcgrp.Process())
    span = g.span("vfs_read", by="command")
    with g:
        reads()
        found = [key for key in span.read_keys() if key.kind == "key"]
    assert [(key.comm, key.id) for key in found] == [(open("/proc/self/comm").read().strip(), 0)]
    with pytest.raises(ValueError, match="told apart"):
        pmcgrp.group("task-clock", pmcgrp.Process()).span("vfs_read", by="colour")


def test_each_call_has_a_record(module):
    numpy = pytest.importorskip("numpy")
    g = pmcgrp.group("task-clock,page-faults")
    rings = g.span_rings()
    span = g.span("vfs_read", record=True)
    with g:
        reads()
        g.disable()
        rings.flush()
        rows = numpy.empty((CALLS // 2, len(rings.columns)), dtype=numpy.uint64)
        assert rings.read_into(rows) == CALLS // 2
        rest, whole = list(rings), span.read()
    assert rings.columns[-2:] == ("task-clock", "page-faults") and rings.lost == 0
    assert len(rows) + len(rest) == whole.count and {record.span for record in rest} == {span.id}
    durations = rows[:, rings.columns.index("duration")].tolist() + [record.duration for record in rest]
    assert sum(durations) == whole.time.sum and max(durations) == whole.time.max
    assert sum(rows[:, -2].tolist()) + sum(record.counts[0] for record in rest) == whole.members["task-clock"].sum
    assert all(record.tid == threading.get_native_id() and record.begin < record.time for record in rest)


def here(function):
    """A function of C's in this process: its file, and where in that it begins."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    for line in open("/proc/self/maps"):
        start, end, offset, path = re.match(r"(\w+)-(\w+) \S+ (\w+) \S+ \d+ *(.*)", line).groups()
        if int(start, 16) <= address < int(end, 16):
            return path, address - int(start, 16) + int(offset, 16)
    raise LookupError(function)


def test_a_function_of_a_file(module):
    version = ctypes.CDLL("libpmcgrp.so.1").pmcgrp_version
    g = pmcgrp.group("task-clock,page-faults")
    function = pmcgrp.FileFunction(*here(version))
    try:
        span = g.span(function)
    except pmcgrp.Error as error:
        if error.errno == errno.ENOENT and "libcapstone" in str(error):
            pytest.skip(str(error))
        raise
    with g:
        for _ in range(CALLS):
            version()
        g.disable()
        now = span.read()
    assert now.count == CALLS and not now.missed and span.name == function.path
    with pytest.raises(ValueError, match="no other end"):
        pmcgrp.group("task-clock").span(function, "sched:sched_switch")
    with pytest.raises(pmcgrp.Error) as caught:
        pmcgrp.group("task-clock").span(pmcgrp.FileFunction(sys.executable, 0))
    assert str(caught.value)
