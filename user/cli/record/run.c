// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A recording from start to end: of a command, or of what is there already. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "args/cli.h"
#include "counters/workload.h"
#include "record_run.h"
#include "side.h"
#include "turn_event.h"

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
	bool timeout;
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
	waiter_init(&waiter, w->pid, true);
	timeout = record_loop(r, &waiter);
	waiter_free(&waiter);
	command_end(r, w, timeout);
	err = record_finish(r);
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
	int ret;

	ret = open_all(r, 0);
	if (ret)
		return ret;
	ret = o->delay ? 0 : record_groups_enable(r);
	if (ret < 0)
		return cli_say_errno("cannot start the counters", -ret);
	waiter_init(&waiter, only_target(o), false);
	record_loop(r, &waiter);
	waiter_free(&waiter);
	ret = record_finish(r);
	return r->failed ? EXIT_TOOL : ret;
}

int record_from_start(struct record_run *r)
{
	int ret, err;

	signals_init();
	ret = record_file_take_stdout(r);
	if (ret)
		return ret;
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
