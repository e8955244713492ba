// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * stat --regions: the command counts its regions by itself. It finds in its environment what to
 * count, and a file for its report, which is read when it has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/cli.h"
#include "region_reports.h"
#include "regions/process.h"
#include "stat_run.h"

/* ---- Before the command ---- */

/* All -e in one text, as the threads count all of it in one group. */
static int join_events(const struct stat_options *o, char **text)
{
	size_t size = 0;
	FILE *file = open_memstream(text, &size);
	unsigned int i;

	if (!file)
		return -ENOMEM;
	for (i = 0; i < o->nr_events; i++)
		fprintf(file, "%s%s", i ? "," : "", o->events[i]);
	return fclose(file) ? -ENOMEM : 0;
}

static const char *backend_of(const struct stat_options *o, unsigned int *flags)
{
	if (o->perf) {
		*flags = PMCGRP_OPEN_PERF;
		return "perf";
	}
	*flags = o->fallback ? PMCGRP_OPEN_FALLBACK : 0;
	return o->fallback ? "fallback" : "device";
}

static int say_events(int ret, const char *events, const struct pmcgrp_events_error *error)
{
	cli_say("--regions: %s", error->text[0] ? error->text : strerror(-ret));
	if (ret == -EINVAL && *events)
		cli_point(events, error->column);
	if (ret == -ENOENT || ret == -ENODEV || ret == -ENXIO)
		cli_say("--perf counts with perf_event_open(2) instead; --fallback does so where "
			"the module is not loaded");
	return EXIT_TOOL;
}

/* What a thread could not count is seen before the command runs: by a group of our own. */
static int try_events(const char *events, unsigned int flags)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_group *group;
	int ret;

	/* Somebody may listen to the tool itself, which has no regions. */
	pmcgrp_regions_stop();
	ret = pmcgrp_regions_start(events, flags, &error);
	if (ret < 0)
		return say_events(ret, events, &error);
	ret = pmcgrp_group_create(regions.h, regions.spec, &group);
	if (ret < 0)
		cli_say("--regions: the events of -e are one group: %s"
			"", pmcgrp_strerror(regions.h));
	else
		pmcgrp_group_close(group);
	pmcgrp_regions_stop();
	return ret < 0 ? EXIT_TOOL : 0;
}

/* By its whole path, as the command may go to another folder. */
static int make_file(struct stat_run *st)
{
	const char *folder = getenv("TMPDIR");
	char whole[PATH_MAX];
	int fd;

	if (!folder || !*folder)
		folder = "/tmp";
	if (!realpath(folder, whole)) {
		cli_say("--regions: %s: %s; TMPDIR names another folder for temporary files"
			"", folder,
			strerror(errno));
		return EXIT_TOOL;
	}
	if (asprintf(&st->regions_path, "%s/pmcgrp-regions-XXXXXX", whole) < 0) {
		st->regions_path = NULL;
		return cli_say_errno("--regions", ENOMEM);
	}
	fd = mkostemp(st->regions_path, O_CLOEXEC);
	if (fd < 0) {
		cli_say("--regions: cannot make a file in %s: %s; TMPDIR names another folder"
			"", whole,
			strerror(errno));
		free(st->regions_path);
		st->regions_path = NULL;
		return EXIT_TOOL;
	}
	close(fd);
	return 0;
}

int stat_regions_begin(struct stat_run *st)
{
	unsigned int flags;
	const char *backend = backend_of(&st->options, &flags);
	char *events = NULL;
	int ret = join_events(&st->options, &events);

	if (ret)
		return cli_say_errno("--regions", -ret);
	ret = try_events(events, flags);
	if (!ret)
		ret = make_file(st);
	if (!ret && (setenv("PMCGRP_REGIONS", events, 1) ||
		     setenv("PMCGRP_REGIONS_BACKEND", backend, 1) ||
		     setenv("PMCGRP_REGIONS_FILE", st->regions_path, 1)))
		ret = cli_say_errno("--regions", errno);
	free(events);
	return ret;
}

void stat_regions_end(struct stat_run *st)
{
	if (st->regions_path)
		unlink(st->regions_path);
	free(st->regions_path);
	st->regions_path = NULL;
}

/* ---- After it ---- */

