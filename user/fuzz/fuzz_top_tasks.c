// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The kernel's records of names and new tasks, as top takes them: each has a byte for its type and
 * one for its size before it.
 */
#include "fuzz.h"
#include "top/tasks.h"

static void check(const struct top_tasks *tasks)
{
	char again[PROC_NAME_SIZE];
	unsigned int i;

	must(tasks->nr <= tasks->max);
	for (i = 0; i < tasks->nr; i++) {
		const char *c = tasks->at[i].name;

		must(strnlen(c, PROC_NAME_SIZE) < PROC_NAME_SIZE);
		must(!strcmp(name_text(again, sizeof(again), c, strlen(c)), c));
	}
}

static size_t put(struct top_tasks *tasks, const uint8_t *data, size_t size)
{
	static const uint32_t types[] = { PERF_RECORD_FORK, PERF_RECORD_EXIT, PERF_RECORD_COMM,
					  PERF_RECORD_MMAP };
	size_t len = data[1] < size - 2 ? data[1] : size - 2;
	struct perf_event_header *header = malloc(sizeof(*header) + len);
	int pid, tid;

	must(header);
	header->type = types[data[0] % 4];
	header->misc = 0;
	header->size = (uint16_t)(sizeof(*header) + len);
	memcpy(header + 1, data + 2, len);
	must(!top_tasks_put(tasks, header));
	if (len >= 8 && data[0] & 16) {
		memcpy(&pid, data + 2, sizeof(pid));
		memcpy(&tid, data + 6, sizeof(tid));
		top_tasks_sums(tasks, pid, tid)->value++;
	}
	free(header);
	return len + 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct top_wanted wanted = { .inherit = true };
	struct top_tasks tasks;
	size_t at = 0;
	int pid = 1;

	wanted.pids = (struct args_ids){ &pid, 1 };
	must(!top_tasks_init(&tasks, 1, &wanted, "/no/such/folder"));
	while (size - at > 2) {
		at += put(&tasks, data + at, size - at);
		if (data[0] & 32) {
			must(!top_tasks_end(&tasks, true));
			top_tasks_next(&tasks);
		}
	}
	must(!top_tasks_end(&tasks, false));
	check(&tasks);
	top_tasks_free(&tasks);
	return 0;
}
