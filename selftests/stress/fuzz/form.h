/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of PMCGRP_IOC_CREATE: such that are good, that have exactly one fault,
 * whose errno and reason are then known, and that are broken at random.
 */
#ifndef FUZZ_FORM_H
#define FUZZ_FORM_H

#include "state.h"

#define ATTR_BYTES	160	/* longer than any kernel's so far */
#define ABSENT_PID	0x3ffffff	/* above pid_max */
#define ANY		(-1)

/* The arguments, before they are laid out in memory. */
struct form {
	struct pmcgrp_create create;
	uint64_t tail[3];			/* of a longer struct */
	struct pmcgrp_member member[MEMBERS];
	unsigned char member_tail;
	uint64_t cpus;				/* of PMCGRP_TARGET_CPUS */
	union {
		struct perf_event_attr attr;
		uint64_t word[ATTR_BYTES / 8];
	} attr[MEMBERS];
	enum place place;
	enum place members_place;
	unsigned int odd;			/* this member's attr is ... */
	enum place odd_place;			/* ... here */
	bool no_capability;
	bool no_descriptor;
	/* What must come of it; err ANY: whatever the rules allow; 0: a group. */
	int err;
	int why;				/* ANY: whatever the rules allow */
	uint32_t fail_member;
};

/*
 * perf's ftrace:function has each of the kernel's 40,000 functions patched, again when a
 * second such event comes, and twice more as they go; and to release one waits until every
 * task was seen asleep or in user space (synchronize_rcu_tasks()). In QEMU's TCG on x86
 * each patching takes 5 s, and 25 s while targets spin; that wait took 40 s while targets
 * did nothing but change CPUs. So it is without the module as well, which
 * holds locks meanwhile that the other workers need. There something else takes the
 * event's place; what else is drawn stays the same.
 */
static void avoid_functions(struct perf_event_attr *attr)
{
	if (config.function && attr->type == PERF_TYPE_TRACEPOINT &&
	    attr->config == config.function)
		attr->type = PERF_TYPE_SOFTWARE;
}

static struct perf_event_attr random_event(struct rng *r, bool software)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	uint64_t bits = below(r, 8);

	switch (software ? 0 : below(r, 8)) {
	default:
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = below(r, PERF_COUNT_SW_DUMMY + 1);
		break;
	case 3:
	case 4:
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = below(r, PERF_COUNT_HW_MAX);
		break;
	case 5:
		attr.type = PERF_TYPE_RAW;
		attr.config = chance(r, 50) ? cycles_copy(0).config : below(r, 0x40);
		attr.config |= below(r, 4) << RAW_COPY_SHIFT;
		break;
	case 6:
		attr.type = PERF_TYPE_HW_CACHE;
		attr.config = below(r, 8) | below(r, 4) << 8 | below(r, 3) << 16;
		break;
	case 7:
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = below(r, 2000);
		if (config.nr_traces && chance(r, 95))
			attr.config = config.trace[attr.config % config.nr_traces];
		break;
	}
	if (attr.type != PERF_TYPE_SOFTWARE && attr.type != PERF_TYPE_TRACEPOINT &&
	    config.nr_events && chance(r, 95))
		attr = config.event[below(r, config.nr_events)];
	if (chance(r, 30)) {
		attr.exclude_user = bits & 1;
		attr.exclude_kernel = !!(bits & 2);
		attr.exclude_hv = !!(bits & 4);
	}
	avoid_functions(&attr);
	return attr;
}

static int32_t random_tid(struct worker *w)
{
	unsigned int worker = below(&w->rng, config.workers), k = below(&w->rng, TARGETS);

	if (chance(&w->rng, 20))
		return shared->worker[worker].tid;
	return shared->worker[worker].target[k];
}

