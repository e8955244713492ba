// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of a function of a program or library: from its beginning to one of its exits, by a uprobe
 * at each of these instructions.
 *
 * A uretprobe would need no list of exits.  But it changes the return address of a call
 * (kernel/events/uprobes.c: prepare_uretprobe()), and programs that look at that die: a runtime
 * that walks stacks (Go), an exception that is thrown through the function (C++), a shadow stack.
 * So who asks says where the exits are.  Nothing that the program can read changes but the code.
 *
 * At an exit the stack pointer is what it was at the beginning, on x86 and on arm64: "ret" has not
 * been executed yet, and a jump to another function leaves it the same frame.  That shows which
 * call ends (span_frame.c), and that an instruction which looks like an exit is none:
 *
 *  - A child of fork() is another task: what it leaves has not begun.
 *  - A call that begins before the probes are there has not begun.  So the exits are there first.
 *
 * Breakpoints are in memory maps, which threads share.  Whoever hits one pays for the trap.  So a
 * span of a group of tasks has breakpoints only in maps that such a task uses: the filter is asked
 * when a file is mapped.  A fork() copies them without asking; the handler then asks for their
 * removal as they are hit.  For a group of several tasks each map but the caller's own gets one:
 * it may be that of a child that is not counted yet (task_table.c).  Groups of CPUs and of cgroups
 * need all.
 *
 * Locks: uprobes are registered and unregistered under no mutex of ours: the kernel takes the
 * mmap_lock of each process for that.  The filter is called with such a lock, or under RCU.
 *
 * Context of the handlers: the task on its way to or from the function, which may be preempted and
 * may sleep.  After pmcgrp_uprobe_unregister_sync() none runs.
 */
#include <linux/capability.h>
#include <linux/container_of.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/overflow.h>
#include <linux/path.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "follow/task_query.h"
#include "include/linux/pmcgrp.h"
#include "platform/charge.h"
#include "set/evlist.h"
#include "span/section.h"
#include "span/span.h"

/**
 * struct user_probe - a uprobe at the beginning of a function, or at an exit
 * @consumer: of the uprobe
 * @uprobe: the uprobe, for compat.h.  Constant once it is registered.
 * @user: the span.  Constant.
 * @offset: where in the file.  Constant.
 * @begins: it is at the beginning.  Constant.
 * @ends: it is at an exit.  Constant.
 */
struct user_probe {
	struct uprobe_consumer consumer;
	struct uprobe *uprobe;
	struct user_span *user;
	loff_t offset;
	bool begins;
	bool ends;
};

/**
 * struct user_span - a span of a function of a file
 * @span: the span
 * @frames: its calls in flight.  Constant.
 * @path: the file, a reference.  Constant.
 * @inode: of @path, by which the kernel knows the uprobes.  Constant.
 * @nr: number of @probe.  Constant.
 * @registered: so many of the last ones are registered; who makes or ends it
 * @probe: the beginning, then the exits
 */
struct user_span {
	struct pmcgrp_span span;
	struct pmcgrp_frames *frames;
	struct path path;
	struct inode *inode;
	unsigned int nr;
	unsigned int registered;
	struct user_probe probe[];
};

static struct user_probe *probe_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct user_probe, consumer);
}

/* Whether a memory map is to have the breakpoint.  It is only compared. */
static bool wants_mm(const struct user_span *user, const struct mm_struct *mm)
{
	const struct pmcgrp_evlist *evlist = user->span.evlist;

	switch (user->span.whose) {
	case PMCGRP_SPAN_OF_ALL:
	case PMCGRP_SPAN_OF_CPUS:
		break;
	case PMCGRP_SPAN_OF_TASK:
		return READ_ONCE(evlist->task->mm) == mm;
	case PMCGRP_SPAN_OF_TASKS:
		/* Tasks come to a cgroup and leave it. */
		if (evlist->cgroup_id)
			break;
		/*
		 * Another map may be that of a child that is not bound yet.  The handler has the
		 * breakpoint removed where it is too much.
		 */
		return mm != current->mm || pmcgrp_tasks_use_mm(evlist->contexts, mm);
	}
	return true;
}

/* The kernel asks for that. */
static PMCGRP_UPROBE_FILTER(filter)
{
	return wants_mm(probe_of(consumer)->user, mm);
}

