// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The files that record writes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/workload.h"
#include "record_run.h"
#include "turn_event.h"

#define HUNDREDTH_US 10000

/* ---- Names ---- */

/* As perf record: what was there is kept under another name. */
static void keep_old(const char *path)
{
	char *old;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	if (asprintf(&old, "%s.old", path) < 0)
		return;
	rename(path, old);
	free(old);
}

/* As perf's names: year to second, and hundredths. */
static char *name_make(const char *path, const struct timeval *now)
{
	char text[32];
	struct tm tm;
	char *name;

	if (!localtime_r(&now->tv_sec, &tm) || !strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm))
		return NULL;
	if (asprintf(&name, "%s.%s%02u", path, text, (unsigned int)(now->tv_usec / HUNDREDTH_US)) < 0)
		return NULL;
	return name;
}

/* Not over a file that is there: two may be complete within a hundredth of a second. */
static int move(const char *path, char **name)
{
	const struct timeval step = { .tv_usec = HUNDREDTH_US };
	struct timeval now;
	int err;

	gettimeofday(&now, NULL);
	for (;;) {
		*name = name_make(path, &now);
		if (!*name)
			return -ENOMEM;
		if (!renameat2(AT_FDCWD, path, AT_FDCWD, *name, RENAME_NOREPLACE))
			return 0;
		err = errno;
		/* A filesystem that cannot do both in one step. */
		if (err == EINVAL && access(*name, F_OK) < 0)
			err = rename(path, *name) ? errno : 0;
		else if (err == EINVAL)
			err = EEXIST;
		if (!err)
			return 0;
		free(*name);
		*name = NULL;
		if (err != EEXIST)
			return -err;
		timeradd(&now, &step, &now);
	}
}

/* A line of its own, where progress is shown on the same one. */
static void say_done(const struct record_run *r, const char *what, const char *how)
{
	if (r->options.quiet)
		return;
	if (isatty(2))
		fputs("\r\033[K", stderr);
	if (isatty(2) || r->options.verbose)
		cli_say("%s%s", what, how);
}

/* No more than --switch-max-files says. */
static int name_keep(struct record_run *r, char *name)
{
	struct record_files *files = &r->files;
	unsigned int max = (unsigned int)r->options.turn.max_files;
	char **names;

	files->nr++;
	say_done(r, name, " is complete");
	if (!max) {
		free(name);
		return 0;
	}
	names = reallocarray(files->names, files->nr_names + 1, sizeof(*names));
	if (!names) {
		free(name);
		return -ENOMEM;
	}
	files->names = names;
	names[files->nr_names++] = name;
	if (files->nr_names <= max)
		return 0;
	if (unlink(names[0]) < 0 && errno != ENOENT)
		cli_say_errno(names[0], errno);
	free(names[0]);
	memmove(names, names + 1, --files->nr_names * sizeof(*names));
	return 0;
}

static int name_file(struct record_run *r)
{
	char *name;
	int ret = move(r->options.output, &name);

	return ret < 0 ? ret : name_keep(r, name);
}

/* ---- Files ---- */

/* Not through a link that somebody has put there meanwhile. */
static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

