// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An x86 PMU for QEMU's TCG: Intel's architectural one, versions 3 to 5, and AMD's of Zen.
 *
 * Counters are derived from the number of instructions that the virtual CPU itself has
 * executed (-icount), so each count is the same in every run.  An instruction takes
 * 1 << shift cycles, of which the events that it causes happen in the last one; other
 * events are fixed fractions of instructions (pmu_models.h).  A CPU that is halted counts
 * nothing.  Without -icount the CPU's own running time stands in for instructions, two
 * nanoseconds each, and nothing is exact.
 *
 * It is strict where hardware is, so that a wrong use shows: an access to a register that
 * the model lacks, or that sets reserved bits, faults; an event on a counter that the model
 * does not allow for it counts nothing; a counter goes on showing what it held until it is
 * written; OFFCORE_RSP and LD_LAT are one register for all threads of a core on Nehalem and
 * Westmere, and each thread's own from SandyBridge on.
 *
 * Not there: PEBS, BTS, LBR, uncore, IBS, AnyThread (taken, and counts the own thread).
 *
 * Every access to a register is counted, by register and CPU.  CPUID leaf ACCESS_LEAF
 * shows the numbers to programs inside (README.md).
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hw/core/cpu.h"
#include "hw/i386/apic.h"
#include "hw/i386/apic_internal.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/cpus.h"
#include "tcg/helper-tcg.h"
#include "pmu.h"
#include "pmu_models.h"

#define GP_MAX		8
#define FIXED_MAX	4

#define CTR_BITS	48
#define CTR_MASK	((1ULL << CTR_BITS) - 1)

/* PERFEVTSEL, the same bits on both; AMD's event select goes on in bits 32 to 35. */
#define SEL_USR		(1ULL << 16)
#define SEL_OS		(1ULL << 17)
#define SEL_EDGE	(1ULL << 18)
#define SEL_PC		(1ULL << 19)
#define SEL_INT		(1ULL << 20)
#define SEL_ANY		(1ULL << 21)
#define SEL_EN		(1ULL << 22)
#define SEL_INV		(1ULL << 23)
#define SEL_IN_TX	(1ULL << 32)
#define SEL_IN_TXCP	(1ULL << 33)
#define SEL_AMD		(0xfULL << 32 | 3ULL << 40 | (UINT32_MAX & ~(SEL_PC | SEL_ANY)))

/* FIXED_CTR_CTRL, four bits a counter. */
#define FIXED_OS	1
#define FIXED_USR	2
#define FIXED_ANY	4
#define FIXED_INT	8

/* GLOBAL_STATUS and GLOBAL_CTRL */
#define GLOBAL_METRICS	(1ULL << 48)
#define GLOBAL_LBR_FRZ	(1ULL << 58)
#define GLOBAL_CTR_FRZ	(1ULL << 59)
#define GLOBAL_ASCI	(1ULL << 60)
#define GLOBAL_UNCORE	(1ULL << 61)
#define GLOBAL_DS	(1ULL << 62)
#define GLOBAL_CHANGED	(1ULL << 63)

#define DEBUGCTL_FREEZE	(1ULL << 12)
#define DEBUGCTL_RTM	(1ULL << 15)
#define DEBUGCTL_INTEL	0x7fc3ULL
#define DEBUGCTL_AMD	0x3fULL

#define CAPS_FULL_WIDTH	(1ULL << 13)
#define CAPS_METRICS	(1ULL << 15)

/* Of 255 slots so many retire, go to bad speculation, wait for the front end, the back end. */
#define METRICS		(102ULL | 26ULL << 8 | 51ULL << 16 | 76ULL << 24)
#define SLOTS		5		/* in a cycle */

/* Farther away than that nothing is scheduled; looked at again then. */
#define FAR_AWAY	(1LL << 40)

#define ACCESS_LEAF	0x40504d55
#define ACCESS_MAGIC	0x554d5050
#define ACCESS_LVTPC	0x834		/* as the x2APIC numbers it */

/* Each register of any model, but for those that there is one of for each counter. */
static const uint32_t single_msrs[] = {
	0x345, 0x38d, 0x38e, 0x38f, 0x390, 0x391, 0x392, 0x329, 0x1a6, 0x1a7, 0x1d9, 0x3f6, 0x3f7,
	0xc0000300, 0xc0000301, 0xc0000302, 0xc0000303, ACCESS_LVTPC
};

