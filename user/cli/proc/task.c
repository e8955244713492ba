// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "task.h"

static size_t read_file(const char *proc, int tid, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d/%s", proc, tid, name);
	file = fopen(path, "re");
	if (file) {
		len = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	return len;
}

size_t task_comm(const char *proc, int tid, char *comm)
{
	char text[80];		/* those of kworkers are longer */
	size_t len = read_file(proc, tid, "comm", text, sizeof(text));

	/* A name can have newlines, too: the last one is the file's. */
	len -= len && text[len - 1] == '\n';
	if (len >= TASK_COMM_SIZE)
		len = TASK_COMM_SIZE - 1;
	memcpy(comm, text, len);
	comm[len] = '\0';
	return len;
}

/* The name, in parentheses, can have any character: the state follows the last one. */
char task_state(const char *proc, int tid)
{
	char text[200];
	const char *state;

	if (!read_file(proc, tid, "stat", text, sizeof(text)))
		return 0;
	state = strrchr(text, ')');
	return state && state[1] ? state[2] : 0;
}
