// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "match.h"
#include "ratio.h"

/* Only what one snapshot holds was counted over the same interval. */
static bool together(const struct rep_data *data, unsigned int a, unsigned int b)
{
	size_t i;

	for (i = 0; i < data->nr_streams; i++) {
		if (rep_member_of(&data->streams[i], a) >= 0 &&
		    rep_member_of(&data->streams[i], b) >= 0)
			return true;
	}
	return false;
}

/* Takes over the name and the unit, which may be NULL for lack of memory. */
static int add(struct rep_ratios *list, const struct rep_ratio *ratio)
{
	if (!ratio->name || !ratio->unit ||
	    !rep_grow(&list->rows, &list->room, list->nr, sizeof(*list->rows))) {
		free(ratio->name);
		free(ratio->unit);
		return -ENOMEM;
	}
	list->rows[list->nr++] = *ratio;
	return 0;
}

static char *joined(const char *a, const char *between, const char *b)
{
	char *text;

	return asprintf(&text, "%s%s%s", a, between, b) < 0 ? NULL : text;
}

static int find(struct rep_ratios *list, const struct rep_data *data, const struct ratio *known,
		unsigned int event)
{
	const struct perf_event_attr *attr = data->events[event].attr;
	struct rep_ratio ratio = { .event = event };
	unsigned int of;

	if (!data->events[event].member)
		return 0;
	for (of = 0; of < data->nr_events; of++) {
		const struct rep_event *other = &data->events[of];

		if (other->member && rep_match_ratio(known, attr, other->attr) &&
		    together(data, event, of))
			break;
	}
	if (of == data->nr_events)
		return 0;
	ratio.of = of;
	ratio.scale = known->percent ? 100.0 : 1.0;
	ratio.name = joined(data->events[event].name, "/", data->events[of].name);
	ratio.unit = joined(known->percent ? "% " : "", "", known->unit);
	return add(list, &ratio);
}

int rep_ratios_find(struct rep_ratios *found, const struct rep_data *data)
{
	unsigned int event;
	size_t i;

	for (event = 0; event < data->nr_events; event++) {
		for (i = 0; i < nr_ratios; i++) {
			if (find(found, data, &ratios[i], event) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

/* The member of this name, or -1. */
static int member(const struct rep_data *data, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < data->nr_events; i++) {
		const struct rep_event *event = &data->events[i];

		if (event->member && strlen(event->name) == len && !strncmp(event->name, name, len))
			return (int)i;
	}
	return -1;
}

static int wrong(struct rep_ratios *list, const char *text, const char *why)
{
	snprintf(list->error, sizeof(list->error), "--ratio %s: %s", text, why);
	return -EINVAL;
}

/* Names of events have slashes and equals signs, too: whatever fits is meant. */
int rep_ratios_add(struct rep_ratios *list, const struct rep_data *data, const char *text)
{
	const char *from = text, *slash, *equals;
	int event = -1, of = -1;

	while (from) {
		for (slash = strchr(from, '/'); slash; slash = strchr(slash + 1, '/')) {
			event = member(data, from, (size_t)(slash - from));
			of = member(data, slash + 1, strlen(slash + 1));
			if (event >= 0 && of >= 0)
				break;
		}
		if (slash)
			break;
		equals = strchr(from, '=');
		from = equals ? equals + 1 : NULL;
	}
	if (!from)
		return wrong(list, text, "write EVENT/EVENT or NAME=EVENT/EVENT, with names of "
					   "members that the report shows");
	if (!together(data, (unsigned int)event, (unsigned int)of))
		return wrong(list, text, "these two are members of different groups, and were not "
					   "counted over the same interval");
	return add(list, &(struct rep_ratio){
		.name = from > text ? strndup(text, (size_t)(from - text - 1)) : strdup(text),
		.unit = strdup(""), .event = (unsigned int)event, .of = (unsigned int)of,
		.scale = 1.0 });
}

void rep_ratios_free(struct rep_ratios *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		free(list->rows[i].name);
		free(list->rows[i].unit);
	}
	free(list->rows);
	memset(list, 0, sizeof(*list));
}
