/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * What the members have counted in each call chain, as a tree: below the root the names of threads,
 * below these the functions, each below its caller.
 *
 * A sample stands for the interval that ends with it, so over all nodes a member's counts are its
 * total. At most so many nodes are kept; samples of chains that are beyond are "[other]". Those
 * without a chain are below "[no call chain]".
 */
#ifndef REPORT_CHAINS_H
#define REPORT_CHAINS_H

#include "code.h"
#include "map.h"
#include "strings.h"
#include "sums.h"

#define REP_CHAINS_MAX 131072	/* nodes: some 80 bytes each, and 8 for each event */

/* In place of an event: how many samples there are. */
#define REP_CHAIN_SAMPLES UINT32_MAX

enum rep_chain_kind {
	REP_CHAIN_NAME,		/* a thread's name, "[other]", "[no call chain]" */
	REP_CHAIN_USER,
	REP_CHAIN_KERNEL,
};

struct rep_chain_node {
	uint32_t parent;	/* the root is its own */
	uint32_t depth;		/* the root's is 0; by rep_chains_end() */
	uint32_t name;		/* in rep_chains.names */
	uint32_t row;		/* of its own counts; UINT32_MAX: it has none */
	enum rep_chain_kind kind;
};

/* All zero at first. */
struct rep_chains {
	unsigned int nr_events;
	size_t max;		/* nodes */
	struct rep_strings names;	/* none has a semicolon, which folded stacks have between two */
	struct rep_chain_node *nodes;	/* parents before children; by rep_chains_end() in preorder */
	size_t nr;
	size_t room;
	struct rep_map map;		/* by parent, name and kind */
	uint64_t *counts;		/* rows of 1 + nr_events: samples, then each event's counts */
	size_t nr_rows;
	size_t room_rows;
	uint32_t *name_of;		/* of each function of struct rep_code, 1 and more; 0: not yet */
	size_t nr_name_of;
	struct rep_chain_frame *frames;	/* of the chain that is being added */
	size_t room_frames;
	uint64_t other;			/* samples that are in "[other]" */
};

/*
 * rep_chains_missing - what a file has not that call chains need
 *
 * Returns the end of a sentence that begins with the file's path, or NULL.
 */
const char *rep_chains_missing(const struct perfdata_reader *reader);

/* Returns 0, or -ENOMEM; rep_chains_free() in any case. */
int rep_chains_begin(struct rep_chains *chains, unsigned int nr_events, size_t max);

/*
 * rep_chains_add - count a sample for its call chain
 * @code: with what is mapped by now
 * @stream, @interval: what was counted since the sample before; NULL: nothing is known
 *
 * Returns 0, or -ENOMEM.
 */
int rep_chains_add(struct rep_chains *chains, struct rep_code *code, const struct rep_cause *cause,
		   const struct rep_stream *stream, const struct rep_interval *interval);

/* Behind the last one: brings the nodes into preorder, siblings by name. Returns 0, or -ENOMEM. */
int rep_chains_end(struct rep_chains *chains);

/* What a node has counted of an event or REP_CHAIN_SAMPLES by itself, without its callees. */
uint64_t rep_chain_self(const struct rep_chains *chains, size_t node, uint32_t event);

/* The same with all callees, of all nodes, in an array of chains->nr. After rep_chains_end(). */
void rep_chains_totals(const struct rep_chains *chains, uint32_t event, uint64_t *totals);

static inline const char *rep_chain_name(const struct rep_chains *chains, size_t node)
{
	return chains->names.rows[chains->nodes[node].name];
}

void rep_chains_free(struct rep_chains *chains);

#endif
