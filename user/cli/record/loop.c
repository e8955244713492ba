// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The recording itself: the rings are emptied when a quarter of one is full, and at least every
 * 100 ms, so that a file is never older than that.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/workload.h"
#include "losses.h"
#include "record_run.h"
#include "side.h"

#define FLUSH_NS 100000000

/* At first sooner: what a command has mapped can be seen only while it lives. */
#define FIRST_FLUSH_NS 1000000

#define PROGRESS_NS 500000000
#define CPUS_NS 100000000

struct timing {
	int64_t begin;		/* by --delay */
	int64_t end;		/* by --timeout */
	int64_t progress;	/* when it is shown next */
	int64_t cpus;		/* when CPUs that came are looked for next */
	bool timeout;
};

/* ---- What is shown ---- */

static void print_counts(const struct record_run *r, const char *before, const char *after)
{
	double size = (double)record_file_size(r) / (1 << 20);
	char missed[48] = "";

	if (r->counts.missed)
		snprintf(missed, sizeof(missed), ", %" PRIu64 " missed", r->counts.missed);
	fprintf(stderr, "%spmcgrp %s: %" PRIu64 " %s, %" PRIu64 " lost%s, %.1f MB%s", before,
		r->of_spans ? "span" : "record", r->counts.samples,
		r->of_spans ? "records" : "samples", r->counts.lost, missed, size, after);
}

static void progress(const struct record_run *r, struct timing *t)
{
	int64_t now = clock_now();

	if (now < t->progress || !isatty(2) || r->options.quiet)
		return;
	t->progress = now + PROGRESS_NS;
	print_counts(r, "\r", "\033[K");
	fflush(stderr);
}

/* How many records that were is told by the size of those that were read. */
static void overwritten(const struct record_run *r)
{
	const struct record_counts *c = &r->counts;
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < pmcgrp_rings_nr(r->rings); i++)
		bytes += pmcgrp_ring_overwritten(pmcgrp_rings_ring(r->rings, i));
	if (bytes && c->bytes)
		cli_say("older records were overwritten: %.1f MB, about %.0f of them; -m makes the rings "
			"larger", (double)bytes / (1 << 20),
			(double)bytes * (double)c->records / (double)c->bytes);
}

static void summary(const struct record_run *r)
{
	const struct record_counts *c = &r->counts;

	if (r->options.quiet)
		return;
	if (isatty(2))
		fputs("\r\033[K", stderr);
	if (isatty(2) || r->options.verbose) {
		print_counts(r, "", "");
		if (record_turns_files(&r->options))
			fprintf(stderr, " in %u files %s.*\n", r->files.nr + 1, r->options.output);
		else
			fprintf(stderr, " in %s%s\n", r->options.output,
				record_names_files(&r->options) ? ".*" : "");
	}
	record_losses_say(c, r->of_spans ? "records" : "samples");
	if (c->left_out && r->options.verbose)
		cli_say("%" PRIu64 " records of other cgroups were left out", c->left_out);
	overwritten(r);
	if (r->side.lost)
		cli_say("%" PRIu64 " records of names, maps and new tasks were lost: some symbols may be "
			"missing", r->side.lost);
	if (c->broken)
		cli_say("%u times a ring's content made no sense and was skipped", c->broken);
	if (!c->samples && !c->lost && !c->missed && !r->of_spans)
		record_say_empty(r);
}

/* ---- Recording ---- */

/* A file that takes no more ends the recording, and not what is recorded. */
static int sink_failed(struct record_run *r, int err)
{
	r->failed = true;
	record_groups_disable(r);
	cli_say_errno(r->options.output, err);
	cli_say("the recording ends here; what was written before is intact");
	return EXIT_TOOL;
}

static int drain(struct record_run *r)
{
	int ret;

	if (r->failed)
		return 0;
	/* First what the samples' tasks are. */
	ret = record_side_drain(r);
	if (!ret && r->options.overwrite && !r->dumping)
		ret = r->sink->flush(r->sink);
	else if (!ret)
		ret = record_drain(r->rings, &r->desc, r->sink, &r->counts);
	return ret < 0 ? sink_failed(r, -ret) : 0;
}

