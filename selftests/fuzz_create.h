/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMCGRP_IOC_CREATE: arguments that are good, that have exactly one fault, whose
 * errno and reason are then known, and that are broken at random.
 */
#ifndef FUZZ_CREATE_H
#define FUZZ_CREATE_H

#include "fuzz_state.h"
#include <linux/capability.h>
#include <sys/resource.h>

#define ATTR_BYTES	160	/* longer than any kernel's so far */
#define ABSENT_PID	0x3ffffff	/* above pid_max */
#define ANY		(-1)

/* The arguments, before they are laid out in memory. */
struct form {
	struct pmcgrp_create create;
	uint64_t tail[3];			/* of a longer struct */
	struct pmcgrp_member member[MEMBERS];
	unsigned char member_tail;
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

static const struct {
	uint32_t why;
	int err[4];
} reasons[] = {
	{ PMCGRP_WHY_NONE, { EFAULT, EMFILE, ENFILE, ENOMEM } },
	{ PMCGRP_WHY_FLAGS, { EINVAL } },
	{ PMCGRP_WHY_RESERVED, { EINVAL } },
	{ PMCGRP_WHY_TARGET, { EINVAL } },
	{ PMCGRP_WHY_READ_FORMAT, { EINVAL } },
	{ PMCGRP_WHY_NR_MEMBERS, { EINVAL } },
	{ PMCGRP_WHY_MEMBER, { EINVAL, E2BIG, EFAULT } },
	{ PMCGRP_WHY_ATTR_POINTER, { EFAULT } },
	{ PMCGRP_WHY_ATTR_SIZE, { EINVAL } },
	{ PMCGRP_WHY_ATTR_UNKNOWN, { E2BIG, EFAULT } },
	{ PMCGRP_WHY_ATTR_FIELD, { EINVAL } },
	{ PMCGRP_WHY_EVENT_UNKNOWN, { ENOENT } },
	{ PMCGRP_WHY_EVENT_KIND, { EOPNOTSUPP } },
	{ PMCGRP_WHY_TASK_GONE, { ESRCH } },
	{ PMCGRP_WHY_CPU_OFFLINE, { ENODEV } },
	{ PMCGRP_WHY_PERMISSION, { EACCES } },
	{ PMCGRP_WHY_NOMEM, { ENOMEM } },
};

static struct perf_event_attr random_event(struct rng *r, bool software)
{
	static const uint32_t exclude = 0x7;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	uint64_t bits = below(r, 8) & exclude;

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
		attr.config = chance(r, 50) ? ARM_CPU_CYCLES : below(r, 0x40);
		attr.config |= below(r, 4) << 32;
		break;
	case 6:
		attr.type = PERF_TYPE_HW_CACHE;
		attr.config = below(r, 8) | below(r, 4) << 8 | below(r, 3) << 16;
		break;
	case 7:
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = below(r, 2000);
		if (config.nr_traces && chance(r, 70))
			attr.config = config.trace[attr.config % config.nr_traces];
		break;
	}
	if (chance(r, 30)) {
		attr.exclude_user = bits & 1;
		attr.exclude_kernel = !!(bits & 2);
		attr.exclude_hv = !!(bits & 4);
	}
	return attr;
}

