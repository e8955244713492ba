// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What a section has counted by CPU and key. The module tells each CPU's entries in turn; those of
 * one key are added up here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "failure.h"

/* Room for so many entries more at a time. */
#define STEP 256

/* While they are fetched. */
struct fetch {
	struct pmcgrp_section_counts *counts;
	size_t max;
	uint64_t cursor;
};

static int failure_read(struct failure *f, uint64_t id, int err)
{
	begin(f, PMCGRP_WHY_NONE, -1, -1);
	if (err == ENOTTY) {
		say(f, "the loaded module knows no counts of sections by key: it is older than this "
		       "library; use a module and a library of the same release");
	} else if (err == EACCES) {
		say(f, "not permitted: run as root, or with CAP_PERFMON");
	} else {
		say(f, "cannot read what section %llu has counted by key: ", (unsigned long long)id);
		say_errno(f, err);
	}
	return -err;
}

static int make_room(struct fetch *fetch)
{
	struct pmcgrp_section_counts *counts = fetch->counts;
	size_t nr = counts ? counts->nr : 0, max = nr + STEP;

	if (fetch->max - nr >= STEP)
		return 0;
	/* Twice as many, as many more come. */
	max += nr;
	counts = realloc(counts, sizeof(*counts) + max * sizeof(counts->entry[0]));
	if (!counts)
		return -ENOMEM;
	counts->nr = nr;
	fetch->counts = counts;
	fetch->max = max;
	return 0;
}

static int fetch_some(struct fetch *fetch, int fd, uint64_t id)
{
	struct pmcgrp_section_keys ask = { .size = sizeof(ask), .id = id, .cursor = fetch->cursor };
	int ret = make_room(fetch);

	if (ret < 0)
		return ret;
	ask.entries = (uintptr_t)&fetch->counts->entry[fetch->counts->nr];
	ask.nr_entries = STEP;
	ask.entry_size = sizeof(fetch->counts->entry[0]);
	if (ioctl(fd, PMCGRP_IOC_SECTION_KEYS, &ask) < 0)
		return -errno;
	if (ask.nr_entries > STEP || ask.nr_members > PMCGRP_SECTION_MEMBERS_MAX ||
	    ask.cursor == fetch->cursor)
		return -EPROTO;
	fetch->counts->nr += ask.nr_entries;
	fetch->counts->by = ask.by;
	fetch->counts->nr_members = ask.nr_members;
	fetch->cursor = ask.cursor;
	return 0;
}

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Totals first, by CPU; then keys, then what found no slot. */
static int compare(const void *a, const void *b)
{
	const struct pmcgrp_section_key *x = a, *y = b;
	int order = compare_words(x->kind, y->kind);

	if (!order)
		order = compare_words(x->key[0], y->key[0]);
	if (!order)
		order = compare_words(x->key[1], y->key[1]);
	return order ? order : compare_words(x->cpu, y->cpu);
}

static void entry_add(struct pmcgrp_section_key *to, const struct pmcgrp_section_key *from)
{
	const struct pmcgrp_section_key_stat *stat = from->stat;
	unsigned int i;

	for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++, stat++) {
		to->stat[i].sum += stat->sum;
		if (stat->min < to->stat[i].min)
			to->stat[i].min = stat->min;
		if (stat->max > to->stat[i].max)
			to->stat[i].max = stat->max;
	}
	to->count += from->count;
}

/* One entry for each key, which has counted. */
static void merge(struct pmcgrp_section_counts *counts)
{
	struct pmcgrp_section_key *to = NULL, *from;
	size_t i, nr = 0;

	qsort(counts->entry, counts->nr, sizeof(counts->entry[0]), compare);
	for (i = 0; i < counts->nr; i++) {
		from = &counts->entry[i];
		if (from->kind != PMCGRP_SECTION_KEY_TOTAL && !from->count)
			continue;
		if (to && from->kind != PMCGRP_SECTION_KEY_TOTAL && from->kind == to->kind &&
		    from->key[0] == to->key[0] && from->key[1] == to->key[1]) {
			entry_add(to, from);
			continue;
		}
		to = &counts->entry[nr++];
		*to = *from;
		to->comm[sizeof(to->comm) - 1] = '\0';
	}
	counts->nr = nr;
}

int pmcgrp_section_read_keys(struct pmcgrp *h, uint64_t id, struct pmcgrp_section_counts **out)
{
	struct fetch fetch = { 0 };
	int ret;

	if (!h)
		return -EINVAL;
	if (!out)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_section_read_keys() was given no place for the counts");
	*out = NULL;
	if (h->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "perf_event_open has no sections of kernel modules");
	do {
		ret = fetch_some(&fetch, h->dev, id);
	} while (!ret && fetch.cursor != PMCGRP_SECTION_KEYS_END);
	if (ret < 0) {
		free(fetch.counts);
		return ret == -ENOENT ? ret : failure_read(&h->failure, id, -ret);
	}
	merge(fetch.counts);
	*out = fetch.counts;
	return 0;
}

void pmcgrp_section_counts_free(struct pmcgrp_section_counts *counts)
{
	free(counts);
}
