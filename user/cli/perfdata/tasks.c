// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The rings have no PERF_RECORD_COMM and _MMAP2: both are made here for tasks that were there
 * before, of what /proc says when a thread is first seen in a record, and again when it has got
 * another name (execve(2)). Of others perf's own records tell (perfdata_put_task()).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "buildid.h"
#include "proc/task.h"
#include "tasks.h"

#define TASKS_MIN 1024

/* PERF_RECORD_MMAP and _MMAP2 in front of the file's name. */
struct mmap_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
};

struct mmap2_record {
	struct mmap_record mmap;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		/* With PERF_RECORD_MISC_MMAP_BUILD_ID. */
		struct {
			uint8_t id_size;
			uint8_t reserved[3];
			uint8_t id[PERFDATA_BUILDID_MAX];
		};
	};
	uint32_t prot, flags;
};

_Static_assert(sizeof(struct mmap2_record) == 72, "as the kernel has it");

/* As the kernel's own records of maps have it, the build-id instead of the inode. */
static void add_buildid(struct mmap2_record *r, const uint8_t id[PERFDATA_BUILDID_MAX], size_t size)
{
	if (!size)
		return;
	r->mmap.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	memset(r->reserved, 0, sizeof(r->reserved));
	r->id_size = (uint8_t)size;
	memset(r->id, 0, sizeof(r->id));
	memcpy(r->id, id, size);
}

/* ---- Records ---- */

/* Behind @len bytes come a name, if there is one, and RECORD_SAMPLE_TYPE's sample_id. */
static void put(FILE *out, struct perf_event_header *header, size_t len, const char *name,
		const struct pmcgrp_record *record, uint64_t id)
{
	const uint32_t tid[] = { record->pid, record->tid }, cpu[] = { record->cpu, 0 };
	size_t used = name ? strlen(name) + 1 : 0, room = (used + 7) & ~(size_t)7;

	header->size = (uint16_t)(len + room + sizeof(tid) + sizeof(uint64_t) + sizeof(cpu) +
				  sizeof(id));
	fwrite(header, len, 1, out);
	if (name)
		fwrite(name, used, 1, out);
	for (; used < room; used++)
		fputc(0, out);
	fwrite(tid, sizeof(tid), 1, out);
	fwrite(&record->time, sizeof(record->time), 1, out);
	fwrite(cpu, sizeof(cpu), 1, out);
	fwrite(&id, sizeof(id), 1, out);
}

static void put_comm(FILE *out, const char *name, const struct pmcgrp_record *record, uint64_t id)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} comm = { { .type = PERF_RECORD_COMM }, record->pid, record->tid };

	put(out, &comm.header, sizeof(comm), name, record, id);
}

void perfdata_cgroup_tell(FILE *out, const char *path, const struct pmcgrp_record *record,
			  uint64_t id)
{
	struct {
		struct perf_event_header header;
		uint64_t id;
	} cgroup = { { .type = PERF_RECORD_CGROUP }, record->cgroup };

	put(out, &cgroup.header, sizeof(cgroup), path, record, id);
}

void perfdata_comm_tell(FILE *out, const char *name, uint32_t pid, uint32_t tid, uint64_t id)
{
	put_comm(out, name, &(struct pmcgrp_record){ .pid = pid, .tid = tid }, id);
}

/* A line of /proc/PID/maps, if there is code of a file behind it. */
static void put_map(const struct perfdata_tasks *tasks, FILE *out, const char *line,
		    const struct pmcgrp_record *record, uint64_t id)
{
	uint8_t buildid[PERFDATA_BUILDID_MAX];
	struct mmap2_record r = {
		.mmap.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.mmap.pid = record->pid,
		.mmap.tid = record->tid,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	uint64_t end;
	char perms[8];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &r.mmap.addr, &end, perms, &r.mmap.pgoff, &r.maj, &r.min, &r.ino, &at) < 7)
		return;
	if (perms[2] != 'x' || !at || (line[at] != '/' && strcmp(line + at, "[vdso]")))
		return;
	r.mmap.len = end - r.mmap.addr;
	if (!tasks->no_buildid)
		add_buildid(&r, buildid, perfdata_buildid_of(record->pid, line + at, buildid));
	put(out, &r.mmap.header, sizeof(r), line + at, record, id);
}

static void put_maps(const struct perfdata_tasks *tasks, FILE *out,
		     const struct pmcgrp_record *record, uint64_t id)
{
	char path[64], line[4200];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/maps", record->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		put_map(tasks, out, line, record, id);
	}
	if (file)
		fclose(file);
}

/* In the order of their numbers; of one that the kernel lacks, 0. */
void perfdata_namespaces_tell(FILE *out, const struct pmcgrp_record *record, uint64_t id)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t nr;
		struct perf_ns_link_info links[sizeof(names) / sizeof(names[0])];
	} r = {
		.header = { .type = PERF_RECORD_NAMESPACES },
		.pid = record->pid,
		.tid = record->tid,
		.nr = sizeof(names) / sizeof(names[0]),
	};
	char path[64];
	struct stat st;
	size_t i;

	for (i = 0; i < r.nr; i++) {
		snprintf(path, sizeof(path), "/proc/%u/ns/%s", record->tid, names[i]);
		if (!stat(path, &st))
			r.links[i] = (struct perf_ns_link_info){ st.st_dev, st.st_ino };
	}
	put(out, &r.header, sizeof(r), NULL, record, id);
}

/*
 * perf finds the symbols by itself once it knows where one of them is, for then it knows how
 * far the kernel was moved. Either of these does; one of them stands among the first, and a
 * kernel may lack the other, for which all of the file would be gone through: a second.
 */
