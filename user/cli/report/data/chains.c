// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "say/name.h"
#include "grow.h"
#include "names.h"

#define ROOT 0
#define OTHER 1		/* it is there from the beginning, so that there is room for it */
#define NO_ROW UINT32_MAX
#define NOWHERE UINT16_MAX	/* as a mode: behind a marker that is not known */

struct rep_chain_frame {
	uint32_t name;
	enum rep_chain_kind kind;
};

const char *rep_chains_missing(const struct perfdata_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_events; i++) {
		if (reader->events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return NULL;
	}
	return "has no call chains in its samples (PERF_SAMPLE_CALLCHAIN): record with \"pmcgrp record "
	       "-g\"";
}

/* ---- Nodes ---- */

/* The index of a name in which no semicolon is; SIZE_MAX: out of memory. */
static size_t name_add(struct rep_chains *chains, const char *name)
{
	char *copy, *at;
	size_t index;

	if (!strchr(name, ';'))
		return rep_strings_add(&chains->names, name);
	copy = strdup(name);
	if (!copy)
		return SIZE_MAX;
	for (at = copy; (at = strchr(at, ';')); at++)
		*at = ':';
	index = rep_strings_add(&chains->names, copy);
	free(copy);
	return index;
}

/* A new node, the last one; SIZE_MAX: out of memory. */
static size_t node_add(struct rep_chains *chains, size_t parent, size_t name,
		       enum rep_chain_kind kind)
{
	if (!rep_grow(&chains->nodes, &chains->room, chains->nr, sizeof(*chains->nodes)))
		return SIZE_MAX;
	chains->nodes[chains->nr] = (struct rep_chain_node){ .parent = (uint32_t)parent,
							     .name = (uint32_t)name,
							     .row = NO_ROW,
							     .kind = kind };
	return chains->nr++;
}

/* The child of a node, which may be new; OTHER where there is no room; SIZE_MAX: out of memory. */
static size_t child_of(struct rep_chains *chains, size_t parent, size_t name,
		       enum rep_chain_kind kind)
{
	size_t at = rep_map_find(&chains->map, parent, 4 * name + kind);

	if (at != REP_MAP_NONE)
		return at;
	if (chains->nr >= chains->max)
		return OTHER;
	if (rep_map_add(&chains->map, parent, 4 * name + kind, chains->nr) < 0)
		return SIZE_MAX;
	return node_add(chains, parent, name, kind);
}

/* The same by a name that is no function's. */
static size_t named_of(struct rep_chains *chains, size_t parent, const char *text)
{
	size_t name = name_add(chains, text);

	return name == SIZE_MAX ? SIZE_MAX : child_of(chains, parent, name, REP_CHAIN_NAME);
}

int rep_chains_begin(struct rep_chains *chains, unsigned int nr_events, size_t max)
{
	size_t all;

	memset(chains, 0, sizeof(*chains));
	chains->nr_events = nr_events;
	chains->max = max;
	all = name_add(chains, "all");
	/* The root is in no table: a thread may be called so, too. */
	if (all == SIZE_MAX || node_add(chains, ROOT, all, REP_CHAIN_NAME) == SIZE_MAX ||
	    named_of(chains, ROOT, "[other]") == SIZE_MAX)
		return -ENOMEM;
	return 0;
}

/* ---- Counts ---- */

static size_t stride(const struct rep_chains *chains)
{
	return 1 + chains->nr_events;
}

/* The node's own counts, which may be new; NULL: out of memory. */
static uint64_t *row_of(struct rep_chains *chains, size_t node)
{
	size_t size = stride(chains) * sizeof(uint64_t);
	struct rep_chain_node *of = &chains->nodes[node];

	if (of->row == NO_ROW) {
		if (!rep_grow(&chains->counts, &chains->room_rows, chains->nr_rows, size))
			return NULL;
		of->row = (uint32_t)chains->nr_rows++;
		memset(chains->counts + of->row * stride(chains), 0, size);
	}
	return chains->counts + of->row * stride(chains);
}

