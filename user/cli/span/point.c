// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Pairs of tracepoints: BEGIN/END[@KEY]. */
#include <stdio.h>
#include <string.h>

#include <linux/pmcgrp.h>

#include "args/cli.h"
#include "event/near.h"
#include "point_pair.h"

#define KEYS "@task, @cpu, @argN, or @argN,argM of the begin and of the end, with :4 behind it " \
	     "if these have 4 bytes"

const char point_list[] = "/sys/kernel/tracing/available_events";

bool point_is_pair(const char *word)
{
	return word[0] != '/' && word[0] != '.' && strchr(word, '/');
}

static int wrong(const char *word, const char *what)
{
	cli_say("'%s': %s", word, what);
	return EXIT_TOOL;
}

/* ---- The key ---- */

/* @text: behind "arg"; goes on behind the number. */
static bool take_arg(const char **text, unsigned int *arg)
{
	const char *at = *text;

	if (strncmp(at, "arg", 3) || at[3] < '0' || at[3] >= '0' + PMCGRP_SPAN_ARGS_MAX)
		return false;
	*arg = (unsigned int)(at[3] - '0');
	*text = at + 4;
	return true;
}

static bool key_parse(struct point_pair *pair, const char *text)
{
	pair->begin_arg = 0;
	pair->end_arg = 0;
	pair->arg_size = 0;
	pair->key = PMCGRP_SPAN_KEY_TASK;
	if (!strcmp(text, "task"))
		return true;
	pair->key = PMCGRP_SPAN_KEY_CPU;
	if (!strcmp(text, "cpu"))
		return true;
	pair->key = PMCGRP_SPAN_KEY_ARG;
	pair->arg_size = 8;
	if (!take_arg(&text, &pair->begin_arg))
		return false;
	pair->end_arg = pair->begin_arg;
	if (*text == ',') {
		text++;
		if (!take_arg(&text, &pair->end_arg))
			return false;
	}
	if (!strcmp(text, ":4"))
		pair->arg_size = 4;
	return !*text || !strcmp(text, ":4") || !strcmp(text, ":8");
}

/* ---- Names ---- */

static bool name_copy(char *to, const char *from, size_t len)
{
	if (!len || len >= POINT_NAME)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return !strpbrk(to, ":/@ \t\n,*");
}

static bool point_of(struct point *point, const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	size_t system = colon ? (size_t)(colon - text) : 0;

	point->system[0] = '\0';
	if (!colon)
		return name_copy(point->name, text, len);
	return name_copy(point->system, text, system) &&
	       name_copy(point->name, colon + 1, len - system - 1);
}

int point_parse(struct point_pair *pair, const char *word)
{
	const char *key = strchr(word, '@'), *slash = strchr(word, '/');
	size_t len = key ? (size_t)(key - word) : strlen(word);

	if (!slash || slash >= word + len ||
	    !point_of(&pair->begin, word, (size_t)(slash - word)) ||
	    !point_of(&pair->end, slash + 1, (size_t)(word + len - slash - 1)))
		return wrong(word, "a span of tracepoints is written BEGIN/END or "
				   "SYSTEM:BEGIN/SYSTEM:END, and @KEY behind it");
	if (key)
		return key_parse(pair, key + 1) ? 0 : wrong(word, "the key is none of " KEYS);
	key = point_default_key(pair->begin.name, pair->end.name);
	if (key && key_parse(pair, key))
		return 0;
	return wrong(word, "it takes a key, which says what beginning an end is of: add " KEYS);
}

/* ---- What the kernel has ---- */

/* tracefs makes these of other tracepoints, or of probes. */
static const char *made_of(const char *system)
{
	if (!strcmp(system, "syscalls"))
		return "it is no tracepoint: tracefs makes it of raw_syscalls:sys_enter or sys_exit, "
		       "so use 'sys_enter/sys_exit'";
	if (!strcmp(system, "ftrace") || !strcmp(system, "kprobes") ||
	    !strcmp(system, "uprobes") || !strcmp(system, "synthetic"))
		return "it is no tracepoint, but a record or a probe of tracefs";
	return NULL;
}

/* What a list has of a tracepoint. */
struct found {
	bool known;	/* there are names */
	bool listed;	/* this one, too */
	const char *made_of;
};

static void look(const char *list, const struct point *point, struct found *found,
		 struct near *near)
{
	char line[2 * POINT_NAME], system[POINT_NAME], name[POINT_NAME], both[2 * POINT_NAME];
	FILE *file = fopen(list, "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%127[^:\n]:%127[^:\n]", system, name) != 2)
			continue;
		found->known = true;
		if (!strcmp(name, point->name) &&
		    (!point->system[0] || !strcmp(system, point->system))) {
			found->made_of = made_of(system);
			found->listed = true;
		}
		if (!near || made_of(system))
			continue;
		snprintf(both, sizeof(both), "%s:%s", system, name);
		near_offer(near, point->system[0] ? both : name);
	}
	if (file)
		fclose(file);
}

static void text_of(const struct point *point, char text[2 * POINT_NAME])
{
	snprintf(text, 2 * POINT_NAME, "%s%s%s", point->system, point->system[0] ? ":" : "",
		 point->name);
}

static int check(const char *list, const struct point *point)
{
	char text[2 * POINT_NAME], names[NEAR_TEXT];
	struct found found = { 0 };
	struct near near;

	text_of(point, text);
	near_begin(&near, text);
	look(list, point, &found, &near);
	if (found.made_of)
		return wrong(text, found.made_of);
	if (!found.known || found.listed || !point->system[0])
		return 0;
	cli_say("the kernel has no tracepoint '%s'%s", text,
		near_text(&near, names, sizeof(names)));
	return EXIT_TOOL;
}

int point_check(const char *list, const struct point_pair *pair)
{
	int ret = check(list, &pair->begin);

	return ret ? ret : check(list, &pair->end);
}

const char *point_near(const char *list, const struct point_pair *pair, char *text, size_t size)
{
	const struct point *const ends[] = { &pair->begin, &pair->end };
	struct found found;
	struct near near;
	size_t i;

	for (i = 0; i < 2; i++) {
		found = (struct found){ 0 };
		near_begin(&near, ends[i]->name);
		look(list, ends[i], &found, &near);
		if (!found.listed)
			return near_text(&near, text, size);
	}
	text[0] = '\0';
	return text;
}
