// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * perf breaks a group where the PMU changes.  So does this, but for boxes of uncore PMUs: the module
 * counts those together that are counted on the same CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "pmcgrp.h"
#include "split.h"

/**
 * struct splitter - the state of event_split()
 * @part_of: by event, the index of its part
 * @offset: by node, the index of its first event in @part_of
 * @taken: by event, whether it is in @split
 */
struct splitter {
	struct event_split *split;
	bool braces;
	const struct event_codes *codes;
	size_t nr_nodes;
	size_t nr_core;
	size_t *part_of;
	size_t *offset;
	bool *taken;
	size_t nr_keys;
};

bool event_is_software(const struct event_code *code)
{
	return code->type == PERF_TYPE_SOFTWARE || code->type == PERF_TYPE_TRACEPOINT;
}

static bool is_uncore(const struct event_code *code)
{
	return code->pmu && code->pmu->uncore;
}

/* The PMU that parts are made by: all events of the only kind of core are of one. */
static const struct pmu *key_pmu(const struct splitter *s, const struct event_code *code)
{
	return code->pmu && code->pmu->core && s->nr_core < 2 ? NULL : code->pmu;
}

static bool same_cpus(const struct pmu *a, const struct pmu *b)
{
	return !strcmp(a->cpus ? a->cpus : "", b->cpus ? b->cpus : "");
}

/* Whether two events, neither of which is a software event, can be members of one group. */
static bool together(const struct splitter *s, const struct event_code *a,
		     const struct event_code *b)
{
	if (is_uncore(a) && is_uncore(b))
		return same_cpus(a->pmu, b->pmu);
	return s->braces && !is_uncore(a) && !is_uncore(b) && key_pmu(s, a) == key_pmu(s, b);
}

static const struct event_code *code_of(const struct splitter *s, size_t node, size_t code)
{
	return &s->codes[node].at[code];
}

static size_t *part_of(const struct splitter *s, size_t node, size_t code)
{
	return &s->part_of[s->offset[node] + code];
}

/* The part of an event before this one that it can be together with, or a new one. */
static size_t key_find(const struct splitter *s, size_t node, size_t code)
{
	size_t n, i;

	for (n = 0; n <= node; n++) {
		for (i = 0; i < (n == node ? code : s->codes[n].nr); i++) {
			if (!event_is_software(code_of(s, n, i)) &&
			    together(s, code_of(s, n, i), code_of(s, node, code)))
				return *part_of(s, n, i);
		}
	}
	return s->nr_keys;
}

/* Where a group's software events are: with the first events of a core; nr_keys: there are none. */
static size_t key_of_core(const struct splitter *s)
{
	size_t n, i;

	for (n = 0; n < s->nr_nodes; n++) {
		for (i = 0; i < s->codes[n].nr; i++) {
			if (!event_is_software(code_of(s, n, i)) && !is_uncore(code_of(s, n, i)))
				return *part_of(s, n, i);
		}
	}
	return s->nr_keys;
}

/* Each event's part, but for software events of groups: they take the place of the first of them. */
static void keys_init(struct splitter *s)
{
	size_t n, i, software = SIZE_MAX, core;

	for (n = 0; n < s->nr_nodes; n++) {
		for (i = 0; i < s->codes[n].nr; i++) {
			if (s->braces && event_is_software(code_of(s, n, i))) {
				if (software == SIZE_MAX)
					software = s->nr_keys++;
				*part_of(s, n, i) = software;
				continue;
			}
			*part_of(s, n, i) = key_find(s, n, i);
			s->nr_keys += *part_of(s, n, i) == s->nr_keys;
		}
	}
	core = s->braces && software != SIZE_MAX ? key_of_core(s) : s->nr_keys;
	for (n = 0; n < s->nr_nodes && core < s->nr_keys; n++) {
		for (i = 0; i < s->codes[n].nr; i++) {
			if (event_is_software(code_of(s, n, i)))
				*part_of(s, n, i) = core;
		}
	}
}

static void part_begin(struct event_split *split)
{
	split->parts[split->nr_parts++] = (struct event_split_part){ .first = split->nr };
}

static void take(struct splitter *s, size_t node, size_t code)
{
	struct event_split *split = s->split;

	split->entries[split->nr++] = (struct event_split_entry){ .node = node, .code = code };
	split->parts[split->nr_parts - 1].nr++;
	s->taken[s->offset[node] + code] = true;
}

/* Whether an event is of that part and, but for @pmu NULL, of that box. */
static bool is_of(const struct splitter *s, size_t node, size_t code, size_t key,
		  const struct pmu *pmu)
{
	return *part_of(s, node, code) == key && !s->taken[s->offset[node] + code] &&
	       (!pmu || code_of(s, node, code)->pmu == pmu);
}

