// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of a function of a program or library: from its call to its return, by a uprobe and a
 * uretprobe of one consumer.
 *
 * The kernel says at a return which function returns, not which call of it.  (Since 6.13 a consumer
 * can keep 8 bytes for each call.  A mark is longer, and 6.1 and 6.12 have nothing of the kind.)
 * So a call is found by its task and the stack pointer at the call, in a table (span_flight.c).  At
 * the return the stack pointer is the same, but for the return address on x86: "ret" has popped it.
 *
 *  - Calls within a call have other stack pointers.  A function that jumps to itself or back to its
 *    own beginning has the same one: the outer call is missed (%PMCGRP_MISSED_AGAIN).
 *  - longjmp() leaves calls without a return.  So does an exit.  The next call at that stack
 *    pointer takes the place (%PMCGRP_MISSED_AGAIN), or one in the same bucket does.
 *  - A child of fork() returns from the calls of its parent, but is another task: its returns find
 *    no beginning.
 *  - A task has MAX_URETPROBE_DEPTH returns at most that are probed, whoever probes them; those
 *    that longjmp() has left count until the next call.  A call beyond is missed
 *    (%PMCGRP_MISSED_LIMIT): its return would not be told (kernel/events/uprobes.c:
 *    prepare_uretprobe()).
 *  - An i386 function that pops its arguments ("ret n") is not found: its calls stay in flight.
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
 * may sleep.  After pmcgrp_uprobe_unregister_sync() none runs; the kernel owns the instances of
 * calls in flight, and these return to where they were called from without us.
 */
#include <linux/capability.h>
#include <linux/container_of.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "compat.h"
#include "evlist.h"
#include "section.h"
#include "span.h"
#include "span_flight.h"
#include "span_user.h"
#include "task_table.h"

/* Calls in flight of one task that have room unless the caller says: they nest. */
#define ACTIVE_OF_TASK (2 * MAX_URETPROBE_DEPTH)

/**
 * struct user_span - a span of a function of a file
 * @span: the span
 * @consumer: of the uprobe; begins and ends it
 * @uprobe: the uprobe, for compat.h.  Constant once it is registered.
 * @flights: its calls in flight.  Constant.
 * @path: the file, a reference.  Constant.
 * @offset: where the function begins in it.  Constant.
 * @inode: of @path, by which the kernel knows the uprobe.  Constant: that of @path can change
 *	(overlayfs).
 */
struct user_span {
	struct pmcgrp_span span;
	struct uprobe_consumer consumer;
	struct uprobe *uprobe;
	struct pmcgrp_flights *flights;
	struct path path;
	loff_t offset;
	struct inode *inode;
};

static struct user_span *user_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct user_span, consumer);
}

/* What tells a call from others.  A pid is used again, but by a task that has begun later. */
static void key_of_call(struct pmcgrp_flight_key *key, unsigned long sp)
{
	u32 since = current->start_time >> 10; /* about microseconds */

	key->word[0] = (u64)current->pid << 32 | since;
	key->word[1] = sp;
}

/* The stack pointer at the call, from that at the return. */
static unsigned long sp_at_call(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	return user_stack_pointer(regs) - (user_64bit_mode(regs) ? sizeof(u64) : sizeof(u32));
#else
	return user_stack_pointer(regs);
#endif
}

/* Whether a memory map is to have the breakpoint.  It is only compared. */
static bool wants_mm(const struct user_span *user, const struct mm_struct *mm)
{
	const struct pmcgrp_evlist *list = user->span.list;

	switch (user->span.whose) {
	case PMCGRP_SPAN_OF_ALL:
	case PMCGRP_SPAN_OF_CPUS:
		break;
	case PMCGRP_SPAN_OF_TASK:
		return READ_ONCE(list->task->mm) == mm;
	case PMCGRP_SPAN_OF_TASKS:
		/* Tasks come to a cgroup and leave it. */
		if (list->cgroup_id)
			break;
		/*
		 * Another map may be that of a child that is not bound yet.  The handler has the
		 * breakpoint removed where it is too much.
		 */
		return mm != current->mm || pmcgrp_tasks_use_mm(list, mm);
	}
	return true;
}

/* The kernel asks for that. */
static PMCGRP_UPROBE_FILTER(filter)
{
	return wants_mm(user_of(consumer), mm);
}

/* The kernel will not tell of the return. */
static void miss_deep_call(const struct pmcgrp_span *span)
{
	preempt_disable();
	if (pmcgrp_span_concerns(span))
		pmcgrp_section_miss(span->section, PMCGRP_MISSED_LIMIT);
	preempt_enable();
}

