// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Whether bytes and counts are right: read_format, a known loop, sums. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define FORMATS (PERF_FORMAT_MAX) /* all choices of the bits below */
#define BYTES 512
#define TURNS 2000000
#define TRIES 7
#define PAGES 256
/* Page faults that a child has of its own, before it is there and as it ends. */
#define PAGES_MORE 200

/* A group of perf's with these events and this read_format; how many bytes its read() gives, or -errno. */
static long perf_size(const struct perf_event_attr *attr, unsigned int nr, uint64_t format)
{
	int fd[CHECK_MEMBERS];
	unsigned char bytes[BYTES];
	unsigned int i;
	long size = 0;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr a = attr[i];

		a.read_format = format;
		fd[i] = check_perf(&a, i ? fd[0] : -1);
		if (fd[i] < 0) {
			size = fd[i];
			break;
		}
	}
	if (!size) {
		size = read(fd[0], bytes, sizeof(bytes));
		size = size < 0 ? -errno : size;
	}
	while (i--)
		close(fd[i]);
	return size;
}

static bool one_format(struct check *c, struct pmcgrp_spec *spec, const struct perf_event_attr *attr,
		       unsigned int nr, uint64_t format)
{
	long perf = perf_size(attr, nr, format);
	struct pmcgrp_group *group;
	unsigned char bytes[BYTES];
	struct pmcgrp_view view;
	ssize_t size;

	pmcgrp_spec_set_read_format(spec, format);
	if (pmcgrp_group_create(c->h, spec, &group))
		return check_fail(c, "read_format %llu: %s", (unsigned long long)format,
				  pmcgrp_strerror(c->h));
	size = pmcgrp_group_read(group, bytes, sizeof(bytes));
	pmcgrp_group_close(group);
	if (perf < 0)
		return check_fail(c, "perf_event_open(2) with read_format %llu: %s",
				  (unsigned long long)format, strerror((int)-perf));
	if (size != perf)
		return check_fail(c, "read_format %llu: %zd bytes, where perf has %ld",
				  (unsigned long long)format, size, perf);
	if (pmcgrp_view_init(&view, bytes, (size_t)size, format) ||
	    pmcgrp_view_nr(&view) != (format & PERF_FORMAT_GROUP ? nr : 1))
		return check_fail(c, "read_format %llu: the bytes are not in this layout",
				  (unsigned long long)format);
	return true;
}

void check_formats(struct check *c)
{
	const struct perf_event_attr attr[] = {
		check_software(PERF_COUNT_SW_TASK_CLOCK),
		check_software(PERF_COUNT_SW_PAGE_FAULTS),
		check_software(PERF_COUNT_SW_CONTEXT_SWITCHES),
	};
	const unsigned int nr = sizeof(attr) / sizeof(attr[0]);
	struct pmcgrp_spec *spec;
	uint64_t format;
	unsigned int i;

	if (pmcgrp_spec_new(&spec)) {
		check_fail(c, "out of memory");
		return;
	}
	for (i = 0; i < nr; i++)
		pmcgrp_spec_add(spec, &attr[i], NULL);
	for (format = 0; format < FORMATS; format++)
		if (!one_format(c, spec, attr, nr, format))
			break;
	pmcgrp_spec_free(spec);
	check_note(c, "%d choices of read_format have the sizes that perf's have", (int)format);
}

static bool loop_counts(struct check *c, struct pmcgrp_group *group, uint64_t turns, uint64_t *count)
{
	struct check_values before, after;

	if (!check_read(c, group, &before))
		return false;
	check_loop(turns);
	if (!check_read(c, group, &after))
		return false;
	*count = after.value[0] - before.value[0];
	if (after.running - before.running != after.enabled - before.enabled)
		return check_skip(c, "the group had to wait for counters that others have; see doctor below");
	return true;
}

/* The least of some: an interrupt may add instructions, and never takes any away. */
static bool least_of(struct check *c, struct pmcgrp_group *group, uint64_t turns, uint64_t *least)
{
	uint64_t count;
	int i;

	*least = UINT64_MAX;
	for (i = 0; i < TRIES; i++) {
		if (!loop_counts(c, group, turns, &count))
			return false;
		if (count < *least)
			*least = count;
	}
	return true;
}

static void loops_compared(struct check *c, struct pmcgrp_group *group)
{
	uint64_t once, twice;

	if (!least_of(c, group, TURNS, &once) || !least_of(c, group, 2 * (uint64_t)TURNS, &twice))
		return;
	check_note(c, "%d turns more are %llu instructions more", TURNS,
		   (unsigned long long)(twice - once));
#if defined(__x86_64__) || defined(__aarch64__)
	if (llabs((long long)(twice - once) - 2LL * TURNS) > 2LL * TURNS / 10000)
		check_fail(c, "%d turns of two instructions are %llu instructions: more than 0.01 %% off",
			   TURNS, (unsigned long long)(twice - once));
#else
	check_skip(c, "what a turn of the loop has is not known for this architecture");
#endif
}

