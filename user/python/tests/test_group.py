# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""Groups: made, read, refused. Of software events, which every machine has."""

import errno
import mmap
import os
import subprocess
import sys
import threading
import time

import pmcgrp
import pytest

FAULTS = 512


def touch(pages=FAULTS):
    """So many page faults, and a few more."""
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
    memory.madvise(getattr(mmap, "MADV_NOHUGEPAGE", 15))
    for page in range(pages):
        memory[page * mmap.PAGESIZE] = 1
    memory.close()


def need(events, target=pmcgrp.Task()):
    why = pmcgrp.why_not(events, target)
    if why:
        pytest.skip(str(why))


def test_a_block_is_counted_and_its_result_stays():
    with pmcgrp.group("page-faults,task-clock") as g:
        touch()
    touch()
    assert FAULTS <= g.result["page-faults"].value < 2 * FAULTS
    assert g.result[1].name == "task-clock" and g.result.counted
    assert g.result.time_enabled == g.result.time_running > 0
    assert g.closed


def test_the_backend_is_said():
    here = "pmcgrp" if os.path.exists("/dev/pmcgrp") else "perf_event_open"
    g = pmcgrp.group("task-clock")
    assert g.backend == here and here in repr(g)
    assert pmcgrp.group("task-clock", backend="perf_event_open").backend == "perf_event_open"
    with pytest.raises(ValueError, match="backend"):
        pmcgrp.group("task-clock", backend="perf")


def test_without_the_module_it_can_be_asked_for():
    if os.path.exists("/dev/pmcgrp"):
        pytest.skip("the module is loaded")
    with pytest.raises(pmcgrp.Error) as caught:
        pmcgrp.group("task-clock", backend="pmcgrp")
    assert caught.value.errno == errno.ENOENT and "module" in str(caught.value)


def test_values_are_whole():
    with pmcgrp.group(["task-clock", "page-faults:u"]) as g:
        touch()
        now = g.read()
    assert [value.name for value in now] == ["task-clock", "page-faults:u"]
    assert [value.id for value in now] == [event.id for event in g.events]
    assert len({value.id for value in now}) == len(now) == 2
    assert now[0].unit == "msec" or now[0].unit == ""
    assert now[1].time_running == now.time_running and now[1].share == 1.0 and now[1].counted
    assert now[1].estimate == now[1].value
    with pytest.raises(KeyError, match="task-clock"):
        now["cycles"]


def test_enable_disable_and_reset():
    g = pmcgrp.group("page-faults")
    touch()
    assert g.read()[0].value == 0 and g.read().share == 0.0 and not g.read().counted
    with pytest.raises(pmcgrp.NotCounted, match="page-faults: not counted"):
        g.read().require_counted()
    g.enable()
    touch()
    g.disable()
    counted = g.read()
    touch()
    assert g.read()[0] == counted[0] and counted[0].value >= FAULTS
    g.reset()
    assert g.read()[0].value == 0 and g.read().time_enabled == counted.time_enabled
    g.reset(times=True)
    assert g.read().time_enabled == 0


def test_a_closed_group_says_so():
    g = pmcgrp.group("task-clock")
    with pytest.raises(ValueError, match="not left"):
        g.result
    g.close()
    g.close()
    for call in (g.read, g.enable, g.disable, g.reset, g.fileno, g.read_cpus, lambda: g.read_into(bytearray(64))):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_an_exception_goes_through_and_closes():
    with pytest.raises(ZeroDivisionError):
        with pmcgrp.group("task-clock") as g:
            1 / 0
    assert g.closed and g.result[0].value > 0


def test_descriptors_are_given_back():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        pmcgrp.group("task-clock,page-faults").close()
        pmcgrp.group("task-clock,page-faults")
        pmcgrp.why_not("no-such-event")
    assert len(os.listdir("/proc/self/fd")) == before


# ---- Targets ----

