/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* How many samples each CPU and each thread has. */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "say/name.h"
#include "map.h"

/* Samples of a CPU, or a thread. */
struct rep_tally {
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint64_t samples;
	size_t thread;		/* whose name it is, of rep_names */
	char comm[NAME_COMM_SIZE];
};

/* All zero at first. */
struct rep_tallies {
	struct rep_tally *rows;
	size_t nr;
	size_t room;
	struct rep_map map;
};

/* The row of a key, which is all zero if it is new; NULL: out of memory. */
struct rep_tally *rep_tally(struct rep_tallies *tallies, uint64_t key);

/* Both are for the end: no row is found any more. */
void rep_tallies_by_cpu(struct rep_tallies *tallies);
void rep_tallies_by_samples(struct rep_tallies *tallies);

void rep_tallies_free(struct rep_tallies *tallies);

#endif