/* Registers in rows: the first number, how far the next one is, how many. */
static const struct {
	uint32_t first, step, nr;
} msr_rows[] = {
	{ 0xc1, 1, GP_MAX },
	{ 0x4c1, 1, GP_MAX },
	{ 0x186, 1, GP_MAX },
	{ 0x309, 1, FIXED_MAX },
	{ 0xc0010000, 1, 4 },
	{ 0xc0010004, 1, 4 },
	{ 0xc0010200, 2, GP_MAX },
	{ 0xc0010201, 2, GP_MAX },
};

#define NR_MSRS		(4 * GP_MAX + 8 + GP_MAX + FIXED_MAX + ARRAY_SIZE(single_msrs))

struct counter {
	uint64_t	val;
	int64_t		num, den;	/* it counts num for each den instructions */
	uint64_t	status;		/* its bit in GLOBAL_STATUS */
	bool		interrupts;
};

struct access {
	uint32_t	rdmsr, wrmsr, rdpmc;
};

typedef struct X86PMU {
	const struct pmu_model *model;
	bool		amd;
	unsigned int	gp;		/* general counters */
	struct counter	counter[GP_MAX + FIXED_MAX];
	uint64_t	evtsel[GP_MAX];
	uint64_t	fixed_ctrl, global_ctrl, global_status, debugctl;
	/* core_of() says whose count. */
	uint64_t	offcore[2], ld_lat, frontend;
	/* What counts at privilege level 0, and at 3. */
	struct counter	*on[2][GP_MAX + FIXED_MAX];
	unsigned int	nr_on[2];
	int64_t		last;		/* instructions up to which all are counted */
	/*
	 * Those counted at privilege level 0, and at 3.  A fraction of them is one by these, so
	 * that counters of one event always agree, whenever they are written.
	 */
	int64_t		counted[2];
	bool		rearm;		/* the timer is to be set when the CPU goes on */
	QEMUTimer	*timer;
	struct access	access[NR_MSRS];
} X86PMU;

static bool is_on(const X86PMU *pmu)
{
	return pmu->nr_on[0] || pmu->nr_on[1];
}

/* What this CPU has executed so far; exact only at the end of a block. */
static int64_t instructions(CPUState *cs)
{
	if (!icount_enabled())
		return cpu_get_clock() >> 1;
	return cs->icount_total + cs->icount_budget -
	       (cpu_neg(cs)->icount_decr.u16.low + cs->icount_extra);
}

static int64_t cycles_per_instruction(void)
{
	return icount_enabled() ? icount_to_ns(1) : 2;
}

/* Whether two CPUs are threads of one core. */
static bool is_sibling(CPUState *a, CPUState *b)
{
	unsigned int bits = a->nr_threads > 1 ? 32 - clz32(a->nr_threads - 1) : 0;

	return X86_CPU(a)->apic_id >> bits == X86_CPU(b)->apic_id >> bits;
}

/* The PMU that has a thread's extra registers: of the core's first one where these are shared. */
static X86PMU *core_of(CPUX86State *env)
{
	CPUState *cs;

	if (!env->pmu->model->shared)
		return env->pmu;
	CPU_FOREACH(cs) {
		if (is_sibling(env_cpu(env), cs) && X86_CPU(cs)->env.pmu)
			return X86_CPU(cs)->env.pmu;
	}
	return env->pmu;
}

static unsigned int counters_allowed(const X86PMU *pmu, unsigned int event, unsigned int umask)
{
	const struct pmu_constraint *c;

	for (c = pmu->model->constraint; c->counters; c++)
		if (event >= c->first && event <= c->last &&
		    (c->umask == ANY_UMASK || c->umask == umask))
			return c->counters;
	return UINT32_MAX;
}

static int64_t rate_gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void set_rate(struct counter *c, int64_t num, int64_t den)
{
	int64_t gcd = rate_gcd(num, den);

	c->num = num / gcd;
	c->den = den / gcd;
}

/* The part of all cycles in which at least @cmask events happen, as @rate; 1 cycle in @cpi. */
static struct pmu_rate busy_cycles(struct pmu_rate rate, unsigned int cmask, int64_t cpi)
{
	int64_t whole = rate.num / rate.den, rest = rate.num % rate.den;
	struct pmu_rate busy = { 0, 1 };

