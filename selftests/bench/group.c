// SPDX-License-Identifier: GPL-2.0-only
/* Groups of both sides: one, and as many as a row or a curve has at a time. */
#include "bench.h"
#include <pmcgrp_perf.h>

int dev;

static int perf_open_cgroup(struct perf_event_attr *attr, const struct whom *whom, int leader)
{
	int fd = syscall(__NR_perf_event_open, attr, whom->cgroup, whom->cpu, leader,
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool perf_group_open(struct perf_group *group, const struct perf_event_attr *attr,
		     unsigned int nr, const struct whom *whom)
{
	struct perf_event_attr a;
	unsigned int i;

	group->nr = 0;
	for (i = 0; i < nr; i++) {
		a = attr[i];
		a.read_format = FORMAT;
		a.inherit = whom->inherit;
		a.disabled = whom->disabled && !i;
		group->fd[i] = whom->cgroup ?
				       perf_open_cgroup(&a, whom, i ? group->fd[0] : -1) :
				       perf_open(&a, whom->pid, whom->pid == -1 ? whom->cpu : -1,
						 i ? group->fd[0] : -1);
		if (group->fd[i] < 0) {
			perf_group_close(group);
			return cannot("perf_event_open(): %s", strerror(-group->fd[i]));
		}
		group->nr++;
	}
	return true;
}

bool shim_group_open(struct perf_group *group, const struct perf_event_attr *attr, unsigned int nr,
		     pid_t pid)
{
	struct perf_event_attr a;

	for (group->nr = 0; group->nr < nr; group->nr++) {
		a = attr[group->nr];
		a.read_format = FORMAT;
		group->fd[group->nr] = pmcgrp_perf_event_open(&a, pid, -1,
							      group->nr ? group->fd[0] : -1, 0);
		if (group->fd[group->nr] < 0) {
			perf_group_close(group);
			return cannot("pmcgrp_perf_event_open(): %s", strerror(errno));
		}
	}
	return true;
}

void perf_group_close(struct perf_group *group)
{
	while (group->nr)
		close(group->fd[--group->nr]);
}

int group_open(const struct perf_event_attr *attr, unsigned int nr, const struct whom *whom)
{
	struct ask ask = {
		.target_type = whom->cgroup    ? PMCGRP_TARGET_CGROUP :
			       whom->all       ? PMCGRP_TARGET_ALL_CPUS :
			       whom->pid == -1 ? PMCGRP_TARGET_CPU :
			       whom->process   ? PMCGRP_TARGET_PROCESS :
						 PMCGRP_TARGET_TASK,
		.target_id = whom->cgroup    ? whom->cgroup :
			     whom->all	     ? 0 :
			     whom->pid == -1 ? whom->cpu :
					       whom->pid,
		.flags = (whom->inherit ? PMCGRP_CREATE_INHERIT : 0) |
			 (whom->disabled ? PMCGRP_CREATE_DISABLED : 0) |
			 (whom->background ? PMCGRP_CREATE_BACKGROUND : 0),
		.nr = nr,
		.attr = attr,
	};
	int fd = ask_group(dev, &ask);

	if (fd < 0)
		fprintf(stderr, "PMCGRP_IOC_CREATE: %s, why %u\n", strerror(-fd), ask.create.why);
	return fd;
}

static struct perf_group perf_groups[GROUPS_MOST];
static int groups[GROUPS_MOST];

bool group_begin(enum by by, int k, const struct perf_event_attr *attr, unsigned int nr,
		 const struct whom *whom)
{
	if (by == BY_PERF)
		return perf_group_open(&perf_groups[k], attr, nr, whom);
	groups[k] = group_open(attr, nr, whom);
	return groups[k] >= 0;
}

void group_end(enum by by, int k)
{
	if (by == BY_PERF)
		perf_group_close(&perf_groups[k]);
	else
		close(groups[k]);
}

int group_fd(enum by by, int k)
{
	return by == BY_PERF ? perf_groups[k].fd[0] : groups[k];
}

struct cost with_groups(enum by by, int nr, const struct group_set *set, const struct whom *whom,
			struct cost (*cost)(enum by by, int nr))
{
	struct perf_event_attr others[NR_MAX];
	unsigned int count = set->nr;
	const struct perf_event_attr *attr = set->attr;
	struct cost found = NO_COST;
	unsigned int i;
	int k;

	for (k = 0; k < nr; k++) {
		if (set->different) {
			for (i = 0; i < set->nr; i++)
				others[i] = another(set->attr[i], k);
			attr = others;
		}
		if (set->choice) {
			for (i = count = 0; i < set->nr; i++)
				if ((k + 1) & 1 << i)
					others[count++] = set->attr[i];
			attr = others;
		}
		if (!group_begin(by, k, attr, count, whom))
			break;
	}
	if (k == nr)
		found = cost(by, nr);
	while (k--)
		group_end(by, k);
	return found;
}

struct cost with_different_groups(enum by by, int nr, const struct whom *whom,
				  struct cost (*cost)(enum by by, int nr))
{
	const struct group_set set = { .attr = members[0], .nr = NR, .different = true };

	return with_groups(by, nr, &set, whom, cost);
}
