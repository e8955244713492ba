/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups with a leader: members that come, read, and go. */
#ifndef FUZZ_LED_H
#define FUZZ_LED_H

#include "form.h"

static inline size_t read_bytes(uint64_t format, uint64_t nr)
{
	size_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	size_t n = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	return 8 * (format & PERF_FORMAT_GROUP ? n + 1 + each * nr : n + each);
}

/* How many members there are is others' doing, but a read is whole and is one's own. */
static void check_led(struct worker *w, const struct made *made, const uint64_t *word, size_t size)
{
	bool group = made->read_format & PERF_FORMAT_GROUP, mine = false;
	uint64_t nr = group ? word[0] : 1, enabled = 0, running = 0;
	unsigned int i, n = 1;

	if (!nr || nr > PMCGRP_MEMBERS_MAX || size != read_bytes(made->read_format, nr)) {
		found(w, "read: %zu bytes of %llu members with a leader", size,
		      (unsigned long long)nr);
		return;
	}
	if (made->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		enabled = word[n++];
	if (made->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		running = word[n++];
	if ((made->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) && running > enabled)
		found(w, "read: of a member, running %llu of %llu ns", (unsigned long long)running,
		      (unsigned long long)enabled);
	if (!(made->read_format & PERF_FORMAT_ID))
		return;
	for (i = 0; i < nr; i++) {
		n += group;
		mine |= word[n++] == made->id[0];
		n += !!(made->read_format & PERF_FORMAT_LOST);
	}
	if (!mine)
		found(w, "read: the member is not among its group's %llu", (unsigned long long)nr);
}

/* The errno that a fault of the struct must have, or 0. */
static int add_break(struct pmcgrp_add *add, struct rng *r)
{
	uint64_t bit = below(r, 59);
	int err = EINVAL;

	switch (below(r, 19)) {
	case 0:
		add->size = below(r, PMCGRP_ADD_SIZE_VER0);
		break;
	case 1:
		add->flags |= 2U << below(r, 31);
		break;
	case 2:
		add->read_format |= 32ULL << bit;
		break;
	case 3:
		add->attr = 8;
		err = EFAULT;
		break;
	default:
		err = 0;
		break;
	}
	return err;
}

static void op_add(struct worker *w)
{
	struct perf_event_attr attr = random_event(&w->rng, chance(&w->rng, 50));
	struct seat *from = &w->seat[below(&w->rng, SEATS)], *to = &w->seat[below(&w->rng, SEATS)];
	struct pmcgrp_add add = {
		.size = sizeof(add),
		.flags = below(&w->rng, 2),
		.attr = (uintptr_t)&attr,
		.read_format = chance(&w->rng, 50) ? FORMAT : below(&w->rng, 32),
	};
	int expect = add_break(&add, &w->rng), fd, err;
	struct made made, added = { .read_format = add.read_format, .nr = 1, .led = true };
	unsigned int gen;
	bool known;

	known = seat_look(from, &gen, &fd, &made);
	fd = ioctl(fd, PMCGRP_IOC_ADD, &add);
	err = fd < 0 ? errno : 0;
	known = known && seat_unchanged(from, gen);
	if (known && (!made.led || made.member) && err != EINVAL)
		found(w, "ADD: errno %d where there is no leader", err);
	else if (known && made.led && !made.member && expect && err != expect)
		found(w, "ADD: errno %d, not %d", err, expect);
	if (fd < 0)
		return;
	added.member = true;
	added.id[0] = add.id;
	added.serial = __atomic_add_fetch(&shared->serial, 1, __ATOMIC_RELAXED);
	if (add.why || add.fail_cpu != -1 || add.id <= 1ULL << 32)
		found(w, "ADD: a member, and why %u, CPU %d", add.why, add.fail_cpu);
	if (fcntl(fd, F_GETFD) != FD_CLOEXEC && w->alone)
		found(w, "ADD: not close-on-exec");
	count(&shared->members);
	seat_put(to, fd, &added);
}

#endif /* FUZZ_LED_H */