	if (rate.of_cycles)
		cpi = 1;
	if (cmask <= whole)
		busy = (struct pmu_rate){ 1, cpi };
	else if (cmask == whole + 1)
		busy = (struct pmu_rate){ rest, rate.den * cpi };
	return busy;
}

/* How many kinds of requests a register asks for; what responses it wants changes nothing. */
static unsigned int offcore_requests(const X86PMU *core, unsigned int i)
{
	return ctpop64(core->offcore[i] & (core->model->shared ? 0xff : 0xffff));
}

/* How often a general counter counts, by all of its event select register. */
static void set_general_rate(CPUX86State *env, unsigned int i)
{
	X86PMU *pmu = env->pmu, *core = core_of(env);
	uint64_t sel = pmu->evtsel[i];
	unsigned int event = sel & 0xff, umask = (sel >> 8) & 0xff, cmask = (sel >> 24) & 0xff;
	int64_t cpi = cycles_per_instruction();
	struct pmu_rate rate;

	if (pmu->amd) {
		event |= (sel >> 24) & 0xf00;
		rate = pmu_rate_amd(event);
	} else {
		rate = pmu_rate_intel(event, umask);
		if (event == 0xb7 || event == 0xbb)
			rate.num *= offcore_requests(core, event == 0xbb);
		if (sel & SEL_IN_TX)
			rate.num = 0;
	}
	if (!(counters_allowed(pmu, event, umask) & 1U << i)) {
		set_rate(&pmu->counter[i], 0, 1);
		return;
	}
	if (cmask || sel & SEL_EDGE) {
		rate = busy_cycles(rate, MAX(cmask, 1), cpi);
		if (cmask && sel & SEL_INV)
			rate.num = rate.den - rate.num;
		/* It is spread evenly: a change for each of the rarer ones, true or false. */
		if (sel & SEL_EDGE)
			rate.num = MIN(rate.num, rate.den - rate.num);
		rate.of_cycles = true;
	}
	set_rate(&pmu->counter[i], rate.of_cycles ? rate.num * cpi : rate.num, rate.den);
}

static void put_on(X86PMU *pmu, struct counter *c, bool os, bool usr)
{
	if (os)
		pmu->on[0][pmu->nr_on[0]++] = c;
	if (usr)
		pmu->on[1][pmu->nr_on[1]++] = c;
}

/* How often it has happened in the first @insns instructions that are counted here. */
static uint64_t happened(const struct counter *c, int64_t insns)
{
	return insns * c->num / c->den;
}

/* Adds what the instructions from the @from-th to the @to-th make; whether it has overflowed. */
static bool count(struct counter *c, int64_t from, int64_t to)
{
	uint64_t val = c->val + happened(c, to) - happened(c, from);

	c->val = val & CTR_MASK;
	return val > CTR_MASK;
}

/* Instructions after the @now-th until it overflows. */
static int64_t instructions_left(const struct counter *c, int64_t now)
{
	uint64_t left = CTR_MASK + 1 - c->val;

	if (!c->num || left / c->num >= FAR_AWAY / c->den)
		return FAR_AWAY;
	return ((happened(c, now) + left) * c->den + c->num - 1) / c->num - now;
}

static void update(CPUX86State *env);

/* The local APIC: LVTPC, which Intel's masks as it is delivered. */
static void interrupt(CPUX86State *env)
{
	APICCommonState *apic = APIC_COMMON(env_archcpu(env)->apic_state);
	bool locked = qemu_mutex_iothread_locked();
	CPUState *cs = env_cpu(env);
	uint32_t can_do_io = cs->can_do_io;
	X86PMU *pmu = env->pmu;

	if (!pmu->amd && pmu->debugctl & DEBUGCTL_FREEZE) {
		if (pmu->model->version >= 4)
			pmu->global_status |= GLOBAL_CTR_FRZ;
		else
			pmu->global_ctrl = 0;
		update(env);
	}
	if (!apic || apic->lvt[APIC_LVT_PERFORM] & APIC_LVT_MASKED)
		return;
	if (!locked)
		qemu_mutex_lock_iothread();
	cs->can_do_io = 1;		/* called only where a block ends */
	apic_local_deliver(apic, APIC_LVT_PERFORM);
	if (!pmu->amd)
		apic->lvt[APIC_LVT_PERFORM] |= APIC_LVT_MASKED;
	cs->can_do_io = can_do_io;
	if (!locked)
		qemu_mutex_unlock_iothread();
}