static PMCGRP_UPROBE_CALL(on_call)
{
	struct user_span *user = user_of(consumer);
	struct pmcgrp_flight_key key;

	if (unlikely(current->utask->depth >= MAX_URETPROBE_DEPTH)) {
		miss_deep_call(&user->span);
		return 0;
	}
	key_of_call(&key, user_stack_pointer(regs));
	if (likely(pmcgrp_flight_begin(&user->span, user->flights, &key)) ||
	    wants_mm(user, current->mm))
		return 0;
	return UPROBE_HANDLER_REMOVE;
}

static PMCGRP_UPROBE_RETURN(on_return)
{
	struct user_span *user = user_of(consumer);
	struct pmcgrp_flight_key key;

	key_of_call(&key, sp_at_call(regs));
	pmcgrp_flight_end(&user->span, user->flights, &key);
	return 0;
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
	user->offset = request->arg->offset;
	return 0;
}

static int probe_register(struct user_span *user, u32 *why)
{
	struct inode *inode = d_real_inode(user->path.dentry);
	int err;

	*why = PMCGRP_WHY_SPAN_REFUSED;
	user->inode = inode;
	if (user->offset < 0)
		return -EINVAL;
	/* The kernel lets the end pass.  Files of /proc have no size. */
	if (i_size_read(inode) && (u64)user->offset >= (u64)i_size_read(inode))
		return -EINVAL;
	user->consumer.handler = on_call;
	user->consumer.ret_handler = on_return;
	if (user->span.whose == PMCGRP_SPAN_OF_TASK || user->span.whose == PMCGRP_SPAN_OF_TASKS)
		user->consumer.filter = filter;
	err = pmcgrp_uprobe_register(&user->uprobe, inode, user->offset, &user->consumer);
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

static int user_init(struct user_span *user, struct pmcgrp_span_request *request)
{
	int err;

	pmcgrp_span_init(&user->span, request, PMCGRP_SECTION_USER_FUNCTION);
	if (!request->max_active)
		request->max_active = user->span.whose == PMCGRP_SPAN_OF_TASK ? ACTIVE_OF_TASK :
				PMCGRP_SPAN_ACTIVE_OF_MANY;
	user->flights = pmcgrp_flights_alloc(request->max_active, user->span.list->nr_events,
					     &request->why);
	if (IS_ERR(user->flights))
		return PTR_ERR(user->flights);
	request->max_active = pmcgrp_flights_room(user->flights);
	err = file_find(user, request, &request->why);
	if (err)
		goto free_flights;
	err = probe_register(user, &request->why);
	if (!err)
		return 0;
	path_put(&user->path);
free_flights:
	pmcgrp_flights_free(user->flights);
	return err;
}

/**
 * pmcgrp_span_user_make - make a span of a function of a file, and begin to count it
 * @request: what is asked for
 *
 * Context: may sleep; takes the kernel's locks of uprobes, and mmap_lock of processes.
 * Return: the span, for pmcgrp_span_users_end(); or an ERR_PTR as the uapi header gives for
 * PMCGRP_IOC_SPAN.
 */
struct pmcgrp_span *pmcgrp_span_user_make(struct pmcgrp_span_request *request)
{
	struct user_span *user;
	int err;

	/* As perf core's (kernel/events/core.c: perf_uprobe_event_init()). */
	request->why = PMCGRP_WHY_PERMISSION;
	if (!capable(CAP_SYS_ADMIN))
		return ERR_PTR(-EACCES);
	request->why = PMCGRP_WHY_NOMEM;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return ERR_PTR(-ENOMEM);
	err = user_init(user, request);
	if (!err)
		return &user->span;
	kfree(user);
	return ERR_PTR(err);
}

static void user_unregister(struct user_span *user)
{
	pmcgrp_uprobe_unregister(user->uprobe, user->inode, user->offset, &user->consumer);
}

static void user_free(struct user_span *user)
{
	path_put(&user->path);
	pmcgrp_flights_free(user->flights);
	pmcgrp_section_free(user->span.section);
	kfree(user);
}

/**
 * pmcgrp_span_users_end - end the spans of functions of files, and free them with their sections
 * @spans: list of spans, not listed; those of such functions are taken from it
 *
 * Waits for their handlers, once for all of them; not for the functions.
 *
 * Context: as pmcgrp_span_user_make().
 */
void pmcgrp_span_users_end(struct list_head *spans)
{
	struct pmcgrp_span *span, *next;
	LIST_HEAD(users);

	list_for_each_entry_safe(span, next, spans, node) {
		if (span->kind != PMCGRP_SECTION_USER_FUNCTION)
			continue;
		list_move_tail(&span->node, &users);
		user_unregister(container_of(span, struct user_span, span));
	}
	if (list_empty(&users))
		return;
	pmcgrp_uprobe_unregister_sync();
	list_for_each_entry_safe(span, next, &users, node)
		user_free(container_of(span, struct user_span, span));
}