void perfdata_kernel_tell(const struct perfdata_tasks *tasks, FILE *out, uint64_t id)
{
	const struct pmcgrp_record no_thread = { .pid = ~0U };
	struct mmap2_record r = {
		.mmap.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL },
		.mmap.pid = ~0U,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	uint8_t buildid[PERFDATA_BUILDID_MAX];
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256], symbol[64], name[96];
	size_t size = sizeof(r.mmap);
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%" SCNx64 " %*c %63s", &r.mmap.addr, symbol) == 2 &&
			(!strcmp(symbol, "_text") || !strcmp(symbol, "_stext"));
	if (file)
		fclose(file);
	/* Hidden from us, they are all 0. */
	if (!found || !r.mmap.addr)
		return;
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", symbol);
	r.mmap.pgoff = r.mmap.addr;
	r.mmap.len = UINT64_MAX - r.mmap.addr;
	if (!tasks->no_buildid)
		add_buildid(&r, buildid, perfdata_buildid_kernel(buildid));
	if (r.mmap.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		r.mmap.header.type = PERF_RECORD_MMAP2;
		size = sizeof(r);
	}
	put(out, &r.mmap.header, size, name, &no_thread, id);
}

/* ---- Who is known ---- */

static struct perfdata_task *find(const struct perfdata_tasks *tasks, uint64_t key)
{
	size_t i = key * 0x9e3779b97f4a7c15 >> 32 & (tasks->max - 1);

	while (tasks->at[i].key && tasks->at[i].key != key)
		i = (i + 1) & (tasks->max - 1);
	return &tasks->at[i];
}

/* Twice as much room, before it is three quarters full. */
static int grow(struct perfdata_tasks *tasks)
{
	struct perfdata_tasks more = *tasks;
	size_t i;

	more.max = tasks->max ? 2 * tasks->max : TASKS_MIN;
	more.at = calloc(more.max, sizeof(*more.at));
	if (!more.at)
		return -ENOMEM;
	for (i = 0; i < tasks->max; i++) {
		if (tasks->at[i].key)
			*find(&more, tasks->at[i].key) = tasks->at[i];
	}
	free(tasks->at);
	*tasks = more;
	return 0;
}

static struct perfdata_task *lookup(struct perfdata_tasks *tasks, uint64_t key)
{
	struct perfdata_task *task;

	if (tasks->nr * 4 >= tasks->max * 3 && grow(tasks) < 0)
		return NULL;
	task = find(tasks, key);
	tasks->nr += !task->key;
	task->key = key;
	return task;
}

/* FNV-1a, and never 0. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash | 1;
}

/* One that is gone has kept its name, if it is known. */
static bool name_of(uint32_t tid, char *name)
{
	if (!tid) {
		snprintf(name, TASK_COMM_SIZE, "swapper");
		return true;
	}
	if (task_comm("/proc", (int)tid, name))
		return true;
	snprintf(name, TASK_COMM_SIZE, ":%u", tid);
	return false;
}

static uint64_t key_of_thread(uint32_t tid)
{
	return 2 * ((uint64_t)tid + 1);
}

static uint64_t key_of_process(uint32_t pid)
{
	return 2 * ((uint64_t)pid + 1) + 1;
}

bool perfdata_tasks_know(const struct perfdata_tasks *tasks, const struct pmcgrp_record *record)
{
	const struct perfdata_task *task;

	if (!(record->has & PERF_SAMPLE_TID) || record->tid == ~0U)
		return true;
	if (!tasks->max)
		return false;
	task = find(tasks, key_of_thread(record->tid));
	return task->name &&
	       (task->round == tasks->round || task->round == PERFDATA_TASK_LEARNT);
}

bool perfdata_tasks_has(const struct perfdata_tasks *tasks, uint32_t tid)
{
	return tasks->max && find(tasks, key_of_thread(tid))->name;
}

void perfdata_tasks_learn(struct perfdata_tasks *tasks, uint32_t tid)
{
	struct perfdata_task *task = lookup(tasks, key_of_thread(tid));

	/* Without memory it is looked up as others are. */
	if (!task)
		return;
	task->name = 1;
	task->round = PERFDATA_TASK_LEARNT;
}

void perfdata_tasks_forget(struct perfdata_tasks *tasks, uint32_t pid, uint32_t tid, bool process)
{
	if (!tasks->max)
		return;
	/* A free place has no name, either. */
	find(tasks, key_of_thread(tid))->name = 0;
	if (process)
		find(tasks, key_of_process(pid))->name = 0;
}

int perfdata_tasks_tell(struct perfdata_tasks *tasks, FILE *out,
			const struct pmcgrp_record *record, uint64_t id)
{
	struct perfdata_task *task;
	bool first, found;
	uint64_t hash;
	char name[TASK_COMM_SIZE];

	task = lookup(tasks, key_of_thread(record->tid));
	if (!task)
		return -ENOMEM;
	task->round = tasks->round;
	first = !task->name;
	found = name_of(record->tid, name);
	hash = hash_of(name);
	if (hash == task->name || (!found && !first))
		return 0;
	task->name = hash;
	put_comm(out, name, record, id);
	if (tasks->namespaces && first && record->pid)
		perfdata_namespaces_tell(out, record, id);
	/* A process's maps once, and again when its main thread is another program. */
	task = lookup(tasks, key_of_process(record->pid));
	if (!task)
		return -ENOMEM;
	if (record->pid && (!task->name || (!first && record->pid == record->tid)))
		put_maps(tasks, out, record, id);
	task->name = 1;
	return 0;
}

void perfdata_tasks_doubt(struct perfdata_tasks *tasks)
{
	tasks->round++;
}

void perfdata_tasks_free(struct perfdata_tasks *tasks)
{
	free(tasks->at);
	memset(tasks, 0, sizeof(*tasks));
}