/* Brings all counters up to date, for the privilege level that holds until now. */
static void settle(CPUX86State *env)
{
	X86PMU *pmu = env->pmu;
	int64_t now = instructions(env_cpu(env)), insns = now - pmu->last;
	unsigned int usr = !!(env->hflags & HF_CPL_MASK), i;
	int64_t from = pmu->counted[usr];
	bool interrupts = false;

	pmu->last = now;
	if (insns <= 0)
		return;
	pmu->counted[usr] += insns;
	for (i = 0; i < pmu->nr_on[usr]; i++) {
		struct counter *c = pmu->on[usr][i];

		if (count(c, from, from + insns)) {
			pmu->global_status |= c->status;
			interrupts |= c->interrupts;
		}
	}
	if (interrupts)
		interrupt(env);
}

/* Has the timer run no later than the next overflow, as far as can be told now. */
static void arm_timer(CPUX86State *env)
{
	X86PMU *pmu = env->pmu;
	CPUState *cs = env_cpu(env);
	unsigned int usr = !!(env->hflags & HF_CPL_MASK), i;
	uint32_t can_do_io = cs->can_do_io;
	int64_t left = FAR_AWAY, when;

	pmu->rearm = false;
	if (!is_on(pmu)) {
		timer_del(pmu->timer);
		return;
	}
	for (i = 0; i < pmu->nr_on[usr]; i++)
		left = MIN(left, instructions_left(pmu->on[usr][i], pmu->counted[usr]));
	if (left >= FAR_AWAY)
		return;		/* a timer that is too early looks again when it runs */
	cs->can_do_io = 1;
	when = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + MAX(left, 1) * cycles_per_instruction();
	if (!timer_pending(pmu->timer) || timer_expire_time_ns(pmu->timer) > when)
		timer_mod(pmu->timer, when);
	cs->can_do_io = can_do_io;
}

/* After a change of what is programmed. */
static void update(CPUX86State *env)
{
	X86PMU *pmu = env->pmu;
	int64_t cpi = cycles_per_instruction();
	unsigned int i;

	pmu->nr_on[0] = pmu->nr_on[1] = 0;
	for (i = 0; i < pmu->gp; i++) {
		uint64_t sel = pmu->evtsel[i];

		set_general_rate(env, i);
		pmu->counter[i].interrupts = sel & SEL_INT;
		if (sel & SEL_EN && pmu->global_ctrl & pmu->counter[i].status &&
		    !(pmu->global_status & GLOBAL_CTR_FRZ))
			put_on(pmu, &pmu->counter[i], sel & SEL_OS, sel & SEL_USR);
	}
	for (i = 0; i < pmu->model->fixed; i++) {
		struct counter *c = &pmu->counter[GP_MAX + i];
		unsigned int ctrl = pmu->fixed_ctrl >> 4 * i;

		set_rate(c, i == 0 ? 1 : i == 3 ? SLOTS * cpi : cpi, 1);
		c->interrupts = ctrl & FIXED_INT;
		if (pmu->global_ctrl & c->status && !(pmu->global_status & GLOBAL_CTR_FRZ))
			put_on(pmu, c, ctrl & FIXED_OS, ctrl & FIXED_USR);
	}
	arm_timer(env);
}

/* The core's registers have changed: each thread of it counts by them. */
static void update_core(CPUX86State *env)
{
	CPUState *cs;

	CPU_FOREACH(cs) {
		CPUX86State *other = &X86_CPU(cs)->env;

		if (other == env || !other->pmu || core_of(other) != core_of(env))
			continue;
		if (icount_enabled())
			settle(other);
		update(other);
	}
	update(env);
}

static void due(CPUState *cs, run_on_cpu_data data)
{
	CPUX86State *env = cs->env_ptr;

	if (!is_on(env->pmu))
		return;
	if (cs->halted) {
		env->pmu->rearm = true;
		return;
	}
	settle(env);
	arm_timer(env);
}

