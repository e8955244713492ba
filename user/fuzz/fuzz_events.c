// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a list of names to attrs, on a machine whose sysfs and tracefs are folders of our own. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/machine.h"
#include "pmcgrp.h"
#include "fuzz.h"

static char root[] = "/tmp/pmcgrp-fuzz-XXXXXX";
static char devices[64], tracing[64];
static const char *const folders[TRACEFS_FOLDERS] = { tracing, "/nonexistent" };

static const struct {
	const char *file;
	const char *text;
} files[] = {
	{ "devices/cpu/type", "4\n" },
	{ "devices/cpu/format/event", "config:0-7,32-35\n" },
	{ "devices/cpu/format/umask", "config:8-15\n" },
	{ "devices/cpu/format/edge", "config:18\n" },
	{ "devices/cpu/format/any", "config3:0-63\n" },
	{ "devices/cpu/events/a", "event=0x3c\n" },
	{ "devices/cpu/events/b", "event=0xcd,umask=1\n" },
	{ "devices/box_0/type", "14\n" },
	{ "devices/box_0/cpumask", "0\n" },
	{ "devices/box_0/format/event", "config:0-7\n" },
	{ "devices/box_0/events/b", "event=4\n" },
	{ "devices/box_0/events/b.scale", "0.5\n" },
	{ "devices/box_1/type", "15\n" },
	{ "devices/box_1/format/event", "config1:0-7\n" },
	{ "devices/box_2/type", "16\n" },
	{ "devices/box_2/cpumask", "0\n" },
	{ "devices/box_2/format/event", "config:0-7\n" },
	{ "devices/box_3/type", "17\n" },
	{ "devices/box_3/cpumask", "0,4\n" },
	{ "devices/box_3/format/event", "config:0-7\n" },
	{ "events/s/x/id", "316\n" },
	{ "events/s/y/id", "318\n" },
};

static void clean(void)
{
	char line[128];

	snprintf(line, sizeof(line), "rm -r %s", root);
	must(!system(line));
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[256], *slash;
	FILE *out;
	size_t i;

	(void)argc;
	(void)argv;
	must(mkdtemp(root));
	atexit(clean);
	snprintf(devices, sizeof(devices), "%s/devices", root);
	snprintf(tracing, sizeof(tracing), "%s/events", root);
	event_machine_here = (struct event_machine){ .devices = devices, .tracing = folders,
						     .tables = root };
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i].file);
		for (slash = strchr(path + sizeof(root), '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			mkdir(path, 0755);
			*slash = '/';
		}
		out = fopen(path, "w");
		must(out);
		fputs(files[i].text, out);
		fclose(out);
	}
	return 0;
}

/* All of a group are of uncore PMUs, or none; without braces it is the boxes of one event. */
static void check_group(const struct pmcgrp_events *events, const struct pmcgrp_event_group *group)
{
	const struct pmcgrp_event *first = pmcgrp_events_at(events, group->first), *event;
	unsigned int i;

	for (i = group->first; i < group->first + group->nr; i++) {
		event = pmcgrp_events_at(events, i);
		must((event->flags & PMCGRP_EVENT_UNCORE) == (first->flags & PMCGRP_EVENT_UNCORE));
		must(event->flags & PMCGRP_EVENT_UNCORE ? !strcmp(event->cpus, first->cpus) :
							  event->sum == i || event->pmu);
		must(group->flags & PMCGRP_EVENT_GROUP_BRACES || event->column == first->column);
	}
	must(group->nr == 1 || group->flags & PMCGRP_EVENT_GROUP_BRACES ||
	     first->flags & PMCGRP_EVENT_UNCORE);
}

static void check(const struct pmcgrp_events *events, const char *text)
{
	const struct pmcgrp_event_group *group;
	const struct pmcgrp_event *event;
	unsigned int i, nr = 0;

	must(pmcgrp_events_nr(events) && pmcgrp_events_nr_groups(events));
	for (i = 0; (group = pmcgrp_events_group(events, i)); i++) {
		must(group->first == nr && group->nr);
		check_group(events, group);
		nr += group->nr;
	}
	must(nr == pmcgrp_events_nr(events));
	for (i = 0; (event = pmcgrp_events_at(events, i)); i++) {
		must(event->attr->size >= sizeof(*event->attr) && event->name && event->unit);
		must(event->column < strlen(text) && event->group < pmcgrp_events_nr_groups(events));
		must(event->sum <= i && pmcgrp_events_at(events, event->sum)->sum == event->sum);
		must(!event->attr->sample_period && !event->attr->precise_ip);
		must(!event->attr->exclude_user || !event->attr->exclude_kernel ||
		     !event->attr->exclude_hv);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmcgrp_events_error error = { .column = SIZE_MAX };
	struct pmcgrp_events *events;
	char *text = text_of(data, size);
	int ret = pmcgrp_events_parse(&events, text, 0, &error);

	if (ret) {
		must(ret == -EINVAL && !events && error.column <= strlen(text));
		must(memchr(error.text, '\0', sizeof(error.text)) && error.text[0]);
	} else {
		check(events, text);
		must(!pmcgrp_events_add(events, text, 0, &error));
	}
	pmcgrp_events_free(events);
	free(text);
	return 0;
}
