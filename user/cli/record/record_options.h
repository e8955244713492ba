/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The command line of record. */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include <stdbool.h>
#include <string.h>

#include "args/args.h"

enum record_format {
	FORMAT_PERF,
	FORMAT_CSV,
	FORMAT_JSONL,
};

/* --every, -c, -F or --on, in order. */
struct record_trigger {
	bool every;
	char *text;		/* for free(); NULL: so many of the first event */
	int count;
};

/* --switch-output: when another file begins. */
enum record_turn_by {
	TURN_NEVER,
	TURN_SIGNAL,
	TURN_SIZE,
	TURN_TIME,
};

struct record_turn {
	enum record_turn_by by;
	uint64_t size;		/* bytes */
	int64_t ns;
	int max_files;		/* 0: all are kept */
	const char *event;	/* on which it begins, too; NULL: none */
};

struct record_options {
	const char **events;	/* the arguments of -e, in order */
	unsigned int nr_events;
	struct record_trigger triggers[PMCGRP_TRIGGERS_MAX];
	unsigned int nr_triggers;
	bool all_cpus;
	bool has_cpus;
	struct pmcgrp_cpus cpus;
	struct args_ids pids;
	struct args_ids tids;
	const char *user;	/* whose processes, by -u; NULL: nobody's */
	const char **cgroups;	/* the arguments of -G: only those; NULL: all */
	unsigned int nr_cgroups;
	bool all_cgroups;	/* the cgroup of each sample */
	bool no_inherit;
	bool background;
	bool all_user;
	bool all_kernel;
	bool by_task;		/* of CPUs: a record at each switch between tasks */
	int timeout;		/* ms; 0: none */
	int delay;		/* ms until counting begins; 0: at once; -1: not by itself */
	const char *control;	/* where commands come from; NULL: from nowhere */
	int pages;		/* of each ring */
	bool no_buffering;	/* each record at once */
	int realtime;		/* the priority for SCHED_FIFO; 0: as we were started */
	const char *output;	/* "-": stdout */
	enum record_format format;
	struct record_turn turn;
	bool stamp;		/* the file gets the time in its name */
	uint64_t max_size;	/* of all files together; 0: any */
	int level;		/* of compression; 0: none */
	bool overwrite;		/* the rings keep the newest; written when that is asked for */
	bool tail_synthesize;	/* of --overwrite, which does so by itself */
	bool namespaces;	/* records of the tasks' namespaces */
	bool switch_events;	/* records where one task follows another, of perf's own */
	bool no_buildid;
	bool chains;		/* call chains */
	bool kernel_chains;	/* of the kernel alone */
	bool user_chains;	/* of user space alone */
	bool dry_run;
	bool quiet;
	bool verbose;
	char **command;		/* ends with NULL; NULL: none given */
};

/*
 * record_options_parse - understand argv
 *
 * Returns 1 if record shall run, else the negative of the exit status to end with:
 * 0 after --help, -EXIT_TOOL after an error that was reported.
 */
int record_options_parse(struct record_options *options, int argc, char **argv);

void record_options_free(struct record_options *options);

/* record_options_check - what does not go together; returns 1, or -EXIT_TOOL after an error */
int record_options_check(const struct record_options *options);

/* Whether CPUs are recorded, and not a thread. */
static inline bool record_of_cpus(const struct record_options *options)
{
	return options->all_cpus || options->has_cpus;
}

/* Whether processes or threads are recorded that are there already. */
static inline bool record_of_tasks(const struct record_options *options)
{
	return options->pids.nr || options->tids.nr || options->user;
}

/* Whether perf's format is read while it is written: it cannot go back in there. */
static inline bool record_to_pipe(const struct record_options *options)
{
	return options->format == FORMAT_PERF && !strcmp(options->output, "-");
}

/* Whether there are several files. */
static inline bool record_turns_files(const struct record_options *options)
{
	return options->turn.by != TURN_NEVER;
}

/* Whether the files get names with the time in them. */
static inline bool record_names_files(const struct record_options *options)
{
	return options->stamp || record_turns_files(options);
}

/* Whether SIGUSR2 means something. */
static inline bool record_takes_usr2(const struct record_options *options)
{
	return options->turn.by == TURN_SIGNAL || options->overwrite;
}

/* What --help prints. */
extern const char record_help[];

/* Where the kernel says how many samples a second it allows. Tests have another file. */
extern const char *record_rate_file;

#endif
