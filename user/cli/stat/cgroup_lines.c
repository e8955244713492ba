// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The kernel tells of each task the nearest of the listed cgroups alone. A line has that of all
 * listed cgroups below it as well, as perf counts.
 */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup_lines.h"
#include "counters/cgroup.h"
#include "args/cli.h"
#include "say/name.h"

static const char each_option[] = "--for-each-cgroup";

static int no_memory(void)
{
	return cli_say_errno("cannot set up the cgroups", ENOMEM);
}

/* A line for the name, or the one that there is; its index in @index. */
static int add(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
	       const char *option, const char *name, unsigned int *index)
{
	struct cgroup_line *at, line = { .all = !*name };
	const char *path;
	char *shown;
	int ret;

	if (!line.all) {
		ret = pmcgrp_cgroups_id(cgroups, name, &line.id);
		if (ret == -ENOENT)
			return cgroup_say_missing(cgroups, option, name);
		if (ret < 0)
			return cli_say_errno(name, -ret);
		path = pmcgrp_cgroups_path(cgroups, line.id, NULL);
		line.all = path && !path[1];
	}
	shown = name_dup(name, strlen(name));
	if (!shown)
		return no_memory();
	for (*index = 0; *index < lines->nr; (*index)++) {
		if (!strcmp(lines->at[*index].name, shown)) {
			free(shown);
			return 0;
		}
	}
	at = reallocarray(lines->at, lines->nr + 1, sizeof(*at));
	if (!at) {
		free(shown);
		return no_memory();
	}
	lines->at = at;
	line.name = shown;
	at[lines->nr++] = line;
	return 0;
}

/* ---- What is named ---- */

/* perf takes all of the option for patterns, if one is. */
static bool has_pattern(const char *const *lists, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (strpbrk(lists[i], "{}[]()|*+?^$"))
			return true;
	}
	return false;
}

static int add_matching(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
			const char *pattern)
{
	unsigned int index, before = lines->nr;
	const char *path;
	regex_t regex;
	char text[128];
	int ret;
	size_t i;

	ret = regcomp(&regex, pattern, REG_NOSUB);
	if (ret) {
		regerror(ret, &regex, text, sizeof(text));
		cli_say("%s: '%s' is no regular expression: %s", each_option, pattern, text);
		return EXIT_TOOL;
	}
	ret = 0;
	for (i = 0; (path = pmcgrp_cgroups_at(cgroups, i)) && !ret; i++) {
		path += path[1] != '\0';
		if (!regexec(&regex, path, 0, NULL, 0))
			ret = add(lines, cgroups, each_option, path, &index);
	}
	regfree(&regex);
	if (ret || lines->nr != before)
		return ret;
	cli_say("%s: no cgroup in %s matches '%s'", each_option, pmcgrp_cgroups_root(cgroups),
		pattern);
	return EXIT_TOOL;
}

typedef int (*name_fn)(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
		       const char *name);

/* Calls @fn for each name between commas, empty ones included. */
static int for_names(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
		     const char *const *lists, unsigned int nr, name_fn fn)
{
	char *list, *at, *name;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		list = strdup(lists[i]);
		if (!list)
			return no_memory();
		at = list;
		while (!ret && (name = strsep(&at, ",")))
			ret = fn(lines, cgroups, name);
		free(list);
	}
	return ret;
}

/* As perf has it, no name is the root. */
static int take_each(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
		     const char *name)
{
	unsigned int index;

	return add(lines, cgroups, each_option, *name ? name : "/", &index);
}

static int take_pattern(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
			const char *name)
{
	return *name ? add_matching(lines, cgroups, name) : take_each(lines, cgroups, name);
}

static int take_event(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
		      const char *name)
{
	unsigned int index, *of_event;
	int ret = add(lines, cgroups, "-G", name, &index);

	if (ret)
		return ret;
	of_event = reallocarray(lines->of_event, lines->nr_events + 1, sizeof(*of_event));
	if (!of_event)
		return no_memory();
	lines->of_event = of_event;
	of_event[lines->nr_events++] = index;
	return 0;
}

/* ---- What follows from that ---- */

static bool is_below(const char *above, const char *path)
{
	size_t len = strlen(above);

	return !strncmp(above, path, len) && (!path[len] || path[len] == '/');
}