uint64_t rep_chain_self(const struct rep_chains *chains, size_t node, uint32_t event)
{
	uint32_t row = chains->nodes[node].row;
	size_t column = event == REP_CHAIN_SAMPLES ? 0 : 1 + (size_t)event;

	return row == NO_ROW ? 0 : chains->counts[row * stride(chains) + column];
}

void rep_chains_totals(const struct rep_chains *chains, uint32_t event, uint64_t *totals)
{
	size_t i;

	for (i = 0; i < chains->nr; i++)
		totals[i] = rep_chain_self(chains, i, event);
	for (i = chains->nr; i-- > 1;)
		totals[chains->nodes[i].parent] += totals[i];
}

/* ---- Chains ---- */

/* What of a machine the addresses behind a marker are. */
static uint16_t mode_of(uint64_t marker)
{
	switch (marker) {
	case (uint64_t)PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case (uint64_t)PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	case (uint64_t)PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case (uint64_t)PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case (uint64_t)PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	default:
		return NOWHERE;
	}
}

/* The name of a function; SIZE_MAX: out of memory. */
static size_t name_of(struct rep_chains *chains, const struct rep_code *code, size_t function)
{
	size_t name, more = 2 * function + 64;
	uint32_t *rows;

	if (function >= chains->nr_name_of) {
		rows = reallocarray(chains->name_of, more, sizeof(*rows));
		if (!rows)
			return SIZE_MAX;
		memset(rows + chains->nr_name_of, 0, (more - chains->nr_name_of) * sizeof(*rows));
		chains->name_of = rows;
		chains->nr_name_of = more;
	}
	if (chains->name_of[function])
		return chains->name_of[function] - 1U;
	name = name_add(chains, code->functions[function].name);
	if (name != SIZE_MAX)
		chains->name_of[function] = (uint32_t)name + 1;
	return name;
}

static int frame_add(struct rep_chains *chains, size_t nr, struct rep_code *code,
		     const struct rep_place *place)
{
	size_t function, name;

	if (!rep_grow(&chains->frames, &chains->room_frames, nr, sizeof(*chains->frames)) ||
	    rep_code_frame(code, place, &function) < 0)
		return -ENOMEM;
	name = name_of(chains, code, function);
	if (name == SIZE_MAX)
		return -ENOMEM;
	chains->frames[nr] = (struct rep_chain_frame){
		.name = (uint32_t)name,
		.kind = place->mode == PERF_RECORD_MISC_KERNEL ? REP_CHAIN_KERNEL : REP_CHAIN_USER,
	};
	return 0;
}

/*
 * The frames of a sample, the innermost first, in chains->frames. Of a caller in user space the chain
 * has the address behind the call, which may be the first one of another function. In the kernel it
 * may be where an interrupt has come, and functions have padding between them. Returns how many there
 * are, or -ENOMEM.
 */
static int frames_take(struct rep_chains *chains, struct rep_code *code,
		       const struct perfdata_sample *sample)
{
	struct rep_place place = { .pid = sample->pid, .mode = sample->mode, .frame = true };
	bool innermost = true;
	size_t i, nr = 0;
	uint64_t word;

	for (i = 0; i < sample->nr_chain; i++) {
		word = perfdata_u64(sample->chain + 8 * i);
		if (word >= (uint64_t)PERF_CONTEXT_MAX) {
			place.mode = mode_of(word);
			innermost = true;
			continue;
		}
		place.ip = word;
		if (word && !innermost && place.mode == PERF_RECORD_MISC_USER)
			place.ip = word - 1;
		innermost = false;
		if (place.mode == NOWHERE)
			continue;
		if (frame_add(chains, nr, code, &place) < 0)
			return -ENOMEM;
		nr++;
	}
	return (int)nr;
}

/* The node of a sample with so many frames; SIZE_MAX: out of memory. */
static size_t node_of(struct rep_chains *chains, const struct rep_cause *cause, int nr_frames)
{
	size_t node = ROOT;
	char tid[16], name[NAME_COMM_SIZE], *who = tid;

	/* As perf calls a thread whose name it does not know. */
	snprintf(tid, sizeof(tid), ":%d", (int)cause->sample->tid);
	if (cause->comm && *cause->comm)
		who = name_text(name, sizeof(name), cause->comm, REP_COMM_SIZE);
	if (!nr_frames)
		node = named_of(chains, node, "[no call chain]");
	if (node != OTHER && node != SIZE_MAX)
		node = named_of(chains, node, who);
	while (nr_frames-- && node != OTHER && node != SIZE_MAX)
		node = child_of(chains, node, chains->frames[nr_frames].name,
				chains->frames[nr_frames].kind);
	return node;
}