static void timer_due(void *opaque)
{
	CPUState *cs = opaque;

	if (qemu_in_vcpu_thread() && icount_enabled())
		due(cs, RUN_ON_CPU_NULL);
	else
		async_run_on_cpu(cs, due, RUN_ON_CPU_NULL);
}

void x86_pmu_set_cpl(CPUX86State *env, int cpl)
{
	bool on = is_on(env->pmu);

	if (on)
		settle(env);
	env->hflags = (env->hflags & ~HF_CPL_MASK) | cpl;
	if (on)
		arm_timer(env);
}

void x86_pmu_enter(CPUX86State *env)
{
	if (!env->pmu || !is_on(env->pmu))
		return;
	if (!icount_enabled())
		env->pmu->last = instructions(env_cpu(env));
	if (env->pmu->rearm)
		arm_timer(env);
}

void x86_pmu_exit(CPUX86State *env)
{
	if (env->pmu && !icount_enabled())
		settle(env);
}

/* A CPU that stands still counts nothing: no timer either. */
void x86_pmu_halt(CPUX86State *env)
{
	if (!env->pmu || !is_on(env->pmu))
		return;
	timer_del(env->pmu->timer);
	env->pmu->rearm = true;
}

void x86_pmu_reset(X86CPU *cpu)
{
	CPUX86State *env = &cpu->env;
	X86PMU *pmu = env->pmu;
	unsigned int family, model, i;

	if (!cpu->enable_pmu)
		return;
	if (!pmu) {
		pmu = env->pmu = g_new0(X86PMU, 1);
		pmu->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_due, CPU(cpu));
	}
	family = (env->cpuid_version >> 8) & 15;
	if (family == 15)
		family += (env->cpuid_version >> 20) & 0xff;
	model = ((env->cpuid_version >> 4) & 15) | ((env->cpuid_version >> 12) & 0xf0);
	timer_del(pmu->timer);
	memset(pmu->counter, 0, sizeof(pmu->counter));
	memset(pmu->evtsel, 0, sizeof(pmu->evtsel));
	pmu->amd = IS_AMD_CPU(env);
	pmu->model = pmu_model_of(pmu->amd, family, model);
	pmu->gp = cpu->pmu_gp ? MIN(cpu->pmu_gp, GP_MAX) : pmu->model->gp;
	pmu->fixed_ctrl = pmu->global_status = pmu->debugctl = 0;
	pmu->offcore[0] = pmu->offcore[1] = pmu->ld_lat = pmu->frontend = 0;
	pmu->nr_on[0] = pmu->nr_on[1] = 0;
	pmu->rearm = false;
	pmu->global_ctrl = (1ULL << pmu->gp) - 1;
	for (i = 0; i < GP_MAX + FIXED_MAX; i++) {
		pmu->counter[i].den = 1;
		pmu->counter[i].status = i < GP_MAX ? 1ULL << i : 1ULL << (32 + i - GP_MAX);
	}
	/* EMON is there, BTS and PEBS are not. */
	if (!pmu->amd)
		env->msr_ia32_misc_enable |= 1 << 7 | 1 << 11 | 1 << 12;
}

/* The place of a register among all that are counted, or -1 if it is none of the PMU's. */
static int access_index(uint32_t msr)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(msr_rows); i++) {
		uint32_t off = msr - msr_rows[i].first;

		if (off < msr_rows[i].nr * msr_rows[i].step && off % msr_rows[i].step == 0)
			return n + off / msr_rows[i].step;
		n += msr_rows[i].nr;
	}
	for (i = 0; i < ARRAY_SIZE(single_msrs); i++)
		if (msr == single_msrs[i])
			return n + i;
	return -1;
}

static uint32_t access_msr(unsigned int index)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(msr_rows); i++) {
		if (index < msr_rows[i].nr)
			return msr_rows[i].first + index * msr_rows[i].step;
		index -= msr_rows[i].nr;
	}
	return index < ARRAY_SIZE(single_msrs) ? single_msrs[index] : 0;
}

void x86_pmu_lvtpc_written(X86CPU *cpu)
{
	if (cpu->env.pmu)
		cpu->env.pmu->access[access_index(ACCESS_LVTPC)].wrmsr++;
}