static void form_target(struct form *f, struct worker *w)
{
	static const uint64_t of_tasks = PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_INHERIT |
					 PMCGRP_CREATE_UNTIL_EXIT;
	struct rng *r = &w->rng;

	switch (below(r, 10)) {
	case 0 ... 3:
		f->create.target_id = random_tid(w);
		return;
	case 4 ... 5:
		f->create.target_type = PMCGRP_TARGET_PROCESS;
		f->create.target_id = random_tid(w);
		return;
	case 6 ... 7:
		f->create.target_type = PMCGRP_TARGET_CPU;
		f->create.target_id = below(r, config.cpus);
		break;
	case 8:
		f->create.target_type = PMCGRP_TARGET_CPUS;
		f->cpus = 1 + below(r, (1 << config.cpus) - 1);
		f->create.cpus = (uintptr_t)&f->cpus;
		f->create.cpus_size = sizeof(f->cpus);
		break;
	case 9:
		f->create.target_type = PMCGRP_TARGET_ALL_CPUS;
		if (config.cgroup < 0 || chance(r, 50))
			break;
		f->create.target_type = PMCGRP_TARGET_CGROUP;
		f->create.target_id = config.cgroup;
		f->create.flags &= ~(uint64_t)PMCGRP_CREATE_PINNED;
		break;
	}
	f->create.flags &= ~of_tasks;
}

/* Good arguments; software: such as cannot fail. */
static void form_fill(struct form *f, struct worker *w, bool software)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 160 };
	struct rng *r = &w->rng;
	unsigned int i, nr;

	memset(f, 0, sizeof(*f));
	nr = 1 + (chance(r, 85) ? below(r, 6) : below(r, PMCGRP_MEMBERS_MAX));
	f->create = (struct pmcgrp_create){
		.size = sizeof(f->create),
		.nr_members = nr,
		.flags = (chance(r, 60) ? 0 : below(r, 32)) |
			 (chance(r, 20) ? PMCGRP_CREATE_UNTIL_EXIT : 0),
		.read_format = chance(r, 60) ? FORMAT : below(r, 32),
		.member_size = sizeof(f->member[0]),
	};
	if (!software)
		form_target(f, w);
	if (chance(r, 10) && !f->create.target_type && !f->create.target_id) {
		f->create.flags &= ~(PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_LEADER);
		f->create.flags |= PMCGRP_CREATE_USER_READ;
	} else if (chance(r, 20) &&
		   !(f->create.flags & (PMCGRP_CREATE_PINNED | PMCGRP_CREATE_LEADER))) {
		f->create.flags |= PMCGRP_CREATE_BACKGROUND;
	}
	for (i = 0; i < MEMBERS; i++) {
		f->attr[i].attr = random_event(r, software || chance(r, 30));
		if (i && chance(r, 30))
			f->attr[i] = f->attr[below(r, i)];
		f->attr[i].attr.size = sizes[below(r, COUNT(sizes))];
	}
	if (chance(r, 10))
		f->create.size += 8 * below(r, 3);
	if (chance(r, 10))
		f->create.member_size = 32 + 8 * below(r, 5);
	f->place = below(r, PLACE_END + 1);
	f->members_place = below(r, PLACE_END + 1);
	f->odd = MEMBERS;
	f->err = software ? 0 : ANY;
	f->why = ANY;
}

static void form_expect(struct form *f, int err, int why, uint32_t member)
{
	f->err = err;
	f->why = why;
	f->fail_member = member;
}