def test_a_process_with_its_threads():
    with pmcgrp.group("page-faults", pmcgrp.Process()) as g:
        threads = [threading.Thread(target=touch) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert g.result[0].value >= 3 * FAULTS


def test_children_are_inherited():
    child = f"memory = bytearray({FAULTS * 8192})"
    with pmcgrp.group("page-faults", inherit=True) as g:
        subprocess.run([sys.executable, "-S", "-c", child], check=True)
    assert g.result[0].value > 2 * FAULTS


def test_another_process_from_its_exec_on():
    child = subprocess.Popen(["sh", "-c", 'read line; exec "$0" -S -c ""', sys.executable],
                             stdin=subprocess.PIPE)
    with pmcgrp.group("page-faults", pmcgrp.Task(child.pid), enable_on_exec=True) as g:
        assert g.read()[0].value == 0
        child.communicate(b"\n")
    assert child.returncode == 0 and g.result[0].value > 10


@pytest.mark.parametrize("target", [pmcgrp.Cpus("0"), pmcgrp.Cpus(0), pmcgrp.Cpus([0]), pmcgrp.AllCpus()])
def test_cpus_each_and_all(target):
    need("task-clock", target)
    g = pmcgrp.group("task-clock,page-faults", target)
    g.enable()
    time.sleep(0.02)
    g.disable()
    cpus, whole = g.read_cpus(), g.read()
    assert 0 in cpus and len(cpus) == (os.cpu_count() if target == pmcgrp.AllCpus() else 1)
    for i in range(2):
        assert sum(reading[i].value for reading in cpus.values()) == whole[i].value
    assert sum(reading.time_enabled for reading in cpus.values()) == whole.time_enabled


def test_cpus_of_a_task_are_refused():
    with pytest.raises(pmcgrp.Error) as caught:
        pmcgrp.group("task-clock").read_cpus()
    assert caught.value.errno == errno.EINVAL


def test_a_cgroup():
    root = next((p for p in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                 if os.path.exists(p + "/cgroup.controllers")), None)
    if not root:
        pytest.skip("no cgroups of version 2 are mounted")
    need("task-clock", pmcgrp.Cgroup(root))
    with pmcgrp.group("task-clock", pmcgrp.Cgroup(root)) as g:
        touch()
    assert g.result[0].value > 0


# ---- Failures ----

@pytest.mark.parametrize("events, column, words", [("task-clock,nosuch", 11, "nosuch"), ("", 0, "event"),
                                                   ("{task-clock},{page-faults}", 14, "second group")])
def test_events_that_are_wrong(events, column, words):
    with pytest.raises(pmcgrp.EventError) as caught:
        pmcgrp.group(events)
    error = caught.value
    assert error.errno == errno.EINVAL and isinstance(error, ValueError) and words in str(error)
    assert error.column in (column, column - 1)


def test_a_thread_that_is_not_there():
    with pytest.raises(OSError) as caught:
        pmcgrp.group("task-clock", pmcgrp.Task(2 ** 22 + 1))
    error = caught.value
    assert isinstance(error, pmcgrp.Error) and error.errno == errno.ESRCH
    assert error.why == "task-gone" and error.why_text and str(2 ** 22 + 1) in str(error)
    assert error.member in (0, None) and error.cpu is None


@pytest.mark.parametrize("target, number", [(pmcgrp.Cpus("0-"), errno.EINVAL), (pmcgrp.Cpus([-1]), errno.EINVAL),
                                            (pmcgrp.Cpus([]), errno.EINVAL), (pmcgrp.Task(-1), errno.EINVAL),
                                            (pmcgrp.Cgroup("/no/such"), errno.ENOENT),
                                            (pmcgrp.Cpus([8191]), errno.EINVAL)])
def test_targets_that_cannot_be(target, number):
    why = pmcgrp.why_not("task-clock", target)
    assert why and why.errno == number and str(why)


def test_a_target_is_one():
    with pytest.raises(TypeError, match="a target is"):
        pmcgrp.group("task-clock", 7)


# ---- Buffers ----

def test_numpy_takes_counts_without_a_copy():
    numpy = pytest.importorskip("numpy")
    with pmcgrp.group("task-clock,page-faults") as g:
        counts, words = numpy.asarray(g.counts), numpy.asarray(g.words)
        assert counts.dtype == words.dtype == numpy.uint64 and counts.shape == (2,)
        assert numpy.shares_memory(counts, words) and not counts.flags.writeable
        g.read()
        before = counts.copy()
        touch()
        now = g.read()
        assert [value.value for value in now] == counts.tolist()
        assert counts[1] - before[1] >= FAULTS
    assert counts[1] == g.result[1].value


def test_rows_of_numpy_are_read_into():
    numpy = pytest.importorskip("numpy")
    with pmcgrp.group("task-clock,page-faults") as g:
        rows = numpy.zeros((4, len(g.words)), dtype=numpy.uint64)
        for row in rows:
            assert g.read_into(row) == row.nbytes
        counts = rows[:, g.layout]
    assert counts.shape == (4, 2) and numpy.shares_memory(counts, rows)
    assert (numpy.diff(counts[:, 0].astype(numpy.int64)) > 0).all()


def test_a_buffer_that_is_too_small_or_read_only():
    g = pmcgrp.group("task-clock,page-faults")
    with pytest.raises(pmcgrp.Error) as caught:
        g.read_into(bytearray(8))
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises((TypeError, BufferError, ValueError)):
        g.read_into(bytes(64))
    with pytest.raises(TypeError):
        g.words[0] = 1


def test_memory_outlives_its_group():
    g = pmcgrp.group("task-clock")
    counts = g.counts
    del g
    assert counts.tolist() == [0]


# ---- By key ----

def test_keys_of_a_machine():
    need("page-faults", pmcgrp.AllCpus())
    g = pmcgrp.group("page-faults,task-clock", pmcgrp.AllCpus())
    if g.backend == "perf_event_open":
        with pytest.raises(pmcgrp.Error) as caught:
            g.keys("process")
        assert caught.value.errno == errno.EOPNOTSUPP and "perf_event_open" in str(caught.value)
        return
    keys = g.keys("process")
    g.enable()
    touch()
    subprocess.run(["true"], check=True)
    g.disable()
    keys.update()
    found = list(keys)
    mine = [key for key in found if key.id == os.getpid() and key.kind == "key"]
    assert len(mine) == 1 and mine[0].total["page-faults"].value >= FAULTS and mine[0].comm and not mine[0].ended
    assert mine[0].total[0] == mine[0].delta[0] and mine[0].stays > 0 and len(found) > 1
    assert sum(key.total[0].value for key in found) == keys.total()[0].value == g.read()[0].value
    ended = sum(key.total[0].value for key in found if key.ended)
    keys.drop_ended()
    assert keys.dropped()[0].value == ended
    g.close()
    with pytest.raises(ValueError, match="closed"):
        keys.update()


def test_keys_are_of_a_sort():
    with pytest.raises(ValueError, match="cgroup, process"):
        pmcgrp.group("page-faults", pmcgrp.AllCpus()).keys("colour")


# ---- Rings ----

def samples(g):
    """The rings of a group that has counted `touch()`, with a sample for every 16 page faults."""
    rings = g.rings("page-faults", period=16)
    with g:
        touch()
        g.disable()
        rings.flush()
        yield rings
    with pytest.raises(ValueError, match="closed"):
        list(rings)


def test_rings_give_samples():
    g = pmcgrp.group("page-faults,task-clock")
    if g.backend == "perf_event_open":
        with pytest.raises(pmcgrp.Error) as caught:
            g.rings("page-faults", period=16)
        assert caught.value.errno == errno.EOPNOTSUPP
        return
    for rings in samples(g):
        found = list(rings)
        assert rings.columns[-2:] == ("page-faults", "task-clock") and len(found) >= FAULTS // 16
        assert {sample.pid for sample in found} == {os.getpid()} and not any(sample.lost for sample in found)
        assert [sample.time for sample in found] == sorted(sample.time for sample in found)
        # Where the event fires its own count may not be in yet.
        assert {sample.counts[0] for sample in found} <= {15, 16, 17} and all(sample.counts[1] for sample in found)
        assert all(sample.enabled == sample.running > 0 for sample in found)
        assert sum(sample.counts[0] for sample in found) <= g.read()[0].value
        assert not list(rings)


def test_rings_fill_rows_of_numpy():
    numpy = pytest.importorskip("numpy")
    g = pmcgrp.group("page-faults,task-clock")
    if g.backend == "perf_event_open":
        pytest.skip("perf_event_open has no rings of groups")
    for rings in samples(g):
        rows = numpy.zeros((7, len(rings.columns)), dtype=numpy.uint64)
        parts = []
        while nr := rings.read_into(rows):
            parts.append(rows[:nr].copy())
        whole = numpy.concatenate(parts)
        assert len(whole) >= FAULTS // 16 and abs(whole[:, rings.columns.index("page-faults")] - 16.0).max() <= 1
        assert (numpy.diff(whole[:, 0].astype(numpy.int64)) >= 0).all()
        with pytest.raises(ValueError, match="a row has 88 bytes"):
            rings.read_into(bytearray(8))


def test_a_trigger_has_a_period_or_a_frequency():
    with pytest.raises(ValueError, match="either"):
        pmcgrp.group("page-faults").rings("page-faults")


# ---- Spans ----

def test_a_span_of_a_function():
    g = pmcgrp.group("task-clock,page-faults")
    if g.backend == "perf_event_open":
        with pytest.raises(pmcgrp.Error) as caught:
            g.span("vfs_read")
        assert caught.value.errno == errno.EOPNOTSUPP and str(caught.value)
        return
    with pytest.raises(pmcgrp.Error) as caught:
        g.span("no_such_function")
    assert caught.value.errno == errno.ENOENT and "no_such_function" in str(caught.value)
    span = g.span("vfs_read")
    with g, open("/proc/self/stat", "rb", buffering=0) as file:
        for _ in range(20):
            file.read(8)
        now = span.read()
    assert now.count + sum(now.missed.values()) >= 20 and now.count and now.in_flight == 0
    assert list(now.members) == ["task-clock", "page-faults"]
    assert 0 < now.time.min <= now.time.max <= now.time.sum
    assert 0 < now.members["task-clock"].sum <= g.result[0].value
    with pytest.raises(ValueError, match="closed"):
        span.read()


# ---- A PMU, where there is one ----

def test_instructions_and_cycles():
    need("cycles,instructions")
    with pmcgrp.group("cycles,instructions") as g:
        sum(range(100000))
    g.result.require_counted()
    assert g.result["instructions"].value > 100000 and g.result["cycles"].value > 0
