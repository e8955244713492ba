// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "sums.h"
#include "symbol_table.h"

const char * const rep_key_names[REP_NR_KEYS] = {
	[REP_KEY_COMM] = "comm",
	[REP_KEY_PID] = "pid",
	[REP_KEY_TID] = "tid",
	[REP_KEY_CPU] = "cpu",
	[REP_KEY_TRIGGER] = "trigger",
	[REP_KEY_SYM] = "sym",
	[REP_KEY_DSO] = "dso",
	[REP_KEY_CGROUP] = "cgroup",
};

static bool any_has(const struct perfdata_reader *reader, uint64_t bit)
{
	unsigned int i;

	for (i = 0; i < reader->nr_events; i++) {
		if (reader->events[i].attr.sample_type & bit)
			return true;
	}
	return false;
}

const char *rep_keys_missing(const struct rep_keys *keys, const struct perfdata_reader *reader)
{
	if (rep_keys_have(keys, REP_KEY_CGROUP)) {
		if (!any_has(reader, PERF_SAMPLE_CGROUP))
			return "has no cgroups in its samples: the samples of \"pmcgrp record\" cannot "
			       "have them; record with \"perf record --all-cgroups -e '{...}:S'\", or "
			       "take --sort comm or pid";
		if (any_has(reader, PERF_SAMPLE_AUX))
			return "has AUX data in its samples, behind which their cgroups are not found: "
			       "record without --aux-sample";
	}
	if (!rep_keys_have(keys, REP_KEY_SYM) && !rep_keys_have(keys, REP_KEY_DSO))
		return NULL;
	if (!rep_symbols_elf)
		return "cannot be sorted by sym or dso: this pmcgrp was built without libelf (Debian: "
		       "libelf-dev)";
	if (!any_has(reader, PERF_SAMPLE_IP))
		return "has no addresses in its samples (PERF_SAMPLE_IP), so there is no sym or dso to "
		       "sort by";
	return NULL;
}

/* The sample's part of each key. */
static void row_of(const struct rep_sums *sums, const struct rep_cause *cause,
		   struct rep_sum *row)
{
	const struct perfdata_sample *sample = cause->sample;
	const char *comm = cause->comm;
	unsigned int i;

	memset(row, 0, sizeof(*row));
	for (i = 0; i < sums->keys.nr; i++) {
		switch (sums->keys.key[i]) {
		case REP_KEY_COMM:
			if (comm)
				memcpy(row->comm, comm, strnlen(comm, sizeof(row->comm) - 1));
			break;
		case REP_KEY_PID:
			row->pid = sample->pid;
			break;
		case REP_KEY_TID:
			row->tid = sample->tid;
			break;
		case REP_KEY_CPU:
			row->cpu = sample->cpu;
			break;
		case REP_KEY_TRIGGER:
			row->trigger = sample->switched ? REP_SWITCH : sample->event;
			break;
		case REP_KEY_SYM:
			row->function = (unsigned int)cause->function;
			break;
		case REP_KEY_DSO:
			row->object = (unsigned int)cause->object;
			break;
		case REP_KEY_CGROUP:
			row->cgroup = sample->cgroup;
			break;
		case REP_NR_KEYS:
			break;
		}
	}
}

/* The number of two others; SIZE_MAX: out of memory. */
static size_t part(struct rep_map *map, uint64_t x, uint64_t y)
{
	size_t at = rep_map_find(map, x, y);

	if (at != REP_MAP_NONE)
		return at;
	at = map->nr;
	return rep_map_add(map, x, y, at) < 0 ? SIZE_MAX : at;
}

/* All keys as two numbers, which are equal only if all keys are. */
static int number(struct rep_sums *sums, const struct rep_sum *row, uint64_t *a, uint64_t *b)
{
	const uint64_t places[] = {
		(uint64_t)row->cpu << 32 | (uint32_t)(row->trigger + 1),
		(uint64_t)row->function << 32 | row->object,
		row->cgroup,
	};
	uint64_t bytes[2];
	size_t i, at;

	memcpy(bytes, row->comm, sizeof(bytes));
	at = part(&sums->parts[0], bytes[0], bytes[1]);
	for (i = 0; at != SIZE_MAX && i < 3; i++)
		at = part(&sums->parts[i + 1], at, places[i]);
	*a = (uint64_t)row->pid << 32 | row->tid;
	*b = at;
	return at == SIZE_MAX ? -ENOMEM : 0;
}

static int counts_grow(struct rep_sums *sums)
{
	size_t need = (sums->nr + 1) * sums->nr_events;
	uint64_t *more;

	if (need <= sums->room_counts)
		return 0;
	more = reallocarray(sums->counts, 2 * need, sizeof(*more));
	if (!more)
		return -ENOMEM;
	sums->counts = more;
	sums->room_counts = 2 * need;
	return 0;
}

static struct rep_sum *find(struct rep_sums *sums, const struct rep_sum *like)
{
	uint64_t a, b;
	size_t at;

	if (number(sums, like, &a, &b) < 0)
		return NULL;
	at = rep_map_find(&sums->map, a, b);
	if (at != REP_MAP_NONE)
		return &sums->rows[at];
	if (counts_grow(sums) < 0 ||
	    !rep_grow(&sums->rows, &sums->room, sums->nr, sizeof(*sums->rows)) ||
	    rep_map_add(&sums->map, a, b, sums->nr) < 0)
		return NULL;
	sums->rows[sums->nr] = *like;
	name_text(sums->rows[sums->nr].comm_text, NAME_COMM_SIZE, like->comm, sizeof(like->comm));
	sums->rows[sums->nr].counts = sums->nr * sums->nr_events;
	memset(sums->counts + sums->nr * sums->nr_events, 0, sums->nr_events * sizeof(uint64_t));
	return &sums->rows[sums->nr++];
}

int rep_sums_add(struct rep_sums *sums, const struct rep_cause *cause,
		 const struct rep_stream *stream, const struct rep_interval *interval)
{
	struct rep_sum like, *row;
	unsigned int i;

	row_of(sums, cause, &like);
	row = find(sums, &like);
	if (!row)
		return -ENOMEM;
	row->samples += !cause->sample->switched;
	if (!interval)
		return 0;
	row->enabled += interval->enabled;
	row->running += interval->running;
	for (i = 0; i < stream->nr; i++)
		sums->counts[row->counts + stream->events[i]] += interval->delta[i];
	return 0;
}

/* qsort() has no argument for it. */
static const struct rep_sums *sorted;
static unsigned int sorted_by;

static int compare(const void *a, const void *b)
{
	const struct rep_sum *x = a, *y = b;
	uint64_t p = rep_sum_count(sorted, x, sorted_by), q = rep_sum_count(sorted, y, sorted_by);

	if (p != q)
		return p > q ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	/* Their order of appearance. */
	return x->counts < y->counts ? -1 : x->counts > y->counts;
}

void rep_sums_sort(struct rep_sums *sums, unsigned int first)
{
	sorted = sums;
	sorted_by = first;
	if (sums->nr)
		qsort(sums->rows, sums->nr, sizeof(*sums->rows), compare);
}

void rep_sums_free(struct rep_sums *sums)
{
	size_t i;

	free(sums->rows);
	free(sums->counts);
	rep_map_free(&sums->map);
	for (i = 0; i < sizeof(sums->parts) / sizeof(sums->parts[0]); i++)
		rep_map_free(&sums->parts[i]);
	memset(sums, 0, sizeof(*sums));
}