/* One fault in the struct itself or its memory. */
static void form_break_struct(struct form *f, struct rng *r)
{
	static const enum place bad[] = { PLACE_READONLY, PLACE_CUT, PLACE_NOWHERE };
	uint64_t odd = odd_number(r);

	switch (below(r, 7)) {
	case 0:
		f->create.size = below(r, PMCGRP_CREATE_SIZE_VER0);
		form_expect(f, EINVAL, POISON, POISON);
		break;
	case 1:
		f->create.size = 65537 + (uint32_t)(odd >> 1) % 0x7fff0000;
		form_expect(f, E2BIG, POISON, POISON);
		break;
	case 2:
		f->create.size = sizeof(f->create) + 24;
		((unsigned char *)f->tail)[below(r, 24)] = 1 + below(r, 255);
		form_expect(f, E2BIG, POISON, POISON);
		break;
	case 3:
		f->place = bad[below(r, COUNT(bad))];
		form_expect(f, EFAULT, POISON, POISON);
		break;
	case 4:
		/* There is no reason of its own for ids that cannot be written. */
		f->members_place = PLACE_READONLY;
		form_expect(f, EFAULT, ANY, ANY);
		break;
	case 5:
		f->members_place = PLACE_NOWHERE;
		form_expect(f, EFAULT, PMCGRP_WHY_MEMBER, 0);
		break;
	case 6:
		f->members_place = PLACE_CUT;
		form_expect(f, EFAULT, ANY, ANY);
		break;
	}
}

