# SPDX-License-Identifier: GPL-2.0-only
"""Where things are, the table `machines`, and the tests with what they need."""

import fnmatch
import functools
import os
import pathlib
import re
import subprocess
import sys

VM = pathlib.Path(__file__).resolve().parent
TOP = VM.parent.parent
BUILD = pathlib.Path(os.environ.get("PMCGRP_BUILD", TOP / "build"))
COLUMNS = "name arch suite series flavour smp limit set about tests qemu".split()
NEEDS = {
    "module",       # no: start with the module unloaded (it is at /lib/pmcgrp.ko)
    "testpmu",      # yes: with the PMU for tests (../test_modules/testpmu) loaded
    "kernel_api",   # yes: with the modules of ../test_modules/kernel_api at /lib; the test loads them
    "kernel",       # yes: with the image of the machine's kernel, /lib/vmlinuz
    # yes: with the kernel's driver of /dev/cpu/*/msr loaded, if it has one as a module (Debian's 7.2
    # has it in a package that is not fetched); writing there taints it
    "msr",
    "timeout",      # seconds of the guest's time, instead of ../settings' own
    "machines",     # patterns of machines; elsewhere the test does not run
    "oom",          # yes: the OOM killer's own stack traces are no fault of the kernel's
    "rtc_of_host",  # patterns of machines whose real-time clock goes by the host's then
    # patterns of machines on which it is no part of `make check`, only of `make check-all`;
    # elsewhere it is one of both
    "more",
}
DEB_ARCH = {"arm64": "arm64", "x86_64": "amd64"}


def say(text):
    print(f"run: {text}", file=sys.stderr, flush=True)


def kernel(m):
    """Its image; the release is the one that `fetch` chose."""
    return BUILD / "vm/root" / DEB_ARCH[m["arch"]] / "boot" / f"vmlinuz-{m['release']}"


def set_release(m):
    """What `fetch` chose for the machine."""
    m["release"] = (BUILD / "vm/kernel" / "-".join(
        m[c] for c in ("arch", "suite", "series", "flavour"))).read_text().strip()


def lines(path):
    for line in path.read_text().splitlines():
        line = line.partition("#")[0].strip()
        if line:
            yield line


def machine(name):
    known = []
    for line in lines(VM / "machines"):
        fields = dict(zip(COLUMNS, line.split(None, len(COLUMNS) - 1)))
        known.append(fields["name"])
        if fields["name"] == name:
            fields["qemu"], _, fields["append"] = fields["qemu"].partition(" -- ")
            return fields
    sys.exit(f"run: no machine '{name}'; there are: {' '.join(known)}")


@functools.cache
def all_tests():
    """The sources of all tests by their names, in the order in which they run (../Makefile)."""
    listed = subprocess.run(["make", "-s", "-C", VM.parent, "list"], check=True,
                            stdout=subprocess.PIPE, text=True)
    return {path.name.removesuffix(".c"): VM.parent / path
            for path in map(pathlib.Path, listed.stdout.split())}


@functools.cache
def needs(name):
    """What a test needs beyond the defaults of `run`, from the line `needs:` of its first comment."""
    source = all_tests()[name]
    found = re.search(r"^(?: \*|#) needs: (.*)$", source.read_text(), re.M)
    need = dict(word.split("=", 1) for word in found[1].split()) if found else {}
    for word in need.keys() - NEEDS:
        sys.exit(f"run: {source}: needs: no '{word}' is known; there are: {' '.join(sorted(NEEDS))}")
    return need


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns.split(","))


def default_timeout():
    found = re.search(r"^timeout=(\d+)", (VM.parent / "settings").read_text(), re.M)
    return int(found[1]) if found else 45
