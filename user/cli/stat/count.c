// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The counting of stat: from when to when, and when to read.
 *
 * Intervals stand on a grid from the start of the counting: what one read takes too
 * long, or an interval begins too late, is not added up. Short ones of CPUs come from rings
 * (interval.c), many at once.
 */
#include <errno.h>
#include <stdlib.h>

#include "args/cli.h"
#include "counters/workload.h"
#include "stat_run.h"

#define MS_NS 1000000

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

/* ---- Intervals ---- */

struct timing {
	int64_t start;		/* of the counting */
	int64_t last;		/* end of the interval before */
	int64_t interval;	/* 0: none */
	int64_t end;		/* by --timeout */
};

static void timing_init(struct timing *t, const struct stat_options *o, int64_t began)
{
	t->start = began;
	t->last = began;
	t->interval = (int64_t)o->interval * MS_NS;
	t->end = o->timeout ? t->start + (int64_t)o->timeout * MS_NS : WAIT_FOREVER;
}

/*
 * The next point of the grid; one that was missed is left out. With rings many are taken at once,
 * but not more than are asked for.
 */
static int64_t timing_next(const struct stat_run *st, const struct timing *t)
{
	unsigned int more = st->options.interval_count - st->intervals;
	int64_t next, last;

	if (!t->interval)
		return t->end;
	if (st->rings.nr) {
		next = interval_rings_next(&st->rings, t->start);
		last = t->last + (more + 1) * t->interval;
		if (st->options.interval_count && last < next && last > clock_now())
			next = last;
		return next < t->end ? next : t->end;
	}
	next = t->start + ((clock_now() - t->start) / t->interval + 1) * t->interval;
	return next < t->end ? next : t->end;
}

/* Before what was counted since the last time is added to the statistics. */
static void take_begin(struct stat_run *st, const struct timing *t)
{
	if (!t->interval)
		return;
	counter_set_clear(&st->set);
	st->report.elapsed = (struct stats){ 0 };
}

/* After that: it was counted until @now. */
static void take_end(struct stat_run *st, struct timing *t, int64_t now)
{
	stats_update(&st->report.elapsed, seconds(now - t->last));
	st->report.timestamp = seconds(now - t->start);
	t->last = now;
}

/* --table shows the run by itself, too. */
static int run_keep(struct stat_run *st, const struct timing *t)
{
	size_t nr = (size_t)st->report.elapsed.n;
	double *runs = reallocarray(st->runs, nr, sizeof(*runs));

	if (!runs)
		return cli_say_errno("cannot keep the time of a run", ENOMEM);
	st->runs = runs;
	runs[nr - 1] = seconds(t->last - t->start);
	return 0;
}

/* Takes down what was counted since the last time, @now. */
static int take(struct stat_run *st, struct timing *t, int64_t now)
{
	int ret;

	take_begin(st, t);
	ret = stat_by_key(&st->options) ? stat_keys_read(st) : counter_set_read(&st->set);
	if (ret < 0)
		return cli_say_errno("cannot read the counters", -ret);
	take_end(st, t, now);
	return st->options.table ? run_keep(st, t) : 0;
}

/* While the groups are enabled. @fetch: they have not been read just now. */
static int explain(struct stat_run *st, bool fetch)
{
	const char *none = st->options.by.is ? "no task has run in this time" :
					       "no task of the cgroup has run in this time";
	int ret = 0;

	if (!stat_by_key(&st->options))
		ret = counter_set_explain(&st->set, st->h, fetch);
	else if (!fetch)
		ret = counter_set_explain_lines(&st->set, st->h, none);
	return ret < 0 ? cli_say_errno("cannot read the counters", -ret) : 0;
}

static int interval_end(struct stat_run *st)
{
	int ret = explain(st, false);

	if (!ret)
		ret = stat_write(st);
	stat_keys_next(st);
	st->intervals++;
	return ret;
}

static int interval_read(struct stat_run *st, struct timing *t, int64_t now)
{
	int ret = take(st, t, now);

	if (!ret)
		ret = interval_end(st);
	return ret ? ret : stat_flush(st);
}

