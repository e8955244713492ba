/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The same calls made twice: by perf_event_open(2), and by pmcgrp_perf_event_open() of libpmcgrp.
 * All that they return is put down, and compared.  Who has counted is taken from the library's log.
 */
#ifndef PMCGRP_SHIM_H
#define PMCGRP_SHIM_H

#include "pmcgrp_leader.h"
#include <dirent.h>
#include <pmcgrp_perf.h>

#define NOTES	8192
#define LOG	"/tmp/perf_shim.log"

struct side {
	bool native;
	unsigned int nr;
	struct {
		const char *what;
		long number;
		long value;
	} note[NOTES];
	/* Of the last scenario, by the log: descriptors. */
	unsigned int pmcgrp, perf, converted, refused;
};

static struct side sides[2] = { { .native = true } };

static inline struct perf_event_attr faults(void)
{
	struct perf_event_attr attr = sw(PERF_COUNT_SW_PAGE_FAULTS);

	attr.disabled = 1;
	return attr;
}

static inline void note(struct side *s, const char *what, long number, long value)
{
	if (s->nr == NOTES)
		return;
	s->note[s->nr].what = what;
	s->note[s->nr].number = number;
	s->note[s->nr++].value = value;
}

/* A descriptor or -errno, not put down. */
static inline int open_quietly(const struct side *s, struct perf_event_attr *attr, pid_t pid,
			       int cpu, int group_fd, unsigned long flags)
{
	int fd;

	if (s->native)
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	else
		fd = pmcgrp_perf_event_open(attr, pid, cpu, group_fd, flags);
	return fd < 0 ? -errno : fd;
}

static inline int open_event(struct side *s, struct perf_event_attr *attr, pid_t pid, int cpu,
			     int group_fd, unsigned long flags)
{
	int fd = open_quietly(s, attr, pid, cpu, group_fd, flags);

	note(s, "open", s->nr, fd);
	return fd;
}

/* An event of the calling thread. */
static inline int open_own(struct side *s, struct perf_event_attr attr, int group_fd)
{
	return open_event(s, &attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static inline long control(struct side *s, int fd, unsigned long request, unsigned long arg)
{
	long ret = ioctl(fd, request, arg) < 0 ? -errno : 0;

	note(s, "ioctl", request & 0xff, ret);
	return ret;
}

static inline unsigned int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static inline void close_them(const int *fd, unsigned int nr)
{
	while (nr--)
		if (fd[nr] >= 0)
			close(fd[nr]);
}

/* What read() gives with a read_format: its size, the number of events, whether times go on. */
static inline void note_read(struct side *s, int fd, uint64_t format, const uint64_t *ids,
			     unsigned int nr_ids)
{
	uint64_t buf[256] = { 0 }, *at = buf, nr = 1, i, k;
	ssize_t size = read(fd, buf, sizeof(buf));

	note(s, "read", format, size < 0 ? -errno : size);
	if (size <= 0)
		return;
	if (format & PERF_FORMAT_GROUP) {
		nr = *at++;
		note(s, "number of events", format, nr);
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			note(s, "enabled", format, !!*at++);
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			note(s, "running", format, !!*at++);
	}
	for (i = 0; i < nr && at < buf + 250; i++) {
		note(s, "value", i, (long)*at++);
		if (!(format & PERF_FORMAT_GROUP)) {
			if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
				note(s, "enabled", format, !!*at++);
			if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
				note(s, "running", format, !!*at++);
		}
		if (format & PERF_FORMAT_ID) {
			for (k = 0; k < nr_ids && ids[k] != *at; k++)
				;
			note(s, "id", i, k);
			at++;
		}
		if (format & PERF_FORMAT_LOST)
			note(s, "lost", i, (long)*at++);
	}
}

static inline void count_log(struct side *s)
{
	FILE *log = fopen(LOG, "r");
	char line[1024];

	s->pmcgrp = 0;
	s->perf = 0;
	s->converted = 0;
	s->refused = 0;
	while (log && fgets(line, sizeof(line), log)) {
		s->pmcgrp += !!strstr(line, "\"by\":\"pmcgrp\"");
		s->perf += !!strstr(line, "\"by\":\"perf\"");
		s->refused += !!strstr(line, "\"by\":\"none\"");
		s->converted += !!strstr(line, "\"converted\":true");
	}
	if (log)
		fclose(log);
	unlink(LOG);
}

typedef void scenario(struct side *s);

/*
 * Run a scenario natively and through the library; returns how many results differ.  A descriptor
 * that is left open counts as one.
 */
static inline unsigned int both(const char *name, scenario *run)
{
	unsigned int i, k, differ = 0, before, left;
	struct side *a = &sides[0], *b = &sides[1];

	setenv("PMCGRP_PRELOAD_LOG", LOG, 1);
	unlink(LOG);
	for (k = 0; k < 2; k++) {
		sides[k].nr = 0;
		before = descriptors();
		run(&sides[k]);
		left = descriptors() - before;
		note(&sides[k], "descriptors left", 0, left);
		differ += left != 0;
	}
	count_log(b);
	for (i = 0; i < a->nr && i < b->nr; i++) {
		if (a->note[i].value == b->note[i].value && a->note[i].number == b->note[i].number &&
		    a->note[i].what == b->note[i].what)
			continue;
		if (differ++ < 20)
			printf("# %s, note %u: %s %ld: %ld; through the library %s %ld: %ld\n", name,
			       i, a->note[i].what, a->note[i].number, a->note[i].value,
			       b->note[i].what, b->note[i].number, b->note[i].value);
	}
	if (a->nr != b->nr && !differ++)
		printf("# %s: %u results, through the library %u\n", name, a->nr, b->nr);
	printf("# who counted: %s: pmcgrp %u, perf %u (converted %u), refused %u; %u results\n",
	       name, b->pmcgrp, b->perf, b->converted, b->refused, b->nr);
	return differ;
}

/**
 * struct shim_case - a scenario, and who has to count
 * @name: for people
 * @run: the calls
 * @pmcgrp: descriptors that pmcgrp has to count, at least
 * @converted: descriptors that perf has to take over
 */
struct shim_case {
	const char *name;
	scenario *run;
	unsigned int pmcgrp;
	unsigned int converted;
};

static inline bool same(const struct shim_case *c)
{
	unsigned int differ = both(c->name, c->run);

	return !differ && sides[1].pmcgrp >= c->pmcgrp && sides[1].converted == c->converted;
}

#endif /* PMCGRP_SHIM_H */
