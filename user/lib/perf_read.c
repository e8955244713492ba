// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Reading and controlling the parts of a perf group as one. Parts are not read at the
 * same instant: perf has no call for that.
 *
 * A reset is perf's own where that suffices. It leaves the times alone, and of an
 * inherited event what ended children have counted (perf_event_reset() in
 * kernel/events/core.c zeroes count, not child_count): there the words of a read
 * are taken down as a base, and subtracted from later ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

#define WORD sizeof(uint64_t)

enum word {
	WORD_SAME,	/* nr, ids: the same for every part */
	WORD_TIME,
	WORD_COUNT,	/* values, lost samples */
};

/* What the words of a read are; the layouts are in read_view.c. Returns how many. */
static size_t layout(const struct pmcgrp_group *group, enum word *words)
{
	bool grouped = group->read_format & PERF_FORMAT_GROUP;
	unsigned int i, nr = grouped ? group->nr : 1;
	size_t n = 0;

	words[n++] = grouped ? WORD_SAME : WORD_COUNT;
	if (group->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = WORD_TIME;
	if (group->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = WORD_TIME;
	for (i = 0; i < nr; i++) {
		if (grouped)
			words[n++] = WORD_COUNT;
		if (group->read_format & PERF_FORMAT_ID)
			words[n++] = WORD_SAME;
		if (group->read_format & PMCGRP_FORMAT_LOST)
			words[n++] = WORD_COUNT;
	}
	return n;
}

/* Returns 0 with the part's words, 1 for a part in error, or a negative errno. */
static int part_read(const struct perf_part *part, uint64_t *out, size_t nr)
{
	ssize_t len = read(part->fds[0], out, nr * WORD);

	if (len < 0)
		return -errno;
	return len ? 0 : 1;
}

static void subtract_base(const struct perf_part *part, const enum word *words, uint64_t *out,
			  size_t nr)
{
	size_t i;

	for (i = 0; part->base && i < nr; i++) {
		if (words[i] != WORD_SAME)
			out[i] -= part->base[i];
	}
}

/*
 * Enabling and disabling take the leader alone, and the members with it: those that
 * PERF_IOC_FLAG_GROUP disables one by one join a running leader when they are enabled
 * again, which perf.c says must not be.
 */
int perf_control(struct pmcgrp_group *group, unsigned long request)
{
	unsigned long flags = request == PERF_EVENT_IOC_RESET ? PERF_IOC_FLAG_GROUP : 0;
	unsigned int i;

	for (i = 0; i < group->nr_parts; i++) {
		if (ioctl(group->parts[i].fds[0], request, flags) < 0)
			return -errno;
	}
	return 0;
}

/* A part in error starts from nothing when it is enabled again. */
static int part_take_base(struct perf_part *part, const enum word *words, size_t nr, bool counts,
			  bool times)
{
	uint64_t now[READ_WORDS_MAX];
	size_t i;
	int ret;

	ret = part_read(part, now, nr);
	if (ret)
		return ret < 0 ? ret : 0;
	if (!part->base) {
		part->base = calloc(nr, WORD);
		if (!part->base)
			return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		if ((words[i] == WORD_COUNT && counts) || (words[i] == WORD_TIME && times))
			part->base[i] = now[i];
	}
	return 0;
}

int perf_reset(struct pmcgrp_group *group, bool times)
{
	bool inherited = group->flags & PMCGRP_CREATE_INHERIT ||
			 group->target_type == PMCGRP_TARGET_PROCESS;
	enum word words[READ_WORDS_MAX];
	size_t nr = layout(group, words);
	unsigned int i;
	int ret = 0;

	if (!inherited)
		ret = perf_control(group, PERF_EVENT_IOC_RESET);
	if (ret || (!inherited && !times))
		return ret;
	pthread_mutex_lock(&group->mutex);
	for (i = 0; i < group->nr_parts && !ret; i++)
		ret = part_take_base(&group->parts[i], words, nr, inherited, times);
	pthread_mutex_unlock(&group->mutex);
	return ret;
}

/* What is the same for every part, in words: the number of members and their ids. */
static void same_words(const struct pmcgrp_group *group, const enum word *words, uint64_t *out,
		       size_t nr)
{
	unsigned int id = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (words[i] != WORD_SAME)
			continue;
		if (!i)
			out[i] = group->nr;	/* with PERF_FORMAT_GROUP alone */
		else
			out[i] = group->ids[id++];
	}
}

ssize_t perf_read(struct pmcgrp_group *group, void *buf, size_t len)
{
	uint64_t sum[READ_WORDS_MAX] = { 0 }, part[READ_WORDS_MAX];
	enum word words[READ_WORDS_MAX];
	size_t k, nr = layout(group, words);
	unsigned int i;
	int ret = 0;

	if (len < nr * WORD)
		return -ENOSPC;
	pthread_mutex_lock(&group->mutex);
	for (i = 0; i < group->nr_parts && !ret; i++) {
		ret = part_read(&group->parts[i], part, nr);
		if (ret)
			break;
		subtract_base(&group->parts[i], words, part, nr);
		for (k = 0; k < nr; k++)
			sum[k] += part[k];
	}
	pthread_mutex_unlock(&group->mutex);
	if (ret)
		return ret < 0 ? ret : 0;
	same_words(group, words, sum, nr);
	memcpy(buf, sum, nr * WORD);
	return (ssize_t)(nr * WORD);
}

ssize_t perf_read_cpus(struct pmcgrp_group *group, void *buf, size_t len)
{
	enum word words[READ_WORDS_MAX];
	uint64_t record[1 + READ_WORDS_MAX];
	size_t nr = layout(group, words), size = (1 + nr) * WORD;
	unsigned int i;
	int ret = 0;

	if (!targets_cpus(group->target_type))
		return -EINVAL;
	if (!len)
		return (ssize_t)(group->nr_parts * size);
	if (len < group->nr_parts * size)
		return -ENOSPC;
	pthread_mutex_lock(&group->mutex);
	for (i = 0; i < group->nr_parts; i++) {
		record[0] = (uint64_t)group->parts[i].place.cpu;
		ret = part_read(&group->parts[i], record + 1, nr);
		if (ret < 0)
			break;
		if (ret)
			memset(record + 1, 0, nr * WORD);
		else
			subtract_base(&group->parts[i], words, record + 1, nr);
		same_words(group, words, record + 1, nr);
		memcpy((char *)buf + i * size, record, size);
	}
	pthread_mutex_unlock(&group->mutex);
	return ret < 0 ? ret : (ssize_t)(group->nr_parts * size);
}
