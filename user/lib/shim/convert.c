// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A group of the module becomes one of perf's, as an event joins that the module cannot have.  Each
 * event of perf's takes the number of the module's descriptor, and the last of these ends the group.
 *
 * What stays as it was are copies of these descriptors: by dup(), in other processes.  PERF_FORMAT_ID
 * and PERF_EVENT_IOC_ID give other ids from then on.  Members are enabled or not as they were opened.
 *
 * shim_try_equal() opens perf's events as well, and closes them: to ask whether there is room for one more.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "shim.h"

/* The events of the group, in its order, the leader first. */
struct members {
	unsigned int nr;
	uint64_t id[PMCGRP_MEMBERS_MAX];
	int fd[PMCGRP_MEMBERS_MAX];	/* of perf's */
};

static void close_all(const struct members *m, unsigned int nr)
{
	while (nr--)
		SHIM_CALL(SYS_close, m->fd[nr], 0, 0, 0, 0);
}

/*
 * Nanoseconds.  A group that was on for less was tried, not measured with: PAPI enables, disables and reads
 * each event before it opens the next one, which may sample, and resets them all later.
 */
#define TRY_MAX 100000

/* Who the members are; *@lost: whether a count that matters would be lost with the group. */
static bool take_members(struct members *m, int fd, bool *lost)
{
	struct pmcgrp_info_member member[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_info info;
	unsigned int i;

	if (!shim_group_info(fd, &info, member) || info.nr_members > PMCGRP_MEMBERS_MAX)
		return false;
	*lost = info.enabled;
	m->nr = info.nr_members;
	for (i = 0; i < m->nr; i++) {
		*lost = *lost || (member[i].count && info.time_enabled > TRY_MAX);
		m->id[i] = member[i].id;
	}
	return true;
}

/* The member as it was asked for, if its descriptor is where it was, in this process. */
static bool find_member(struct shim_known *known, uint64_t id, pid_t process)
{
	uint64_t now = 0;

	return shim_known_find(known, id) && known->process == process &&
	       SHIM_CALL(SYS_ioctl, known->fd, PERF_EVENT_IOC_ID, &now, 0, 0) >= 0 && now == id;
}

/* A page that is mapped would be of the module's group for ever, and say that nothing was counted. */
static bool is_mapped(int fd)
{
	return SHIM_CALL(SYS_ioctl, fd, PERF_EVENT_IOC_SET_OUTPUT, -1, 0, 0) == -EINVAL;
}

static bool all_are_here(const struct members *m, int group_fd, pid_t process)
{
	struct shim_known known;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		if (!find_member(&known, m->id[i], process) || (!i && known.fd != group_fd) ||
		    is_mapped(known.fd))
			return false;
	return m->nr > 0;
}

static long open_perf(const struct shim_known *known, int leader, bool off)
{
	union shim_attr attr = known->attr;
	const struct shim_request r = {
		.attr = &attr.attr,
		.pid = known->pid,
		.cpu = known->cpu,
		.flags = known->flags,
	};

	if (leader == -1 && off)
		attr.attr.disabled = 1;
	return shim_perf(&r, leader);
}

/*
 * Events of perf's for all members; 0, or -errno with nothing open.  @off: the leader is off, however it was
 * opened.
 */
static long open_all(struct members *m, pid_t process, bool off)
{
	struct shim_known known;
	unsigned int i;
	long fd;

	for (i = 0; i < m->nr; i++) {
		fd = -EINVAL;
		if (find_member(&known, m->id[i], process))
			fd = open_perf(&known, i ? m->fd[0] : -1, off);
		if (fd < 0) {
			close_all(m, i);
			return fd;
		}
		m->fd[i] = (int)fd;
	}
	return 0;
}

static void say_joined(const struct shim_mode *mode, const struct shim_known *known)
{
	const struct shim_request r = {
		.pid = known->pid,
		.cpu = known->cpu,
		.group_fd = known->leader == known->id ? -1 : known->fd,
		.flags = known->flags,
	};
	const struct shim_note note = {
		.fd = known->fd,
		.by = SHIM_BY_PERF,
		.reason = SHIM_JOINED,
		.converted = true,
	};

	shim_log(mode, &r, &known->attr, &note);
}

static void take_places(const struct shim_mode *mode, const struct members *m, pid_t process)
{
	struct shim_known known;
	unsigned int i;
	int cloexec;

	for (i = 0; i < m->nr; i++) {
		if (!find_member(&known, m->id[i], process))
			continue;
		cloexec = SHIM_CALL(SYS_fcntl, known.fd, F_GETFD, 0, 0, 0) & FD_CLOEXEC;
		SHIM_CALL(SYS_dup3, m->fd[i], known.fd, cloexec ? O_CLOEXEC : 0, 0, 0);
		if (mode->verbose || mode->log)
			say_joined(mode, &known);
	}
	close_all(m, m->nr);
}

long shim_convert(const struct shim_mode *mode, const struct shim_group *group, int fd,
		  const struct shim_request *r, bool *done)
{
	pid_t process = (pid_t)SHIM_CALL(SYS_getpid, 0, 0, 0, 0, 0);
	struct members m;
	long ret, low;
	bool lost;

	*done = false;
	if (!group->leads || !take_members(&m, fd, &lost) || lost || !all_are_here(&m, fd, process))
		return -EINVAL;
	if (open_all(&m, process, true))
		return -EINVAL;
	*done = true;
	ret = shim_perf(r, m.fd[0]);
	if (ret < 0) {
		close_all(&m, m.nr);
		return ret;
	}
	take_places(mode, &m, process);
	/* The lowest number, as perf_event_open(2) gives. */
	low = SHIM_CALL(SYS_fcntl, ret, r->flags & PERF_FLAG_FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0,
			0, 0);
	if (low < 0)
		return ret;
	SHIM_CALL(SYS_close, ret, 0, 0, 0, 0);
	return low;
}

/*
 * Whether two events may share a counter in the module.  The module compares exclude_* as well: perf is asked
 * of some events more, and its answer is right for these, too.
 */
static bool counts_alike(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2;
}

static bool has_equal(const struct members *m, const struct perf_event_attr *attr, pid_t process)
{
	struct shim_known known;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		if (find_member(&known, m->id[i], process) && counts_alike(&known.attr.attr, attr))
			return true;
	return false;
}

long shim_try_equal(const struct shim_request *r, const union shim_attr *asked)
{
	pid_t process = (pid_t)SHIM_CALL(SYS_getpid, 0, 0, 0, 0, 0);
	struct members m;
	bool lost;
	long ret;

	if (asked->attr.type == PERF_TYPE_SOFTWARE || !take_members(&m, r->group_fd, &lost) ||
	    !has_equal(&m, &asked->attr, process) || open_all(&m, process, false))
		return 0;
	ret = shim_perf(r, m.fd[0]);
	if (ret >= 0)
		SHIM_CALL(SYS_close, ret, 0, 0, 0, 0);
	close_all(&m, m.nr);
	return ret < 0 ? ret : 0;
}