void check_exact(struct check *c)
{
	const struct perf_event_attr attr[] = {
		check_hardware(PERF_COUNT_HW_INSTRUCTIONS),
		check_hardware(PERF_COUNT_HW_CPU_CYCLES),
	};
	struct pmcgrp_group *group;

	if (check_group(c, CHECK_THREAD, attr, 2, &group)) {
		check_skip(c, "instructions and cycles: %s", pmcgrp_strerror(c->h));
		return;
	}
	loops_compared(c, group);
	pmcgrp_group_close(group);
}

/* The sum over the CPUs lies between the totals that are read before and after it. */
static bool cpus_add_up(struct check *c, struct pmcgrp_group *group)
{
	ssize_t size = pmcgrp_group_read_cpus(group, NULL, 0);
	struct check_values before, after;
	unsigned char *bytes = size > 0 ? malloc((size_t)size) : NULL;
	uint64_t sum[CHECK_MEMBERS] = { 0 };
	struct pmcgrp_view view;
	size_t cpus, i;
	bool good = true;

	if (!bytes)
		return check_fail(c, "PMCGRP_IOC_READ_CPUS: %s", strerror(size < 0 ? (int)-size : ENOMEM));
	good = check_read(c, group, &before);
	if (good)
		size = pmcgrp_group_read_cpus(group, bytes, (size_t)size);
	good = good && check_read(c, group, &after);
	if (good && size < 0)
		good = check_fail(c, "PMCGRP_IOC_READ_CPUS: %s", strerror((int)-size));
	for (cpus = 0; good && pmcgrp_view_cpu(&view, bytes, (size_t)size, CHECK_FORMAT, cpus) >= 0; cpus++)
		for (i = 0; i < before.nr; i++)
			sum[i] += pmcgrp_view_value(&view, i);
	free(bytes);
	for (i = 0; good && i < before.nr; i++)
		if (sum[i] < before.value[i] || sum[i] > after.value[i])
			good = check_fail(c, "member %zu: the CPUs add up to %llu, the group to %llu before and "
					     "%llu after",
					  i, (unsigned long long)sum[i],
					  (unsigned long long)before.value[i],
					  (unsigned long long)after.value[i]);
	if (good)
		check_note(c, "%zu CPUs add up to what the machine has", cpus);
	return good;
}

/* What a child does, counted by the module around what perf counts. */
static bool child_counts(struct check *c)
{
	struct perf_event_attr attr = check_software(PERF_COUNT_SW_PAGE_FAULTS), perf_attr = attr;
	struct check_values before, after;
	struct pmcgrp_group *group;
	uint64_t perf = 0;
	int fd, status;
	pid_t pid;

	perf_attr.inherit = 1;
	if (check_group(c, CHECK_CHILDREN, &attr, 1, &group))
		return check_fail(c, "a group that inherits: %s", pmcgrp_strerror(c->h));
	fd = check_perf(&perf_attr, -1);
	if (!check_read(c, group, &before) || fd < 0) {
		pmcgrp_group_close(group);
		return check_fail(c, "perf_event_open(2): %s", strerror(fd < 0 ? -fd : EIO));
	}
	pid = fork();
	if (!pid)
		_exit(!check_touch(PAGES));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		check_fail(c, "a child could not do its work");
	if (read(fd, &perf, sizeof(perf)) != sizeof(perf))
		check_fail(c, "read() of perf's event: %s", strerror(errno));
	close(fd);
	if (check_read(c, group, &after)) {
		after.value[0] -= before.value[0];
		check_note(c, "a child that touches %d pages: %llu page faults, by perf %llu", PAGES,
			   (unsigned long long)after.value[0], (unsigned long long)perf);
		if (after.value[0] < PAGES || after.value[0] > PAGES + PAGES_MORE)
			check_fail(c, "%llu page faults of a child that touches %d pages",
				   (unsigned long long)after.value[0], PAGES);
	}
	pmcgrp_group_close(group);
	return !*c->failed;
}

void check_conserved(struct check *c)
{
	const struct perf_event_attr attr[] = {
		check_software(PERF_COUNT_SW_PAGE_FAULTS),
		check_software(PERF_COUNT_SW_CONTEXT_SWITCHES),
		check_hardware(PERF_COUNT_HW_INSTRUCTIONS),
	};
	struct pmcgrp_group *group;

	/* Without the last one where there is no such counter. */
	if (check_group(c, CHECK_MACHINE, attr, 3, &group) && check_group(c, CHECK_MACHINE, attr, 2, &group)) {
		check_fail(c, "a group of all CPUs: %s", pmcgrp_strerror(c->h));
		return;
	}
	if (check_touch(PAGES) && cpus_add_up(c, group))
		child_counts(c);
	pmcgrp_group_close(group);
}
