# SPDX-License-Identifier: GPL-2.0-only
"""A program of our own with a hot function, and machines (chroots) to which its recording is
moved: they have no such program, its debug file by its build-id, perf's cache of it, or another
program in its place.
"""

import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from table import BUILD
from tree import cross_prefix

FUNCTION = "the_hot_function"
OTHER = "another_function"
# What a machine may have, and whether the function is known there.
CASES = (
    ((), False),
    (("debug file",), True),
    (("archive",), True),
    (("other program",), False),
    (("other program", "debug file"), True),
)
# No library: it has a page, and its samples are its own or the kernel's.
SOURCE = """
static volatile unsigned long sum;
__attribute__((noinline)) void FUNCTION(void)
{
	for (unsigned long i = 0; i < 2000000; i++)
		sum += i;
}
void _start(void)
{
	FUNCTION();
	__asm__ volatile("mov x8, #94\\n\\tmov x0, #0\\n\\tsvc #0");
}
"""
FLAGS = ("-g -O1 -static -nostdlib -ffreestanding -fno-asynchronous-unwind-tables -Wl,--build-id "
         "-Wl,-z,max-page-size=4096 -x c -").split()
# By how it is linked. With code in a segment of its own objcopy's debug file no longer says
# where that is in the program, and perf (of all three versions) finds no function by it.
LAYOUTS = {"joined": "-Wl,-z,noseparate-code", "separate": "-Wl,-z,separate-code"}
FOR_PERF = "joined"


def run(*command, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **how)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                           f"{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.stdout


class Program:
    """As built, as it is recorded (stripped), its debug file, and another one as it would be at
    the same addresses.
    """

    def __init__(self, folder, layout):
        prefix = cross_prefix("arm64")
        self.place = f"tmp/hot-{layout}"        # where it was recorded
        self.recording = folder / f"{layout}.data"
        self.built, self.stripped, self.debug, self.other = (
            folder / f"hot-{layout}.{end}" for end in ("built", "stripped", "debug", "other"))
        for file, name in (self.built, FUNCTION), (self.other, OTHER):
            run(f"{prefix}gcc", LAYOUTS[layout], *FLAGS, "-o", file,
                input=SOURCE.replace("FUNCTION", name))
        run(f"{prefix}strip", "-o", self.stripped, self.built)
        run(f"{prefix}objcopy", "--only-keep-debug", self.built, self.debug)
        notes = run(f"{prefix}readelf", "-n", self.built, env={**os.environ, "LC_ALL": "C"})
        self.build_id = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]

    def pack(self, perf):
        """What `perf archive` packs where the program is; unpacked it is a ~/.debug."""
        home = self.built.parent / "archive"
        shutil.rmtree(home, ignore_errors=True)
        (home / "bin").mkdir(parents=True)
        wrapper = home / "bin/perf"
        words = " ".join(f"'{word}'" for word in perf.command)
        wrapper.write_text(f"#!/bin/sh\nexec {words} \"$@\"\n")
        wrapper.chmod(0o755)
        env = {"PATH": f"{wrapper.parent}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C"}
        run(wrapper, "buildid-cache", "-a", self.built, env=env)
        run("bash", perf.root / "usr/lib/perf-core/perf-archive", self.recording, env=env)
        return self.recording.with_name(self.recording.name + ".tar.bz2")


class Machine:
    """A chroot of programs and their libraries, with a recording, /data, and a home, /root."""

    def __init__(self, root, program):
        self.root = root
        self.program = program
        (root / "root").mkdir()
        (root / "tmp").mkdir(exist_ok=True)
        shutil.copy(program.recording, root / "data")

    @classmethod
    def of_perf(cls, perf, folder, program):
        root = folder / f"machine-{perf.version}"
        shutil.rmtree(root, ignore_errors=True)
        run("cp", "-al", perf.root, root)
        machine = cls(root, program)
        machine.command = [str(word).replace(str(perf.root), "") for word in perf.command]
        return machine

    @classmethod
    def of_pmcgrp(cls, folder, program):
        root = folder / "machine-pmcgrp"
        shutil.rmtree(root, ignore_errors=True)
        (root / "bin").mkdir(parents=True)
        shutil.copy(BUILD / "pmcgrp", root / "bin/pmcgrp")
        for library in re.findall(r"(?:=> |^\s*)(/\S+) \(", run("ldd", BUILD / "pmcgrp"), re.M):
            target = root / library[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)
        machine = cls(root, program)
        machine.command = ["/bin/pmcgrp"]
        return machine

    def give(self, what, archive):
        """These things, and no other ones."""
        for folder in "root/.debug", "usr/lib/debug":
            shutil.rmtree(self.root / folder, ignore_errors=True)
        (self.root / self.program.place).unlink(missing_ok=True)
        if "debug file" in what:
            folder = self.root / "usr/lib/debug/.build-id" / self.program.build_id[:2]
            folder.mkdir(parents=True)
            shutil.copy(self.program.debug, folder / f"{self.program.build_id[2:]}.debug")
        if "archive" in what:
            folder = self.root / "root/.debug"
            folder.mkdir()
            run("tar", "-x", "-j", "-f", archive, "-C", folder)
        if "other program" in what:
            shutil.copy(self.program.other, self.root / self.program.place)

    def run(self, *args):
        env = {"HOME": "/root", "LC_ALL": "C", "PERF_CONFIG": "/none", "PATH": "/bin:/usr/bin"}
        as_root = ["-r"] if os.getuid() else []
        return run("unshare", *as_root, "-R", self.root, *self.command, *args, env=env,
                   stdin=subprocess.DEVNULL)


def only_function(lines, known, what):
    """Nearly all samples are in it: each line has one, or the sum of some."""
    named = sum(FUNCTION in line for line in lines)
    if known != (named > 0.9 * len(lines)) or (not known and named):
        raise AssertionError(f"{what}: {named} of {len(lines)} have {FUNCTION}")
    if any(OTHER in line for line in lines):
        raise AssertionError(f"{what}: {OTHER}, which was never recorded")


def read_by_perf(machine, known):
    lines = machine.run("script", "-i", "data", "-F", "ip,sym").splitlines()
    only_function(lines, known, "perf script")
    out = machine.run("report", "-i", "data", "--stdio", "-s", "sym")
    most = re.findall(r"of event '\w+'.*?\n\s+([\d.]+)%\s+(\[.\] \S+)", out, re.S)
    only_function([name for _, name in most], known, "perf report, each event's greatest")
    return f"{len(lines)} lines, {len(most)} events"


def read_by_pmcgrp(machine, known):
    out = machine.run("report", "--sort", "sym", "data")
    rows = re.search(r"\n +SHARE [^\n]* SYM *\n(.*?)\n\n", out, re.S)[1].splitlines()
    only_function([rows[0]], known, "pmcgrp report, the greatest")
    only_function([row for row in rows if OTHER in row], False, "pmcgrp report")
    return rows[0].strip()
