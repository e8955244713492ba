/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCGRP_IOC_CREATE: what comes of arguments, and whether that may be. */
#ifndef FUZZ_CREATE_H
#define FUZZ_CREATE_H

#include "form.h"
#include <linux/capability.h>
#include <sys/resource.h>

/* Zones into which every worker writes at the same time. */
static struct zones racing_zones;

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
	{ PMCGRP_WHY_GROUPS_MAX, { ENOSPC } },
	{ PMCGRP_WHY_COUNTERS_MAX, { ENOSPC } },
	{ PMCGRP_WHY_MEMORY_MAX, { ENOSPC } },
	{ PMCGRP_WHY_SWITCH_MAX, { ENOSPC } },
	{ PMCGRP_WHY_CPUS, { EINVAL, EFAULT } },
	{ PMCGRP_WHY_TOO_LARGE, { EINVAL } },
	{ PMCGRP_WHY_PRECISE, { EINVAL } },
	{ PMCGRP_WHY_BRANCHES, { EINVAL } },
	{ PMCGRP_WHY_SAMPLES, { EOPNOTSUPP } },
	{ PMCGRP_WHY_TOPDOWN, { EOPNOTSUPP } },
	{ PMCGRP_WHY_USER_READ_TASK, { EINVAL } },
	{ PMCGRP_WHY_CGROUP, { EBADF } },
	{ PMCGRP_WHY_NO_CGROUPS, { EOPNOTSUPP } },
	{ PMCGRP_WHY_BACKGROUND, { EINVAL } },
};

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
	case PMCGRP_WHY_TOO_LARGE:
	case PMCGRP_WHY_PRECISE:
	case PMCGRP_WHY_BRANCHES:
	case PMCGRP_WHY_SAMPLES:
	case PMCGRP_WHY_TOPDOWN:
	case PMCGRP_WHY_USER_READ_TASK:
		return one;
	case PMCGRP_WHY_MEMBER:
	case PMCGRP_WHY_RESERVED:
	case PMCGRP_WHY_CPU_OFFLINE:
	case PMCGRP_WHY_NOMEM:
	case PMCGRP_WHY_COUNTERS_MAX:
	case PMCGRP_WHY_CPUS:
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
	/* Where a limit is reached nothing else need be looked at. */
	if (c && err == ENOSPC && reason_fits(c, err))
		return;
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
	const char *member;

	*made = (struct made){
		.serial = __atomic_add_fetch(&shared->serial, 1, __ATOMIC_RELAXED),
		.read_format = f->create.read_format,
		.nr = f->create.nr_members,
		.pinned = f->create.flags & PMCGRP_CREATE_PINNED,
		.led = f->create.flags & PMCGRP_CREATE_LEADER,
	};
	for (i = 0; i < made->nr && i < PMCGRP_MEMBERS_MAX; i++) {
		member = (char *)(uintptr_t)at->members + (size_t)i * f->create.member_size;
		memcpy(&made->id[i], member + offsetof(struct pmcgrp_member, id), 8);
		if (made->id[i] <= (i ? made->id[i - 1] : 1ULL << 32))
			found(w, "CREATE: member %u has no id of its own", i);
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

/* Returns the number of the next new descriptor, if no other thread opens one. */
static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void create(struct worker *w, struct form *f, struct zones *z)
{
	bool racing = z == &racing_zones;
	struct pmcgrp_create *c = NULL;
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	struct made made;
	struct layout at;
	int fd, next = -1;

	form_lay_out(f, z, &w->rng, &at);
	if (w->alone)
		next = next_fd();
	fd = form_submit(w, f, at.create);
	if (!racing && zone_writable(&z->create, at.create, sizeof(f->create))) {
		memcpy(&f->create, (void *)(uintptr_t)at.create, sizeof(f->create));
		c = &f->create;
	}
	if (fd < 0) {
		if (racing)
			f->err = ANY;
		check_refused(w, f, c, -fd);
		if (-fd < ERRNOS)
			count(&shared->refused[-fd]);
		/* Nor is a number taken that nothing stands behind. */
		if (w->alone && next_fd() != next)
			found(w, "CREATE: errno %d, and a descriptor", -fd);
		return;
	}
	count(&shared->groups);
	if (w->alone && fd != next)
		found(w, "CREATE: descriptor %d, and %d is free", fd, next);
	if (racing) {
		seat_put(s, fd, NULL);
		return;
	}
	if (f->err > 0)
		found(w, "CREATE: a group, and not errno %d, why %d", f->err, f->why);
	if (!c || c->why || c->fail_member != PMCGRP_NO_MEMBER || c->fail_cpu != -1)
		found(w, "CREATE: a group, and why %u", c ? c->why : 0);
	if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
		found(w, "CREATE: not close-on-exec");
	learn(w, f, &at, &made);
	seat_put(s, fd, &made);
}

static void op_create(struct worker *w)
{
	struct form f;

	form_fill(&f, w, chance(&w->rng, 25));
	create(w, &f, &w->zones);
}

static void op_create_faulty(struct worker *w)
{
	struct form f;

	form_fill(&f, w, true);
	switch (below(&w->rng, 3)) {
	case 0:
		form_break_struct(&f, &w->rng);
		break;
	case 1:
		form_break_field(&f, w);
		break;
	case 2:
		form_break_member(&f, &w->rng);
		break;
	}
	create(w, &f, &w->zones);
}

static void op_create_random(struct worker *w)
{
	struct form f;

	form_fill(&f, w, false);
	form_break_at_random(&f, w);
	create(w, &f, &w->zones);
}

static void op_create_racing(struct worker *w)
{
	struct form f;

	form_fill(&f, w, false);
	if (chance(&w->rng, 50))
		form_break_at_random(&f, w);
	create(w, &f, &racing_zones);
}

#endif /* FUZZ_CREATE_H */
