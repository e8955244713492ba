#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What libpfm4 4.13.0 (Debian 12, libpfm4 4.13.0-1) makes of modes that are turned off:
#  - "u=0" alone does not leave the kernel: user and kernel are both excluded, with success, and the
#    event counts nothing. "k=0" alone likewise. "u=1:k=0" is what was meant.
#  - "mh=0" changes nothing: the host is counted. "mg=0:mh=0" counts guests as well, the opposite.
# A tool that hands such a name on shows 0, and no error.
#
# Guess before looking: what is turned off is excluded, and the other modes stay as they were.
# Here: user/lib/event refuses a name that counts in no mode ("leave out =0").
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
PLM0, PLM3, PERF_EVENT = 1, 8, 1
pfm.pfm_initialize()
# Bits of struct perf_event_attr behind `disabled`: user, kernel, host, guest excluded.
BITS = {"user": 4, "kernel": 5, "host": 19, "guest": 20}
WANT = {
    "": {"guest"},
    ":u=0": {"user", "kernel", "guest"},
    ":k=0": {"user", "kernel", "guest"},
    ":u=1:k=0": {"kernel", "guest"},
    ":mh=0": {"guest"},
    ":mg=0:mh=0": set(),
    ":mg=1": {"host"},
}
print("version %#x" % pfm.pfm_get_version())
bad = False
for modes, want in WANT.items():
    attr = (c.c_uint64 * 17)()
    arg = Arg(attr=c.addressof(attr), size=c.sizeof(Arg), cpu=-1)
    name = "perf::PAGE-FAULTS" + modes
    status = pfm.pfm_get_os_event_encoding(name.encode(), PLM0 | PLM3, PERF_EVENT, c.byref(arg))
    seen = {what for what, bit in BITS.items() if attr[5] >> bit & 1}
    print(f"{name}: status {status}, excluded: {', '.join(sorted(seen)) or 'nothing'}")
    bad |= status != 0 or seen != want
raise SystemExit(bad)
END
