#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# libpfm4 4.13.0 (Debian 12, libpfm4 4.13.0-1) does not take the full names back that it gives out
# (fstr of pfm_get_os_event_encoding()):
#  - of an event with freq=99 the name says "period=99:freq=99", which is refused: both at once are an
#    invalid value. With period=99 it says freq=99 as well.
#  - of a raw event the name has no code any more ("perf_raw:::u=1..."): not found.
#  - pinned and cpu= are not in the name; nothing is said when it is read back without them.
# So a file of full names is no way to make the same events again.
#
# Guess before looking: the full name encodes to the same attr.
# Here: recordings and lists keep what the user typed, and never libpfm4's full name.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -q download libpfm4=4.13.0-1 >log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
LIB=$(echo root/usr/lib/*/libpfm.so.4) python3 - <<'END'
import ctypes as c
import os


class Arg(c.Structure):
    _fields_ = [("attr", c.c_void_p), ("fstr", c.c_void_p), ("size", c.c_size_t), ("idx", c.c_int),
                ("cpu", c.c_int), ("flags", c.c_int), ("pad", c.c_int)]


pfm = c.CDLL(os.environ["LIB"])
pfm.pfm_strerror.restype = c.c_char_p
PLM0, PLM3, PERF_EVENT_EXT = 1, 8, 2
PINNED = 1 << 2
pfm.pfm_initialize()


def encode(name):
    """The error, the full name, whether it is pinned, and its CPU."""
    attr, text = (c.c_uint64 * 17)(), c.c_char_p()
    arg = Arg(attr=c.addressof(attr), fstr=c.addressof(text), size=c.sizeof(Arg), cpu=-1)
    status = pfm.pfm_get_os_event_encoding(name.encode(), PLM0 | PLM3, PERF_EVENT_EXT, c.byref(arg))
    full = text.value.decode() if text.value else ""
    return pfm.pfm_strerror(status).decode(), full, bool(attr[5] & PINNED), arg.cpu


# Name; a part of the full name; the error, pinned and CPU of that.
WANT = (
    ("perf::CYCLES:freq=99", ":period=99:freq=99:", ("invalid event attribute value", False)),
    ("perf::CYCLES:period=99", ":period=99:freq=99:", ("invalid event attribute value", False)),
    ("perf_raw::r1234:u", "perf_raw:::u=1:k=0:", ("event not found", False)),
    ("perf::PAGE-FAULTS:pinned", "perf::PERF_COUNT_SW_PAGE_FAULTS:u=1:k=1:", ("success", False)),
    ("perf::CYCLES:cpu=3", "perf::PERF_COUNT_HW_CPU_CYCLES:u=1:k=1:", ("success", False)),
)
print("version %#x" % pfm.pfm_get_version())
bad = False
for name, part, want in WANT:
    error, full, pinned, cpu = encode(name)
    back, _, pinned_back, cpu_back = encode(full)
    print(f"{name}: {error}, pinned {pinned}, CPU {cpu}\n  {full}: {back}, pinned {pinned_back}, CPU {cpu_back}")
    bad |= error != "success" or part not in full or (back, pinned_back) != want
    bad |= pinned != name.endswith("pinned") or (cpu == 3) != name.endswith("cpu=3") or cpu_back == 3
raise SystemExit(bad)
END
