/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The models of CPU whose PMU pmu.c emulates: how many counters they have, which events
 * count on which of them, and how often an event happens.
 *
 * Facts are from Intel's SDM (volume 3, chapter 20 and its tables of events) and AMD's
 * PPRs.  How often an event happens is a choice: fixed fractions of the instructions, so
 * that every count can be told beforehand.
 */
#ifndef I386_TCG_PMU_MODELS_H
#define I386_TCG_PMU_MODELS_H

#define ANY_UMASK	0x100

/* Counters that an event may use; where none matches, all of them. */
struct pmu_constraint {
	uint16_t	first, last;	/* event select; a range */
	uint16_t	umask;		/* or ANY_UMASK */
	uint16_t	counters;
};

struct pmu_model {
	const char	*name;
	uint8_t		version;	/* of Intel's architectural PMU; AMD: 0, 2 for PerfMonV2 */
	uint8_t		gp, fixed;	/* counters of each thread */
	bool		full_width;	/* IA32_A_PMCx */
	bool		metrics;	/* PERF_METRICS and the fixed counter of slots */
	bool		frontend;	/* MSR_PEBS_FRONTEND */
	bool		one_offcore;	/* no OFFCORE_RSP_1 */
	bool		shared;		/* a core's threads share OFFCORE_RSP, of 16 bits, and LD_LAT */
	const struct pmu_constraint *constraint;
};

static const struct pmu_constraint nhm_constraints[] = {
	{ 0x40, 0x43, ANY_UMASK, 0x3 },		/* L1D_CACHE_* and L1D_ALL_REF */
	{ 0x48, 0x48, ANY_UMASK, 0x3 },		/* L1D_PEND_MISS */
	{ 0x4e, 0x4e, ANY_UMASK, 0x3 },		/* L1D_PREFETCH */
	{ 0x51, 0x51, ANY_UMASK, 0x3 },		/* L1D */
	{ 0x63, 0x63, ANY_UMASK, 0x3 },		/* CACHE_LOCK_CYCLES */
	{}
};

static const struct pmu_constraint wsm_constraints[] = {
	{ 0x51, 0x51, ANY_UMASK, 0x3 },		/* L1D */
	{ 0x60, 0x60, ANY_UMASK, 0x1 },		/* OFFCORE_REQUESTS_OUTSTANDING */
	{ 0x63, 0x63, ANY_UMASK, 0x3 },		/* CACHE_LOCK_CYCLES */
	{ 0xb3, 0xb3, ANY_UMASK, 0x1 },		/* SNOOPQ_REQUESTS_OUTSTANDING */
	{}
};

static const struct pmu_constraint snb_constraints[] = {
	{ 0x48, 0x48, ANY_UMASK, 0x4 },		/* L1D_PEND_MISS.PENDING */
	{ 0xa3, 0xa3, 0x02, 0x4 },		/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	{ 0xa3, 0xa3, 0x06, 0x4 },		/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	{ 0xc0, 0xc0, 0x01, 0x2 },		/* INST_RETIRED.PREC_DIST */
	{ 0xcd, 0xcd, ANY_UMASK, 0x8 },		/* MEM_TRANS_RETIRED */
	{ 0xa3, 0xa3, ANY_UMASK, 0xf },
	{ 0xd0, 0xd3, ANY_UMASK, 0xf },		/* memory uops that retire */
	{}
};

static const struct pmu_constraint hsw_constraints[] = {
	{ 0x48, 0x48, 0x01, 0x4 },		/* L1D_PEND_MISS.PENDING */
	{ 0xa3, 0xa3, 0x08, 0x4 },		/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	{ 0xa3, 0xa3, 0x0c, 0x4 },		/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	{ 0xc0, 0xc0, 0x01, 0x2 },
	{ 0xcd, 0xcd, ANY_UMASK, 0x8 },
	{ 0xa3, 0xa3, ANY_UMASK, 0xf },
	{ 0xd0, 0xd3, ANY_UMASK, 0xf },
	{}
};

static const struct pmu_constraint skl_constraints[] = {
	{ 0xc0, 0xc0, 0x01, 0x2 },
	{ 0xc6, 0xc6, ANY_UMASK, 0xf },		/* FRONTEND_RETIRED */
	{ 0xcd, 0xcd, ANY_UMASK, 0xf },
	{ 0xd0, 0xd2, ANY_UMASK, 0xf },
	{}
};

/* Of its eight counters some events have but the first four. */
static const struct pmu_constraint icl_constraints[] = {
	{ 0xa3, 0xa3, 0x04, 0xff },		/* CYCLE_ACTIVITY.STALLS_TOTAL */
	{ 0xa3, 0xa3, 0x10, 0xff },		/* CYCLE_ACTIVITY.CYCLES_MEM_ANY */
	{ 0xa3, 0xa3, 0x14, 0xff },		/* CYCLE_ACTIVITY.STALLS_MEM_ANY */
	{ 0x03, 0x0a, ANY_UMASK, 0xf },
	{ 0x1f, 0x28, ANY_UMASK, 0xf },
	{ 0x32, 0x32, ANY_UMASK, 0xf },
	{ 0x48, 0x56, ANY_UMASK, 0xf },
	{ 0x60, 0x8b, ANY_UMASK, 0xf },
	{ 0xa3, 0xa3, ANY_UMASK, 0xf },
	{ 0xa8, 0xb0, ANY_UMASK, 0xf },
	{ 0xb7, 0xbd, ANY_UMASK, 0xf },
	{ 0xd0, 0xe6, ANY_UMASK, 0xf },
	{ 0xef, 0xf4, ANY_UMASK, 0xf },
	{}
};