/* What the library cannot say of processes that are gone. */
static void notes(const struct stat_run *st, const struct regions_reports *reports)
{
	unsigned int i;

	if (reports->line)
		cli_say("--regions: line %lu of what the command has written is malformed, and "
			"what follows is not shown: %s", reports->line, reports->what);
	for (i = 0; i < reports->nr_processes; i++) {
		const struct regions_process *p = &reports->processes[i];

		if (p->starts > p->reports)
			cli_say("--regions: process %d (%s) has begun a region and left no report: "
				"it was killed, has called _exit() or exec(), or goes on"
				"", (int)p->pid,
				p->comm);
	}
	if (!reports->nr_processes && !reports->nr_sets && !reports->line)
		cli_say("--regions: '%s' has begun no region: is it linked with libpmcgrp, and "
			"does it call pmcgrp_region_begin()?", st->options.command[0]);
}

/* What has no place in CSV and JSON: that threads are not counted, and calls of no region. */
static void say_rest(const struct region_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_threads; i++) {
		if (!strncmp(set->threads[i].why, REGION_NOT_COUNTED, strlen(REGION_NOT_COUNTED))) {
			cli_say("--regions: thread %d of process %d: %s", (int)set->threads[i].tid,
				(int)set->threads[i].pid, set->threads[i].why);
			break;	/* it is the same for others, as a rule */
		}
	}
	for (i = 0; i < REGION_REFUSED_REASONS; i++) {
		if (set->refused[i])
			cli_say("--regions: %llu %s", (unsigned long long)set->refused[i],
				region_refused_text(i));
	}
}

static int print_set(const struct stat_run *st, FILE *file, const struct region_set *set)
{
	const struct stat_options *o = &st->options;
	struct regions_print print = {
		.set = set,
		.per_thread = o->regions_per_thread,
		.separator = o->separator,
	};

	if (o->separator || o->json)
		say_rest(set);
	else
		region_set_table(file, set, print.per_thread);
	if (o->separator)
		regions_csv(file, &print);
	return o->json ? regions_json(file, &print) : 0;
}

/* Those from @i on that have counted the same events, as one; marks them in @done. */
static int print_sum(const struct stat_run *st, FILE *file, const struct regions_reports *reports,
		     unsigned int i, bool *done)
{
	const struct region_set *first = &reports->sets[i];
	struct region_set sum;
	int ret = region_set_like(&sum, first);

	for (; i < reports->nr_sets && !ret; i++) {
		if (done[i] || !region_set_alike(first, &reports->sets[i]))
			continue;
		done[i] = true;
		ret = region_set_sum(&sum, &reports->sets[i]);
	}
	if (!ret)
		ret = print_set(st, file, &sum);
	region_set_free(&sum);
	return ret;
}

static int print_all(const struct stat_run *st, FILE *file, const struct regions_reports *reports)
{
	bool *done = calloc(reports->nr_sets + 1, sizeof(*done));
	unsigned int i;
	int ret = done ? 0 : -ENOMEM;

	for (i = 0; i < reports->nr_sets && !ret; i++) {
		if (st->options.regions_per_thread)
			ret = print_set(st, file, &reports->sets[i]);
		else if (!done[i])
			ret = print_sum(st, file, reports, i, done);
	}
	free(done);
	return ret;
}

static int read_reports(const struct stat_run *st, struct regions_reports *reports)
{
	FILE *file = fopen(st->regions_path, "re");
	int ret;

	if (!file)
		return -errno;
	ret = regions_read(reports, file);
	fclose(file);
	return ret;
}

static int print_to(struct stat_run *st, const struct regions_reports *reports)
{
	const char *name = st->options.regions_file;
	FILE *file = name ? fopen(name, "we") : st->file;
	int ret;

	if (!file)
		return cli_say_errno(name, errno);
	ret = print_all(st, file, reports);
	if (ret)
		ret = cli_say_errno("--regions", -ret);
	if (!name)
		return ret ? ret : stat_flush(st);
	if (fclose(file) && !ret)
		ret = cli_say_errno(name, errno);
	return ret;
}

int stat_regions_print(struct stat_run *st)
{
	struct regions_reports reports;
	int ret = read_reports(st, &reports);

	if (ret)
		ret = cli_say_errno("--regions: what the command has written", -ret);
	else
		ret = print_to(st, &reports);
	if (!ret)
		notes(st, &reports);
	regions_reports_free(&reports);
	return ret;
}
