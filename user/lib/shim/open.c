// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * pmcgrp_perf_event_open(): who counts an event, the module or perf.
 *
 * perf judges the arguments first, so that each errno is its own.  With a group_fd that is no event
 * it does all that it does before it makes an event (kernel/events/core.c: perf_event_open()), and says
 * EBADF: this costs a tenth of an event.  The rest the module refuses as well, and then perf is
 * asked for the event.
 *
 * Of a member the module judges by itself, once perf has judged any event of this process, so that
 * the system call is not one that is forbidden here.  Where it refuses, perf is asked as well.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "pmcgrp_perf.h"
#include "shim.h"

/* A descriptor that is never open. */
#define NO_EVENT -2

/* The call, what the environment asks for, and what came of it. */
struct shim_call_state {
	const struct shim_request *r;
	struct shim_mode mode;
	union shim_attr attr;
	bool taken;
	struct shim_note note;
};

static long told(struct shim_call_state *s, long ret, enum shim_by by, enum shim_reason reason)
{
	if (!s->mode.verbose && !s->mode.log)
		return ret;
	s->note.fd = (int)ret;
	s->note.by = ret < 0 ? SHIM_BY_NONE : by;
	s->note.reason = reason;
	shim_log(&s->mode, s->r, s->taken ? &s->attr : NULL, &s->note);
	return ret;
}

static enum shim_reason reason_of(struct shim_call_state *s)
{
	s->taken = shim_attr_take(&s->attr, s->r->attr);
	return s->taken ? shim_attr_reason(&s->attr, s->r) : SHIM_NEWER;
}

/* @fd: a descriptor of perf's, or -errno. */
static long by_perf(struct shim_call_state *s, long fd, enum shim_reason reason)
{
	if (fd >= 0 && s->mode.strict) {
		SHIM_CALL(SYS_close, fd, 0, 0, 0, 0);
		return told(s, -EOPNOTSUPP, SHIM_BY_NONE, reason);
	}
	return told(s, fd, SHIM_BY_PERF, fd < 0 ? SHIM_LEFT : reason);
}

/*
 * What perf_event_alloc() (kernel/events/core.c) may refuse, and the module does not know: up to Linux
 * 6.11 the first, from 6.12 on the second.
 */
static bool wants_full_judgement(const struct perf_event_attr *attr)
{
	return attr->inherit &&
	       (attr->read_format & PERF_FORMAT_GROUP || attr->sample_type & PERF_SAMPLE_READ);
}

static long perf_refuses(const struct shim_request *r)
{
	long fd = shim_perf(r, -1);

	if (fd >= 0)
		SHIM_CALL(SYS_close, fd, 0, 0, 0, 0);
	return fd < 0 ? fd : 0;
}

/* Whether perf may have an opinion of an event, and has said so of one. */
static atomic_bool has_judged;

/* What it says of the arguments; -EBADF: they are good. */
static long judge(const struct shim_request *r, int group_fd)
{
	long ret = shim_perf(r, group_fd);

	if (ret == -EBADF)
		atomic_store_explicit(&has_judged, true, memory_order_relaxed);
	return ret;
}

static long open_leader(struct shim_call_state *s)
{
	const struct shim_request *r = s->r;
	enum shim_reason reason;
	bool no_device;
	long ret;

	ret = judge(r, NO_EVENT);
	if (ret != -EBADF)
		return told(s, ret, SHIM_BY_PERF, SHIM_LEFT);
	reason = reason_of(s);
	if (reason)
		return by_perf(s, shim_perf(r, -1), reason);
	ret = wants_full_judgement(&s->attr.attr) ? perf_refuses(r) : 0;
	if (ret < 0)
		return told(s, ret, SHIM_BY_NONE, SHIM_LEFT);
	ret = shim_create(r, &s->attr, &s->note.why, &no_device);
	if (ret >= 0)
		return told(s, ret, SHIM_BY_PMCGRP, SHIM_NONE);
	return by_perf(s, shim_perf(r, -1), no_device ? SHIM_DEVICE : SHIM_MODULE);
}

/* The rules of perf_event_open(2) for a group; an errno, or 0. */
static long check_group(const struct shim_call_state *s, const struct shim_group *group)
{
	const struct perf_event_attr *attr = &s->attr.attr;
	const struct shim_request *r = s->r;
	pid_t pid = r->pid;
	long ret;
	bool inherits;

	if (!pid)
		pid = (pid_t)SHIM_CALL(SYS_gettid, 0, 0, 0, 0, 0);
	/* perf compares these of events of tasks alone. */
	inherits = pid == -1 || r->flags & PERF_FLAG_PID_CGROUP || attr->inherit == group->inherit;
	if (inherits && group->leads && pid == group->pid && r->cpu == group->cpu && !attr->pinned &&
	    !attr->exclusive)
		return wants_full_judgement(attr) ? perf_refuses(r) : 0;
	ret = perf_refuses(r);
	/* perf looks for the task, then at this, and then at the event. */
	if (!inherits && ret != -ESRCH)
		return -EINVAL;
	return ret ? ret : -EINVAL;
}

