// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "lacks.h"

/* More names than that are counted. */
#define NAMES_MAX 8

static struct lack {
	char *name;
	char *why;
} *lacks;
static size_t nr_lacks;

/* Without "member 0 (cycles): " or the name alone, which stands before the reason anyway. */
static const char *reason_of(const struct counter *counter, const char *why)
{
	size_t len = strlen(counter->name);
	const char *end;

	if (!strncmp(why, "member ", 7)) {
		end = strstr(why, "): ");
		return end ? end + 3 : why;
	}
	return !strncmp(why, counter->name, len) && why[len] == ' ' ? why + len + 1 : why;
}

void lacks_note(const struct counter *counter, const char *why)
{
	struct lack *more, *lack;

	if (counter->supported) {
		cli_say("%s", why);
		return;
	}
	more = reallocarray(lacks, nr_lacks + 1, sizeof(*more));
	if (!more)
		return;
	lacks = more;
	lack = &lacks[nr_lacks];
	lack->name = strdup(counter->name);
	lack->why = strdup(reason_of(counter, why));
	if (lack->name && lack->why) {
		nr_lacks++;
		return;
	}
	free(lack->name);
	free(lack->why);
}

void lacks_note_unnamed(const struct counter *counter, const char *why)
{
	if (!counter->supported)
		lacks_note(counter, why);
}

/* The first one's reason, and all that have it: these lose their names. */
static void say_one(size_t first)
{
	const char *why = lacks[first].why;
	char names[512] = "", more[32] = "";
	size_t i, nr = 0, used = 0;

	for (i = first; i < nr_lacks; i++) {
		if (!lacks[i].name || strcmp(lacks[i].why, why))
			continue;
		if (nr++ < NAMES_MAX && used < sizeof(names) - 1)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", lacks[i].name);
		free(lacks[i].name);
		lacks[i].name = NULL;
	}
	if (nr > NAMES_MAX)
		snprintf(more, sizeof(more), " and %zu more", nr - NAMES_MAX);
	cli_say("not supported here: %s%s: %s", names, more, why);
}

void lacks_say(void)
{
	size_t i;

	for (i = 0; i < nr_lacks; i++) {
		if (lacks[i].name)
			say_one(i);
	}
	lacks_forget();
}

void lacks_forget(void)
{
	while (nr_lacks) {
		nr_lacks--;
		free(lacks[nr_lacks].name);
		free(lacks[nr_lacks].why);
	}
	free(lacks);
	lacks = NULL;
}
