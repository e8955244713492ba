# SPDX-License-Identifier: GPL-2.0-only
"""What a guest finds in its root folder: builds it and packs it.

The same sources make the same guest, wherever they lie: under -icount a file that is some
bytes longer, for the paths in its debug information, is another run, in which a test
comes to each of its steps some microseconds sooner or later.
"""

import fcntl
import gzip
import lzma
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from table import BUILD, DEB_ARCH, TOP, VM, all_tests, default_timeout, kernel, matches, needs, say

SLOWER = 20                 # how many times a debug kernel takes longer, at most
KSFT_SERIES = "6.12"        # whose kselftest headers the tests compile with


def cross_prefix(arch):
    if arch == os.uname().machine:
        return ""
    return {"arm64": "aarch64-linux-gnu-", "x86_64": "x86_64-linux-gnu-"}[arch]


def hold(path):
    """Waits until no other run has this; held until this process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = open(path, "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"waiting for another run ({path})")
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def build_tool(arch):
    """Builds the pmcgrp tool, static, and beside it libpmcgrp.o; returns the tool's path."""
    cross = cross_prefix(arch)
    how = [f"CC={cross}gcc", f"AR={cross}ar", f"OBJCOPY={cross}objcopy",
           f"SYSROOT={BUILD / 'vm/root' / DEB_ARCH[arch]}", "CFLAGS=-O2"]
    with hold(BUILD / f"vm/.lock-tool-{arch}"):
        subprocess.run(["make", "-s", "-C", TOP / "user", "STATIC=1", f"BUILD={BUILD}",
                        f"CROSS={arch}", *(how if cross else []), f"-j{os.cpu_count()}", "all"],
                       check=True, stdout=sys.stderr)
    return BUILD / "user" / arch / "pmcgrp"


def build_tests(arch):
    """Builds the test programs, and the library that one of them is linked with; returns their names."""
    build_tool(arch)
    subprocess.run([VM / "fetch", "--source", KSFT_SERIES], check=True)
    out = BUILD / "selftests" / arch
    make = ["make", "-s", "-C", VM.parent, f"OUTPUT={out}", f"CROSS_COMPILE={cross_prefix(arch)}",
            f"KSFT={BUILD}/linux-source/{KSFT_SERIES}/tools/testing/selftests"]
    with hold(BUILD / f"vm/.lock-selftests-{arch}"):
        subprocess.run(make + [f"-j{os.cpu_count()}", "all"], check=True)
    return list(all_tests())


def strip(path, arch):
    """Takes out what is there for debuggers: of a module 11 MB are 0.2 then."""
    subprocess.run([f"{cross_prefix(arch)}strip", "--strip-debug", path], check=True)


def put_program(source, target, arch):
    """Copies a program or a script."""
    shutil.copy(source, target)
    with open(target, "rb") as program:
        is_elf = program.read(4) == b"\x7fELF"
    if is_elf:
        strip(target, arch)


def build_module(name, m):
    """Builds the modules of one folder of ../test_modules."""
    subprocess.run([VM / "kbuild", "-d", VM.parent / "test_modules" / name, m["name"]], check=True)


def put_module(source, target, arch):
    """Copies a module file; busybox loads none that is compressed."""
    source = pathlib.Path(source)
    unpack = {".ko": open, ".xz": lzma.open, ".gz": gzip.open}.get(source.suffix)
    if not unpack:
        sys.exit(f"run: {source}: what kind of module is that?")
    try:
        with unpack(source, "rb") as module:
            target.write_bytes(module.read())
    except OSError as error:
        sys.exit(f"run: {error}")
    strip(target, arch)


def put_msr(target, m):
    """Copies the kernel's driver of MSRs, where `fetch` found one."""
    root = BUILD / "vm/root" / DEB_ARCH[m["arch"]]
    for source in (root / "lib/modules" / m["release"]).glob("kernel/arch/x86/kernel/msr.ko*"):
        put_module(source, target, m["arch"])


def runs_at_once(m):
    """Whether its processors do, each in a thread of QEMU's."""
    return "thread=multi" in m["qemu"]