/* No handler removes itself while its breakpoint may concern the group. */
static PMCGRP_UPROBE_HIT(on_hit)
{
	const struct user_probe *probe = probe_of(consumer);
	struct user_span *user = probe->user;
	unsigned long sp = user_stack_pointer(regs);
	bool concerns = false;

	if (probe->begins)
		concerns = pmcgrp_frame_begin(user->frames, sp);
	if (probe->ends)
		concerns |= pmcgrp_frame_end(user->frames, sp);
	return likely(concerns) || wants_mm(user, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

/* The file, as kernel/trace/trace_uprobe.c opens it. */
static int file_find(struct user_span *user, const struct pmcgrp_span_request *request, u32 *why)
{
	int err;

	*why = PMCGRP_WHY_SPAN_FILE;
	err = kern_path(request->begin, LOOKUP_FOLLOW, &user->path);
	if (err)
		return err;
	if (d_is_dir(user->path.dentry))
		err = -EISDIR;
	else if (!d_is_reg(user->path.dentry))
		err = -EINVAL;
	if (err) {
		path_put(&user->path);
		return err;
	}
	/* That of the path can change (overlayfs). */
	user->inode = d_real_inode(user->path.dentry);
	return 0;
}

/* The kernel lets an end of the file pass.  Files of /proc have no size. */
static bool is_in_file(const struct user_span *user, loff_t offset)
{
	loff_t size = i_size_read(user->inode);

	return offset >= 0 && (!size || offset < size);
}

/* Register the next probe of those that are not yet. */
static int user_probe_register(struct user_span *user, u32 *why)
{
	struct user_probe *probe = &user->probe[user->nr - 1 - user->registered];
	int err;

	*why = PMCGRP_WHY_SPAN_REFUSED;
	if (!is_in_file(user, probe->offset))
		return -EINVAL;
	probe->consumer.handler = on_hit;
	if (user->span.whose == PMCGRP_SPAN_OF_TASK || user->span.whose == PMCGRP_SPAN_OF_TASKS)
		probe->consumer.filter = filter;
	err = pmcgrp_uprobe_register(&probe->uprobe, user->inode, probe->offset, &probe->consumer);
	/* No errno of user space's: the instruction is a breakpoint itself. */
	if (err == -ENOTSUPP)
		err = -EOPNOTSUPP;
	/* What has no page cache, as files of /proc. */
	if (err == -EIO)
		*why = PMCGRP_WHY_SPAN_FILE;
	if (err == -ENOMEM)
		*why = PMCGRP_WHY_NOMEM;
	return err;
}

/* The beginning first: what begins has its exits. */
static void user_unregister(struct user_span *user)
{
	struct user_probe *probe;

	for (; user->registered; user->registered--) {
		probe = &user->probe[user->nr - user->registered];
		pmcgrp_uprobe_unregister(probe->uprobe, user->inode, probe->offset,
					 &probe->consumer);
	}
}

/* The beginning last. */
static int user_register(struct user_span *user, u32 *why)
{
	int err = 0;

	while (user->registered < user->nr && !err) {
		/* Each one is written to all processes that have mapped the file. */
		if (fatal_signal_pending(current))
			err = -EINTR;
		else
			err = user_probe_register(user, why);
		if (!err)
			user->registered++;
	}
	if (!err)
		return 0;
	user_unregister(user);
	pmcgrp_uprobe_unregister_sync();
	return err;
}

/*
 * Exits are in order, so one that is the beginning as well is found once.  @user has room for the
 * beginning and all of them.
 */
static int probes_init(struct user_span *user, const u64 *exits, const struct pmcgrp_span_add *arg)
{
	struct user_probe *begin = &user->probe[0], *probe;
	unsigned int i;

	begin->user = user;
	begin->offset = arg->offset;
	begin->begins = true;
	user->nr = 1;
	for (i = 0; i < arg->nr_exits; i++) {
		if (i && exits[i] <= exits[i - 1])
			return -EINVAL;
		probe = exits[i] == arg->offset ? begin : &user->probe[user->nr++];
		probe->user = user;
		probe->offset = exits[i];
		probe->ends = true;
	}
	return 0;
}

static int exits_copy(struct user_span *user, const struct pmcgrp_span_add *arg, u32 *why)
{
	u64 *exits;
	int err;

	*why = PMCGRP_WHY_SPAN_EXITS;
	exits = vmemdup_user(u64_to_user_ptr(arg->exits),
			     array_size(arg->nr_exits, sizeof(*exits)));
	if (IS_ERR(exits)) {
		if (PTR_ERR(exits) == -ENOMEM)
			*why = PMCGRP_WHY_NOMEM;
		return PTR_ERR(exits);
	}
	err = probes_init(user, exits, arg);
	kvfree(exits);
	return err;
}

static int user_init(struct user_span *user, struct pmcgrp_span_request *request)
{
	int err = exits_copy(user, request->arg, &request->why);

	if (err)
		return err;
	pmcgrp_span_init(&user->span, request);
	user->frames = pmcgrp_frames_alloc(&user->span, request->max_active, &request->why);
	if (IS_ERR(user->frames))
		return PTR_ERR(user->frames);
	err = file_find(user, request, &request->why);
	if (err)
		goto free_frames;
	err = user_register(user, &request->why);
	if (!err)
		return 0;
	path_put(&user->path);
free_frames:
	kvfree(user->frames);
	return err;
}

static struct pmcgrp_span *user_make(struct pmcgrp_span_request *request)
{
	struct user_span *user;
	int err;

	/* As perf core's (kernel/events/core.c: perf_uprobe_event_init()). */
	request->why = PMCGRP_WHY_PERMISSION;
	if (!capable(CAP_SYS_ADMIN))
		return ERR_PTR(-EACCES);
	user = pmcgrp_charge_alloc_in_flight(&request->section->charge,
					     struct_size(user, probe, request->arg->nr_exits + 1),
					     &request->why);
	if (IS_ERR(user))
		return ERR_CAST(user);
	err = user_init(user, request);
	if (!err)
		return &user->span;
	kvfree(user);
	return ERR_PTR(err);
}

static void user_free(struct pmcgrp_span *span)
{
	struct user_span *user = container_of(span, struct user_span, span);

	path_put(&user->path);
	kvfree(user->frames);
	kvfree(user);
}

static void users_stop(struct list_head *spans)
{
	struct pmcgrp_span *span;

	list_for_each_entry(span, spans, node)
		user_unregister(container_of(span, struct user_span, span));
	pmcgrp_uprobe_unregister_sync();
}

/* Calls of one task nest. */
const struct pmcgrp_span_ops pmcgrp_span_user_ops = {
	.kind = PMCGRP_SECTION_USER_FUNCTION,
	.max_active = 128,
	.make = user_make,
	.stop = users_stop,
	.free = user_free,
};