/* An event of more than 15 in a cycle takes an even counter, and the one above it. */
static const struct pmu_constraint zen_constraints[] = {
	{ 0x03, 0x03, ANY_UMASK, 0x15 },	/* retired SSE and AVX FLOPs */
	{ 0xfff, 0xfff, ANY_UMASK, 0x2a },	/* the upper half of such a pair */
	{}
};

static const struct pmu_model nhm_model = {
	"Nehalem", 3, 4, 3, .one_offcore = true, .shared = true, .constraint = nhm_constraints
};
static const struct pmu_model wsm_model = {
	"Westmere", 3, 4, 3, .shared = true, .constraint = wsm_constraints
};
static const struct pmu_model snb_model = { "SandyBridge", 3, 4, 3, .constraint = snb_constraints };
static const struct pmu_model ivb_model = {
	"IvyBridge", 3, 4, 3, .full_width = true, .constraint = snb_constraints
};
static const struct pmu_model hsw_model = {
	"Haswell", 3, 4, 3, .full_width = true, .constraint = hsw_constraints
};
static const struct pmu_model skl_model = {
	"Skylake", 4, 4, 3, .full_width = true, .frontend = true, .constraint = skl_constraints
};
static const struct pmu_model icl_model = {
	"Icelake", 5, 8, 4, .full_width = true, .metrics = true, .frontend = true,
	.constraint = icl_constraints
};
static const struct pmu_model zen_model = { "Zen", 0, 6, 0, .constraint = zen_constraints };
static const struct pmu_model zen4_model = { "Zen 4", 2, 6, 0, .constraint = zen_constraints };

/* CPUID's family and model, the extended ones added. */
static const struct pmu_model *pmu_model_of(bool amd, unsigned int family, unsigned int model)
{
	if (amd)
		return family > 0x19 || (family == 0x19 && model >= 0x10) ? &zen4_model : &zen_model;
	if (family != 6)
		return &nhm_model;
	switch (model) {
	case 0x25:
	case 0x2c:
	case 0x2f:
		return &wsm_model;
	case 0x2a:
	case 0x2d:
		return &snb_model;
	case 0x3a:
	case 0x3e:
		return &ivb_model;
	case 0x3c:
	case 0x3f:
	case 0x45:
	case 0x46:
	case 0x3d:		/* Broadwell: as Haswell, as far as is emulated */
	case 0x47:
	case 0x4f:
	case 0x56:
		return &hsw_model;
	case 0x4e:
	case 0x5e:
	case 0x55:
	case 0x8e:
	case 0x9e:
		return &skl_model;
	case 0x6a:
	case 0x6c:
	case 0x7d:
	case 0x7e:
		return &icl_model;
	default:
		return &nhm_model;
	}
}

/* How often an event happens: @num in @den instructions, or @num in @den cycles. */
struct pmu_rate {
	int64_t		num, den;
	bool		of_cycles;
};

/* Fractions of instructions that all models have in common. */
static const struct pmu_rate rate_uops = { 3, 2 };
static const struct pmu_rate rate_branches = { 1, 5 };
static const struct pmu_rate rate_rare = { 1, 100 };
static const struct pmu_rate rate_llc = { 1, 50 };
static const struct pmu_rate rate_llc_miss = { 1, 500 };

/* An event without a row of its own: 1 in 4 to 19. */
static struct pmu_rate pmu_rate_other(unsigned int event)
{
	return (struct pmu_rate){ 1, 4 + (event & 15) };
}

static struct pmu_rate pmu_rate_intel(unsigned int event, unsigned int umask)
{
	switch (event) {
	case 0x00:
		return (struct pmu_rate){ 0, 1 };
	case 0x3c:			/* umask 1: the crystal clock, a tenth of the core's */
		return (struct pmu_rate){ 1, umask ? 10 : 1, .of_cycles = true };
	case 0xc0:
		return (struct pmu_rate){ 1, 1 };
	case 0xc2:
	case 0x0e:
		return rate_uops;
	case 0xc4:
		return rate_branches;
	case 0xc5:
	case 0xb7:			/* for each kind of request that their registers ask for */
	case 0xbb:
		return rate_rare;
	case 0x2e:
		return umask == 0x41 ? rate_llc_miss : rate_llc;
	default:
		return pmu_rate_other(event);
	}
}

static struct pmu_rate pmu_rate_amd(unsigned int event)
{
	switch (event) {
	case 0x000:
	case 0xfff:			/* counts in the counter below it */
		return (struct pmu_rate){ 0, 1 };
	case 0x076:
		return (struct pmu_rate){ 1, 1, .of_cycles = true };
	case 0x0c0:
		return (struct pmu_rate){ 1, 1 };
	case 0x0c1:
		return rate_uops;
	case 0x0c2:
		return rate_branches;
	case 0x0c3:
		return rate_rare;
	case 0x060:
		return rate_llc;
	case 0x064:
		return rate_llc_miss;
	default:
		return pmu_rate_other(event);
	}
}

#endif /* I386_TCG_PMU_MODELS_H */
