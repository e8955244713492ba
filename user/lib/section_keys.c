// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What a section has counted by CPU and key. The module tells each CPU's entries in turn; those of
 * one key are added up here.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "failure.h"

/* Room for so many entries more at a time. */
#define STEP 256

/* While they are fetched, CPU after CPU. */
struct fetch {
	struct pmcgrp_section_key *entry;
	struct pmcgrp_section_key_buckets *buckets;	/* of each; NULL: not asked for */
	bool histograms;				/* they are */
	size_t nr;
	size_t max;
	uint64_t cursor;
	uint32_t by;
	uint32_t nr_members;
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
	/* Twice as many, as many more come. */
	size_t max = 2 * fetch->nr + STEP;
	void *room;

	if (fetch->max - fetch->nr >= STEP)
		return 0;
	room = reallocarray(fetch->entry, max, sizeof(fetch->entry[0]));
	if (!room)
		return -ENOMEM;
	fetch->entry = room;
	if (fetch->histograms) {
		room = reallocarray(fetch->buckets, max, sizeof(fetch->buckets[0]));
		if (!room)
			return -ENOMEM;
		fetch->buckets = room;
	}
	fetch->max = max;
	return 0;
}

static int fetch_some(struct fetch *fetch, int fd, uint64_t id)
{
	struct pmcgrp_section_keys ask = { .size = sizeof(ask), .id = id, .cursor = fetch->cursor };
	int ret = make_room(fetch);

	if (ret < 0)
		return ret;
	ask.entries = (uintptr_t)&fetch->entry[fetch->nr];
	ask.nr_entries = STEP;
	ask.entry_size = sizeof(fetch->entry[0]);
	if (fetch->histograms)
		ask.buckets = (uintptr_t)&fetch->buckets[fetch->nr];
	ask.bucket_size = fetch->histograms ? sizeof(fetch->buckets[0]) : 0;
	if (ioctl(fd, PMCGRP_IOC_SECTION_KEYS, &ask) < 0)
		return -errno;
	if (ask.nr_entries > STEP || ask.nr_members > PMCGRP_SECTION_MEMBERS_MAX ||
	    ask.cursor == fetch->cursor)
		return -EPROTO;
	fetch->nr += ask.nr_entries;
	fetch->by = ask.by;
	fetch->nr_members = ask.nr_members;
	fetch->cursor = ask.cursor;
	return 0;
}

/* ---- One entry for each key ---- */

/* An entry that was fetched. */
struct part {
	const struct pmcgrp_section_key *entry;
	const struct pmcgrp_section_key_buckets *buckets;
};

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Totals first, by CPU; then keys, then what found no slot. */
static int compare(const void *a, const void *b)
{
	const struct pmcgrp_section_key *x = ((const struct part *)a)->entry;
	const struct pmcgrp_section_key *y = ((const struct part *)b)->entry;
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

static void buckets_add(struct pmcgrp_section_key_buckets *to,
			const struct pmcgrp_section_key_buckets *from)
{
	unsigned int i, k;

	for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++) {
		for (k = 0; k < PMCGRP_SECTION_BUCKETS; k++)
			to->bucket[i][k] += from->bucket[i][k];
	}
}

/* The key of a part is that of the last entry. */
static bool is_of_last(const struct pmcgrp_section_counts *counts,
		       const struct pmcgrp_section_key *entry)
{
	const struct pmcgrp_section_key *last = counts->entry + counts->nr - 1;

	return counts->nr && entry->kind != PMCGRP_SECTION_KEY_TOTAL && entry->kind == last->kind &&
	       entry->key[0] == last->key[0] && entry->key[1] == last->key[1];
}

static void put(struct pmcgrp_section_counts *counts, const struct part *part)
{
	struct pmcgrp_section_key *to;

	if (part->entry->kind != PMCGRP_SECTION_KEY_TOTAL && !part->entry->count)
		return;
	if (is_of_last(counts, part->entry)) {
		entry_add(&counts->entry[counts->nr - 1], part->entry);
		if (counts->buckets)
			buckets_add(&counts->buckets[counts->nr - 1], part->buckets);
		return;
	}
	to = &counts->entry[counts->nr];
	*to = *part->entry;
	to->comm[sizeof(to->comm) - 1] = '\0';
	if (counts->buckets)
		counts->buckets[counts->nr] = *part->buckets;
	counts->nr++;
}

static void put_all(struct pmcgrp_section_counts *counts, const struct fetch *fetch,
		    struct part *parts)
{
	size_t i;

	for (i = 0; i < fetch->nr; i++) {
		parts[i].entry = &fetch->entry[i];
		parts[i].buckets = fetch->histograms ? &fetch->buckets[i] : NULL;
	}
	qsort(parts, fetch->nr, sizeof(parts[0]), compare);
	for (i = 0; i < fetch->nr; i++)
		put(counts, &parts[i]);
}

static struct pmcgrp_section_counts *counts_new(const struct fetch *fetch)
{
	struct pmcgrp_section_counts *counts;

	counts = calloc(1, sizeof(*counts) + fetch->nr * sizeof(counts->entry[0]));
	if (!counts)
		return NULL;
	counts->by = fetch->by;
	counts->nr_members = fetch->nr_members;
	if (!fetch->histograms)
		return counts;
	counts->buckets = calloc(fetch->nr + 1, sizeof(counts->buckets[0]));
	if (counts->buckets)
		return counts;
	free(counts);
	return NULL;
}

/* What was fetched, with one entry for each key that has counted. */
static struct pmcgrp_section_counts *merge(const struct fetch *fetch)
{
	struct part *parts = calloc(fetch->nr + 1, sizeof(*parts));
	struct pmcgrp_section_counts *counts = parts ? counts_new(fetch) : NULL;

	if (counts)
		put_all(counts, fetch, parts);
	free(parts);
	return counts;
}

static int fetch_all(struct fetch *fetch, int fd, uint64_t id)
{
	int ret;

	do {
		ret = fetch_some(fetch, fd, id);
	} while (!ret && fetch->cursor != PMCGRP_SECTION_KEYS_END);
	return ret;
}

static int read_keys(struct pmcgrp *h, uint64_t id, bool histograms,
		     struct pmcgrp_section_counts **out)
{
	struct fetch fetch = { .histograms = histograms };
	int ret;

	if (!h)
		return -EINVAL;
	if (!out)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "there is no place for the counts of a section by key");
	*out = NULL;
	if (h->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "perf_event_open has no sections of kernel modules");
	ret = fetch_all(&fetch, h->dev, id);
	if (!ret) {
		*out = merge(&fetch);
		ret = *out ? 0 : -ENOMEM;
	}
	free(fetch.entry);
	free(fetch.buckets);
	return ret && ret != -ENOENT ? failure_read(&h->failure, id, -ret) : ret;
}

int pmcgrp_section_read_keys(struct pmcgrp *h, uint64_t id, struct pmcgrp_section_counts **out)
{
	return read_keys(h, id, false, out);
}

int pmcgrp_section_read_histograms(struct pmcgrp *h, uint64_t id,
				   struct pmcgrp_section_counts **out)
{
	return read_keys(h, id, true, out);
}

void pmcgrp_section_counts_free(struct pmcgrp_section_counts *counts)
{
	if (!counts)
		return;
	free(counts->buckets);
	free(counts);
}
