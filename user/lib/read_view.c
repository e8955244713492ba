// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The read_format view. The layouts, from perf_event_open(2):
 *
 *	without PERF_FORMAT_GROUP		with it
 *
 *	u64 value				u64 nr
 *	u64 time_enabled  if asked for		u64 time_enabled  if asked for
 *	u64 time_running  if asked for		u64 time_running  if asked for
 *	u64 id            if asked for		nr times:
 *	u64 lost          if asked for			u64 value
 *							u64 id    if asked for
 *							u64 lost  if asked for
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

#define FORMATS_KNOWN (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | \
		       PERF_FORMAT_ID | PERF_FORMAT_GROUP | PMCGRP_FORMAT_LOST)

#define WORD sizeof(uint64_t)

/* By memcpy, as nothing says that the bytes are aligned. */
static uint64_t load(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* How many of the bits are set: each stands for one word. */
static unsigned int words(uint64_t read_format, uint64_t bits)
{
	return (unsigned int)__builtin_popcountll(read_format & bits);
}

static unsigned int words_of_times(uint64_t read_format)
{
	return words(read_format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
}

static unsigned int words_of_member(uint64_t read_format)
{
	return 1 + words(read_format, PERF_FORMAT_ID | PMCGRP_FORMAT_LOST);
}

size_t pmcgrp_read_size(uint64_t read_format, size_t nr)
{
	size_t size = words_of_times(read_format);

	if (read_format & ~(uint64_t)FORMATS_KNOWN)
		return 0;
	if (read_format & PERF_FORMAT_GROUP)
		size += 1 + nr * words_of_member(read_format);
	else
		size += words_of_member(read_format);
	return size * WORD;
}

int pmcgrp_view_init(struct pmcgrp_view *view, const void *bytes, size_t len,
		     uint64_t read_format)
{
	uint64_t nr = 1;
	size_t head, stride;

	if (!view)
		return -EINVAL;
	memset(view, 0, sizeof(*view));
	if (!bytes || (read_format & ~(uint64_t)FORMATS_KNOWN))
		return -EINVAL;
	if (!len)
		return -ENODATA;
	stride = words_of_member(read_format) * WORD;
	if (read_format & PERF_FORMAT_GROUP) {
		head = (1 + words_of_times(read_format)) * WORD;
		if (len < head)
			return -EBADMSG;
		nr = load(bytes);
		/* Divided rather than multiplied: nr may be anything. */
		if (nr > (len - head) / stride)
			return -EBADMSG;
	} else if (len < pmcgrp_read_size(read_format, 1)) {
		return -EBADMSG;
	}
	view->bytes = (const unsigned char *)bytes;
	view->nr = nr;
	view->size = pmcgrp_read_size(read_format, nr);
	view->read_format = read_format;
	view->stride = stride;
	if (read_format & PERF_FORMAT_GROUP)
		view->values = (1 + words_of_times(read_format)) * WORD;
	return 0;
}

/*
 * All records are of the same size, for they are of the same group: that of the first
 * gives it.
 */
int pmcgrp_view_cpu(struct pmcgrp_view *view, const void *bytes, size_t len,
		    uint64_t read_format, size_t i)
{
	const unsigned char *at = (const unsigned char *)bytes;
	struct pmcgrp_view first;
	size_t size;
	uint64_t cpu;
	int ret;

	if (!view)
		return -EINVAL;
	memset(view, 0, sizeof(*view));
	if (bytes && len <= WORD)
		return len ? -EBADMSG : -ENOENT;
	ret = pmcgrp_view_init(&first, bytes ? at + WORD : NULL, len - WORD, read_format);
	if (ret < 0)
		return ret;
	size = WORD + pmcgrp_view_size(&first);
	if (i >= len / size)
		return len % size ? -EBADMSG : -ENOENT;
	at += i * size;
	cpu = load(at);
	if (cpu >= PMCGRP_CPUS_MAX)
		return -EBADMSG;
	ret = pmcgrp_view_init(view, at + WORD, size - WORD, read_format);
	if (ret < 0)
		return ret;
	/* Of another group, with another number of members. */
	if (pmcgrp_view_size(view) != size - WORD) {
		memset(view, 0, sizeof(*view));
		return -EBADMSG;
	}
	return (int)cpu;
}

size_t pmcgrp_view_size(const struct pmcgrp_view *view)
{
	return view->size;
}

size_t pmcgrp_view_nr(const struct pmcgrp_view *view)
{
	return view->nr;
}

/* The times follow the first word in both layouts: nr, or the only value. */
bool pmcgrp_view_time_enabled(const struct pmcgrp_view *view, uint64_t *ns)
{
	if (!(view->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED))
		return false;
	*ns = load(view->bytes + WORD);
	return true;
}

bool pmcgrp_view_time_running(const struct pmcgrp_view *view, uint64_t *ns)
{
	if (!(view->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING))
		return false;
	*ns = load(view->bytes + WORD +
		   words(view->read_format, PERF_FORMAT_TOTAL_TIME_ENABLED) * WORD);
	return true;
}

uint64_t pmcgrp_view_value(const struct pmcgrp_view *view, size_t i)
{
	if (i >= view->nr)
		return 0;
	return load(view->bytes + view->values + i * view->stride);
}

/*
 * What follows a member's value: in a group at once, alone after the times. @skip
 * is the number of words in between.
 */
static uint64_t load_extra(const struct pmcgrp_view *view, size_t i, uint64_t bit,
			   unsigned int skip)
{
	if (i >= view->nr || !(view->read_format & bit))
		return 0;
	if (!(view->read_format & PERF_FORMAT_GROUP))
		skip += words_of_times(view->read_format);
	return load(view->bytes + view->values + i * view->stride + (1 + skip) * WORD);
}

uint64_t pmcgrp_view_id(const struct pmcgrp_view *view, size_t i)
{
	return load_extra(view, i, PERF_FORMAT_ID, 0);
}

uint64_t pmcgrp_view_lost(const struct pmcgrp_view *view, size_t i)
{
	return load_extra(view, i, PMCGRP_FORMAT_LOST, words(view->read_format, PERF_FORMAT_ID));
}

ssize_t pmcgrp_view_find_id(const struct pmcgrp_view *view, uint64_t id)
{
	size_t i;

	if (view->read_format & PERF_FORMAT_ID) {
		for (i = 0; i < view->nr; i++) {
			if (pmcgrp_view_id(view, i) == id)
				return (ssize_t)i;
		}
	}
	return -ENOENT;
}