/* ECX is a CPU's index << 16, and a register's place among all. */
static void access_cpuid(uint32_t subleaf, uint32_t *reg)
{
	CPUState *cs = qemu_get_cpu(subleaf >> 16);
	unsigned int index = subleaf & 0xffff;

	memset(reg, 0, 4 * sizeof(*reg));
	if (index == 0xffff) {
		reg[0] = ACCESS_MAGIC;
	} else if (index == 0xfffe && cs) {
		reg[0] = ACCESS_MAGIC;
		reg[1] = instructions(cs);
		reg[2] = instructions(cs) >> 32;
	} else if (cs && X86_CPU(cs)->env.pmu && index < NR_MSRS) {
		const struct access *access = &X86_CPU(cs)->env.pmu->access[index];

		reg[0] = access_msr(index);
		reg[1] = access->rdmsr;
		reg[2] = access->wrmsr;
		reg[3] = access->rdpmc;
	}
}

static void architectural_cpuid(const X86PMU *pmu, uint32_t *reg)
{
	const struct pmu_model *model = pmu->model;
	bool v5 = model->version >= 5;

	/* None of the seven events is missing; version 5 has slots as the eighth. */
	reg[0] = model->version | pmu->gp << 8 | CTR_BITS << 16 | (v5 ? 8 : 7) << 24;
	reg[1] = 0;
	reg[2] = v5 ? (1U << model->fixed) - 1 : 0;
	reg[3] = model->fixed | CTR_BITS << 5 | (v5 ? 1 << 15 : 0);
}

void x86_pmu_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *reg)
{
	const X86PMU *pmu = env->pmu;

	if (!pmu)
		return;
	if (leaf == ACCESS_LEAF) {
		access_cpuid(subleaf, reg);
	} else if (!pmu->amd && leaf == 1) {
		reg[2] |= CPUID_EXT_PDCM;
	} else if (!pmu->amd && leaf == 0xa) {
		architectural_cpuid(pmu, reg);
	} else if (pmu->amd && leaf == 0x80000000 && pmu->model->version >= 2) {
		reg[0] = MAX(reg[0], 0x80000022);
	} else if (pmu->amd && leaf == 0x80000001) {
		reg[2] |= CPUID_EXT3_PERFCORE;
	} else if (pmu->amd && leaf == 0x80000022 && pmu->model->version >= 2) {
		reg[0] = 1;
		reg[1] = pmu->gp;
		reg[2] = reg[3] = 0;
	}
}

/* One of AMD's counters or selects; its number, or -1. */
static int amd_counter(const X86PMU *pmu, uint32_t msr, bool *select)
{
	unsigned int i;

	if (msr - 0xc0010000 < 8) {
		*select = msr - 0xc0010000 < 4;
		return msr & 3;
	}
	*select = !(msr & 1);
	i = (msr - 0xc0010200) / 2;
	return msr >= 0xc0010200 && i < pmu->gp ? i : -1;
}

static bool store(uint64_t *reg, uint64_t val, uint64_t valid)
{
	if (val & ~valid)
		return false;
	*reg = val;
	return true;
}

static bool amd_read(const X86PMU *pmu, uint32_t msr, uint64_t *val)
{
	bool select;
	int i = amd_counter(pmu, msr, &select);

	if (i >= 0)
		*val = select ? pmu->evtsel[i] : pmu->counter[i].val;
	else if (msr == 0x1d9)
		*val = pmu->debugctl;
	else if (pmu->model->version < 2)
		return false;
	else if (msr == 0xc0000300)
		*val = pmu->global_status;
	else if (msr == 0xc0000301)
		*val = pmu->global_ctrl;
	else
		return false;		/* those that set and clear are not read */
	return true;
}

static bool amd_write(X86PMU *pmu, uint32_t msr, uint64_t val)
{
	uint64_t all = (1ULL << pmu->gp) - 1;
	bool select;
	int i = amd_counter(pmu, msr, &select);

	if (i >= 0 && select)
		return store(&pmu->evtsel[i], val, SEL_AMD);
	if (i >= 0) {
		pmu->counter[i].val = val & CTR_MASK;
		return true;
	}
	if (msr == 0x1d9)
		return store(&pmu->debugctl, val, DEBUGCTL_AMD);
	if (pmu->model->version < 2)
		return false;
	switch (msr) {
	case 0xc0000301:
		return store(&pmu->global_ctrl, val, all);
	case 0xc0000302:
		pmu->global_status &= ~val;	/* Linux writes all ones: none of them faults */
		return true;
	case 0xc0000303:
		pmu->global_status |= val & (all | GLOBAL_LBR_FRZ | GLOBAL_CTR_FRZ);
		return true;
	default:
		return false;
	}
}