/* The intervals that the rings have, all but one that ends with the counting. */
static int intervals_write(struct stat_run *st, struct timing *t, int64_t now)
{
	int64_t limit = t->end == WAIT_FOREVER ? WAIT_FOREVER : t->end - t->interval / 2, end;
	int ret;

	ret = interval_rings_begin(&st->rings, now);
	while (ret >= 0 && !stat_intervals_done(st)) {
		take_begin(st, t);
		ret = interval_rings_take(&st->rings, now, limit, &end);
		if (ret <= 0)
			break;
		take_end(st, t, end);
		ret = interval_end(st);
		if (ret)
			return ret;
	}
	interval_rings_end(&st->rings);
	return ret < 0 ? cli_say_errno("cannot read the rings", -ret) : stat_flush(st);
}

/* Where the rings do not have each interval of each CPU, intervals are read from now on. */
static int intervals_take(struct stat_run *st, struct timing *t, int64_t now)
{
	unsigned int before = st->intervals;
	int ret;

	if (!st->rings.nr)
		return interval_read(st, t, now);
	ret = intervals_write(st, t, now);
	if (ret || stat_intervals_done(st))
		return ret;
	if (!st->rings.useless && (st->intervals != before || now - t->last < 2 * t->interval))
		return 0;
	interval_rings_free(&st->rings);
	return now - t->last < t->interval ? 0 : interval_read(st, t, now);
}

bool stat_intervals_done(const struct stat_run *st)
{
	return st->options.interval_count && st->intervals >= st->options.interval_count;
}

/* ---- From start to end ---- */

/*
 * As waiter_wait(), and meanwhile does what --control says, which may end it as a time does, and
 * makes room in tables of keys.
 */
static int wait_until(struct stat_run *st, struct waiter *waiter, int64_t until,
		      enum wait_result *result)
{
	int64_t first;
	int ret = 0;

	do {
		waiter->ready = control_fd(&st->control);
		first = stat_keys_until(st, until);
		*result = waiter_wait(waiter, first, !waiter->child);
		if (*result == WAIT_READY) {
			ret = stat_commands(st);
		} else if (*result == WAIT_TIME && first < until) {
			ret = stat_keys_drain(st);
			*result = WAIT_READY;
		}
	} while (*result == WAIT_READY && !ret && !st->stop);
	return ret;
}

/*
 * Waits for -D, and starts the counters. Sets @over if the target ended, or a signal
 * came, before that.
 */
static int start(struct stat_run *st, struct waiter *waiter, bool *over)
{
	const struct stat_options *o = &st->options;
	int64_t until = clock_now() + (int64_t)o->delay * MS_NS;
	enum wait_result result = WAIT_TIME;
	int ret;

	*over = false;
	if (o->delay < 0)
		return 0;
	ret = o->delay ? wait_until(st, waiter, until, &result) : 0;
	if (ret)
		return ret;
	if (result != WAIT_TIME && st->commanded) {
		*over = true;
		return 0;
	}
	if (result != WAIT_TIME) {
		cli_say("it ended before the %d ms of -D were over: nothing was counted",
			o->delay);
		*over = true;
		return 0;
	}
	ret = counter_set_enable(&st->set);
	return ret < 0 ? cli_say_errno("cannot start the counters", -ret) : 0;
}

int stat_count_until(struct stat_run *st, struct waiter *waiter, int64_t began, bool *timeout)
{
	bool over = false;
	struct timing t;
	int ret = 0;

	*timeout = false;
	if (!began)
		ret = start(st, waiter, &over);
	if (ret)
		return ret;
	*timeout = st->stop;
	timing_init(&t, &st->options, began ? began : clock_now());
	if (st->rings.nr && !over)
		interval_rings_start(&st->rings);
	while (!over) {
		enum wait_result result;
		int64_t now;

		ret = wait_until(st, waiter, timing_next(st, &t), &result);
		if (ret)
			return ret;
		*timeout = st->stop;
		if (result != WAIT_TIME)
			break;
		now = clock_now();
		*timeout = now >= t.end;
		if (*timeout)
			break;
		ret = intervals_take(st, &t, now);
		if (ret || stat_intervals_done(st))
			return ret;
	}
	if (st->rings.nr)
		ret = intervals_write(st, &t, clock_now());
	if (ret || stat_intervals_done(st))
		return ret;
	ret = explain(st, true);
	if (ret)
		return ret;
	ret = counter_set_disable(&st->set);
	if (ret < 0)
		return cli_say_errno("cannot stop the counters", -ret);
	ret = take(st, &t, clock_now());
	/* What keys have is not known before. */
	return ret || !stat_by_key(&st->options) ? ret : explain(st, false);
}