def build_hold(tree, arch):
    subprocess.run([f"{cross_prefix(arch)}gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static",
                    "-o", tree / "bin/hold", VM / "hold.c"], check=True)


def choose(args, m):
    """Builds the tests; returns those to run, named on the command line or the machine's
    own, and those of them that are left to check-all.
    """
    known = build_tests(m["arch"])
    for name in args.tests:
        if name not in known:
            sys.exit(f"run: no test '{name}'; there are: {' '.join(known)}")
    if args.tests:
        return args.tests, []
    wanted = "*" if m["tests"] == "all" else m["tests"]
    tests = [n for n in known
             if matches(n, wanted) and matches(m["name"], needs(n).get("machines", "*"))]
    left = [n for n in tests if args.core and matches(m["name"], needs(n).get("more", ""))]
    return [n for n in tests if n not in left], left


def write_plan(tree, args, m, token, tests):
    slower = SLOWER if m["suite"] == "source" else 1
    timeout = args.timeout or default_timeout()
    lines = [f"token={token}", f"live={'yes' if args.live else 'no'}",
             f"hold={'yes' if runs_at_once(m) else 'no'}",
             f"module_params={shlex.quote(' '.join(args.modparam))}"]
    first = "no" if args.no_module else "yes"
    testpmu = "yes" if args.testpmu else "no"
    lines.append(f"core {'yes' if args.core else 'no'}")
    for name in tests:
        need = needs(name)
        want = "no" if args.no_module else need.get("module", "yes")
        limit = args.timeout or slower * int(need.get("timeout", timeout))
        lines.append(f"run_test {name} {limit} {want} {need.get('testpmu', 'no')} "
                     f"{need.get('msr', 'no')}")
    if args.sh:
        (tree / "etc/command").write_text(args.sh + "\n")
        lines += [f"module {first}", f"testpmu {testpmu}", "log_dump before",
                  f"run_command {args.timeout or 3600}"]
    if args.shell:
        lines += [f"module {first}", f"testpmu {testpmu}", "run_shell"]
    (tree / "etc/plan").write_text("\n".join(lines) + "\n")


def make_tree(folder, args, m, token, tests):
    """Packs what the guest finds in its root folder; returns the archive."""
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("etc", "lib", "bin", "tests"):
        (tree / name).mkdir(parents=True)
    out = BUILD / "selftests" / m["arch"]
    for name in tests:
        put_program(out / name, tree / "tests" / name, m["arch"])
    if not args.no_module:
        if not args.module:
            subprocess.run([VM / "kbuild", m["name"]], check=True)
        put_module(args.module or BUILD / "kmod" / m["release"] / "pmcgrp.ko",
                   tree / "lib/pmcgrp.ko", m["arch"])
    if args.testpmu or any(needs(name).get("testpmu") == "yes" for name in tests):
        build_module("testpmu", m)
        put_module(BUILD / "kmod" / m["release"] / "pmcgrp_testpmu.ko",
                   tree / "lib/pmcgrp_testpmu.ko", m["arch"])
    if args.kernel_api or any(needs(name).get("kernel_api") == "yes" for name in tests):
        build_module("kernel_api", m)
        for module in ("pmcgrp_sample.ko", "pmcgrp_testapi.ko", "pmcgrp_testguest.ko"):
            put_module(BUILD / "kmod" / m["release"] / module, tree / "lib" / module, m["arch"])
    if any(needs(name).get("kernel") == "yes" for name in tests):
        shutil.copy(kernel(m), tree / "lib/vmlinuz")
    if any(needs(name).get("msr") == "yes" for name in tests):
        put_msr(tree / "lib/msr.ko", m)
    put_program(build_tool(m["arch"]), tree / "bin/pmcgrp", m["arch"])
    shutil.copytree(VM.parents[1] / "user/models", tree / "share/pmcgrp/models")
    if runs_at_once(m):
        build_hold(tree, m["arch"])
    for pair in args.file:
        source, _, target = pair.partition(":")
        target = tree / (target or pathlib.Path(source).name).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    write_plan(tree, args, m, token, tests)
    image = folder / "initramfs.cpio"
    subprocess.run([VM / "initramfs", m["arch"], tree, image], check=True)
    return image
