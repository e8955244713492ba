// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Sets of CPUs, and the lists that stand for them in /sys and on command lines:
 *
 *	list = [ range { "," range } ] [ newline ]
 *	range = number [ "-" number ]
 *
 * The kernel writes such lists (bitmap_print_to_pagebuf()) with a newline at their
 * end, and an empty one for no CPU at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpus.h"

#define WORD_BITS 64

/* The longest list that a set can be written as: every other CPU by its number. */
#define LIST_MAX (5 * PMCGRP_CPUS_MAX / 2 + 2)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads a number and goes past it: -EINVAL for none, -ERANGE for one too large. */
static int take_number(const char **at)
{
	const char *p = *at;
	int value = 0;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		value = value * 10 + (*p - '0');
		if (value >= PMCGRP_CPUS_MAX)
			return -ERANGE;
	}
	*at = p;
	return value;
}

static int take_range(struct pmcgrp_cpus *cpus, const char **at)
{
	const char *start = *at;
	int first, last;

	first = take_number(at);
	if (first < 0)
		return first;
	last = first;
	if (**at == '-') {
		++*at;
		last = take_number(at);
		if (last < 0)
			return last;
	}
	if (last < first) {
		*at = start;
		return -EINVAL;
	}
	for (; first <= last; first++)
		pmcgrp_cpus_set(cpus, first);
	return 0;
}

int pmcgrp_cpus_parse(struct pmcgrp_cpus *cpus, const char *text, size_t *where)
{
	const char *at = text;
	int ret = 0;

	if (!cpus || !text)
		return -EINVAL;
	memset(cpus, 0, sizeof(*cpus));
	while (*at && *at != '\n') {
		ret = take_range(cpus, &at);
		if (ret < 0 || *at != ',')
			break;
		at++;
		if (!is_digit(*at))
			ret = -EINVAL;	/* a comma that nothing follows */
		if (ret < 0)
			break;
	}
	if (!ret && *at && strcmp(at, "\n"))
		ret = -EINVAL;
	if (ret < 0) {
		memset(cpus, 0, sizeof(*cpus));
		if (where)
			*where = (size_t)(at - text);
	}
	return ret;
}

size_t pmcgrp_cpus_format(const struct pmcgrp_cpus *cpus, char *buf, size_t size)
{
	size_t used = 0;
	int first, last;

	if (size)
		buf[0] = '\0';
	for (first = pmcgrp_cpus_next(cpus, 0); first >= 0;
	     first = pmcgrp_cpus_next(cpus, last + 1)) {
		char range[32];
		size_t len;

		for (last = first; pmcgrp_cpus_test(cpus, last + 1); last++)
			;
		if (last == first)
			snprintf(range, sizeof(range), "%s%d", used ? "," : "", first);
		else
			snprintf(range, sizeof(range), "%s%d-%d", used ? "," : "", first, last);
		len = strlen(range);
		if (used + len < size)
			memcpy(buf + used, range, len + 1);
		used += len;
	}
	return used;
}

int pmcgrp_cpus_set(struct pmcgrp_cpus *cpus, int cpu)
{
	if (!cpus || cpu < 0 || cpu >= PMCGRP_CPUS_MAX)
		return -EINVAL;
	cpus->bits[cpu / WORD_BITS] |= 1ULL << cpu % WORD_BITS;
	return 0;
}

bool pmcgrp_cpus_test(const struct pmcgrp_cpus *cpus, int cpu)
{
	return cpu >= 0 && cpu < PMCGRP_CPUS_MAX &&
	       cpus->bits[cpu / WORD_BITS] >> cpu % WORD_BITS & 1;
}

int pmcgrp_cpus_next(const struct pmcgrp_cpus *cpus, int from)
{
	int cpu = from < 0 ? 0 : from;

	while (cpu < PMCGRP_CPUS_MAX) {
		uint64_t rest = cpus->bits[cpu / WORD_BITS] >> cpu % WORD_BITS;

		if (rest)
			return cpu + __builtin_ctzll(rest);
		cpu += WORD_BITS - cpu % WORD_BITS;
	}
	return -1;
}

unsigned int pmcgrp_cpus_nr(const struct pmcgrp_cpus *cpus)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < PMCGRP_CPUS_MAX / WORD_BITS; i++)
		nr += (unsigned int)__builtin_popcountll(cpus->bits[i]);
	return nr;
}

int cpus_read(struct pmcgrp_cpus *cpus, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	char text[LIST_MAX + 1];
	size_t used = 0;
	ssize_t len;

	if (fd < 0)
		return -errno;
	do {
		len = read(fd, text + used, sizeof(text) - 1 - used);
		if (len < 0)
			ret = -errno;
		else
			used += (size_t)len;
	} while (len > 0);
	close(fd);
	text[used] = '\0';
	return ret ? ret : pmcgrp_cpus_parse(cpus, text, NULL);
}

/* The kernel's own, whatever /sys looks like: where this process may run. */
static int cpus_affinity(struct pmcgrp_cpus *cpus)
{
	unsigned long mask[PMCGRP_CPUS_MAX / (8 * sizeof(unsigned long))] = { 0 };
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	int cpu;

	if (bytes < 0)
		return -errno;
	memset(cpus, 0, sizeof(*cpus));
	for (cpu = 0; cpu < 8 * bytes; cpu++) {
		if (mask[cpu / (8 * sizeof(*mask))] >> cpu % (8 * sizeof(*mask)) & 1)
			pmcgrp_cpus_set(cpus, cpu);
	}
	return 0;
}

int cpus_present(struct pmcgrp_cpus *cpus, const char *folder)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/present", folder);
	ret = cpus_read(cpus, path);
	return ret < 0 || !pmcgrp_cpus_nr(cpus) ? cpus_affinity(cpus) : ret;
}

int pmcgrp_cpus_online(struct pmcgrp_cpus *cpus)
{
	return cpus_read(cpus, CPU_FOLDER "/online");
}
