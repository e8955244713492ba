// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "pairs.h"

/* How the name of a return is made from that of the entry: a part of it becomes another. */
static const struct {
	const char *entry;
	const char *ret;
	bool first;		/* it begins with that part; else it has it anywhere */
} names[] = {
	{ "kprobe:", "kretprobe:", true },
	{ "uprobe:", "uretprobe:", true },
	{ "sys_enter", "sys_exit", false },
};

/* The event of a name; of several one that causes samples. -1: none. */
static int event_of(const struct perfdata_reader *reader, const char *name, size_t len)
{
	unsigned int i;
	int found = -1;

	for (i = 0; i < reader->nr_events; i++) {
		const struct perfdata_event *event = &reader->events[i];

		if (strncmp(event->name, name, len) || event->name[len])
			continue;
		if (event->attr.sample_period)
			return (int)i;
		if (found < 0)
			found = (int)i;
	}
	return found;
}

static int add(struct rep_pairs *pairs, int entry, int ret)
{
	size_t i;

	for (i = 0; i < pairs->nr; i++) {
		if (pairs->rows[i].entry == (unsigned int)entry &&
		    pairs->rows[i].ret == (unsigned int)ret)
			return 0;
	}
	if (!rep_grow(&pairs->rows, &pairs->room, pairs->nr, sizeof(*pairs->rows)))
		return -ENOMEM;
	pairs->rows[pairs->nr++] = (struct rep_pair){ (unsigned int)entry, (unsigned int)ret };
	return 0;
}

/* @name: that of the return, made for this. */
static int find(struct rep_pairs *pairs, const struct perfdata_reader *reader, int entry, char *name)
{
	int ret = name ? event_of(reader, name, strlen(name)) : -1;

	free(name);
	if (!name)
		return -ENOMEM;
	return ret < 0 || ret == entry ? 0 : add(pairs, entry, ret);
}

static char *renamed(const char *name, const char *at, const char *from, const char *to)
{
	char *text;

	return asprintf(&text, "%.*s%s%s", (int)(at - name), name, to, at + strlen(from)) < 0 ? NULL :
												text;
}

static int find_all(struct rep_pairs *pairs, const struct perfdata_reader *reader, int entry)
{
	const char *name = reader->events[entry].name, *at;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		at = strstr(name, names[i].entry);
		if (at && (at == name || !names[i].first) &&
		    find(pairs, reader, entry,
			 renamed(name, at, names[i].entry, names[i].ret)) < 0)
			return -ENOMEM;
	}
	return find(pairs, reader, entry, renamed(name, name + strlen(name), "", "__return"));
}

int rep_pairs_find(struct rep_pairs *pairs, const struct perfdata_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_events; i++) {
		/* Of several of one name the first is meant. */
		if (event_of(reader, reader->events[i].name, strlen(reader->events[i].name)) == (int)i &&
		    find_all(pairs, reader, (int)i) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Names have commas, too: whatever fits is meant. */
int rep_pairs_add(struct rep_pairs *pairs, const struct perfdata_reader *reader, const char *text)
{
	const char *comma;

	for (comma = strchr(text, ','); comma; comma = strchr(comma + 1, ',')) {
		int entry = event_of(reader, text, (size_t)(comma - text));
		int ret = event_of(reader, comma + 1, strlen(comma + 1));

		if (entry >= 0 && ret >= 0 && entry != ret)
			return add(pairs, entry, ret);
	}
	snprintf(pairs->error, sizeof(pairs->error), "--between %.100s: write ENTRY,RETURN, with names "
		 "of two triggers that the report shows", text);
	return -EINVAL;
}

void rep_pairs_free(struct rep_pairs *pairs)
{
	free(pairs->rows);
	memset(pairs, 0, sizeof(*pairs));
}