/* Those of a part, or of one of its boxes, which begins another group if this one has no room. */
static void take_all(struct splitter *s, size_t key, const struct pmu *box)
{
	struct event_split_part *part = &s->split->parts[s->split->nr_parts - 1];
	size_t n, i, nr = 0;

	for (n = 0; n < s->nr_nodes; n++) {
		for (i = 0; i < s->codes[n].nr; i++)
			nr += is_of(s, n, i, key, box);
	}
	if (box && part->nr && part->nr + nr > PMCGRP_MEMBERS_MAX)
		part_begin(s->split);
	for (n = 0; n < s->nr_nodes; n++) {
		for (i = 0; i < s->codes[n].nr; i++) {
			if (is_of(s, n, i, key, box))
				take(s, n, i);
		}
	}
}

static bool is_empty(const struct splitter *s, size_t key)
{
	size_t n, i;

	for (n = 0; n < s->nr_nodes; n++) {
		for (i = 0; i < s->codes[n].nr; i++) {
			if (*part_of(s, n, i) == key)
				return false;
		}
	}
	return true;
}

static void part_fill(struct splitter *s, size_t key)
{
	const struct pmu *box;
	size_t n, i;

	/* Software events have left it for a core's part. */
	if (is_empty(s, key))
		return;
	part_begin(s->split);
	for (n = 0; n < s->nr_nodes; n++) {
		for (i = 0; i < s->codes[n].nr; i++) {
			box = is_uncore(code_of(s, n, i)) ? code_of(s, n, i)->pmu : NULL;
			if (is_of(s, n, i, key, NULL))
				take_all(s, key, box);
		}
	}
}

/* The PMU of all events of a part that are no software events. */
static const struct pmu *pmu_of(const struct splitter *s, const struct event_split_part *part)
{
	const struct pmu *pmu = NULL, *other;
	bool first = true;
	size_t i;

	for (i = part->first; i < part->first + part->nr; i++) {
		const struct event_split_entry *e = &s->split->entries[i];

		if (event_is_software(code_of(s, e->node, e->code)))
			continue;
		other = key_pmu(s, code_of(s, e->node, e->code));
		if (!first && other != pmu)
			return NULL;
		pmu = other;
		first = false;
	}
	return pmu;
}

static bool has_node(const struct event_split *split, const struct event_split_part *part, size_t node)
{
	size_t i;

	for (i = part->first; i < part->first + part->nr; i++) {
		if (split->entries[i].node == node)
			return true;
	}
	return false;
}

static void parts_finish(const struct splitter *s)
{
	struct event_split *split = s->split;
	size_t i, n;

	for (i = 0; i < split->nr_parts && split->nr_parts > 1; i++) {
		split->parts[i].pmu = pmu_of(s, &split->parts[i]);
		for (n = 0; n < s->nr_nodes && s->braces; n++) {
			if (s->codes[n].nr && !event_is_software(code_of(s, n, 0)))
				split->parts[i].lacks |= !has_node(split, &split->parts[i], n);
		}
	}
}

static int splitter_init(struct splitter *s)
{
	size_t n, nr = 0;

	s->offset = calloc(s->nr_nodes + 1, sizeof(*s->offset));
	if (!s->offset)
		return -ENOMEM;
	for (n = 0; n < s->nr_nodes; n++) {
		s->offset[n] = nr;
		nr += s->codes[n].nr;
	}
	s->part_of = calloc(nr + 1, sizeof(*s->part_of));
	s->taken = calloc(nr + 1, sizeof(*s->taken));
	s->split->entries = calloc(nr + 1, sizeof(*s->split->entries));
	s->split->parts = calloc(nr + 1, sizeof(*s->split->parts));
	return s->part_of && s->taken && s->split->entries && s->split->parts ? 0 : -ENOMEM;
}

int event_split(struct event_split *split, bool braces, const struct event_codes *codes,
		size_t nr_nodes, size_t nr_core)
{
	struct splitter s = { .split = split, .braces = braces, .codes = codes,
			      .nr_nodes = nr_nodes, .nr_core = nr_core };
	size_t key;
	int ret;

	*split = (struct event_split){ 0 };
	ret = splitter_init(&s);
	if (!ret) {
		keys_init(&s);
		for (key = 0; key < s.nr_keys; key++)
			part_fill(&s, key);
		parts_finish(&s);
	}
	free(s.offset);
	free(s.part_of);
	free(s.taken);
	if (ret)
		event_split_free(split);
	return ret;
}

void event_split_free(struct event_split *split)
{
	free(split->entries);
	free(split->parts);
	*split = (struct event_split){ 0 };
}
