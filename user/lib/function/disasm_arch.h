/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is different in the instructions of x86_64 and arm64. */
#ifndef FUNCTION_DISASM_ARCH_H
#define FUNCTION_DISASM_ARCH_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#include "insn.h"

void disasm_x86(const cs_insn *from, struct insn *insn);

/* NULL: libcapstone does not know it */
void disasm_arm64(const cs_insn *from, struct insn *insn);

/* Whether it is not one for libcapstone. */
bool disasm_arm64_special(const unsigned char *code, uint64_t left, struct insn *insn);

#endif
