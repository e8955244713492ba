# SPDX-License-Identifier: GPL-2.0-only
"""Builds the clients of shim-test for a guest: tests and examples of Debian's source packages papi, libpfm4
and benchmark, and programs of our own. They are dynamic, and use the shared libraries of the same packages.
"""

import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import tarfile

from perf_guest import LIBRARIES, needed
from table import BUILD, DEB_ARCH, VM
from tree import cross_prefix, hold

OWN = VM / "shim"
WORK = BUILD / "vm/shim-clients"
SOURCES = ("papi", "libpfm4", "benchmark")
# Whose programs a guest runs; what Debian's packages of the host's suite have.
SUITE = "host"

# Of PAPI's tests: what is a part of others; what wants MPI, OpenMP or assembler of x86; what PAPI's own
# makefile does not build, as it is for an older PAPI.
PAPI_PARTS = ("testlib/clockcore", "testlib/do_loops", "testlib/test_utils", "ctests/prof_utils",
              *(f"validation_tests/{name}" for name in (
                  "branches_testcode", "busy_work", "cache_helper", "cache_testcode", "display_error",
                  "flops_testcode", "instructions_testcode", "matrix_multiply")))
PAPI_WITHOUT = re.compile(r"mpi|omp|_hl$|shmem|event_name_lib|fp_validation_hl|memleak_check|vector_testcode|"
                          r"^native$|^nineth$|overflow_values|pernode")
PFM_WITHOUT = ("perf_util", "rtop")
BENCHMARK_TESTS = ("perf_counters_test", "basic_test")


