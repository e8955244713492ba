/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans of tracepoints and functions, and what they have counted by key. */
#ifndef FUZZ_SPAN_H
#define FUZZ_SPAN_H

#include "form.h"

/* Numbers of enum pmcgrp_key_type and enum pmcgrp_span_key. */
#define KEY_TYPES	(PMCGRP_KEY_COMMAND + 1)
#define SPAN_KEYS	(PMCGRP_SPAN_KEY_ARG + 1)

static uint64_t point_name(struct rng *r)
{
	static const char *const names[] = {
		"sys_enter", "sys_exit", "sched_switch", "sched_waking", "hrtimer_expire_entry",
		"hrtimer_expire_exit", "kmalloc", "kfree", "vfs_read", "pmcgrp_no_such", "",
	};

	return (uintptr_t)names[below(r, COUNT(names))];
}

static bool by_may_be(const struct pmcgrp_span_add *add)
{
	if (!add->by)
		return !add->slots && !add->flags;
	return add->by <= KEY_TYPES && add->slots <= PMCGRP_SPAN_SLOTS_MAX;
}

static bool span_may_be(const struct pmcgrp_span_add *add)
{
	if (add->max_active > PMCGRP_SPAN_ACTIVE_MAX || add->flags & ~PMCGRP_SPAN_HISTOGRAMS ||
	    add->offset || !by_may_be(add))
		return false;
	if (add->kind == PMCGRP_SECTION_FUNCTION)
		return !add->end && !add->key && !add->begin_arg && !add->end_arg && !add->arg_size;
	if (add->kind != PMCGRP_SECTION_TRACEPOINTS || !add->end)
		return false;
	if (add->key != PMCGRP_SPAN_KEY_ARG)
		return add->key < SPAN_KEYS && !add->begin_arg && !add->end_arg &&
		       !add->arg_size;
	return (add->arg_size == 4 || add->arg_size == 8) &&
	       add->begin_arg < PMCGRP_SPAN_ARGS_MAX && add->end_arg < PMCGRP_SPAN_ARGS_MAX;
}

/* A span of tracepoints, or of a function: fields are right more often than not. */
static void op_span(struct worker *w)
{
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	struct rng *r = &w->rng;
	struct pmcgrp_span_add add = {
		.size = sizeof(add),
		.kind = chance(r, 90) ? PMCGRP_SECTION_TRACEPOINTS : below(r, 3),
		.max_active = chance(r, 95) ? below(r, 64) : PMCGRP_SPAN_ACTIVE_MAX + below(r, 2),
		.begin = point_name(r),
		.flags = below(r, 32) ? PMCGRP_SPAN_HISTOGRAMS * below(r, 2) : 1 + below(r, 4),
		.by = below(r, KEY_TYPES + 2),
		.key = below(r, SPAN_KEYS + 1),
	}, asked;
	struct made made;
	unsigned int gen;
	bool is_pair = add.kind == PMCGRP_SECTION_TRACEPOINTS;
	int fd, err;

	if (chance(r, 95) == is_pair)
		add.end = point_name(r);
	if (add.key == PMCGRP_SPAN_KEY_ARG || chance(r, 5)) {
		add.begin_arg = below(r, PMCGRP_SPAN_ARGS_MAX + 1);
		add.end_arg = below(r, PMCGRP_SPAN_ARGS_MAX + 1);
		add.arg_size = chance(r, 90) ? 4 << below(r, 2) : below(r, 256);
	}
	if (chance(r, 95)) {
		add.flags *= add.by != 0;
	} else {
		add.depth = PMCGRP_KEYS_ROOT - below(r, 2);
	}
	if (add.by || chance(r, 5))
		add.slots = chance(r, 95) ? below(r, 64) : PMCGRP_SPAN_SLOTS_MAX + 1;
	asked = add;
	if (!seat_look(s, &gen, &fd, &made) || made.member)
		return;
	err = ioctl(fd, PMCGRP_IOC_SPAN, &add) ? errno : 0;
	if (!seat_unchanged(s, gen))
		return;
	if (err && err != EINVAL && err != ENOENT && err != ENOSPC && err != EOPNOTSUPP &&
	    err != ENOMEM && err != EACCES)
		found(w, "a span: errno %d", err);
	if (!err && !span_may_be(&asked))
		found(w, "a span of kind %u, key %u, arguments %u and %u of %u bytes", asked.kind,
		      asked.key, asked.begin_arg, asked.end_arg, asked.arg_size);
	if (!err && (!add.id || add.why || add.max_active < asked.max_active))
		found(w, "a span with id %llu, why %u, room for %u of %u",
		      (unsigned long long)add.id, add.why, add.max_active, asked.max_active);
	if (!err)
		w->section = add.id;
}

/* Of a span that there may be, from a place that there may be. */
static void op_section_keys(struct worker *w)
{
	struct rng *r = &w->rng;
	struct zone *z = &w->zones.buf;
	struct pmcgrp_section_keys arg = {
		.size = sizeof(arg),
		.flags = !below(r, 32),
		.id = chance(r, 90) ? w->section : odd_number(r),
		.cursor = chance(r, 50) ? 0 : (uint64_t)below(r, 8) << 32 | below(r, 100),
		.entries = zone_address(z, r, below(r, PLACES), 64),
		.nr_entries = below(r, 300),
		.entry_size = chance(r, 90) ? sizeof(struct pmcgrp_section_key) : below(r, 5000),
		.buckets = chance(r, 50) ? 0 : zone_address(z, r, below(r, PLACES), 64),
	}, asked;
	int err;

	if (arg.buckets || chance(r, 5))
		arg.bucket_size = chance(r, 90) ? sizeof(struct pmcgrp_section_key_buckets) :
						  below(r, 70000);
	if (chance(r, 3))
		arg.cursor = odd_number(r);
	asked = arg;
	err = ioctl(w->dev, PMCGRP_IOC_SECTION_KEYS, &arg) ? errno : 0;
	if (err && err != EINVAL && err != ENOENT && err != EFAULT && err != ENOMEM &&
	    err != EACCES && !(err == E2BIG && asked.bucket_size > 65536))
		found(w, "keys of a section: errno %d", err);
	if (!err && (asked.flags || !asked.nr_entries ||
		     asked.entry_size < PMCGRP_SECTION_KEY_SIZE_VER0 ||
		     (asked.buckets ? asked.bucket_size < PMCGRP_SECTION_KEY_BUCKETS_SIZE_VER0 :
				      asked.bucket_size)))
		found(w, "keys of a section: %u entries of %u bytes, histograms of %u, flags %u",
		      asked.nr_entries, asked.entry_size, asked.bucket_size, asked.flags);
	if (!err && (arg.nr_entries > asked.nr_entries || arg.cursor == asked.cursor))
		found(w, "keys of a section: %u of %u from %llx to %llx", arg.nr_entries,
		      asked.nr_entries, (unsigned long long)asked.cursor,
		      (unsigned long long)arg.cursor);
}

#endif
