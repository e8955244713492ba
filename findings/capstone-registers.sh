#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What libcapstone 4.0.2 (Debian 12, python3-capstone 4.0.2-5) says is read and written:
#  - arm64: cmp, cmn and tst write their first register, and do not read it; subs with a result is
#    right. svc writes x30. A store reads the memory that it writes.
#  - x86: cmpxchg writes neither memory nor eax nor the flags; syscall writes neither rcx nor r11.
#    cmp and test are right, and a store only writes.
# So a search backwards for who has set a register ends at a comparison of it.
#
# Guess before looking: comparisons read both operands on both architectures.
# Here: user/lib/function/disasm_arm64.c leaves out the three by their numbers.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get -q download libcapstone4=4.0.2-5 python3-capstone=4.0.2-5 >log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
export PYTHONPATH=root/usr/lib/python3/dist-packages
LD_LIBRARY_PATH=$(echo root/usr/lib/*-linux-gnu*) python3 - <<'END'
import capstone as cs

ARM, X86 = (cs.CS_ARCH_ARM64, cs.CS_MODE_ARM), (cs.CS_ARCH_X86, cs.CS_MODE_64)
# Code; registers read and written; access of the operand that is memory: 1 read, 2 write.
WANT = {
    "cmp x0, x1": (ARM, "1f0001eb", {"x1"}, {"nzcv", "x0"}, []),
    "cmn x3, x4": (ARM, "7f0004ab", {"x4"}, {"nzcv", "x3"}, []),
    "tst x5, x6": (ARM, "bf0006ea", {"x6"}, {"nzcv", "x5"}, []),
    "subs x7, x0, x1": (ARM, "070001eb", {"x0", "x1"}, {"nzcv", "x7"}, []),
    "svc #0": (ARM, "010000d4", set(), {"x30"}, []),
    "str x0, [x1]": (ARM, "200000f9", {"x0", "x1"}, set(), [3]),
    "ldr x0, [x1]": (ARM, "200040f9", {"x1"}, {"x0"}, [1]),
    "cmp rax, rbx": (X86, "4839d8", {"rax", "rbx"}, {"rflags"}, []),
    "test rax, rax": (X86, "4885c0", {"rax"}, {"rflags"}, []),
    "mov qword ptr [rbx], rax": (X86, "488903", {"rax", "rbx"}, set(), [2]),
    "cmpxchg dword ptr [rbx], eax": (X86, "0fb103", {"eax", "rbx"}, set(), [1]),
    "syscall": (X86, "0f05", set(), set(), []),
}
MEMORY = {ARM: cs.arm64.ARM64_OP_MEM, X86: cs.x86.X86_OP_MEM}
print("version", cs.__version__)
bad = cs.__version__ != "4.0.2"
for text, (how, code, *want) in WANT.items():
    md = cs.Cs(*how)
    md.detail = True
    insn = next(md.disasm(bytes.fromhex(code), 0x1000))
    read, written = ({insn.reg_name(r) for r in regs} for regs in insn.regs_access())
    memory = [op.access for op in insn.operands if op.type == MEMORY[how]]
    print(f"{insn.mnemonic} {insn.op_str}: reads {sorted(read)}, writes {sorted(written)}, memory {memory}")
    bad |= f"{insn.mnemonic} {insn.op_str}".strip() != text or [read, written, memory] != want
raise SystemExit(bad)
END
