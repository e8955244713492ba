/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A check of `pmcgrp selftest`: what it finds, and what several of them share. */
#ifndef SELFTEST_CHECK_H
#define SELFTEST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmcgrp.h"

#define CHECK_MEMBERS 8
#define CHECK_TEXT 512
/* What every group here is read by. */
#define CHECK_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
		      PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * struct check - one that runs
 * @h: a handle of the module
 * @failed: what was wrong; empty: nothing
 * @skipped: why it cannot be told here; empty: it can
 * @notes: what was measured, a line each
 */
struct check {
	struct pmcgrp *h;
	char failed[CHECK_TEXT];
	char skipped[CHECK_TEXT];
	char notes[2 * CHECK_TEXT];
};

/* The first failure, or reason, is kept. Each returns false. */
bool check_fail(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool check_skip(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A figure that was measured. */
void check_note(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a group has counted. */
struct check_values {
	size_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[CHECK_MEMBERS];
};

/* Whom a group counts. */
enum check_target {
	CHECK_THREAD,	/* the caller */
	CHECK_CHILDREN, /* the caller and what it creates */
	CHECK_MACHINE,	/* all CPUs */
};

struct perf_event_attr check_software(uint64_t config);
struct perf_event_attr check_hardware(uint64_t config); /* of user mode alone */

/*
 * check_group - make a group of the module's, enabled
 * @attr: its events, @nr of them
 * @out: the group, for pmcgrp_group_close(); NULL on failure
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror() has the sentence.
 */
int check_group(struct check *c, enum check_target target, const struct perf_event_attr *attr,
		unsigned int nr, struct pmcgrp_group **out);

/* False, and the check has failed, if it cannot be read. */
bool check_read(struct check *c, struct pmcgrp_group *group, struct check_values *v);

/* An event of perf_event_open(2) of the caller: a descriptor, or a negative errno. */
int check_perf(const struct perf_event_attr *attr, int group_fd);

/* Two instructions for each turn, and some more that are the same for any number of turns. */
void check_loop(uint64_t turns);

/* Write to so many pages, each for the first time: as many page faults. */
bool check_touch(unsigned int pages);

void check_formats(struct check *c);
void check_exact(struct check *c);
void check_conserved(struct check *c);
void check_beside_perf(struct check *c);
void check_room(struct check *c);
void check_samples(struct check *c);
void check_spans(struct check *c);
void check_let_go(struct check *c);

#endif