def source(name):
    """Debian's source package, unpacked."""
    out = subprocess.run([VM / "fetch", "--debian-source", name], check=True, stdout=subprocess.PIPE,
                         text=True)
    dsc = pathlib.Path(out.stdout.strip())
    folder = WORK / "source" / dsc.stem
    if not (folder / ".complete").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rm", "-rf", folder], check=True)
        subprocess.run(["dpkg-source", "--no-check", "-x", dsc, folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (folder / ".complete").touch()
    return folder


def installed(tool, arch):
    """The folder of a package with all that it needs."""
    out = subprocess.run([VM / "fetch", f"--{tool}", SUITE, DEB_ARCH[arch]], check=True,
                         stdout=subprocess.PIPE, text=True)
    return pathlib.Path(out.stdout.strip())


class Builder:
    """Programs of one architecture."""

    def __init__(self, arch, folder):
        self.arch = arch
        self.out = folder / "clients"
        self.made = folder / "objects"
        self.jobs = []

    @functools.cached_property
    def libraries(self):
        return installed("papi-dev", self.arch) / "usr" / LIBRARIES[self.arch][0]

    @functools.cached_property
    def python_root(self):
        return installed("python-dev", self.arch)

    @functools.cached_property
    def python_name(self):
        return next((self.python_root / "usr/bin").glob("python3.*[0-9]")).name

    def compiler(self, language="gcc"):
        return f"{cross_prefix(self.arch)}{language}"

    def library(self, name):
        return min(self.libraries.glob(f"lib{name}.so.*"))

    def run(self, command):
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)

    def archive(self, name, sources, flags, language="gcc"):
        """Objects that several programs are linked with."""
        folder = self.made / name
        folder.mkdir(parents=True, exist_ok=True)
        objects = [folder / f"{file.stem}.o" for file in sources]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda pair: self.run([self.compiler(language), *flags, "-c", pair[0], "-o",
                                                 pair[1]]), zip(sources, objects)))
        archive = folder / f"{name}.a"
        archive.unlink(missing_ok=True)
        self.run([f"{cross_prefix(self.arch)}ar", "rcD", archive, *objects])
        return archive

    def program(self, folder, name, command):
        """Later, with the others: `command` behind the compiler's name and its output."""
        target = self.out / folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        self.jobs.append([command[0], "-s", "-o", target, *command[1:]])

    def build_all(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda job: self.run([self.compiler(job[0]), *job[1:]]), self.jobs))
        self.jobs = []

    def papi(self):
        top = source("papi") / "src"
        # Not all declare what they call.
        flags = ["-O1", "-w", *(f"-I{top / name}" for name in (".", "testlib", "validation_tests", "ctests"))]
        parts = self.archive("papi", [top / f"{part}.c" for part in PAPI_PARTS], flags)
        events = top / "components/perf_event/tests"
        for folder in ("ctests", "validation_tests", "components/perf_event/tests"):
            for file in sorted((top / folder).glob("*.c")):
                if f"{folder}/{file.stem}" in PAPI_PARTS or PAPI_WITHOUT.search(file.stem):
                    continue
                more = [events / "event_name_lib.c"] if folder.startswith("components") else []
                self.program("papi", file.stem, [
                    "gcc", *flags, "-include", "stdlib.h", file, *more, parts, self.library("papi"),
                    self.library("pfm"), "-Wl,--allow-shlib-undefined", "-lpthread", "-ldl", "-lm"])

    def pfm(self):
        top = source("libpfm4")
        folder = top / "perf_examples"
        flags = ["-O1", "-w", "-D_GNU_SOURCE", "-pthread", f"-I{top / 'include'}", f"-I{folder}"]
        parts = self.archive("pfm", [folder / "perf_util.c"], flags)
        for file in sorted(folder.glob("*.c")):
            if file.stem not in PFM_WITHOUT:
                self.program("pfm", file.stem, ["gcc", *flags, file, parts, self.library("pfm"), "-lm"])

    def python(self):
        """The module perfmon, and what it needs of Python."""
        top = source("libpfm4")
        folder = self.out / "python/perfmon"
        folder.mkdir(parents=True, exist_ok=True)
        self.made.mkdir(parents=True, exist_ok=True)
        wrapper = self.made / "perfmon_int_wrap.c"
        self.run(["swig", "-python", "-w305,314,326,451,462,523", f"-I{top / 'include'}", "-outdir", folder, "-o", wrapper,
                  top / "python/src/perfmon_int.i"])
        self.run([self.compiler(), "-O1", "-w", "-s", "-shared", "-fPIC", f"-I{top / 'include'}",
                  f"-I{self.python_root}/usr/include/{self.python_name}", f"-I{self.python_root}/usr/include",
                  wrapper, self.library("pfm"), "-o", folder / "_perfmon_int.so"])
        for file in (top / "python/src").glob("*.py"):
            (folder / file.name).write_bytes(file.read_bytes())
        for file in ("self.py", "sys.py"):
            (self.out / "python" / file).write_bytes((top / "python" / file).read_bytes())

    def benchmark(self):
        top = source("benchmark")
        flags = ["-O1", "-w", "-std=c++11", "-DHAVE_LIBPFM", "-DHAVE_STD_REGEX", "-DHAVE_STEADY_CLOCK",
                 f"-I{top / 'include'}", f"-I{top / 'src'}", f"-I{top / 'test'}",
                 f"-I{source('libpfm4') / 'include'}"]
        files = [file for file in sorted((top / "src").glob("*.cc")) if file.stem != "benchmark_main"]
        parts = self.archive("benchmark", files + [top / "test/output_test_helper.cc"], flags, "g++")
        for name in BENCHMARK_TESTS:
            self.program("benchmark", name, [
                "g++", *flags, top / f"test/{name}.cc", parts, self.library("pfm"), "-static-libstdc++",
                "-static-libgcc", "-lpthread", "-lm"])

    def own(self):
        for file in sorted(OWN.glob("*.c")):
            self.program("own", file.stem, ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", file])


def pack(tar, builder):
    """Libraries, Python."""
    python, name = builder.python_root, builder.python_name
    seen = set()
    more = [builder.library("papi"), builder.library("pfm")]
    binary = python / f"usr/bin/{name}"
    tar.add(binary, f"clients/python3")
    more += [python / "usr" / LIBRARIES[builder.arch][0] / name for name in needed(binary)]
    while more:
        file = more.pop()
        if file.name in seen or not file.exists():
            continue
        seen.add(file.name)
        if not re.match(r"lib(c|m|dl|pthread|rt)\.so|ld-", file.name):
            tar.add(file, f"clients/lib/{file.name}")
            more += [file.parent / name for name in needed(file)]
    tar.add(python / f"usr/lib/{name}", f"clients/lib/{name}", filter=lambda member: None if re.search(
        r"/(test|idlelib|lib2to3|ensurepip|tkinter|pydoc_data|unittest|config-.*|distutils)(/|$)",
        member.name) else member)


def stamp():
    """Changes with what they are made of."""
    text = b"".join(file.read_bytes() for file in (pathlib.Path(__file__), *sorted(OWN.glob("*.c"))))
    return hashlib.sha256(text).hexdigest()


def build(arch, core=False):
    """The archive for a guest; of @core are our own programs alone."""
    folder = WORK / (f"{arch}-core" if core else arch)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "clients.tar"
    mark = target.with_suffix(".stamp")
    with hold(folder / ".lock"):
        now = stamp()
        if target.exists() and mark.exists() and mark.read_text() == now:
            return target
        builder = Builder(arch, folder)
        subprocess.run(["rm", "-rf", builder.out, builder.made], check=True)
        builder.own()
        for part in () if core else (builder.papi, builder.pfm, builder.benchmark, builder.python):
            part()
        builder.build_all()
        with tarfile.open(target, "w", dereference=True) as tar:
            tar.add(builder.out, "clients")
            if not core:
                pack(tar, builder)
        mark.write_text(now)
    return target
