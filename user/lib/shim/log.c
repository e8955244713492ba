// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Who counts, and why: for people on stderr, for programs as a line of JSON in a file.  Each line is one
 * write(2) to a file opened for appending, so that those of several processes do not mix.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmcgrp.h"
#include "shim.h"

static const struct {
	const char *name;
	const char *text;
} reasons[] = {
	[SHIM_NONE] = { "", "" },
	[SHIM_SAMPLES] = { "samples", "it samples" },
	[SHIM_BREAKPOINT] = { "breakpoint", "it is a breakpoint" },
	[SHIM_TRACEPOINT] = { "tracepoint",
			      "it is a tracepoint, which may be given a filter or a BPF program" },
	[SHIM_BPF_OUTPUT] = { "bpf-output", "it is for the output of BPF programs" },
	[SHIM_RECORDS] = { "records", "it writes records" },
	[SHIM_PRECISE] = { "precise", "precise_ip is set" },
	[SHIM_BRANCHES] = { "branches", "it records branches" },
	[SHIM_EXCLUSIVE] = { "exclusive", "it is exclusive" },
	[SHIM_INHERIT] = { "inherit", "inherit_stat or inherit_thread is set" },
	[SHIM_EXEC] = { "exec", "it waits for execve(), and is no leader" },
	[SHIM_FIELD] = { "field", "attr sets a field that groups of pmcgrp do not have" },
	[SHIM_NEWER] = { "newer", "attr has fields that this library does not know" },
	[SHIM_TASK_ON_CPU] = { "task-on-cpu", "it counts a task on one CPU" },
	[SHIM_CGROUP] = { "cgroup", "it counts a cgroup on one CPU" },
	[SHIM_FLAGS] = { "flags", "it is opened with PERF_FLAG_FD_OUTPUT or _NO_GROUP" },
	[SHIM_LEADER] = { "leader", "its leader is perf's" },
	[SHIM_DEVICE] = { "device", "/dev/pmcgrp cannot be opened" },
	[SHIM_MODULE] = { "module", "the module has refused it" },
	[SHIM_JOINED] = { "joined", "another event of its group has to be perf's" },
	[SHIM_SPLIT] = { "split", "it has to be perf's, and its group has counted already" },
	[SHIM_LEFT] = { "refused", "the kernel refuses it" },
};

static const char *const names_of_by[] = {
	[SHIM_BY_NONE] = "none",
	[SHIM_BY_PMCGRP] = "pmcgrp",
	[SHIM_BY_PERF] = "perf",
};

static void put(int fd, const char *text, int size, int room)
{
	SHIM_CALL(SYS_write, fd, text, size < room ? size : room, 0, 0);
}

static const char *module_says(const struct shim_note *note)
{
	return note->reason == SHIM_MODULE && note->why ? pmcgrp_why_name(note->why) : "";
}

static void log_json(const char *path, const struct shim_request *r, const union shim_attr *copy,
		     const struct shim_note *note)
{
	char line[512];
	long file;
	int size;

	file = SHIM_CALL(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644, 0);
	if (file < 0)
		return;
	size = snprintf(line, sizeof(line),
			"{\"process\":%ld,\"thread\":%ld,\"fd\":%d,\"group\":%d,\"pid\":%d,"
			"\"cpu\":%d,\"type\":%u,\"config\":%llu,\"by\":\"%s\",\"converted\":%s,"
			"\"errno\":%d,\"reason\":\"%s\",\"why\":\"%s\"}\n",
			SHIM_CALL(SYS_getpid, 0, 0, 0, 0, 0), SHIM_CALL(SYS_gettid, 0, 0, 0, 0, 0),
			note->fd < 0 ? -1 : note->fd, r->group_fd, r->pid, r->cpu,
			copy ? copy->attr.type : 0,
			copy ? (unsigned long long)copy->attr.config : 0, names_of_by[note->by],
			note->converted ? "true" : "false", note->fd < 0 ? -note->fd : 0,
			reasons[note->reason].name, module_says(note));
	put(file, line, size, sizeof(line) - 1);
	SHIM_CALL(SYS_close, file, 0, 0, 0, 0);
}

/* Of a group one line: its leader's, and those of events that change what was said. */
static bool is_news(const struct shim_request *r, const struct shim_note *note)
{
	if (note->reason == SHIM_LEFT)
		return false;
	return r->group_fd == -1 || note->converted || note->by == SHIM_BY_NONE;
}

static void log_people(const struct shim_request *r, const union shim_attr *copy,
		       const struct shim_note *note)
{
	const char *says = module_says(note), *what = "is counted by perf_event_open(2)";
	char line[512], of[64] = "";
	int size;

	if (!is_news(r, note))
		return;
	if (note->by == SHIM_BY_PMCGRP)
		what = "is counted by pmcgrp";
	else if (note->by == SHIM_BY_NONE)
		what = "is refused";
	if (copy)
		snprintf(of, sizeof(of), ", event %u:%#llx", copy->attr.type,
			 (unsigned long long)copy->attr.config);
	size = snprintf(line, sizeof(line), "pmcgrp: %s %d%s, of %s %d, %s%s%s%s%s%s\n",
			note->fd < 0 ? "errno" : "descriptor", note->fd < 0 ? -note->fd : note->fd,
			of, r->pid == -1 ? "CPU" : "task", r->pid == -1 ? r->cpu : r->pid, what,
			*reasons[note->reason].text ? ": " : "", reasons[note->reason].text,
			*says ? " (" : "", says, *says ? ")" : "");
	put(STDERR_FILENO, line, size, sizeof(line) - 1);
}

void shim_log(const struct shim_mode *mode, const struct shim_request *r,
	      const union shim_attr *copy, const struct shim_note *note)
{
	if (mode->verbose)
		log_people(r, copy, note);
	if (mode->log)
		log_json(mode->log, r, copy, note);
}
