// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args/cli.h"
#include "exporter.h"

/* So often at least it is looked which cgroups are no more. */
#define LOOK_MS 10000

/* And to list them takes no more than this part of a processor. */
#define LOOK_PART 50

/* So many whose paths are not known are looked up at once all the same: they take memory. */
#define WAITING_MAX 65536

uint64_t exporter_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool any_by_cgroup(const struct exporter *x)
{
	unsigned int i;

	for (i = 0; i < x->config.nr; i++) {
		if (export_by_cgroup(x->config.groups[i].kind))
			return true;
	}
	return false;
}

static int cgroups_open(struct exporter *x)
{
	int ret = any_by_cgroup(x) ? pmcgrp_cgroups_new(&x->cgroups) : 0;

	if (ret == -ENOENT) {
		cli_say("no cgroups are mounted: \"mount -t cgroup2 none /sys/fs/cgroup\" does so, as "
			"root");
		return EXIT_TOOL;
	}
	return ret < 0 ? cli_say_errno("cannot list the cgroups", -ret) : 0;
}

static int open_all(struct exporter *x)
{
	unsigned int i, open = 0;

	for (i = 0; i < x->nr; i++)
		open += !source_open(&x->sources[i], x->h, exporter_now());
	return open ? 0 : EXIT_TOOL;
}

int exporter_init(struct exporter *x)
{
	unsigned int i;
	int ret;

	x->sources = calloc(x->config.nr + 1, sizeof(*x->sources));
	if (!x->sources)
		return cli_say_errno("cannot set up the groups", ENOMEM);
	for (i = 0; i < x->config.nr; i++) {
		x->nr = i + 1;
		ret = source_init(&x->sources[i], &x->config.groups[i], x->config.linger);
		if (ret)
			return ret;
	}
	return 0;
}

int exporter_open(struct exporter *x)
{
	int ret;

	if (pmcgrp_open(&x->h, 0) < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		return EXIT_TOOL;
	}
	ret = cgroups_open(x);
	return ret ? ret : open_all(x);
}

static bool is_to_look(const struct exporter *x, uint64_t now)
{
	size_t waiting = 0;
	unsigned int i;

	for (i = 0; i < x->nr; i++)
		waiting += x->sources[i].by.nr_pending;
	/* The clock was set back. */
	if (now + LOOK_MS < x->look)
		return true;
	if (now < x->not_before)
		return waiting > WAITING_MAX;
	return waiting || now >= x->look;
}

static uint64_t own_time_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* Once for all groups. */
static int settle(struct exporter *x, uint64_t now)
{
	uint64_t begin = own_time_us();
	unsigned int i;
	int ret;

	if (!is_to_look(x, now))
		return 0;
	ret = pmcgrp_cgroups_update(x->cgroups, true);
	for (i = 0; i < x->nr && ret >= 0; i++) {
		if (export_by_cgroup(x->sources[i].config->kind))
			ret = by_cgroup_settle(&x->sources[i].by, x->cgroups, now);
	}
	x->look = now + LOOK_MS;
	x->not_before = now + (own_time_us() - begin) * LOOK_PART / 1000;
	return ret;
}

static int collect(struct exporter *x, uint64_t now, bool tables)
{
	unsigned int i;
	int ret, first = 0;

	for (i = 0; i < x->nr; i++) {
		if (tables && !x->sources[i].table)
			continue;
		ret = source_collect(&x->sources[i], now);
		if (ret < 0 && !first)
			first = ret;
	}
	ret = x->cgroups ? settle(x, now) : 0;
	for (i = 0; i < x->nr; i++)
		x->sources[i].by.since = now;
	return first ? first : ret;
}

int exporter_collect(struct exporter *x, uint64_t now)
{
	return collect(x, now, false);
}

int exporter_drain(struct exporter *x, uint64_t now)
{
	return collect(x, now, true);
}

/* About the exporter itself. */
static void write_self(struct exporter *x)
{
	struct exposition *e = &x->text;
	char labels[128];
	unsigned int i;

	snprintf(labels, sizeof(labels), "{version=\"%.60s\"}", pmcgrp_version());
	exposition_family(e, "pmcgrp_exporter_build", EXPOSITION_INFO, NULL, "Its release.");
	exposition_info(e, "pmcgrp_exporter_build", labels);
	exposition_family(e, "pmcgrp_exporter_up", EXPOSITION_GAUGE, NULL,
			  "Whether a group of the configuration is counted.");
	for (i = 0; i < x->nr; i++) {
		snprintf(labels, sizeof(labels), "{group=\"%.60s\"}", x->sources[i].config->name);
		exposition_gauge(e, "pmcgrp_exporter_up", labels, x->sources[i].up);
	}
}

int exporter_write(struct exporter *x, enum exposition_format format)
{
	unsigned int i;

	exposition_begin(&x->text, format);
	write_self(x);
	for (i = 0; i < x->nr; i++)
		source_write(&x->sources[i], &x->text);
	return exposition_end(&x->text);
}

void exporter_stop(struct exporter *x)
{
	unsigned int i;

	/* What comes is the last. */
	x->not_before = 0;
	for (i = 0; i < x->nr; i++)
		source_stop(&x->sources[i]);
}

void exporter_close(struct exporter *x)
{
	unsigned int i;

	for (i = 0; i < x->nr; i++)
		source_free(&x->sources[i]);
	free(x->sources);
	pmcgrp_cgroups_free(x->cgroups);
	pmcgrp_close(x->h);
	exposition_free(&x->text);
	export_config_free(&x->config);
	*x = (struct exporter){ 0 };
}