/* Which counters are programmed, and whether any interrupts. */
static uint64_t global_inuse(const X86PMU *pmu)
{
	uint64_t inuse = 0;
	unsigned int i;

	for (i = 0; i < pmu->gp; i++)
		if (pmu->evtsel[i] & 0xff)
			inuse |= 1ULL << i | (pmu->evtsel[i] & SEL_INT ? GLOBAL_CHANGED : 0);
	for (i = 0; i < pmu->model->fixed; i++)
		if (pmu->fixed_ctrl >> 4 * i & (FIXED_OS | FIXED_USR))
			inuse |= 1ULL << (32 + i) |
				 (pmu->fixed_ctrl >> 4 * i & FIXED_INT ? GLOBAL_CHANGED : 0);
	return inuse;
}

static bool intel_read(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	const X86PMU *pmu = env->pmu, *core = core_of(env);
	const struct pmu_model *model = pmu->model;

	if (msr - 0xc1 < pmu->gp)
		*val = pmu->counter[msr - 0xc1].val;
	else if (msr - 0x4c1 < pmu->gp && model->full_width)
		*val = pmu->counter[msr - 0x4c1].val;
	else if (msr - 0x186 < pmu->gp)
		*val = pmu->evtsel[msr - 0x186];
	else if (msr - 0x309 < model->fixed)
		*val = pmu->counter[GP_MAX + msr - 0x309].val;
	else if (msr == 0x345)
		*val = (model->full_width ? CAPS_FULL_WIDTH : 0) | (model->metrics ? CAPS_METRICS : 0);
	else if (msr == 0x38d)
		*val = pmu->fixed_ctrl;
	else if (msr == 0x38e)
		*val = pmu->global_status;
	else if (msr == 0x38f)
		*val = pmu->global_ctrl;
	else if (msr == 0x390 || (msr == 0x391 && model->version >= 4))
		*val = 0;
	else if (msr == 0x392 && model->version >= 4)
		*val = global_inuse(pmu);
	else if (msr == 0x329 && model->metrics)
		*val = METRICS;
	else if (msr == 0x1a6 || (msr == 0x1a7 && !model->one_offcore))
		*val = core->offcore[msr - 0x1a6];
	else if (msr == 0x1d9)
		*val = pmu->debugctl;
	else if (msr == 0x3f6)
		*val = core->ld_lat;
	else if (msr == 0x3f7 && model->frontend)
		*val = core->frontend;
	else
		return false;
	return true;
}

static bool has_rtm(const CPUX86State *env)
{
	return env->features[FEAT_7_0_EBX] & CPUID_7_0_EBX_RTM;
}

/* The bits of an event select register that are not reserved. */
static uint64_t select_valid(const CPUX86State *env, unsigned int i)
{
	uint64_t valid = UINT32_MAX;

	if (has_rtm(env))
		valid |= SEL_IN_TX | (i == 2 ? SEL_IN_TXCP : 0);
	return valid;
}

