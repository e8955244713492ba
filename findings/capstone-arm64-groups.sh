#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# libcapstone 4.0.2 (Debian 12, python3-capstone 4.0.2-5) has no arm64 instruction in its group of
# calls. bl and blr are in the groups of jumps and of branches relative to the PC, blr with the
# address in a register as well; br is a jump only. brk is in no group, where int3 of x86 is in that
# of interrupts. So who ends a block at each jump ends one at each call, and looks for its target.
#
# Guess before looking: bl and blr are calls, as on x86, and blr is not relative.
# Here: user/lib/function/disasm_arm64.c goes by the number of the instruction, never by groups.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -q download libcapstone4=4.0.2-5 python3-capstone=4.0.2-5 >log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
export PYTHONPATH=root/usr/lib/python3/dist-packages
LD_LIBRARY_PATH=$(echo root/usr/lib/*-linux-gnu*) python3 - <<'END'
import capstone as cs

WANT = {
    "bl": ("02000094", ["branch_relative", "jump"]),
    "blr": ("00023fd6", ["branch_relative", "jump"]),
    "br": ("00021fd6", ["jump"]),
    "ret": ("c0035fd6", ["return"]),
    "brk": ("200020d4", []),
}
print("version", cs.__version__)
arm = cs.Cs(cs.CS_ARCH_ARM64, cs.CS_MODE_ARM)
arm.detail = True
bad = cs.__version__ != "4.0.2"
for name, (code, want) in WANT.items():
    insn = next(arm.disasm(bytes.fromhex(code), 0x1000))
    got = sorted(insn.group_name(g) for g in insn.groups)
    print(f"arm64 {insn.mnemonic} {insn.op_str}: groups {got}")
    bad |= insn.mnemonic != name or got != want
x86 = cs.Cs(cs.CS_ARCH_X86, cs.CS_MODE_64)
x86.detail = True
for name, code, group in (("call", "ffd0", "call"), ("int3", "cc", "int")):
    insn = next(x86.disasm(bytes.fromhex(code), 0x1000))
    got = sorted(insn.group_name(g) for g in insn.groups)
    print(f"x86 {insn.mnemonic} {insn.op_str}: groups {got}")
    bad |= insn.mnemonic != name or group not in got
raise SystemExit(bad)
END
