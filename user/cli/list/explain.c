// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What an event is in perf_event_attr, and where each bit comes from. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "args/cli.h"
#include "event/config3.h"
#include "listing.h"

/* The attr of Linux 6.3, which the header of this build may not have. */
struct field {
	const char *name;
	uint64_t value;
	bool hex;
};

#define NR_FIELDS 14

static void fields_of(const struct perf_event_attr *attr, struct field *field)
{
	const struct field all[NR_FIELDS] = {
		{ "type", attr->type, false },
		{ "config", attr->config, true },
		{ "config1", attr->config1, true },
		{ "config2", attr->config2, true },
		{ "config3", attr_config3(attr), true },
		{ "exclude_user", attr->exclude_user, false },
		{ "exclude_kernel", attr->exclude_kernel, false },
		{ "exclude_hv", attr->exclude_hv, false },
		{ "exclude_idle", attr->exclude_idle, false },
		{ "exclude_host", attr->exclude_host, false },
		{ "exclude_guest", attr->exclude_guest, false },
		{ "precise_ip", attr->precise_ip, false },
		{ "pinned", attr->pinned, false },
		{ "exclusive", attr->exclusive, false },
	};

	memcpy(field, all, sizeof(all));
}

static void print_event(const struct pmcgrp_event *event)
{
	const char *line = event->explanation;
	struct field field[NR_FIELDS];
	size_t i, len;

	fields_of(event->attr, field);
	printf("%s\n", event->name);
	for (i = 0; i < NR_FIELDS; i++) {
		if (field[i].value || i < 2)
			printf(field[i].hex ? "  %-16s %#" PRIx64 "\n" : "  %-16s %" PRIu64 "\n",
			       field[i].name, field[i].value);
	}
	if (event->pmu)
		printf("  %-16s %s\n", "PMU", event->pmu);
	if (event->cpus)
		printf("  %-16s %s\n", "CPUs", event->cpus);
	if (event->scale != 1.0 || event->unit[0])
		printf("  %-16s x %.16g %s\n", "scale", event->scale, event->unit);
	for (; line && *line; line += len + 1) {
		len = strcspn(line, "\n");
		printf("    %.*s\n", (int)len, line);
	}
}

static json_t *event_json(const struct pmcgrp_event *event)
{
	json_t *object = json_object(), *attr = json_object(), *from = json_array();
	const char *line = event->explanation;
	struct field field[NR_FIELDS];
	int bad = 0;
	char text[24];
	size_t i, len;

	fields_of(event->attr, field);
	for (i = 0; i < NR_FIELDS; i++) {
		snprintf(text, sizeof(text), "%#" PRIx64, field[i].value);
		bad |= json_object_set_new(attr, field[i].name,
					   field[i].hex ? json_string(text) :
							  json_integer((json_int_t)field[i].value));
	}
	for (; line && *line; line += len + 1) {
		len = strcspn(line, "\n");
		bad |= json_array_append_new(from, json_stringn(line, len));
	}
	bad |= json_object_set_new(object, "event", json_string(event->name));
	bad |= json_object_set_new(object, "pmu", event->pmu ? json_string(event->pmu) : json_null());
	bad |= json_object_set_new(object, "cpus",
				   event->cpus ? json_string(event->cpus) : json_null());
	bad |= json_object_set_new(object, "unit", json_string(event->unit));
	bad |= json_object_set_new(object, "scale", json_real(event->scale));
	bad |= json_object_set_new(object, "group", json_integer(event->group));
	bad |= json_object_set_new(object, "attr", attr);
	bad |= json_object_set_new(object, "from", from);
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

static int print_json(const struct pmcgrp_events *events)
{
	json_t *array = json_array();
	unsigned int i;
	int bad = 0;

	for (i = 0; i < pmcgrp_events_nr(events); i++)
		bad |= json_array_append_new(array, event_json(pmcgrp_events_at(events, i)));
	if (bad || json_dumpf(array, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF)
		bad = 1;
	json_decref(array);
	return bad ? -EIO : 0;
}

/* What a counter group cannot have is explained, too, and that it cannot have it. */
static int parse(struct pmcgrp_events **events, const char *text, struct pmcgrp_events_error *error)
{
	int ret = pmcgrp_events_parse(events, text, PMCGRP_EVENTS_EXPLAIN, error);
	struct pmcgrp_events_error again;

	if (ret != -EINVAL ||
	    pmcgrp_events_parse(events, text, PMCGRP_EVENTS_EXPLAIN | PMCGRP_EVENTS_ANY, &again) < 0)
		return ret;
	cli_say("--explain: not for a counter group: %s", error->text);
	cli_point(text, error->column);
	return 0;
}

int list_explain(const char *text, bool json)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	unsigned int i;
	int ret;

	ret = parse(&events, text, &error);
	if (ret == -EINVAL) {
		cli_say("--explain: %s", error.text);
		cli_point(text, error.column);
		return EXIT_TOOL;
	}
	if (ret < 0)
		return cli_say_errno("--explain", -ret);
	if (json)
		ret = print_json(events);
	for (i = 0; i < pmcgrp_events_nr(events) && !json; i++)
		print_event(pmcgrp_events_at(events, i));
	pmcgrp_events_free(events);
	if (ret < 0 || fflush(stdout) || ferror(stdout))
		return cli_say_errno("cannot write the explanation", ret < 0 ? -ret : errno);
	return 0;
}
