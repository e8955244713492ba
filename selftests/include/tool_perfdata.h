/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf.data file with samples of groups, read as perf does: what an event has counted in a sample
 * is the difference to the last value with the same id (PERF_SAMPLE_READ).
 */
#ifndef TOOL_PERFDATA_H
#define TOOL_PERFDATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PERFDATA_EVENTS	16
#define PERFDATA_IDS	4096
#define PERFDATA_SAMPLE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_READ)

/* What the values of a group's event come to, in the order of the file's attrs. */
struct perfdata_event {
	unsigned long long samples;	/* in which it has counted */
	unsigned long long sum;
};

/* What is in a file. Wrong: records that cannot be. */
struct perfdata_file {
	struct perfdata_event event[PERFDATA_EVENTS];
	unsigned int nr_events;
	unsigned long long lost;	/* by PERF_RECORD_LOST */
	unsigned long long cgroups;	/* PERF_RECORD_CGROUP */
	unsigned long long comms;	/* PERF_RECORD_COMM */
	unsigned long long wrong;
	bool has_cgroup;
	unsigned int of[PERFDATA_IDS];	/* event of an id, + 1 */
	unsigned long long last[PERFDATA_IDS];
};

static inline unsigned long long perfdata_word(const char *at)
{
	unsigned long long word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Header, IDENTIFIER, IP, TID, TIME, CPU; number of values, two times; each value and its id. */
static inline void perfdata_sample(struct perfdata_file *file, const char *at, size_t size)
{
	unsigned long long nr, value, id;

	nr = size >= 72 ? perfdata_word(at + 48) : 0;
	if (!nr || nr > PERFDATA_EVENTS || size != 72 + 16 * nr + 8 * file->has_cgroup) {
		file->wrong++;
		return;
	}
	for (at += 72; nr; nr--, at += 16) {
		value = perfdata_word(at);
		id = perfdata_word(at + 8);
		if (id >= PERFDATA_IDS || !file->of[id] || value < file->last[id]) {
			file->wrong++;
			continue;
		}
		file->event[file->of[id] - 1].sum += value - file->last[id];
		file->event[file->of[id] - 1].samples += value != file->last[id];
		file->last[id] = value;
	}
}

static inline void perfdata_records(struct perfdata_file *file, const char *at, size_t size)
{
	struct perf_event_header header;

	for (; size >= sizeof(header); at += header.size, size -= header.size) {
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > size)
			break;
		if (header.type == PERF_RECORD_SAMPLE)
			perfdata_sample(file, at, header.size);
		if (header.type == PERF_RECORD_LOST)
			file->lost += perfdata_word(at + 16);
		file->cgroups += header.type == PERF_RECORD_CGROUP;
		file->comms += header.type == PERF_RECORD_COMM;
	}
	file->wrong += size != 0;
}

/* Each attr is followed by where its ids are. */
static inline bool perfdata_attrs(struct perfdata_file *file, const char *bytes, size_t size)
{
	unsigned long long entry = perfdata_word(bytes + 16), at = perfdata_word(bytes + 24);
	unsigned long long end = at + perfdata_word(bytes + 32), ids, end_ids, id;
	struct perf_event_attr attr;

	if (entry < 80 || end > size)
		return false;
	for (; at < end && file->nr_events < PERFDATA_EVENTS; at += entry) {
		memcpy(&attr, bytes + at, 64);
		file->has_cgroup = attr.sample_type & PERF_SAMPLE_CGROUP;
		if ((attr.sample_type & ~PERF_SAMPLE_CGROUP) != PERFDATA_SAMPLE)
			return false;
		ids = perfdata_word(bytes + at + entry - 16);
		end_ids = ids + perfdata_word(bytes + at + entry - 8);
		file->nr_events++;
		for (; ids < end_ids && end_ids <= size; ids += 8) {
			id = perfdata_word(bytes + ids);
			if (id >= PERFDATA_IDS)
				return false;
			file->of[id] = file->nr_events;
		}
	}
	return at == end;
}

/* Whether it is such a file, which is then all in @file. */
static inline bool perfdata_read(const char *path, struct perfdata_file *file)
{
	FILE *in = fopen(path, "re");
	char *bytes = NULL;
	struct stat st;
	bool good;

	memset(file, 0, sizeof(*file));
	good = in && !fstat(fileno(in), &st) && st.st_size > 104;
	if (good)
		bytes = malloc(st.st_size);
	good = bytes && fread(bytes, 1, st.st_size, in) == (size_t)st.st_size &&
	       !memcmp(bytes, "PERFILE2", 8) && perfdata_attrs(file, bytes, st.st_size) &&
	       perfdata_word(bytes + 40) + perfdata_word(bytes + 48) <=
		       (unsigned long long)st.st_size;
	if (good)
		perfdata_records(file, bytes + perfdata_word(bytes + 40),
				 perfdata_word(bytes + 48));
	free(bytes);
	if (in)
		fclose(in);
	return good;
}

#endif /* TOOL_PERFDATA_H */
