// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The list as JSON: an array with an object for each event. pmcgrp-list(1) describes the keys. */
#include <errno.h>
#include <stdio.h>

#include <jansson.h>

#include "counters.h"
#include "listing.h"

static json_t *text(const char *value)
{
	return value && *value ? json_string(value) : json_null();
}

static json_t *entry_json(const struct list_entry *entry)
{
	const struct list_probe *probe = &entry->probe;
	const struct pmcgrp_name *name = entry->name;
	json_t *object = json_object();
	int bad = !object;

	bad |= json_object_set_new(object, "event", json_string(name->name));
	bad |= json_object_set_new(object, "alias", text(name->alias));
	bad |= json_object_set_new(object, "kind", json_string(list_kind_name(name->kind)));
	bad |= json_object_set_new(object, "pmu", text(name->pmu));
	bad |= json_object_set_new(object, "cpus", text(name->cpus));
	bad |= json_object_set_new(object, "terms", text(name->terms));
	bad |= json_object_set_new(object, "unit", text(name->unit));
	if (name->kind == PMCGRP_NAME_TABLE) {
		bad |= json_object_set_new(object, "description", text(name->desc));
		bad |= json_object_set_new(object, "topic", text(name->topic));
		bad |= json_object_set_new(object, "counter", text(name->counter));
		bad |= json_object_set_new(object, "deprecated", json_boolean(name->deprecated));
	}
	if (probe->tried) {
		bad |= json_object_set_new(object, "opens", json_boolean(probe->opens));
		bad |= json_object_set_new(object, "why", text(probe->why));
	}
	if (probe->tried && name->kind == PMCGRP_NAME_CACHE)
		bad |= json_object_set_new(object, "counts",
					   probe->opens ? json_boolean(probe->moves) : json_null());
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

int list_print_json(const struct list *list, const struct list_options *o)
{
	json_t *array = json_array();
	unsigned int i;
	int ret = list_counters_json(list->counters, array);

	(void)o;
	for (i = 0; i < list->nr && !ret; i++)
		ret = json_array_append_new(array, entry_json(&list->at[i]));
	if (!array || ret)
		ret = -ENOMEM;
	else if (json_dumpf(array, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF)
		ret = -EIO;
	json_decref(array);
	return ret;
}