static int finish(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups)
{
	unsigned int i, k, nr = lines->nr;
	const char *above, *path;

	lines->ids = calloc(nr, sizeof(*lines->ids));
	lines->below = calloc((size_t)nr * nr, sizeof(*lines->below));
	lines->names = calloc(nr, sizeof(const char *));
	if (!lines->ids || !lines->below || !lines->names)
		return no_memory();
	for (i = 0; i < nr; i++) {
		above = pmcgrp_cgroups_path(cgroups, lines->at[i].id, NULL);
		for (k = 0; k < nr; k++) {
			path = pmcgrp_cgroups_path(cgroups, lines->at[k].id, NULL);
			lines->below[(size_t)i * nr + k] =
				lines->at[k].id == lines->at[i].id ||
				(above && path && is_below(above, path));
		}
		lines->names[i] = lines->at[i].name;
		/* Two names can be one cgroup. */
		for (k = 0; k < lines->nr_ids && lines->ids[k] != lines->at[i].id; k++)
			;
		if (!lines->at[i].all && k == lines->nr_ids)
			lines->ids[lines->nr_ids++] = lines->at[i].id;
	}
	/* The kernel wants one to be listed. */
	if (!lines->nr_ids && !pmcgrp_cgroups_id(cgroups, "/", &lines->ids[0]))
		lines->nr_ids = 1;
	return 0;
}

int cgroup_lines_each(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
		      const char *const *lists, unsigned int nr)
{
	int ret = for_names(lines, cgroups, lists, nr,
			    has_pattern(lists, nr) ? take_pattern : take_each);

	return ret ? ret : finish(lines, cgroups);
}

int cgroup_lines_events(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
			const char *const *lists, unsigned int nr)
{
	int ret = for_names(lines, cgroups, lists, nr, take_event);

	return ret ? ret : finish(lines, cgroups);
}

int cgroup_lines_counters(struct cgroup_lines *lines, unsigned int nr_counters)
{
	unsigned int i;

	if (!lines->nr_events)
		return 0;
	if (lines->nr_events > nr_counters) {
		cli_say("-G: there are %u cgroups and %u events: the first cgroup is that of the first "
			"event, and so on; --for-each-cgroup counts all events for each cgroup",
			lines->nr_events, nr_counters);
		return EXIT_TOOL;
	}
	if (lines->nr_events > 1 && lines->nr_events < nr_counters) {
		cli_say("-G: there are %u cgroups and %u events: name one cgroup for all events, or one "
			"for each, which can be empty (a,,b): then whatever runs is counted",
			lines->nr_events, nr_counters);
		return EXIT_TOOL;
	}
	lines->line_of = calloc(nr_counters + 1, sizeof(*lines->line_of));
	if (!lines->line_of)
		return no_memory();
	for (i = 0; i < nr_counters; i++)
		lines->line_of[i] = lines->of_event[lines->nr_events > 1 ? i : 0];
	return 0;
}

/* ---- Counts ---- */

/* The line of a key itself; lines->nr: it has none. */
static unsigned int line_of_key(const struct cgroup_lines *lines, const struct pmcgrp_key *key)
{
	unsigned int k;

	for (k = 0; k < lines->nr && key->kind == PMCGRP_KEY_KIND_KEY; k++) {
		if (lines->at[k].id == key->key[0])
			return k;
	}
	return lines->nr;
}

void cgroup_lines_add(const struct cgroup_lines *lines, struct counter_set *set,
		      unsigned int group, const struct pmcgrp_key_table *table)
{
	uint64_t zero[PMCGRP_MEMBERS_MAX] = { 0 };
	const struct pmcgrp_key_counts none = { .value = zero };
	const struct pmcgrp_key *key;
	unsigned int line, own;
	size_t at = 0;

	/* One that has not run yet is there as well. */
	for (line = 0; line < lines->nr; line++)
		counter_set_add_key(set, group, line, &none);
	while ((key = pmcgrp_keys_next(table, &at))) {
		own = line_of_key(lines, key);
		for (line = 0; line < lines->nr; line++) {
			if (lines->at[line].all ||
			    (own < lines->nr && lines->below[(size_t)line * lines->nr + own]))
				counter_set_add_key(set, group, line, &key->total);
		}
	}
}

/* By the name as it was given: that of @at is text. */
static int id_now(const struct pmcgrp_cgroups *cgroups, const struct cgroup_line *line, uint64_t *id)
{
	const char *path = pmcgrp_cgroups_path(cgroups, line->id, NULL);

	return path ? pmcgrp_cgroups_id(cgroups, path, id) : -ENOENT;
}

void cgroup_lines_say_changed(const struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups)
{
	unsigned int i;
	uint64_t id;
	int ret;

	for (i = 0; i < lines->nr; i++) {
		if (lines->at[i].all)
			continue;
		ret = id_now(cgroups, &lines->at[i], &id);
		if (!ret && id != lines->at[i].id)
			cli_say("cgroup '%s' was removed and made again: its line has what the first one "
				"has run; \"pmcgrp stat --by cgroup\" counts both", lines->at[i].name);
		else if (ret == -ENOENT)
			cli_say("cgroup '%s' was removed: its line has what it has run until then",
				lines->at[i].name);
	}
}

void cgroup_lines_free(struct cgroup_lines *lines)
{
	unsigned int i;

	for (i = 0; i < lines->nr; i++)
		free(lines->at[i].name);
	free(lines->at);
	free(lines->of_event);
	free(lines->line_of);
	free(lines->ids);
	free(lines->below);
	free(lines->names);
	*lines = (struct cgroup_lines){ 0 };
}
