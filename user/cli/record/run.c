// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The recording itself: the rings are emptied when a quarter of one is full, and at least every
 * 100 ms, so that a file is never older than that.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli.h"
#include "common/workload.h"
#include "record.h"

#define FLUSH_NS 100000000

/* At first sooner: what a command has mapped can be seen only while it lives. */
#define FIRST_FLUSH_NS 1000000

#define PROGRESS_NS 500000000
#define CPUS_NS 1000000000

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

	fprintf(stderr, "%spmcgrp record: %" PRIu64 " samples, %" PRIu64 " lost, %.1f MB%s", before,
		r->counts.samples, r->counts.lost, size, after);
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
	if (c->lost)
		cli_say("%" PRIu64 " of %" PRIu64 " samples were lost: the rings were full (-m makes "
			"them larger), or the triggers came faster than they could be taken",
			c->lost, c->lost + c->samples);
	if (c->left_out && r->options.verbose)
		cli_say("%" PRIu64 " records of other cgroups were left out", c->left_out);
	overwritten(r);
	if (c->throttled)
		cli_say("the kernel stopped a trigger %" PRIu64 " times for coming too often: "
			"/proc/sys/kernel/perf_event_max_sample_rate", c->throttled);
	if (r->side.lost)
		cli_say("%" PRIu64 " records of names, maps and new tasks were lost: some symbols may be "
			"missing", r->side.lost);
	if (c->broken)
		cli_say("%u times a ring's content made no sense and was skipped", c->broken);
	if (!c->samples && !c->lost)
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

/* Until the target ends, a signal comes that is not the command's, or the time is over. */
static void record(struct record_run *r, struct waiter *waiter, struct timing *t)
{
	int64_t flush = FIRST_FLUSH_NS, next;
	enum wait_result result;

	waiter->ready = r->ready;
	do {
		next = clock_now() + flush;
		next = next < t->begin ? next : t->begin;
		flush = 2 * flush < FLUSH_NS ? 2 * flush : FLUSH_NS;
		result = waiter_wait(waiter, next < t->end ? next : t->end, !waiter->child);
		t->timeout = clock_now() >= t->end;
		/* First it is stopped, then the rest taken: finish(). */
		if (result == WAIT_END || result == WAIT_SIGNAL || t->timeout)
			break;
		if (result == WAIT_READY && record_groups_ended(r)) {
			waiter->ready = -1;
			if (!waiter->child)
				break;
		}
		begin(r, t);
		drain(r);
		turn(r);
		measure(r);
		if (r->stop) {
			t->timeout = true;
			break;
		}
		look_for_cpus(r, t);
		progress(r, t);
		/* Nothing is left to be recorded, but the command has not ended. */
		if (r->failed)
			waiter->ready = -1;
	} while (waiter->child || !r->failed);
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
static int finish(struct record_run *r)
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

static void timing_init(struct timing *t, const struct record_options *o)
{
	int64_t now = clock_now();

	*t = (struct timing){ .begin = WAIT_FOREVER, .end = WAIT_FOREVER, .cpus = now + CPUS_NS };
	if (o->delay > 0)
		t->begin = now + (int64_t)o->delay * 1000000;
	if (o->timeout)
		t->end = now + (int64_t)o->timeout * 1000000;
}

static int cannot_run(const struct record_run *r, int err)
{
	cli_say("cannot run '%s': %s", r->options.command[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static void command_end(struct record_run *r, struct workload *w, bool timeout)
{
	if (timeout)
		workload_signal(w, SIGTERM);
	workload_wait(w);
	/* That we ended it is what was asked for. */
	if (timeout && WIFSIGNALED(w->status) && WTERMSIG(w->status) == SIGTERM)
		return;
	r->status = workload_exit_status(w);
}

/* With the group open. */
static int record_command(struct record_run *r, struct workload *w)
{
	const struct record_options *o = &r->options;
	struct waiter waiter;
	struct timing t;
	int ret = 0, err;

	/* Others than the command itself are recorded from before it starts. */
	if ((record_of_cpus(o) || record_of_tasks(o)) && !o->delay)
		ret = record_groups_enable(r);
	if (ret < 0) {
		workload_cancel(w);
		return cli_say_errno("cannot start the counters", -ret);
	}
	ret = workload_start(w);
	if (ret < 0)
		return cannot_run(r, -ret);
	timing_init(&t, o);
	waiter_init(&waiter, w->pid, true);
	record(r, &waiter, &t);
	waiter_free(&waiter);
	command_end(r, w, t.timeout);
	err = finish(r);
	return r->failed ? EXIT_TOOL : err;
}

/* -r: not of the command, which has been forked. */
static int realtime(const struct record_run *r)
{
	const struct sched_param param = { .sched_priority = r->options.realtime };

	if (!param.sched_priority || !sched_setscheduler(0, SCHED_FIFO, &param))
		return 0;
	return cli_say_errno("-r: cannot run by SCHED_FIFO (CAP_SYS_NICE, `ulimit -r`; priorities are "
			     "1 to 99)", errno);
}

/* @child: the command, or 0 */
static int open_all(struct record_run *r, pid_t child)
{
	bool others = record_of_cpus(&r->options) || record_of_tasks(&r->options);
	int ret;

	ret = record_groups_open(r, child);
	if (!ret)
		ret = record_file_open(r);
	if (!ret)
		ret = record_control_open(r);
	if (!ret)
		ret = record_side_open(r, others ? 0 : child);
	if (!ret)
		ret = record_turn_event_open(r, others ? 0 : child);
	return ret ? ret : realtime(r);
}

static int run_command(struct record_run *r)
{
	struct workload w;
	int ret;

	ret = workload_prepare(&w, r->options.command);
	if (ret < 0)
		return cli_say_errno("cannot start a process", -ret);
	ret = open_all(r, w.pid);
	if (ret)
		workload_cancel(&w);
	else
		ret = record_command(r, &w);
	return ret;
}

/* The process or thread with which the recording ends, if it is one; else 0. */
static pid_t only_target(const struct record_options *o)
{
	const struct args_ids *ids = o->pids.nr ? &o->pids : &o->tids;

	return ids->nr == 1 ? ids->id[0] : 0;
}

static int run_until_end(struct record_run *r)
{
	const struct record_options *o = &r->options;
	struct waiter waiter;
	struct timing t;
	int ret;

	ret = open_all(r, 0);
	if (ret)
		return ret;
	ret = o->delay ? 0 : record_groups_enable(r);
	if (ret < 0)
		return cli_say_errno("cannot start the counters", -ret);
	timing_init(&t, o);
	waiter_init(&waiter, only_target(o), false);
	record(r, &waiter, &t);
	waiter_free(&waiter);
	ret = finish(r);
	return r->failed ? EXIT_TOOL : ret;
}

int record_run(struct record_run *r)
{
	int ret, err;

	signals_init();
	ret = r->options.command ? run_command(r) : run_until_end(r);
	if (r->sink) {
		err = -record_file_end(r);
		if (err && !r->failed && !ret)
			ret = cli_say_errno(r->options.output, err);
	}
	side_close(&r->side);
	side_close(&r->turn_rings);
	record_groups_close(r);
	return ret;
}
