/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The files that record writes, one after the other. */
#ifndef RECORD_FILES_H
#define RECORD_FILES_H

#include <stdint.h>

struct record_run;

struct record_files {
	int out;			/* stdout, until it is the file; or -1 */
	int usr2;		/* a signalfd of SIGUSR2; -1: nothing is done on it */
	int fd;			/* with --overwrite: of the file that waits for a dump; -1: none */
	int64_t due;		/* when the next file begins, by --switch-output=TIME */
	char **names;		/* of those that are complete, the oldest first */
	unsigned int nr_names;
	unsigned int nr;	/* how many are complete */
	uint64_t size;		/* of these */
};

/* None is open. */
#define RECORD_FILES_NONE ((struct record_files){ .out = -1, .usr2 = -1, .fd = -1 })

/*
 * record_file_take_stdout - with -o -, before a command is forked: its own output and ours go to
 *	stderr, as with perf, for what reads the records would take it for some
 *
 * Returns 0, or the exit status after a failure that was reported.
 */
int record_file_take_stdout(struct record_run *r);

/*
 * record_file_open - open the first file, once the group is there
 *
 * SIGUSR2 is taken from then on, if an option wants it: a command was forked before.
 * Returns 0, or the exit status after a failure that was reported.
 */
int record_file_open(struct record_run *r);

/*
 * record_file_turn - after the rings were emptied, go on in another file if it is time to; with
 *	--overwrite write a dump
 *
 * Returns 0, or a negative errno.
 */
int record_file_turn(struct record_run *r);

/* record_file_snapshot - the same at once; returns 0 or a negative errno */
int record_file_snapshot(struct record_run *r);

/* record_file_dump - with --overwrite: what the rings give from now on is a dump; 0 or an errno */
int record_file_dump(struct record_run *r);

/* record_file_end - complete the last file; returns 0 or a negative errno */
int record_file_end(struct record_run *r);

/* Bytes in all files. */
uint64_t record_file_size(const struct record_run *r);

void record_file_close(struct record_files *files);

#endif