static int32_t random_tid(struct worker *w)
{
	unsigned int worker = below(&w->rng, config.workers), k = below(&w->rng, TARGETS);

	if (chance(&w->rng, 20))
		return shared->worker[worker].tid;
	return shared->worker[worker].target[k];
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
		.flags = chance(r, 60) ? 0 : below(r, 8),
		.read_format = chance(r, 60) ? FORMAT : below(r, 32),
		.member_size = sizeof(f->member[0]),
	};
	if (!software && chance(r, 60)) {
		f->create.target_id = random_tid(w);
	} else if (!software && chance(r, 50)) {
		f->create.target_type = PMCGRP_TARGET_CPU;
		f->create.target_id = below(r, config.cpus);
		f->create.flags &= ~PMCGRP_CREATE_ENABLE_ON_EXEC;
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
	uint64_t bit = below(r, 59);

	switch (below(r, w->alone ? 13 : 12)) {
	case 0:
		f->create.__reserved[below(r, 2)] = rng_next(r) | 1;
		form_expect(f, EINVAL, PMCGRP_WHY_RESERVED, PMCGRP_NO_MEMBER);
		break;
	case 1:
		f->create.flags |= 8ULL << bit;
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
		f->create.target_type = 2 + below(r, 1 << 30);
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

	switch (below(r, 8)) {
	case 0:
		f->member[i].flags = rng_next(r) | 1;
		form_expect(f, EINVAL, PMCGRP_WHY_RESERVED, i);
		break;
	case 1:
		f->member[i].__reserved = rng_next(r) | 1;
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
		i = below(r, chance(r, 80) ? f->create.nr_members % MEMBERS + 1 : MEMBERS) % MEMBERS;
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
			f->attr[i].attr.type = config.nr_types && chance(r, 70) ?
				config.type[below(r, config.nr_types)] : odd_number(r);
			f->attr[i].attr.config = odd_number(r);
			break;
		case 11:
			f->attr[i].attr.config = odd_number(r);
			f->attr[i].attr.config1 = odd_number(r);
			break;
		}
	}
}

/* Where the form has been put. */
struct layout {
	uint64_t create;
	uint64_t members;
	uint32_t nr;
};

static void form_lay_out(struct form *f, struct zones *z, struct rng *r, struct layout *at)
{
	uint32_t stride = f->create.member_size, i;
	size_t page = page_size(), len;

	at->nr = f->create.nr_members < MEMBERS ? f->create.nr_members : MEMBERS;
	if (stride > 4096 || stride < sizeof(f->member[0]))
		stride = sizeof(f->member[0]);
	len = (size_t)at->nr * stride;
	if (f->members_place == PLACE_READONLY && len > page)
		f->members_place = PLACE_NOWHERE;
	at->members = zone_address(&z->members, r, f->members_place, len);
	if (zone_writable(&z->members, at->members, len))
		memset((void *)(uintptr_t)at->members, 0, len);
	memset(z->members.alias, 0, page);
	for (i = 0; i < at->nr; i++) {
		uint64_t to = (uintptr_t)z->attrs.mem + (uint64_t)i * ATTR_BYTES;

		if (i == f->odd)
			to = zone_address(&z->attrs, r, f->odd_place, ATTR_BYTES);
		zone_write(&z->attrs, to, &f->attr[i], ATTR_BYTES);
		f->member[i].attr = to;
		zone_write(&z->members, at->members + (uint64_t)i * stride, &f->member[i],
			   sizeof(f->member[0]));
		if (f->member_tail)
			zone_write(&z->members, at->members + (uint64_t)i * stride + 32,
				   &f->member_tail, 1);
	}
	f->create.members = at->members;
	f->create.why = POISON;
	f->create.fail_member = POISON;
	f->create.fail_cpu = -77;
	len = f->create.size < sizeof(f->create) ? sizeof(f->create) : f->create.size;
	if (len > sizeof(f->create) + sizeof(f->tail))
		len = sizeof(f->create) + sizeof(f->tail);
	at->create = zone_address(&z->create, r, f->place, len);
	zone_write(&z->create, at->create, &f->create, len);
}

/* Whether this errno may have this reason, and blame this member. */
static bool reason_fits(const struct pmcgrp_create *c, int err)
{
	bool one = c->fail_member < c->nr_members, none = c->fail_member == PMCGRP_NO_MEMBER;
	size_t i, k;

	if (c->fail_cpu < -1 || c->fail_cpu >= 8192 || (!one && !none))
		return false;
	/* A PMU may refuse with any errno that user space knows. */
	if (c->why == PMCGRP_WHY_PMU)
		return err < ERRNOS && err != ENOTTY;
	for (i = 0; i < COUNT(reasons) && reasons[i].why != c->why; i++)
		;
	if (i == COUNT(reasons))
		return false;
	for (k = 0; k < 4 && reasons[i].err[k] != err; k++)
		;
	if (k == 4)
		return false;
	switch (c->why) {
	case PMCGRP_WHY_ATTR_POINTER:
	case PMCGRP_WHY_ATTR_SIZE:
	case PMCGRP_WHY_ATTR_UNKNOWN:
	case PMCGRP_WHY_ATTR_FIELD:
	case PMCGRP_WHY_EVENT_UNKNOWN:
	case PMCGRP_WHY_EVENT_KIND:
		return one;
	case PMCGRP_WHY_MEMBER:
	case PMCGRP_WHY_RESERVED:
	case PMCGRP_WHY_CPU_OFFLINE:
	case PMCGRP_WHY_NOMEM:
		return true;
	default:
		return none;
	}
}

