/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses to the PMU's registers, and instructions, as this guest's emulator counts them. */
#ifndef PMCGRP_ACCESSES_H
#define PMCGRP_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

/* By all CPUs since some time before. */
struct accesses {
	uint32_t reads;		/* MRS; rdmsr and rdpmc; modulo 2^32, as x86 tells them */
	uint32_t writes;	/* MSR; wrmsr */
	uint64_t insns;		/* all instructions; 0: not known */
	uint64_t insns_first;	/* those of CPU 0 */
};

/* Begins: on arm64 with the path of the plugin's file on the host; false: nothing is known. */
bool accesses_open(const char *path);

extern bool accesses_known;	/* what it returned */

/* Only if accesses are known. */
struct accesses accesses_now(void);

#endif /* PMCGRP_ACCESSES_H */
