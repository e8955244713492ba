// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp export: counts for Prometheus and others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "args/cli.h"
#include "client.h"
#include "counters/workload.h"
#include "export_options.h"
#include "exporter.h"
#include "http.h"
#include "sockets.h"
#include "textfile.h"

/* So often tables by cgroup are read, whether somebody scrapes or not: it makes room in them. */
#define TICK_NS 1000000000LL

#define TEXTFILE_S 15
#define STDOUT_S 1

/* ---- The configuration ---- */

static int config_events(struct export_config *config, const struct export_options *o)
{
	struct export_group *group = export_config_add(config, export_kind_names[o->by]);
	unsigned int i;
	size_t size;
	FILE *out;

	if (!group)
		return cli_say_errno("cannot set up the events", ENOMEM);
	group->kind = (enum export_kind)o->by;
	group->background = o->background;
	out = open_memstream(&group->events, &size);
	if (!out)
		return cli_say_errno("cannot set up the events", errno);
	for (i = 0; i < o->nr_events; i++)
		fprintf(out, "%s%s", i ? "," : "", o->events[i]);
	return fclose(out) ? cli_say_errno("cannot set up the events", ENOMEM) : 0;
}

static int config_file(struct export_config *config, const struct export_options *o)
{
	const char *path = o->config ? o->config : EXPORT_CONFIG_FILE;
	char error[EXPORT_ERROR_SIZE];
	int ret = export_config_read(config, path, error);

	if (ret >= 0 && !config->nr) {
		cli_say("%s: there is no group in it", path);
		return EXIT_TOOL;
	}
	if (ret >= 0)
		return 0;
	if (error[0])
		cli_say("%s: %s", path, error);
	else if (ret == -ENOENT && !o->config)
		cli_say("what is to be counted? There is no %s; -c names another file, and -e events",
			path);
	else
		cli_say_errno(path, -ret);
	return EXIT_TOOL;
}

/* ---- Ways to export ---- */

/* The exporter goes on after a failure: it is said once, and groups that failed are left out. */
static void failed(struct exporter *x, int ret)
{
	if (ret < 0 && ret != x->failed)
		cli_say_errno("cannot read all counts", -ret);
	x->failed = ret;
}

static void collect(struct exporter *x)
{
	failed(x, exporter_collect(x, exporter_now()));
}

static void drain(struct exporter *x)
{
	failed(x, exporter_drain(x, exporter_now()));
}

static const struct exposition *text_of(void *arg, enum exposition_format format)
{
	struct exporter *x = arg;

	collect(x);
	return exporter_write(x, format) < 0 ? NULL : &x->text;
}

static int serve(struct exporter *x, const struct export_options *o)
{
	const char *listen = o->listen ? o->listen : x->config.listen;
	int fds[SOCKETS_MAX], nr = sockets_open(fds, listen), ret;
	struct waiter waiter;
	struct http *http;
	int64_t tick = clock_now() + TICK_NS;

	if (nr < 0)
		return EXIT_TOOL;
	ret = http_open(&http, fds, (unsigned int)nr, text_of, x);
	if (ret)
		return ret;
	waiter_init(&waiter, 0, false);
	waiter.ready = http_fd(http);
	while (waiter_wait(&waiter, tick, true) != WAIT_SIGNAL) {
		http_run(http);
		if (clock_now() >= tick) {
			drain(x);
			tick = clock_now() + TICK_NS;
		}
	}
	waiter_free(&waiter);
	http_close(http);
	sockets_close(listen);
	return 0;
}

static int write_file(struct exporter *x, const struct export_options *o)
{
	int64_t now = clock_now(), interval = (o->interval ? o->interval : TEXTFILE_S) * 1000000000LL;
	int64_t write = now + interval, tick;
	struct waiter waiter;
	int ret = 0;

	waiter_init(&waiter, 0, false);
	while (!ret) {
		tick = clock_now() + TICK_NS;
		if (waiter_wait(&waiter, tick < write ? tick : write, true) == WAIT_SIGNAL)
			break;
		now = clock_now();
		if (now < write) {
			drain(x);
			continue;
		}
		/* A machine that has slept does not make up for it. */
		write = write + interval > now ? write + interval : now + interval;
		collect(x);
		ret = exporter_write(x, EXPOSITION_PLAIN);
		if (ret >= 0)
			ret = textfile_write(o->textfile, &x->text);
	}
	waiter_free(&waiter);
	return ret < 0 ? cli_say_errno(o->textfile, -ret) : 0;
}

/* Until the command ends, or for the interval. */
static void count_for(struct exporter *x, const struct export_options *o, pid_t pid)
{
	int64_t end = clock_now() + (o->interval ? o->interval : STDOUT_S) * 1000000000LL, tick;
	enum wait_result result;
	struct waiter waiter;

	waiter_init(&waiter, pid, true);
	do {
		tick = clock_now() + TICK_NS;
		result = waiter_wait(&waiter, pid || tick < end ? tick : end, true);
		drain(x);
	} while (result == WAIT_TIME && (pid || clock_now() < end));
	waiter_free(&waiter);
}

static int run_command(struct exporter *x, const struct export_options *o)
{
	struct workload workload = { 0 };
	int ret;

	if (!o->command) {
		count_for(x, o, 0);
		return 0;
	}
	ret = workload_prepare(&workload, o->command);
	if (ret >= 0)
		ret = workload_start(&workload);
	if (ret < 0) {
		cli_say_errno(o->command[0], -ret);
		return ret == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	}
	count_for(x, o, workload.pid);
	workload_wait(&workload);
	return workload_exit_status(&workload);
}

static int print(struct exporter *x, const struct export_options *o)
{
	int status = run_command(x, o);
	unsigned int i;

	if (status == EXIT_NOT_FOUND || status == EXIT_CANNOT_RUN)
		return status;
	exporter_stop(x);
	collect(x);
	if (exporter_write(x, (enum exposition_format)o->format) < 0)
		return cli_say_errno("cannot write the text", ENOMEM);
	fwrite(x->text.text, 1, x->text.len, stdout);
	if (fflush(stdout))
		return cli_say_errno("stdout", errno);
	for (i = 0; i < x->nr && o->verbose; i++)
		source_note(&x->sources[i]);
	return status;
}

static int export(struct exporter *x, const struct export_options *o)
{
	int ret = o->nr_events ? config_events(&x->config, o) : config_file(&x->config, o);

	if (!ret)
		ret = exporter_init(x);
	if (ret || o->check)
		return ret;
	signals_init();
	ret = exporter_open(x);
	if (ret)
		return ret;
	if (o->to_stdout)
		return print(x, o);
	return o->textfile ? write_file(x, o) : serve(x, o);
}

int export_main(int argc, char **argv)
{
	struct exporter exporter = { 0 };
	struct export_options o;
	int ret;

	cli_begin("export");
	ret = export_options_parse(&o, argc, argv);
	if (ret > 0) {
		export_config_init(&exporter.config);
		ret = o.from ? client_print(o.from, (enum exposition_format)o.format) :
			       export(&exporter, &o);
		exporter_close(&exporter);
	} else {
		ret = -ret;
	}
	free(o.events);
	return ret;
}
