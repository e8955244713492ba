/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that the plugin accesses.c keeps up to date, and that a guest reads. */
#ifndef ARM64_ACCESSES_H
#define ARM64_ACCESSES_H

#include <stdint.h>

#define ARM64_ACCESSES_MAGIC	0x73736563634d5041ULL
#define ARM64_ACCESSES_CPUS	64
#define ARM64_ACCESSES_REGS	112

struct arm64_accesses {
	uint64_t magic;
	uint64_t insns;		/* executed by all CPUs */
	uint64_t insns_first;	/* executed by CPU 0 */
	uint64_t reads;		/* MRS of PMU registers, by all CPUs */
	uint64_t writes;	/* MSR of PMU registers */
};

/* One register of one CPU; op0 to op2 are those of its MRS and MSR, all 0 where none was used. */
struct arm64_accesses_reg {
	uint8_t op0, op1, crn, crm, op2;
	uint8_t unused[3];
	uint64_t reads;
	uint64_t writes;
};

struct arm64_accesses_file {
	struct arm64_accesses all;
	struct arm64_accesses_reg reg[ARM64_ACCESSES_CPUS][ARM64_ACCESSES_REGS];
};

#endif /* ARM64_ACCESSES_H */