/* A refusal: is it the one that was to be expected, or at least one that can be? */
static void check_refused(struct worker *w, const struct form *f, const struct pmcgrp_create *c,
			  int err)
{
	if (err <= 0 || err >= ERRNOS) {
		found(w, "CREATE: errno %d is none of user space's", err);
		return;
	}
	if (f->err != ANY && err != f->err && err != ENOMEM)
		found(w, "CREATE: errno %d, not %d; why %u, member %d", err, f->err,
		      c ? c->why : 0, c ? c->fail_member : 0);
	else if (c && f->why == ANY && c->why != POISON && !reason_fits(c, err))
		found(w, "CREATE: errno %d with why %u, member %d of %u, CPU %d", err, c->why,
		      c->fail_member, c->nr_members, c->fail_cpu);
	else if (c && f->why != ANY && err == f->err &&
		 (c->why != (uint32_t)f->why || c->fail_member != f->fail_member))
		found(w, "CREATE: errno %d with why %u, member %d; not why %d, member %d", err,
		      c->why, c->fail_member, f->why, f->fail_member);
}

/* What will have to be true of every read of the new group. */
static void learn(struct worker *w, const struct form *f, const struct layout *at,
		  struct made *made)
{
	unsigned int i, k;

	*made = (struct made){
		.serial = __atomic_add_fetch(&shared->serial, 1, __ATOMIC_RELAXED),
		.read_format = f->create.read_format,
		.nr = f->create.nr_members,
		.pinned = f->create.flags & PMCGRP_CREATE_PINNED,
	};
	for (i = 0; i < made->nr && i < PMCGRP_MEMBERS_MAX; i++) {
		memcpy(&made->id[i], (char *)(uintptr_t)(at->members + (uint64_t)i *
		       f->create.member_size) + offsetof(struct pmcgrp_member, id), 8);
		if (made->id[i] <= (i ? made->id[i - 1] : 1ULL << 32))
			found(w, "CREATE: id %llx of member %u", (unsigned long long)made->id[i], i);
		/* An attr put somewhere else may lie over another one. */
		k = f->odd < MEMBERS ? i : 0;
		while (k < i && memcmp(&f->attr[k], &f->attr[i], sizeof(f->attr[i])))
			k++;
		made->same[i] = k;
	}
}

static void set_capabilities(struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	syscall(SYS_capset, &header, data);
}

/* The call itself, without what it shall be without. Returns a descriptor or -errno. */
static int form_submit(struct worker *w, const struct form *f, uint64_t arg)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {}, none[2] = {};
	struct rlimit old, low = {};
	int fd;

	if (f->no_capability) {
		syscall(SYS_capget, &header, data);
		memcpy(none, data, sizeof(none));
		none[0].effective = 0;
		none[1].effective = 0;
		set_capabilities(none);
	}
	if (f->no_descriptor) {
		getrlimit(RLIMIT_NOFILE, &old);
		low.rlim_max = old.rlim_max;
		setrlimit(RLIMIT_NOFILE, &low);
	}
	fd = ioctl(w->dev, PMCGRP_IOC_CREATE, arg);
	if (fd < 0)
		fd = -errno;
	if (f->no_descriptor)
		setrlimit(RLIMIT_NOFILE, &old);
	if (f->no_capability)
		set_capabilities(data);
	return fd;
}

#endif /* FUZZ_CREATE_H */