static bool intel_write(CPUX86State *env, uint32_t msr, uint64_t val)
{
	X86PMU *pmu = env->pmu, *core = core_of(env);
	const struct pmu_model *model = pmu->model;
	uint64_t counters = ((1ULL << pmu->gp) - 1) | ((1ULL << model->fixed) - 1) << 32;
	uint64_t ctrl = counters | (model->metrics ? GLOBAL_METRICS : 0);
	uint64_t reset = ctrl | GLOBAL_UNCORE | GLOBAL_DS | GLOBAL_CHANGED;
	uint64_t fixed = (1ULL << 4 * model->fixed) - 1;
	uint64_t offcore = model->shared ? 0xffff : (1ULL << 38) - 1;

	if (model->version >= 4)
		reset |= GLOBAL_LBR_FRZ | GLOBAL_CTR_FRZ | GLOBAL_ASCI;
	if (model->version >= 5)
		fixed &= ~0x4444444444444444ULL;	/* AnyThread is no more */
	if (msr - 0xc1 < pmu->gp)
		return store(&pmu->counter[msr - 0xc1].val, (int64_t)(int32_t)val & CTR_MASK,
			     CTR_MASK);
	if (msr - 0x4c1 < pmu->gp && model->full_width)
		return store(&pmu->counter[msr - 0x4c1].val, val, CTR_MASK);
	if (msr - 0x186 < pmu->gp)
		return store(&pmu->evtsel[msr - 0x186], val, select_valid(env, msr - 0x186));
	if (msr - 0x309 < model->fixed)
		return store(&pmu->counter[GP_MAX + msr - 0x309].val, val, CTR_MASK);
	if (msr == 0x38d)
		return store(&pmu->fixed_ctrl, val, fixed);
	if (msr == 0x38f)
		return store(&pmu->global_ctrl, val, ctrl);
	if (msr == 0x390 && !(val & ~reset)) {
		pmu->global_status &= ~val;
		return true;
	}
	if (msr == 0x391 && model->version >= 4 && !(val & ~(reset & ~GLOBAL_CHANGED))) {
		pmu->global_status |= val;
		return true;
	}
	if (msr == 0x329 && model->metrics)
		return !val;			/* only ever cleared; what it shows is fixed */
	if (msr == 0x1a6 || (msr == 0x1a7 && !model->one_offcore))
		return store(&core->offcore[msr - 0x1a6], val, offcore);
	if (msr == 0x1d9)
		return store(&pmu->debugctl, val, DEBUGCTL_INTEL | (has_rtm(env) ? DEBUGCTL_RTM : 0));
	if (msr == 0x3f6)
		return store(&core->ld_lat, val, 0xffff);
	if (msr == 0x3f7 && model->frontend)
		return store(&core->frontend, val, 0x7fffff);
	return false;				/* absent, or only to be read */
}

enum x86_pmu_access x86_pmu_rdmsr(CPUX86State *env, uint64_t *val)
{
	uint32_t msr = env->regs[R_ECX];
	X86PMU *pmu = env->pmu;
	int index = pmu ? access_index(msr) : -1;

	if (index < 0 || msr == ACCESS_LVTPC)
		return X86_PMU_OTHER;
	settle(env);
	pmu->access[index].rdmsr++;
	if (pmu->amd ? amd_read(pmu, msr, val) : intel_read(env, msr, val))
		return X86_PMU_DONE;
	return X86_PMU_FAULT;
}

enum x86_pmu_access x86_pmu_wrmsr(CPUX86State *env, uint64_t val)
{
	uint32_t msr = env->regs[R_ECX];
	X86PMU *pmu = env->pmu;
	int index = pmu ? access_index(msr) : -1;

	if (index < 0 || msr == ACCESS_LVTPC)
		return X86_PMU_OTHER;
	settle(env);
	pmu->access[index].wrmsr++;
	if (!(pmu->amd ? amd_write(pmu, msr, val) : intel_write(env, msr, val)))
		return X86_PMU_FAULT;
	if (msr == 0x1a6 || msr == 0x1a7)
		update_core(env);
	else
		update(env);
	return X86_PMU_DONE;
}

/* The register that an index of RDPMC names, or 0. */
static uint32_t rdpmc_msr(const X86PMU *pmu, uint32_t index)
{
	if (index < pmu->gp)
		return pmu->amd ? 0xc0010201 + 2 * index : 0xc1 + index;
	if (pmu->amd)
		return 0;
	if (index - (1U << 30) < pmu->model->fixed)
		return 0x309 + index - (1U << 30);
	return index == 1U << 29 && pmu->model->metrics ? 0x329 : 0;
}

void x86_pmu_rdpmc(CPUX86State *env, uintptr_t ra)
{
	X86PMU *pmu = env->pmu;
	uint32_t msr;
	uint64_t val;

	if (!pmu)
		raise_exception_err_ra(env, EXCP06_ILLOP, 0, ra);
	settle(env);
	msr = rdpmc_msr(pmu, env->regs[R_ECX]);
	if (!msr)
		raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
	pmu->access[access_index(msr)].rdpmc++;
	if (pmu->amd)
		amd_read(pmu, msr, &val);
	else
		intel_read(env, msr, &val);
	env->regs[R_EAX] = (uint32_t)val;
	env->regs[R_EDX] = val >> 32;
}
