// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Processes that have descriptors of perf events, or of groups, by /proc. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say/append.h"
#include "say/name.h"
#include "proc/task.h"
#include "sections.h"

/* Named in one line, without --verbose. */
#define NAMED 5

struct user {
	int pid;
	char comm[NAME_COMM_SIZE];
	unsigned int events;
	unsigned int groups;	/* pmcgrp's, and members of theirs */
};

struct users {
	struct user *at;
	size_t nr;
	size_t hidden;		/* processes that could not be looked at */
	bool failed;
};

static void take_link(struct user *user, int folder, const char *name)
{
	char text[64];
	ssize_t len = readlinkat(folder, name, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	user->events += !strcmp(text, "anon_inode:[perf_event]");
	user->groups += !strcmp(text, "anon_inode:[pmcgrp]") ||
			!strcmp(text, "anon_inode:[pmcgrp-member]");
}

static void users_add(struct users *users, const struct doctor *d, struct user *user)
{
	struct user *more = reallocarray(users->at, users->nr + 1, sizeof(*more));
	char proc[PATH_MAX], comm[TASK_COMM_SIZE];

	if (!more) {
		users->failed = true;
		return;
	}
	snprintf(proc, sizeof(proc), "%s/proc", d->root);
	name_text(user->comm, sizeof(user->comm), comm, task_comm(proc, user->pid, comm));
	users->at = more;
	more[users->nr++] = *user;
}

/* A process that ends meanwhile is none of interest. */
static void look_at(struct users *users, const struct doctor *d, int pid)
{
	struct user user = { .pid = pid };
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *folder;

	snprintf(path, sizeof(path), "%s/proc/%d/fd", d->root, pid);
	folder = opendir(path);
	if (!folder) {
		users->hidden += errno == EACCES || errno == EPERM;
		return;
	}
	while ((entry = readdir(folder)))
		take_link(&user, dirfd(folder), entry->d_name);
	closedir(folder);
	if (user.events || user.groups)
		users_add(users, d, &user);
}

static int by_number(const void *left, const void *right)
{
	const struct user *a = left, *b = right;
	unsigned int nr_a = a->events + a->groups, nr_b = b->events + b->groups;

	if (nr_a != nr_b)
		return nr_a < nr_b ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* This process is none of those that are in the way. */
static int users_take(struct users *users, const struct doctor *d)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *folder;
	int pid;

	snprintf(path, sizeof(path), "%s/proc", d->root);
	folder = opendir(path);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		pid = atoi(entry->d_name);
		if (pid > 0 && !(d->live && pid == getpid()))
			look_at(users, d, pid);
	}
	closedir(folder);
	if (users->nr)
		qsort(users->at, users->nr, sizeof(*users->at), by_number);
	return users->failed ? -ENOMEM : 0;
}

static int describe(const struct user *user, char *text, size_t size)
{
	if (!user->groups)
		return snprintf(text, size, "%s (PID %d): %u perf events", user->comm, user->pid,
				user->events);
	if (!user->events)
		return snprintf(text, size, "%s (PID %d): %u of pmcgrp's", user->comm, user->pid,
				user->groups);
	return snprintf(text, size, "%s (PID %d): %u perf events, %u of pmcgrp's", user->comm,
			user->pid, user->events, user->groups);
}

static void print_users(struct doctor *d, const struct users *users)
{
	struct findings *f = &d->findings;
	char text[NAME_COMM_SIZE + 80], line[NAMED * sizeof(text)] = "";
	size_t i, named = users->nr < NAMED ? users->nr : NAMED;
	unsigned long long events = 0;

	for (i = 0; i < users->nr; i++)
		events += users->at[i].events;
	for (i = 0; i < named; i++) {
		describe(&users->at[i], text, sizeof(text));
		append(line, sizeof(line), "; ", "%s", text);
	}
	if (users->nr > named)
		append(line, sizeof(line), "; ", "and %zu more", users->nr - named);
	findings_add(f, DOCTOR_WARNING, "descriptors", "%s%s", line,
		     users->hidden ? "; other processes cannot be looked at" : "");
	findings_advise(f, "hardware events among them may have counters; end what you do not "
			"need%s", users->nr > named && !d->verbose ? ". --verbose names all" : "");
	findings_value(f, "processes", (long long)users->nr);
	findings_value(f, "perf-events", (long long)events);
	for (i = named; d->verbose && i < users->nr; i++) {
		describe(&users->at[i], text, sizeof(text));
		findings_add(f, DOCTOR_WARNING, "descriptors", "%s", text);
		findings_advise(f, "as above");
	}
}

void doctor_perf_users(struct doctor *d)
{
	struct findings *f = &d->findings;
	struct users users = { 0 };
	int err;

	err = users_take(&users, d);
	if (err == -ENOMEM) {
		f->failed = true;
	} else if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "descriptors", "/proc: %s", strerror(-err));
		findings_advise(f, "mount /proc");
	} else if (users.nr) {
		print_users(d, &users);
		findings_value(f, "hidden", (long long)users.hidden);
	} else if (users.hidden) {
		findings_add(f, DOCTOR_UNKNOWN, "descriptors", "no process has perf events that "
			     "this user may look at; %zu may not be", users.hidden);
		findings_advise(f, "run as root");
		findings_value(f, "hidden", (long long)users.hidden);
	} else {
		findings_add(f, DOCTOR_OK, "descriptors", "no process has any of perf events");
		findings_value(f, "processes", 0);
	}
	free(users.at);
}
