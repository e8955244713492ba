/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of the emulated x86 PMU, from ring 0: by the kernel's driver of /dev/cpu/0/msr,
 * with perf's driver kept off. What is written comes back as it was.
 */
#ifndef PMCGRP_MSR_H
#define PMCGRP_MSR_H

#include "pmcgrp_test.h"
#include "pmcgrp_x86.h"

#define MSR_DEVICE	"/dev/cpu/0/msr"
#define MSR_WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define MSR_SAVED_MAX	64

/* Intel's */
#define MSR_PMC(i)		(0xc1 + (i))
#define MSR_PMC_FULL(i)		(0x4c1 + (i))
#define MSR_EVTSEL(i)		(0x186 + (i))
#define MSR_FIXED(i)		(0x309 + (i))
#define MSR_OFFCORE_RSP(i)	(0x1a6 + (i))
#define MSR_DEBUGCTL		0x1d9
#define MSR_METRICS		0x329
#define MSR_CAPABILITIES	0x345
#define MSR_FIXED_CTRL		0x38d
#define MSR_STATUS		0x38e
#define MSR_CTRL		0x38f
#define MSR_STATUS_RESET	0x390
#define MSR_STATUS_SET		0x391
#define MSR_INUSE		0x392
#define MSR_LD_LAT		0x3f6
#define MSR_FRONTEND		0x3f7
/* AMD's */
#define MSR_AMD_EVTSEL(i)	(0xc0010200 + 2 * (i))
#define MSR_AMD_PMC(i)		(0xc0010201 + 2 * (i))
#define MSR_AMD_STATUS		0xc0000300
#define MSR_AMD_CTRL		0xc0000301
#define MSR_AMD_STATUS_RESET	0xc0000302
#define MSR_AMD_STATUS_SET	0xc0000303

#define SEL_USR		(1ULL << 16)
#define SEL_OS		(1ULL << 17)
#define SEL_INT		(1ULL << 20)
#define SEL_EN		(1ULL << 22)

/* All counters of these models have so many bits. */
#define PMC_BITS	48
#define PMC_MASK	((1ULL << PMC_BITS) - 1)

struct msrs {
	int fd;
	int was_on;		/* the watchdog; -1: there is none */
	unsigned int nr;
	struct {
		uint32_t reg;
		uint64_t val;
	} saved[MSR_SAVED_MAX];
	/* What CPUID says of the PMU. */
	bool amd;
	unsigned int version;	/* Intel's; AMD's: 0, or 2 with PerfMonV2 */
	unsigned int gp, fixed;
	bool full_width, metrics;
};

/* 0, or -EIO: it faults. */
static inline int msr_get(const struct msrs *m, uint32_t reg, uint64_t *val)
{
	return pread(m->fd, val, sizeof(*val), reg) == sizeof(*val) ? 0 : -errno;
}

static inline int msr_put(struct msrs *m, uint32_t reg, uint64_t val)
{
	unsigned int i;
	uint64_t was;

	for (i = 0; i < m->nr; i++)
		if (m->saved[i].reg == reg)
			break;
	if (i == m->nr && !msr_get(m, reg, &was)) {
		if (m->nr == MSR_SAVED_MAX)
			return -ENOSPC;
		m->saved[m->nr].reg = reg;
		m->saved[m->nr++].val = was;
	}
	return pwrite(m->fd, &val, sizeof(val), reg) == sizeof(val) ? 0 : -errno;
}

/* What a register has; all ones if it faults. */
static inline uint64_t msr_value(const struct msrs *m, uint32_t reg)
{
	uint64_t val;

	return msr_get(m, reg, &val) ? UINT64_MAX : val;
}

static inline uint32_t msr_sel(const struct msrs *m, unsigned int i)
{
	return m->amd ? MSR_AMD_EVTSEL(i) : MSR_EVTSEL(i);
}

static inline uint32_t msr_pmc(const struct msrs *m, unsigned int i)
{
	return m->amd ? MSR_AMD_PMC(i) : MSR_PMC(i);
}

/* The bits of all counters in GLOBAL_CTRL. */
static inline uint64_t msr_all(const struct msrs *m)
{
	return ((1ULL << m->gp) - 1) | ((1ULL << m->fixed) - 1) << 32;
}

/* Zen 1 has no GLOBAL_CTRL and no GLOBAL_STATUS. */
static inline bool msr_has_global(const struct msrs *m)
{
	return m->version > 1;
}

static inline uint32_t msr_ctrl(const struct msrs *m)
{
	return m->amd ? MSR_AMD_CTRL : MSR_CTRL;
}

static inline uint32_t msr_status(const struct msrs *m)
{
	return m->amd ? MSR_AMD_STATUS : MSR_STATUS;
}

static inline uint32_t msr_status_reset(const struct msrs *m)
{
	return m->amd ? MSR_AMD_STATUS_RESET : MSR_STATUS_RESET;
}

static inline uint32_t msr_status_set(const struct msrs *m)
{
	return m->amd ? MSR_AMD_STATUS_SET : MSR_STATUS_SET;
}

static inline void msrs_describe(struct msrs *m)
{
	unsigned int a = 0, b = 0, c = 0, d = 0;
	uint64_t caps;

	m->amd = is_amd();
	if (m->amd) {
		m->gp = 6;
		if (__get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && a & 1) {
			m->version = 2;
			m->gp = b & 15;
		}
		return;
	}
	__cpuid_count(0xa, 0, a, b, c, d);
	m->version = a & 0xff;
	m->gp = a >> 8 & 0xff;
	m->fixed = d & 0x1f;
	caps = msr_value(m, MSR_CAPABILITIES);
	m->full_width = caps >> 13 & 1;
	m->metrics = caps >> 15 & 1;
}

/* NULL, or why not. Only ever on the emulated PMU: what is written here may break a real one. */
static inline const char *msrs_open(struct msrs *m)
{
	*m = (struct msrs){ .fd = -1, .was_on = -1 };
	if (!is_emulated())
		return "needs the emulated PMU of selftests/qemu";
	if (sysconf(_SC_NPROCESSORS_CONF) > 1)
		return "needs a machine of one CPU";
	m->fd = open(MSR_DEVICE, O_RDWR | O_CLOEXEC);
	if (m->fd < 0)
		return "no driver of " MSR_DEVICE;
	m->was_on = file_number(MSR_WATCHDOG, "");
	if (m->was_on > 0 && !write_number(MSR_WATCHDOG, 0))
		return "no NMI watchdog that can be switched off";
	msrs_describe(m);
	return NULL;
}

/* As it was: the last one written first, and no overflow is left for perf's driver to wonder at. */
static inline void msrs_close(struct msrs *m)
{
	if (m->fd < 0)
		return;
	while (m->nr) {
		m->nr--;
		pwrite(m->fd, &m->saved[m->nr].val, sizeof(uint64_t), m->saved[m->nr].reg);
	}
	if (msr_has_global(m))
		msr_put(m, msr_status_reset(m), msr_all(m));
	if (m->was_on > 0)
		write_number(MSR_WATCHDOG, m->was_on);
	close(m->fd);
}

/* How many NMIs there have been on CPU 0. */
static inline long nmis(void)
{
	char line[512];
	long number = -1;
	FILE *f = fopen("/proc/interrupts", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " NMI: %ld", &number) == 1)
			break;
	if (f)
		fclose(f);
	return number;
}

#endif /* PMCGRP_MSR_H */
