# SPDX-License-Identifier: GPL-2.0-only
"""Where things are, and the tables `machines` and `tests`."""

import fnmatch
import os
import pathlib
import re
import sys

VM = pathlib.Path(__file__).resolve().parent
TOP = VM.parent.parent
BUILD = pathlib.Path(os.environ.get("PMCGRP_BUILD", TOP / "build"))
COLUMNS = "name arch suite series flavour smp limit set about tests qemu".split()
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


def needs(name):
    """The line of the table `tests` about one test."""
    for line in lines(VM / "tests"):
        first, *rest = line.split()
        if first == name:
            return dict(word.split("=", 1) for word in rest)
    return {}


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns.split(","))


def default_timeout():
    found = re.search(r"^timeout=(\d+)", (VM.parent / "settings").read_text(), re.M)
    return int(found[1]) if found else 45
