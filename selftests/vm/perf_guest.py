# SPDX-License-Identifier: GPL-2.0-only
"""perf(1) of Debian 13, Linux 6.12, in a guest: beside pmcgrp, with the same tables of events. Other
tools of the same suite can be with it (fetch)."""

import pathlib
import re
import subprocess
import tarfile

from table import BUILD, DEB_ARCH, VM, machine as machine_of

SUITE = "trixie"
# Where Debian has the libraries of an architecture, below / or /usr, and the loader there.
LIBRARIES = {"x86_64": ("lib/x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
             "arm64": ("lib/aarch64-linux-gnu", "ld-linux-aarch64.so.1")}

# The programs of a package that has several.
PROGRAMS = {"papi": ("papi_avail", "papi_command_line", "papi_component_avail", "papi_cost",
                     "papi_event_chooser", "papi_multiplex_cost")}

# What a guest's script begins with.
PRELUDE = """
mkdir -p /tmp/perf && tar -x -C /tmp/perf -f /perf.tar || exit
export PMCGRP_SHARE=/tmp/perf/share
perf() { /tmp/perf/LOADER --library-path /tmp/perf /tmp/perf/perf "$@"; }
trace_cmd() { /tmp/perf/LOADER --library-path /tmp/perf /tmp/perf/trace-cmd "$@"; }
"""


def needed(file):
    """The libraries that an ELF file names."""
    out = subprocess.run(["objdump", "-p", file], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s*NEEDED\s+(\S+)", out, re.M)


def library_of(folder, library, name):
    """The file of a library: up to Debian 12 libc6 is in /lib."""
    file = folder / "usr" / library / name
    return file if file.exists() else folder / library / name


def pack(target, arch, tools=("perf",), suite=SUITE, tables=True):
    """Tools with what they need, and perf's tables as pmcgrp has them; all is in the guest's memory."""
    library, loader = LIBRARIES[arch]
    seen = set()
    with tarfile.open(target, "w", dereference=True) as tar:
        for tool in tools:
            out = subprocess.run([VM / "fetch", f"--{tool}", suite, DEB_ARCH[arch]], check=True,
                                 stdout=subprocess.PIPE, text=True)
            folder = pathlib.Path(out.stdout.strip())
            more = [folder / "usr/bin" / name for name in PROGRAMS.get(tool, (tool,))]
            while more:
                file = more.pop()
                if file.name in seen:
                    continue
                seen.add(file.name)
                tar.add(file, file.name)
                more += [library_of(folder, library, name) for name in needed(file)]
        tar.add(library_of(folder, library, loader), loader)
        if tables:
            tar.add(BUILD / "share/pmcgrp/events", "share/events")


def run(machine, script, folder, files=(), tools=("perf",)):
    """The lines that the script prints in the guest; `files` of the folder lie in its root."""
    folder = pathlib.Path(folder)
    arch = machine_of(machine)["arch"]
    pack(folder / "perf.tar", arch, tools)
    (folder / "script").write_text(PRELUDE.replace("LOADER", LIBRARIES[arch][1]) + script)
    more = [option for name in ("perf.tar", "script", *files)
            for option in ("--file", f"{folder}/{name}:/{name}")]
    done = subprocess.run([VM / "run", machine, *more, "--limit", "1800", "--qemu", "-m 2G",
                           "--sh", "sh /script"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()
