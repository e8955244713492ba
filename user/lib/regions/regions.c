// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Regions of a program: who listens, from when to when, and which regions there are.
 *
 * Neither the constructor nor a thread's first region says anything or ends the program: what
 * cannot be counted is part of the report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regions/process.h"

/* ---- Who listens ---- */

/* What was counted before. Under the lock, with all threads at rest. */
static void forget_all(void)
{
	struct region_thread **at = &regions.threads, *t;

	while ((t = *at)) {
		region_thread_forget(t);
		if (!t->ended) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		free(t);
	}
	regions.nr_ended = 0;
	region_set_free(&regions.others);
	memset(regions.refused, 0, sizeof(regions.refused));
	region_session_forget();
}

static void session_begin(void)
{
	regions.started = true;
	regions.announced = false;
	regions.pid = getpid();
	regions.generation++;
	region_barrier();
	REGION_WRITE_ONCE(pmcgrp_regions_on, 1);
}

static int start(const char *events, unsigned int flags, struct pmcgrp_events_error *error)
{
	int ret = 0;

	if (pmcgrp_regions_on || regions.stopping)
		return -EBUSY;
	if (!region_threads_rest())
		return -EBUSY;
	forget_all();
	free(regions.events);
	regions.events = strdup(events ? events : "");
	regions.flags = flags;
	ret = regions.events ? region_session_prepare() : -ENOMEM;
	if (ret) {
		if (error) {
			snprintf(error->text, sizeof(error->text), "%s", regions.failure);
			error->column = regions.column;
		}
		region_session_forget();
		return ret;
	}
	session_begin();
	return 0;
}

int pmcgrp_regions_start(const char *events, unsigned int flags, struct pmcgrp_events_error *error)
{
	int state, ret;

	if (error)
		memset(error, 0, sizeof(*error));
	if (!regions_lock(&state))
		return -EBUSY;
	ret = start(events, flags, error);
	regions_unlock(state);
	return ret;
}

/* Threads that are in a begin or end now find another generation, or are waited for. */
static int stop(void)
{
	struct region_thread *t;

	if (!pmcgrp_regions_on && !regions.stopping)
		return -EINVAL;
	/* Called again until it has closed the groups. */
	regions.stopping = true;
	REGION_WRITE_ONCE(pmcgrp_regions_on, 0);
	REGION_WRITE_ONCE(regions.generation, regions.generation + 1);
	if (!region_threads_rest())
		return -EBUSY;
	regions.stopping = false;
	for (t = regions.threads; t; t = t->next)
		region_thread_close(t);
	return 0;
}

int pmcgrp_regions_stop(void)
{
	int state, ret;

	if (!regions_lock(&state))
		return -EBUSY;
	ret = stop();
	regions_unlock(state);
	return ret;
}

/* ---- fork() ---- */

static int fork_state;
static bool fork_locked;

/* The list of threads is whole in the child. */
static void before_fork(void)
{
	int state;
	bool locked = regions_lock(&state);

	if (!locked)
		return;
	fork_locked = true;
	fork_state = state;
}

static void after_fork(void)
{
	if (!fork_locked)
		return;
	fork_locked = false;
	regions_unlock(fork_state);
}

/*
 * Nothing of the parent's is counted here. Its groups are closed: they would go on for as long as
 * this process lives. The pages of groups are not mapped here (VM_DONTCOPY).
 */
static void in_child(void)
{
	struct region_thread **at = &regions.threads, *t;

	if (!fork_locked)
		return;
	regions.generation++;
	while ((t = *at)) {
		if (t == region_self && region_thread_is_in_call(t)) {
			region_thread_abandon(t);
			*at = t->next;
			continue;
		}
		if (t == region_self) {
			region_thread_forked(t);
			at = &t->next;
			continue;
		}
		region_thread_forget(t);
		*at = t->next;
		free(t);
	}
	regions.nr_ended = 0;
	region_set_free(&regions.others);
	memset(regions.refused, 0, sizeof(regions.refused));
	region_session_forget();
	regions.announced = false;
	regions.pid = getpid();
	pthread_mutex_init(&regions.lock, NULL);
	pthread_mutex_lock(&regions.lock);
	after_fork();
}

/* ---- By the environment ---- */

static unsigned int backend_flags(const char *backend)
{
	if (backend && !strcmp(backend, "device"))
		return 0;
	if (backend && !strcmp(backend, "perf"))
		return PMCGRP_OPEN_PERF;
	return PMCGRP_OPEN_FALLBACK;
}

static char *copy_env(const char *name)
{
	const char *value = secure_getenv(name);

	return value ? strdup(value) : NULL;
}

/* A set-uid program does as if there was no such variable. */
static void __attribute__((constructor)) regions_init(void)
{
	const char *events = secure_getenv("PMCGRP_REGIONS");

	pthread_atfork(before_fork, after_fork, in_child);
	if (!events)
		return;
	regions.events = strdup(events);
	regions.file = copy_env("PMCGRP_REGIONS_FILE");
	regions.flags = backend_flags(secure_getenv("PMCGRP_REGIONS_BACKEND"));
	if (!regions.events)
		return;
	regions.by_environment = true;
	session_begin();
}

static void __attribute__((destructor)) regions_exit(void)
{
	/* A child that fork() has not made would report what the parent has counted. */
	if (regions.by_environment && regions.pid == getpid())
		region_report_exit();
}