/* One fault in a field of the struct. */
static void form_break_field(struct form *f, struct worker *w)
{
	static const uint32_t bad_nr[] = { 0, 65, 66, 128, 1U << 31, UINT_MAX };
	struct rng *r = &w->rng;
	uint64_t bit = below(r, 58);

	switch (below(r, w->alone ? 13 : 12)) {
	case 0:
		f->create.__reserved = rng_next(r) | 1;
		form_expect(f, EINVAL, PMCGRP_WHY_RESERVED, PMCGRP_NO_MEMBER);
		break;
	case 1:
		/* Those above the highest that there is. */
		f->create.flags |= PMCGRP_CREATE_BACKGROUND << (1 + bit % 55);
		form_expect(f, EINVAL, PMCGRP_WHY_FLAGS, PMCGRP_NO_MEMBER);
		break;
	case 2:
		f->create.read_format |= 32ULL << bit;
		form_expect(f, EINVAL, PMCGRP_WHY_READ_FORMAT, PMCGRP_NO_MEMBER);
		break;
	case 3:
		f->create.nr_members = bad_nr[below(r, COUNT(bad_nr))];
		form_expect(f, EINVAL, PMCGRP_WHY_NR_MEMBERS, PMCGRP_NO_MEMBER);
		break;
	case 4:
		f->create.member_size = below(r, PMCGRP_MEMBER_SIZE_VER0);
		form_expect(f, EINVAL, PMCGRP_WHY_MEMBER, PMCGRP_NO_MEMBER);
		break;
	case 5:
		f->create.member_size = 65537 + below(r, 1 << 30);
		form_expect(f, E2BIG, PMCGRP_WHY_MEMBER, PMCGRP_NO_MEMBER);
		break;
	case 6:
		f->create.member_size = 40;
		f->member_tail = 1 + below(r, 255);
		form_expect(f, E2BIG, PMCGRP_WHY_MEMBER, 0);
		break;
	case 7:
		f->create.target_type = PMCGRP_TARGET_CGROUP + 1 + below(r, 1 << 30);
		form_expect(f, EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
		break;
	case 8:
		f->create.target_type = below(r, 2);
		f->create.target_id = -1 - (int)below(r, INT_MAX);
		form_expect(f, EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
		break;
	case 9:
		f->create.target_type = PMCGRP_TARGET_CPU;
		f->create.target_id = 8192 + below(r, INT_MAX - 8192);
		form_expect(f, EINVAL, PMCGRP_WHY_TARGET, PMCGRP_NO_MEMBER);
		break;
	case 10:
		f->create.target_id = ABSENT_PID;
		form_expect(f, ESRCH, PMCGRP_WHY_TASK_GONE, PMCGRP_NO_MEMBER);
		break;
	case 11:
		f->no_capability = true;
		form_expect(f, EACCES, PMCGRP_WHY_PERMISSION, PMCGRP_NO_MEMBER);
		break;
	case 12:
		f->no_descriptor = true;
		form_expect(f, EMFILE, PMCGRP_WHY_NONE, PMCGRP_NO_MEMBER);
		break;
	}
}

/* One fault in one member. */
static void form_break_member(struct form *f, struct rng *r)
{
	unsigned int i = below(r, f->create.nr_members);
	struct perf_event_attr *attr = &f->attr[i].attr;

	switch (1 + below(r, 7)) {
	case 1:
		f->member[i].flags = rng_next(r) | 1;
		form_expect(f, EINVAL, PMCGRP_WHY_RESERVED, i);
		break;
	case 2:
		f->odd = i;
		f->odd_place = PLACE_NOWHERE;
		form_expect(f, EFAULT, PMCGRP_WHY_ATTR_POINTER, i);
		break;
	case 3:
		attr->size = chance(r, 50) ? below(r, 64) : 65537 + below(r, 1 << 30);
		form_expect(f, EINVAL, PMCGRP_WHY_ATTR_SIZE, i);
		break;
	case 4:
		attr->size = ATTR_BYTES;
		f->attr[i].word[ATTR_BYTES / 8 - 1 - below(r, 2)] = rng_next(r) | 1;
		form_expect(f, E2BIG, PMCGRP_WHY_ATTR_UNKNOWN, i);
		break;
	case 5:
		attr->size = 112;
		f->attr[i].word[2 + below(r, 3)] |= rng_next(r) | 1ULL << 40;
		/* The words from sample_period on: of the bits only exclude_* may be set. */
		form_expect(f, EINVAL, PMCGRP_WHY_ATTR_FIELD, i);
		break;
	case 6:
		attr->type = PERF_TYPE_BREAKPOINT;
		form_expect(f, EOPNOTSUPP, PMCGRP_WHY_EVENT_KIND, i);
		break;
	case 7:
		attr->type = 0x7ffffff0 + below(r, 16);
		form_expect(f, ENOENT, PMCGRP_WHY_EVENT_UNKNOWN, i);
		break;
	}
}

/* Anything, anywhere; pointers stay such that nothing of the fuzzer's is written. */
static void form_break_at_random(struct form *f, struct worker *w)
{
	struct rng *r = &w->rng;
	unsigned int n = 1 + below(r, 4), i;

	f->err = ANY;
	f->why = ANY;
	while (n--) {
		i = below(r, chance(r, 80) ? f->create.nr_members % MEMBERS + 1 : MEMBERS);
		i %= MEMBERS;
		switch (below(r, 12)) {
		case 0:
			f->create.target_type = odd_number(r);
			break;
		case 1:
			f->create.target_id = odd_number(r);
			break;
		case 2:
			f->create.nr_members = odd_number(r);
			break;
		case 3:
			f->create.flags ^= odd_number(r);
			break;
		case 4:
			f->create.size = chance(r, 50) ? odd_number(r) : 64 + below(r, 40);
			break;
		case 5:
			f->create.member_size = 24 + below(r, 4073);
			break;
		case 6:
			f->place = below(r, PLACES);
			break;
		case 7:
			f->members_place = below(r, PLACES);
			break;
		case 8:
			f->odd = i;
			f->odd_place = below(r, PLACES);
			break;
		case 9:
			f->attr[i].word[below(r, ATTR_BYTES / 8)] ^= odd_number(r);
			break;
		case 10:
			f->attr[i].attr.type = odd_number(r);
			if (config.nr_types && chance(r, 70))
				f->attr[i].attr.type = config.type[below(r, config.nr_types)];
			f->attr[i].attr.config = odd_number(r);
			break;
		case 11:
			f->attr[i].attr.config = odd_number(r);
			f->attr[i].attr.config1 = odd_number(r);
			break;
		}
	}
	for (i = 0; i < MEMBERS; i++)
		avoid_functions(&f->attr[i].attr);
}

#endif /* FUZZ_FORM_H */
