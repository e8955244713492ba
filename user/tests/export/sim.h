/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * A machine that is made up, for the exporter: folders stand for its cgroups, and counts come from
 * the test. Time is the test's, too.
 */
#ifndef SIM_H
#define SIM_H

#include <sys/stat.h>
#include <unistd.h>

#include "cgroups.h"
#include "export/exporter.h"

#define SIM_DIR_SIZE 128
/* The clock begins when it does not matter. */
#define SIM_BEGIN 1700000000000

struct sim {
	struct exporter x;
	char dir[SIM_DIR_SIZE];
	uint64_t now;
};

/* In memory, where a new folder never has an old one's number. */
static inline const char *sim_where(void)
{
	return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

static inline void sim_mounts(struct sim *sim)
{
	char path[SIM_DIR_SIZE + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/mountinfo", sim->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "30 21 0:26 / %s/cg rw - cgroup2 none rw\n", sim->dir);
	fclose(file);
	snprintf(path, sizeof(path), "%s/cg", sim->dir);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/mountinfo", sim->dir);
	assert_int_equal(cgroups_open(&sim->x.cgroups, path, true), 0);
}

/* A list's event, without the blanks before it. */
static inline const char *sim_event(char *event)
{
	return event + strspn(event, " ");
}

/* As source_init() and source_open() would have left it. */
static inline void sim_source(struct export_source *s, const struct export_group *group,
			      unsigned int linger)
{
	char *events = strdup(group->events), *next, *event;

	*s = (struct export_source){ .config = group, .created = SIM_BEGIN, .up = true };
	s->metrics = calloc(PMCGRP_MEMBERS_MAX, sizeof(*s->metrics));
	assert_non_null(s->metrics);
	for (event = strtok_r(events, ",", &next); event; event = strtok_r(NULL, ",", &next)) {
		struct export_metric *metric = &s->metrics[s->nr++];
		char name[64];

		exposition_name(name, sizeof(name), sim_event(event));
		snprintf(metric->name, sizeof(metric->name), "pmcgrp_%s_%s", group->name, name);
		metric->event = strdup(sim_event(event));
		assert_true(asprintf(&metric->help, "%s.", metric->event) > 0);
	}
	s->nr_members = s->nr;
	by_cgroup_init(&s->by, group, s->nr, linger);
	s->by.since = SIM_BEGIN;
	free(events);
}

/* With the configuration that is there. */
static inline void sim_begin(struct sim *sim)
{
	unsigned int i;

	sim->now = SIM_BEGIN;
	snprintf(sim->dir, sizeof(sim->dir), "%s/pmcgrp-export-XXXXXX", sim_where());
	assert_non_null(mkdtemp(sim->dir));
	sim_mounts(sim);
	sim->x.nr = sim->x.config.nr;
	sim->x.sources = calloc(sim->x.nr, sizeof(*sim->x.sources));
	assert_non_null(sim->x.sources);
	for (i = 0; i < sim->x.nr; i++)
		sim_source(&sim->x.sources[i], &sim->x.config.groups[i], sim->x.config.linger);
}

static inline void sim_open(struct sim *sim, const char *config)
{
	char error[EXPORT_ERROR_SIZE];

	*sim = (struct sim){ 0 };
	export_config_init(&sim->x.config);
	assert_int_equal(export_config_parse(&sim->x.config, config, error), 0);
	sim_begin(sim);
}

static inline void sim_close(struct sim *sim)
{
	char command[SIM_DIR_SIZE + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", sim->dir);
	exporter_close(&sim->x);
	assert_int_equal(system(command), 0);
}

/* A cgroup that is made. Returns its id. */
static inline uint64_t sim_make(const struct sim *sim, const char *cgroup)
{
	char path[SIM_DIR_SIZE + 512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/cg%s", sim->dir, cgroup);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static inline void sim_remove(const struct sim *sim, const char *cgroup)
{
	char path[SIM_DIR_SIZE + 512];

	snprintf(path, sizeof(path), "%s/cg%s", sim->dir, cgroup);
	assert_int_equal(rmdir(path), 0);
}

/* It ran for @enabled ns, of which it was counted for @running; event i counts (i + 1) * @value. */
static inline void sim_count_kind(struct sim *sim, unsigned int source, enum pmcgrp_key_kind kind,
				  uint64_t id, uint64_t enabled, uint64_t running, uint64_t value)
{
	const struct pmcgrp_key key = { .kind = kind, .key = { id } };
	struct export_source *s = &sim->x.sources[source];
	uint64_t values[PMCGRP_MEMBERS_MAX];
	const struct row_counts more = { enabled, running, values };
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		values[i] = (i + 1) * value;
	assert_int_equal(by_cgroup_count(&s->by, &key, &more), 0);
}

static inline void sim_count(struct sim *sim, uint64_t id, uint64_t value)
{
	sim_count_kind(sim, 0, PMCGRP_KEY_KIND_KEY, id, 1000000, 1000000, value);
}

/* The text @seconds later, with a zero at its end. */
static inline const char *sim_scrape_as(struct sim *sim, unsigned int seconds,
					enum exposition_format format)
{
	struct exposition *e = &sim->x.text;

	sim->now += seconds * 1000ULL;
	assert_int_equal(exporter_collect(&sim->x, sim->now), 0);
	assert_int_equal(exporter_write(&sim->x, format), 0);
	exposition_info(e, "end", "");
	assert_false(e->failed);
	e->len -= strlen("end_info 1\n");
	e->text[e->len] = '\0';
	return e->text;
}

static inline const char *sim_scrape(struct sim *sim, unsigned int seconds)
{
	return sim_scrape_as(sim, seconds, EXPOSITION_OPENMETRICS);
}

#endif
