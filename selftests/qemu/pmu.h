/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The x86 PMU that pmu.c emulates: what the hooks in QEMU's source call.
 *
 * All of it runs in the thread of the virtual CPU that it is about, and does nothing for
 * a CPU without `pmu=on`.
 */
#ifndef I386_TCG_PMU_H
#define I386_TCG_PMU_H

struct DeviceState;

/* What became of an access to a model-specific register. */
enum x86_pmu_access {
	X86_PMU_OTHER,		/* none of the PMU's: QEMU goes on */
	X86_PMU_DONE,
	X86_PMU_FAULT,		/* #GP(0) */
};

/* Reset and power-on of a CPU. */
void x86_pmu_reset(X86CPU *cpu);

/* CPUID: adds the PMU's leaves and feature bits to what QEMU has put into @reg, eax to edx. */
void x86_pmu_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *reg);

/* Instructions that end their block, as pmu.c needs an exact number of instructions. */
enum x86_pmu_access x86_pmu_rdmsr(CPUX86State *env, uint64_t *val);
enum x86_pmu_access x86_pmu_wrmsr(CPUX86State *env, uint64_t val);
void x86_pmu_rdpmc(CPUX86State *env, uintptr_t ra);

/* The CPU changes its privilege level to @cpl; it is about to halt, or to go on. */
void x86_pmu_set_cpl(CPUX86State *env, int cpl);
void x86_pmu_halt(CPUX86State *env);
void x86_pmu_enter(CPUX86State *env);
void x86_pmu_exit(CPUX86State *env);

/* The local APIC's LVTPC has been written. */
void x86_pmu_lvtpc_written(X86CPU *cpu);

#endif /* I386_TCG_PMU_H */