/* All that has come so far is in the file that ends here. */
static void turn(struct record_run *r)
{
	int ret = r->failed ? 0 : record_commands(r);

	if (!ret && !r->failed)
		ret = record_file_turn(r);

	if (ret < 0)
		sink_failed(r, -ret);
}

/* --max-size */
static void measure(struct record_run *r)
{
	uint64_t max = r->options.max_size;

	if (!max || r->failed || record_file_size(r) < max)
		return;
	if (!r->options.quiet)
		cli_say("--max-size: there are %" PRIu64 " bytes, the recording ends here",
			record_file_size(r));
	r->stop = true;
}

static void look_for_cpus(struct record_run *r, struct timing *t)
{
	int64_t now = clock_now();

	if (!record_has_all_cpus(r) || now < t->cpus)
		return;
	t->cpus = now + CPUS_NS;
	if (pmcgrp_rings_nr(r->rings) < r->desc.nr_rings)
		pmcgrp_rings_update(r->rings);
}

/* After --delay.  Whoever has ended by then was not recorded: record_say_empty() says so. */
static void begin(struct record_run *r, struct timing *t)
{
	if (r->commanded)
		t->begin = WAIT_FOREVER;
	if (clock_now() < t->begin)
		return;
	t->begin = WAIT_FOREVER;
	record_groups_enable(r);
}

static void timing_init(struct timing *t, const struct record_options *o)
{
	int64_t now = clock_now();

	*t = (struct timing){ .begin = WAIT_FOREVER, .end = WAIT_FOREVER, .cpus = now + CPUS_NS };
	if (o->delay > 0)
		t->begin = now + (int64_t)o->delay * 1000000;
	if (o->timeout)
		t->end = now + (int64_t)o->timeout * 1000000;
}

bool record_loop(struct record_run *r, struct waiter *waiter)
{
	int64_t flush = FIRST_FLUSH_NS, next;
	enum wait_result result;
	struct timing t;

	timing_init(&t, &r->options);
	waiter->ready = r->ready;
	do {
		next = clock_now() + flush;
		next = next < t.begin ? next : t.begin;
		flush = 2 * flush < FLUSH_NS ? 2 * flush : FLUSH_NS;
		result = waiter_wait(waiter, next < t.end ? next : t.end, !waiter->child);
		t.timeout = clock_now() >= t.end;
		/* First it is stopped, then the rest taken: finish(). */
		if (result == WAIT_END || result == WAIT_SIGNAL || t.timeout)
			break;
		if (result == WAIT_READY && record_groups_ended(r)) {
			waiter->ready = -1;
			if (!waiter->child)
				break;
		}
		begin(r, &t);
		drain(r);
		turn(r);
		measure(r);
		if (r->stop) {
			t.timeout = true;
			break;
		}
		look_for_cpus(r, &t);
		progress(r, &t);
		/* Nothing is left to be recorded, but the command has not ended. */
		if (r->failed)
			waiter->ready = -1;
	} while (waiter->child || !r->failed);
	return t.timeout;
}

static int stop_and_drain(struct record_run *r)
{
	int ret = record_groups_disable(r);

	return ret < 0 ? cli_say_errno("cannot stop the counters", -ret) : drain(r);
}

/* With --overwrite: what is read from now on. */
static int last_dump(struct record_run *r)
{
	int ret = record_file_dump(r);

	if (ret < 0)
		return sink_failed(r, -ret);
	r->dumping = true;
	return drain(r);
}

/*
 * What is still in the rings. What they had no room for when they were stopped, they tell when
 * they are stopped again, for then there is room.
 */
int record_finish(struct record_run *r)
{
	int ret = 0;

	if (!r->failed) {
		pmcgrp_rings_flush(r->rings);
		ret = stop_and_drain(r);
		if (!ret && r->options.overwrite)
			ret = last_dump(r);
		if (!ret)
			ret = stop_and_drain(r);
	}
	summary(r);
	return ret;
}
