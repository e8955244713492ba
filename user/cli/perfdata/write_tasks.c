// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What a perf.data file says of tasks: the kernel's own records, and those made of /proc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write_tasks.h"

/* For another file. */
static int note(struct perfdata *p, const struct perf_event_header *header)
{
	return p->desc->many_files ? perfdata_alive_note(&p->alive, header) : 0;
}

/* Put a stream of records of tasks into the file; those of @record's thread are news. */
static int put_stream(struct perfdata *p, unsigned char *bytes, size_t len, bool news)
{
	const struct perf_event_header *header;
	size_t at;
	int ret = 0;

	for (at = 0; at < len && news && !ret; at += header->size) {
		header = (const void *)(bytes + at);
		ret = note(p, header);
	}
	return ret ? ret : perfdata_file_put(&p->file, bytes, len);
}

int perfdata_tell(struct perfdata *p, const struct pmcgrp_record *record)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	int ret = 0;

	if (!out)
		return -ENOMEM;
	if (record) {
		ret = perfdata_tasks_tell(&p->tasks, out, record,
					  perfdata_id(p->desc, record->ring, 0));
	} else {
		perfdata_kernel_tell(&p->tasks, out, perfdata_id(p->desc, 0, 0));
		perfdata_alive_tell(&p->alive, out, perfdata_id(p->desc, 0, 0));
	}
	if (fclose(out))
		ret = -ENOMEM;
	if (!ret)
		ret = put_stream(p, (unsigned char *)bytes, len, record);
	free(bytes);
	return ret;
}

int perfdata_tell_cgroup(struct perfdata *p, const struct pmcgrp_record *record)
{
	const char *path = record_cgroups_news(p->desc->cgroups, record->cgroup);
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = path && strlen(path) < PERFDATA_RECORD_MAX / 2 ? open_memstream(&bytes, &len) :
								    NULL;
	int ret;

	if (!out)
		return 0;
	perfdata_cgroup_tell(out, path, record, perfdata_id(p->desc, record->ring, 0));
	ret = fclose(out) ? -ENOMEM : perfdata_file_put(&p->file, (unsigned char *)bytes, len);
	free(bytes);
	return ret;
}

/* The id, and then the path with its end: there is room for both. */
static int learn_cgroup(const struct perfdata *p, const struct perf_event_header *header)
{
	const char *path = (const char *)(header + 1) + sizeof(uint64_t);
	size_t before = sizeof(*header) + sizeof(uint64_t), id_size = 32;
	uint64_t id;

	if (!p->desc->cgroups || header->type != PERF_RECORD_CGROUP ||
	    header->size <= before + id_size)
		return 0;
	if (!memchr(path, '\0', header->size - before - id_size))
		return 0;
	memcpy(&id, header + 1, sizeof(id));
	return record_cgroups_learn(p->desc->cgroups, id, path);
}

/* Where records of tasks name a thread: both have pid and tid first, a fork's are the child's. */
static bool names_thread(const struct perf_event_header *header, uint32_t *tid)
{
	size_t at = header->type == PERF_RECORD_COMM ? 12 : 16;

	if (header->type != PERF_RECORD_COMM && header->type != PERF_RECORD_FORK)
		return false;
	memcpy(tid, (const unsigned char *)header + at, sizeof(*tid));
	return true;
}

/*
 * Of who was there before its first record, as a command before its execve(2): the kernel tells
 * namespaces of new tasks, and when they change.
 */
static int tell_namespaces(struct perfdata *p, const struct perf_event_header *header)
{
	const unsigned char *body = (const unsigned char *)(header + 1);
	const unsigned char *end = (const unsigned char *)header + header->size;
	struct pmcgrp_record record = { 0 };
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	int ret = 0;

	if (!out)
		return -ENOMEM;
	memcpy(&record.pid, body, sizeof(record.pid));
	memcpy(&record.tid, body + 4, sizeof(record.tid));
	/* Of the sample_id: pid, tid, time, cpu, IDENTIFIER. */
	memcpy(&record.time, end - 24, sizeof(record.time));
	memcpy(&record.cpu, end - 16, sizeof(record.cpu));
	perfdata_namespaces_tell(out, &record, perfdata_id(p->desc, 0, 0));
	if (fclose(out))
		ret = -ENOMEM;
	else if (p->file.fd < 0 || p->desc->overwrite)
		ret = note(p, (const void *)bytes);
	else
		ret = put_stream(p, (unsigned char *)bytes, len, true);
	free(bytes);
	return ret;
}

int perfdata_put_task(struct record_sink *sink, const struct perf_event_header *header)
{
	struct perfdata *p = (struct perfdata *)sink;
	uint64_t id = perfdata_id(p->desc, 0, 0);
	unsigned char *at;
	uint32_t tid;
	int ret;

	p->alive.has_ends = true;
	ret = note(p, header);
	if (!ret)
		ret = learn_cgroup(p, header);
	if (!ret && names_thread(header, &tid)) {
		if (p->tasks.namespaces && header->type == PERF_RECORD_COMM &&
		    !perfdata_tasks_has(&p->tasks, tid))
			ret = tell_namespaces(p, header);
		perfdata_tasks_learn(&p->tasks, tid);
	}
	/* A dump says what they have come to. */
	if (ret || p->file.fd < 0 || p->desc->overwrite)
		return ret;
	at = perfdata_file_room(&p->file);
	if (!at)
		return p->file.failed;
	memcpy(at, header, header->size);
	/* IDENTIFIER is the last word. */
	memcpy(at + header->size - sizeof(id), &id, sizeof(id));
	p->file.used += header->size;
	return 0;
}

int perfdata_tell_all(struct perfdata *p)
{
	int ret = perfdata_alive_settle(&p->alive);

	if (p->desc->overwrite)
		memset(p->gap, true, p->desc->nr_rings * sizeof(*p->gap));
	return ret ? ret : perfdata_tell(p, NULL);
}
