/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the members have counted for each thread, CPU, function, and so on (--sort). */
#ifndef REPORT_SUMS_H
#define REPORT_SUMS_H

#include "say/name.h"
#include "map.h"
#include "perfdata/reader.h"
#include "stream.h"

/* perf report's names of them; "trigger" is what caused the sample. */
enum rep_key {
	REP_KEY_COMM,
	REP_KEY_PID,
	REP_KEY_TID,
	REP_KEY_CPU,
	REP_KEY_TRIGGER,
	REP_KEY_SYM,
	REP_KEY_DSO,
	REP_KEY_CGROUP,
	REP_NR_KEYS,
};

struct rep_keys {
	enum rep_key key[REP_NR_KEYS];	/* in the order of the columns, each once */
	unsigned int nr;
};

/* One of them; those that are no key are 0. */
struct rep_sum {
	char comm[16];		/* as in the file, and as text */
	char comm_text[NAME_COMM_SIZE];
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	int trigger;		/* index of the event; REP_SWITCH */
	unsigned int function;	/* these two: indices of struct rep_code */
	unsigned int object;
	uint64_t cgroup;
	uint64_t samples;	/* but for REP_SWITCH */
	uint64_t enabled;	/* ns */
	uint64_t running;
	size_t counts;		/* where in rep_sums.counts its counts begin */
};

/* A record between two threads, which no trigger has caused. */
#define REP_SWITCH -1

struct rep_sums {
	struct rep_keys keys;
	unsigned int nr_events;
	struct rep_sum *rows;	/* by rep_sums_sort(): those with most of the first member first */
	size_t nr;
	size_t room;
	uint64_t *counts;	/* of each event of the file, for each row */
	size_t room_counts;
	struct rep_map map;
	struct rep_map parts[4];	/* of some keys, to a number */
};

/* What a sample belongs to. */
struct rep_cause {
	const struct perfdata_sample *sample;
	const char *comm;	/* the thread's name, or NULL */
	size_t function;	/* these two: where it was, if that is a key */
	size_t object;
};

static inline bool rep_keys_have(const struct rep_keys *keys, enum rep_key key)
{
	unsigned int i;

	for (i = 0; i < keys->nr && keys->key[i] != key; i++)
		;
	return i < keys->nr;
}

/*
 * rep_keys_missing - what the samples of a file must have for these keys, and have not
 *
 * Returns the end of a sentence that begins with the file's path, or NULL.
 */
const char *rep_keys_missing(const struct rep_keys *keys, const struct perfdata_reader *reader);

/* The name of a key, as --sort takes it. */
extern const char * const rep_key_names[REP_NR_KEYS];

/*
 * rep_sums_add - count a sample for what it belongs to
 * @sums: with its keys and nr_events
 * @stream, @interval: what was counted since the sample before; NULL: nothing is known
 *
 * Returns 0, or -ENOMEM.
 */
int rep_sums_add(struct rep_sums *sums, const struct rep_cause *cause,
		 const struct rep_stream *stream, const struct rep_interval *interval);

/* @first: the member by which they are sorted. */
void rep_sums_sort(struct rep_sums *sums, unsigned int first);

static inline uint64_t rep_sum_count(const struct rep_sums *sums, const struct rep_sum *row,
				     unsigned int event)
{
	return sums->counts[row->counts + event];
}

void rep_sums_free(struct rep_sums *sums);

#endif