int record_file_take_stdout(struct record_run *r)
{
	if (strcmp(r->options.output, "-"))
		return 0;
	r->files.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (r->files.out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return cli_say_errno("-o -: stdout", errno);
	return 0;
}

static int open_first(struct record_run *r)
{
	const struct record_options *o = &r->options;
	struct stat st;
	int fd = r->files.out;

	if (!strcmp(o->output, "-")) {
		r->files.out = -1;
		return fd;
	}
	keep_old(o->output);
	fd = open(o->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && record_names_files(o) && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EOPNOTSUPP;
		return -1;
	}
	return fd;
}

/* SIGUSR2 is no stop signal: it shows with the rings, and a command does not get it. */
static int signal_open(struct record_run *r)
{
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t set;

	if (!record_takes_usr2(&r->options))
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r->files.usr2 = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	event.data.fd = r->files.usr2;
	if (r->files.usr2 < 0 || epoll_ctl(r->ready, EPOLL_CTL_ADD, r->files.usr2, &event) < 0)
		return cli_say_errno("cannot wait for SIGUSR2", errno);
	return 0;
}

int record_file_open(struct record_run *r)
{
	static const record_open_fn opens[] = {
		[FORMAT_PERF] = perfdata_open,
		[FORMAT_CSV] = record_csv_open,
		[FORMAT_JSONL] = record_jsonl_open,
	};
	const struct record_options *o = &r->options;
	int fd, ret;

	ret = signal_open(r);
	if (ret)
		return ret;
	fd = open_first(r);
	if (fd < 0)
		return cli_say_errno(o->output, errno);
	if (o->overwrite)
		r->files.fd = fd;
	ret = opens[o->format](&r->sink, o->overwrite ? -1 : fd, &r->desc);
	if (ret == -E2BIG) {
		cli_say("-o -: a record of a pipe has no room for the ids of %u rings: write a file",
			record_rings_max(r));
		return EXIT_TOOL;
	}
	if (ret < 0)
		return cli_say_errno(o->output, -ret);
	r->files.due = clock_now() + o->turn.ns;
	return 0;
}

/* However often it has come. */
static bool was_signalled(const struct record_files *files)
{
	struct signalfd_siginfo info;

	return files->usr2 >= 0 && read(files->usr2, &info, sizeof(info)) == sizeof(info);
}

static bool is_due(const struct record_run *r)
{
	const struct record_turn *turn = &r->options.turn;

	switch (turn->by) {
	case TURN_SIGNAL:
		return was_signalled(&r->files);
	case TURN_SIZE:
		return r->sink->size(r->sink) >= turn->size;
	case TURN_TIME:
		return clock_now() >= r->files.due;
	default:
		return false;
	}
}

/* As perf, the clock begins anew with each file. Returns the descriptor of the next one. */
static int next(struct record_run *r)
{
	int ret;

	r->files.size += r->sink->size(r->sink);
	ret = r->sink->finish(r->sink);
	if (!ret)
		ret = name_file(r);
	r->files.due = clock_now() + r->options.turn.ns;
	return ret < 0 ? ret : create(r->options.output);
}

int record_file_dump(struct record_run *r)
{
	int fd = r->files.fd;

	r->files.fd = -1;
	return fd >= 0 ? r->sink->begin(r->sink, fd) : r->sink->again(r->sink);
}

/* What is counted meanwhile has no records: the kernel tells how many were lost by that. */
static int dump(struct record_run *r)
{
	int ret = record_file_dump(r), err;

	if (!ret)
		ret = record_groups_pause(r, true);
	if (!ret)
		ret = record_drain(r->rings, &r->desc, r->sink, &r->counts);
	err = record_groups_pause(r, false);
	if (ret < 0 || err < 0)
		return ret < 0 ? ret : err;
	say_done(r, "a dump is written to ", r->options.output);
	if (!record_turns_files(&r->options))
		return 0;
	r->files.fd = next(r);
	return r->files.fd < 0 ? r->files.fd : 0;
}

int record_file_snapshot(struct record_run *r)
{
	int fd;

	if (r->options.overwrite)
		return dump(r);
	fd = next(r);
	return fd < 0 ? fd : r->sink->begin(r->sink, fd);
}

int record_file_turn(struct record_run *r)
{
	bool due = is_due(r) || (r->options.overwrite && was_signalled(&r->files));

	/* What has come is taken out of the rings in any case. */
	due |= record_turn_event_came(r);
	return due ? record_file_snapshot(r) : 0;
}

int record_file_end(struct record_run *r)
{
	int ret = r->sink->end(r->sink);

	r->sink = NULL;
	if (!ret && !r->failed && record_names_files(&r->options))
		ret = name_file(r);
	return ret;
}

uint64_t record_file_size(const struct record_run *r)
{
	return r->files.size + r->sink->size(r->sink);
}

void record_file_close(struct record_files *files)
{
	if (files->usr2 >= 0)
		close(files->usr2);
	if (files->out >= 0)
		close(files->out);
	if (files->fd >= 0)
		close(files->fd);
	while (files->nr_names)
		free(files->names[--files->nr_names]);
	free(files->names);
}
