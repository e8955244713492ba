/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * perf_event_open(2) by groups of the module: what its files share.
 *
 * All of it may run in a handler of a signal, in a child of fork() and in several threads at once.  It
 * takes no lock, allocates nothing, and leaves errno alone: it makes its system calls by itself.
 */
#ifndef SHIM_H
#define SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>
#include <linux/pmcgrp.h>

/* A system call: its result, or -errno.  Unit tests put a kernel of their own here. */
extern long (*shim_call)(long nr, long a, long b, long c, long d, long e, long f);

#define SHIM_CALL(nr, a, b, c, d, e) \
	shim_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

/* The bytes of an attr that are kept.  A longer one has only zeroes behind them, or is perf's. */
#define SHIM_ATTR_SIZE 256

union shim_attr {
	struct perf_event_attr attr;
	unsigned char bytes[SHIM_ATTR_SIZE];
};

/* A call of perf_event_open(2). */
struct shim_request {
	struct perf_event_attr *attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
};

/* perf_event_open(2) itself; @group_fd replaces that of the request. */
long shim_perf(const struct shim_request *r, int group_fd);

/* Why an event is not the module's; none: it is. */
enum shim_reason {
	SHIM_NONE,
	SHIM_SAMPLES,
	SHIM_BREAKPOINT,
	SHIM_TRACEPOINT,	/* the module could, but has no filters and no BPF programs */
	SHIM_BPF_OUTPUT,
	SHIM_RECORDS,
	SHIM_PRECISE,
	SHIM_BRANCHES,
	SHIM_EXCLUSIVE,
	SHIM_INHERIT,
	SHIM_EXEC,
	SHIM_FIELD,
	SHIM_NEWER,
	SHIM_TASK_ON_CPU,
	SHIM_CGROUP,
	SHIM_FLAGS,
	SHIM_LEADER,		/* the group is perf's */
	SHIM_DEVICE,		/* the device cannot be opened */
	SHIM_MODULE,		/* the module has refused it */
	SHIM_JOINED,		/* the group became perf's for another event of it */
	SHIM_SPLIT,		/* and it could not */
	SHIM_LEFT,		/* the kernel refuses it, perf or not */
};

/* ---- attr.c ---- */

/* Take an attr that the kernel has read; false: it does not fit. */
bool shim_attr_take(union shim_attr *copy, const struct perf_event_attr *attr);

/* Why an event cannot be the module's, by its attr and the other arguments. */
enum shim_reason shim_attr_reason(const union shim_attr *copy, const struct shim_request *r);

/* Reduce an attr to what the module takes. */
void shim_attr_reduce(union shim_attr *copy);

/* ---- mode.c ---- */

struct shim_mode {
	bool off;
	bool strict;
	bool verbose;
	const char *log;	/* a file, or NULL */
};

/* What the environment asks for; nothing of a set-uid program's. */
void shim_mode(struct shim_mode *mode);

/* ---- log.c ---- */

enum shim_by {
	SHIM_BY_NONE,		/* refused */
	SHIM_BY_PMCGRP,
	SHIM_BY_PERF,
};

struct shim_note {
	int fd;			/* or -errno */
	enum shim_by by;
	enum shim_reason reason;
	uint32_t why;		/* enum pmcgrp_why, with SHIM_MODULE */
	bool converted;
};

/* Say who counts; @copy: NULL if the attr could not be taken. */
void shim_log(const struct shim_mode *mode, const struct shim_request *r,
	      const union shim_attr *copy, const struct shim_note *note);

/* ---- known.c ---- */

/* An event that this process has given to the module. */
struct shim_known {
	uint64_t id;		/* as PERF_EVENT_IOC_ID gives it */
	uint64_t leader;	/* id of its group's leader */
	int fd;
	pid_t process;
	pid_t thread;		/* the one that has opened it */
	pid_t pid;		/* its target; -1: a CPU */
	int cpu;
	unsigned long flags;
	union shim_attr attr;	/* as it was asked for */
};

/* Remember an event, as long as no newer one needs its place. */
void shim_known_add(const struct shim_known *known);

/* Whether an event is remembered. */
bool shim_known_find(struct shim_known *known, uint64_t id);

/* ---- group.c ---- */

/* The group of the module that a descriptor is of. */
struct shim_group {
	uint64_t id;		/* of the descriptor's member */
	bool leads;
	pid_t process;		/* that has made it; 0: not known */
	pid_t thread;		/* 0: not known */
	pid_t pid;		/* its target; -1: a CPU */
	int cpu;
	bool inherit;
};

/* Ask a descriptor; false: it is none of the module's. */
bool shim_group_ask(struct shim_group *group, int fd);

/* PMCGRP_IOC_INFO; @members: room for PMCGRP_MEMBERS_MAX. */
bool shim_group_info(int fd, struct pmcgrp_info *info, struct pmcgrp_info_member *members);

/* ---- convert.c ---- */

/*
 * Make a group of the module one of perf's, with one event more.  Only as long as nothing is lost: it
 * is off, its counts are 0 or of a moment, and each descriptor is where it was.  Returns the event's descriptor, or
 * -errno; *@done: whether perf was asked, so that the errno is final.
 */
long shim_convert(const struct shim_mode *mode, const struct shim_group *group, int fd,
		  const struct shim_request *r, bool *done);

/*
 * What perf says of an event of hardware that equals another one of its group, which the module counts by one
 * counter: -errno or 0.  perf opens the whole group for that, and closes it.  0 of other events, and if it cannot
 * be asked.
 */
long shim_try_equal(const struct shim_request *r, const union shim_attr *asked);

/* ---- create.c ---- */

/* Both return a descriptor, or -errno with *@why. */
long shim_create(const struct shim_request *r, const union shim_attr *asked, uint32_t *why,
		 bool *no_device);
long shim_add(const struct shim_request *r, const union shim_attr *asked, uint32_t *why);

/*
 * The same by one call, without a look at the attr before: the module judges all arguments.  Returns a
 * descriptor and the attr; or -errno: that may not be perf's.
 */
long shim_add_as_perf(const struct shim_request *r, union shim_attr *asked);

/* ---- open.c ---- */

/* pmcgrp_perf_event_open(): a descriptor, or -errno. */
long shim_open(const struct shim_request *r);

/* ---- own.c ---- */

/* Enable or disable the module's groups of this thread, as prctl(2) does perf's. */
void shim_own_control(unsigned long request);

#endif