int rep_chains_add(struct rep_chains *chains, struct rep_code *code, const struct rep_cause *cause,
		   const struct rep_stream *stream, const struct rep_interval *interval)
{
	int nr_frames = frames_take(chains, code, cause->sample);
	unsigned int i;
	uint64_t *row;
	size_t node;

	if (nr_frames < 0)
		return nr_frames;
	node = node_of(chains, cause, nr_frames);
	row = node == SIZE_MAX ? NULL : row_of(chains, node);
	if (!row)
		return -ENOMEM;
	row[0] += !cause->sample->switched;
	chains->other += node == OTHER && !cause->sample->switched;
	for (i = 0; interval && i < stream->nr; i++)
		row[1 + stream->events[i]] += interval->delta[i];
	return 0;
}

/* ---- The order ---- */

static int compare(const void *a, const void *b, void *of)
{
	const struct rep_chains *chains = of;
	size_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct rep_chain_node *x = &chains->nodes[i], *y = &chains->nodes[j];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	/* The root comes before its children. */
	if (!i || !j)
		return i ? 1 : -1;
	if (x->name != y->name)
		return strcmp(rep_chain_name(chains, i), rep_chain_name(chains, j));
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/*
 * @sorted: all nodes by parent and name, so that the children of one follow each other; @begin: where
 * those of each begin; @stack: room for all. All are put into @to in preorder.
 */
static void preorder(const struct rep_chains *chains, const uint32_t *sorted,
		     const uint32_t *begin, uint32_t *stack, struct rep_chain_node *to)
{
	uint32_t at, depth, nr = 0;
	size_t used = 1, i;

	stack[0] = ROOT;
	/* A node's parent is where it went when its children were put on the stack. */
	chains->nodes[ROOT].parent = 0;
	while (used) {
		at = stack[--used];
		to[nr] = chains->nodes[at];
		depth = at == ROOT ? 0 : to[to[nr].parent].depth + 1;
		to[nr].depth = depth;
		for (i = begin[at + 1]; i-- > begin[at];) {
			chains->nodes[sorted[i]].parent = nr;
			stack[used++] = sorted[i];
		}
		nr++;
	}
}

int rep_chains_end(struct rep_chains *chains)
{
	size_t i, nr = chains->nr;
	uint32_t *sorted = calloc(nr, sizeof(*sorted)), *begin = calloc(nr + 1, sizeof(*begin));
	uint32_t *stack = calloc(nr, sizeof(*stack));
	struct rep_chain_node *nodes = calloc(nr, sizeof(*nodes));
	bool all = sorted && begin && stack && nodes;

	for (i = 0; all && i < nr; i++)
		sorted[i] = (uint32_t)i;
	if (all) {
		qsort_r(sorted, nr, sizeof(*sorted), compare, chains);
		/* The root itself is the first one, and nobody's child. */
		for (i = 1; i < nr; i++)
			begin[chains->nodes[sorted[i]].parent + 1] = (uint32_t)i + 1;
		begin[0] = 1;
		for (i = 1; i <= nr; i++) {
			if (begin[i] < begin[i - 1])
				begin[i] = begin[i - 1];
		}
		preorder(chains, sorted, begin, stack, nodes);
		free(chains->nodes);
		chains->nodes = nodes;
		chains->room = nr;
		rep_map_free(&chains->map);
	} else {
		free(nodes);
	}
	free(sorted);
	free(begin);
	free(stack);
	return all ? 0 : -ENOMEM;
}

void rep_chains_free(struct rep_chains *chains)
{
	rep_strings_free(&chains->names);
	free(chains->nodes);
	free(chains->counts);
	free(chains->name_of);
	free(chains->frames);
	rep_map_free(&chains->map);
	memset(chains, 0, sizeof(*chains));
}