/* perf takes the group over, with this event; true: and *@ret is what that came to. */
static bool convert(struct shim_call_state *s, const struct shim_group *group,
		    enum shim_reason reason, long *ret)
{
	bool done = false;

	if (s->mode.strict)
		return false;
	*ret = shim_convert(&s->mode, group, s->r->group_fd, s->r, &done);
	if (!done)
		return false;
	s->note.converted = *ret >= 0;
	told(s, *ret, SHIM_BY_PERF, *ret < 0 ? SHIM_LEFT : reason);
	return true;
}

/* An event that its group in the module cannot have. */
static long refuse(struct shim_call_state *s, enum shim_reason reason, long err)
{
	long ret = perf_refuses(s->r);

	if (ret < 0)
		return told(s, ret, SHIM_BY_NONE, SHIM_LEFT);
	return told(s, s->mode.strict ? -EOPNOTSUPP : err, SHIM_BY_NONE, reason);
}

static long join_group(struct shim_call_state *s, const struct shim_group *group)
{
	enum shim_reason reason = reason_of(s);
	long ret = check_group(s, group);

	if (ret < 0)
		return told(s, ret, SHIM_BY_NONE, SHIM_LEFT);
	if (reason && convert(s, group, reason, &ret))
		return ret;
	/* A tracepoint is counted by the module where perf cannot have the group any more. */
	if (reason && (reason != SHIM_TRACEPOINT || s->mode.strict))
		return refuse(s, s->mode.strict ? reason : SHIM_SPLIT, -EINVAL);
	/* A program that fills a group with one event finds as many counters as perf has. */
	ret = shim_try_equal(s->r, &s->attr);
	if (ret < 0)
		return told(s, ret, SHIM_BY_NONE, SHIM_LEFT);
	ret = shim_add(s->r, &s->attr, &s->note.why);
	if (ret >= 0)
		return told(s, ret, SHIM_BY_PMCGRP, SHIM_NONE);
	/* perf on some processors takes a group that can never run, which would count nothing. */
	if (s->note.why != PMCGRP_WHY_TOO_LARGE && convert(s, group, SHIM_MODULE, &ret))
		return ret;
	return refuse(s, SHIM_MODULE, ret);
}

/* As most members are, of a group of the module: a descriptor, or less than 0, which says nothing. */
static long add_at_once(struct shim_call_state *s)
{
	long fd;

	if (s->r->flags & ~PERF_FLAG_FD_CLOEXEC ||
	    !atomic_load_explicit(&has_judged, memory_order_relaxed))
		return -1;
	fd = shim_add_as_perf(s->r, &s->attr);
	s->taken = fd >= 0;
	return fd;
}

static long open_member(struct shim_call_state *s)
{
	const struct shim_request *r = s->r;
	struct shim_group group = { 0 };
	long ret = add_at_once(s);

	if (ret >= 0)
		return told(s, ret, SHIM_BY_PMCGRP, SHIM_NONE);
	ret = judge(r, r->group_fd);
	if (ret != -EBADF || !shim_group_ask(&group, r->group_fd)) {
		if (ret >= 0)
			s->taken = shim_attr_take(&s->attr, r->attr);
		return by_perf(s, ret, SHIM_LEADER);
	}
	/* No member, but perf wants group_fd to be an event all the same. */
	if (r->flags & PERF_FLAG_FD_NO_GROUP && !(r->flags & PERF_FLAG_FD_OUTPUT)) {
		s->taken = shim_attr_take(&s->attr, r->attr);
		return by_perf(s, shim_perf(r, -1), SHIM_FLAGS);
	}
	return join_group(s, &group);
}

long shim_open(const struct shim_request *r)
{
	struct shim_call_state s = { .r = r };

	shim_mode(&s.mode);
	if (s.mode.off)
		return shim_perf(r, r->group_fd);
	return r->group_fd == -1 ? open_leader(&s) : open_member(&s);
}

int pmcgrp_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			   unsigned long flags)
{
	const struct shim_request r = {
		.attr = attr,
		.pid = pid,
		.cpu = cpu,
		.group_fd = group_fd,
		.flags = flags,
	};
	long ret = shim_open(&r);

	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}
