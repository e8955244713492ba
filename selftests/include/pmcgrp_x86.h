/* SPDX-License-Identifier: GPL-2.0-only */
/* Which x86 processor this is, and whether its PMU is the emulated one of selftests/qemu. */
#ifndef PMCGRP_X86_H
#define PMCGRP_X86_H

#include "pmcgrp_machine.h"
#include <cpuid.h>

#define ACCESS_LEAF	0x40504d55
#define ACCESS_MAGIC	0x554d5050

static inline bool is_emulated(void)
{
	unsigned int a, b, c, d;

	__cpuid_count(ACCESS_LEAF, 0xffff, a, b, c, d);
	return a == ACCESS_MAGIC;
}

static inline bool is_amd(void)
{
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	return b == signature_AMD_ebx;
}

/* The model of its family, the extended one added. */
static inline unsigned int cpu_model(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	return (a >> 4 & 15) | (a >> 12 & 0xf0);
}

/* Models whose PMUs are alike. */
enum x86_kin {
	KIN_OTHER,
	KIN_AMD,
	KIN_NEHALEM,
	KIN_WESTMERE,
	KIN_SANDYBRIDGE,
	KIN_HASWELL,
	KIN_SKYLAKE,
	KIN_ICELAKE,
};

static inline enum x86_kin cpu_kin(void)
{
	static const uint8_t models[][8] = {
		[KIN_NEHALEM] = { 0x1a, 0x1e, 0x1f, 0x2e },
		[KIN_WESTMERE] = { 0x25, 0x2c, 0x2f },
		[KIN_SANDYBRIDGE] = { 0x2a, 0x2d, 0x3a, 0x3e },
		[KIN_HASWELL] = { 0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56 },
		[KIN_SKYLAKE] = { 0x4e, 0x5e, 0x55, 0x8e, 0x9e },
		[KIN_ICELAKE] = { 0x6a, 0x6c, 0x7d, 0x7e },
	};
	unsigned int kin, i;

	if (is_amd())
		return KIN_AMD;
	for (kin = KIN_NEHALEM; kin < COUNT(models); kin++)
		for (i = 0; i < COUNT(models[kin]); i++)
			if (models[kin][i] == cpu_model())
				return kin;
	return KIN_OTHER;
}

#endif /* PMCGRP_X86_H */
