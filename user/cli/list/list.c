// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp list: the events of this machine by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "counters.h"
#include "listing.h"

static bool is_chosen(const struct pmcgrp_name *name, const struct list_options *o)
{
	unsigned int i;

	for (i = 0; i < o->nr_patterns; i++) {
		if (list_matches(name->name, o->patterns[i]) ||
		    list_matches(name->alias, o->patterns[i]))
			return true;
		if (name->desc && strcasestr(name->desc, o->patterns[i]))
			return true;
	}
	return !o->nr_patterns;
}

static int choose(struct list *list, const struct list_options *o)
{
	const struct pmcgrp_name *name;
	unsigned int i;

	list->at = calloc(pmcgrp_names_nr(list->names) + 1UL, sizeof(*list->at));
	if (!list->at)
		return -ENOMEM;
	for (i = 0; (name = pmcgrp_names_at(list->names, i)); i++) {
		if (is_chosen(name, o))
			list->at[list->nr++].name = name;
	}
	return 0;
}

/* Tracepoints take seconds by the thousand: what they are tried for is known of one of them. */
static int probe_all(struct list *list)
{
	struct pmcgrp *h;
	unsigned int i;

	if (pmcgrp_open(&h, PMCGRP_OPEN_FALLBACK) < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		return EXIT_TOOL;
	}
	for (i = 0; i < list->nr; i++)
		list_probe(&list->at[i].probe, h, list->at[i].name->name,
			   list->at[i].name->kind == PMCGRP_NAME_CACHE);
	pmcgrp_close(h);
	return 0;
}

static int list_names(const struct list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		puts(list->at[i].name->name);
		if (list->at[i].name->alias)
			puts(list->at[i].name->alias);
	}
	return 0;
}

static int run(struct list *list, const struct list_options *o)
{
	struct list_counters counters;
	int ret = o->counters ? list_counters_take(&counters) : 0;

	list->counters = o->counters ? &counters : NULL;
	if (!ret && o->probe)
		ret = probe_all(list);
	if (ret)
		return ret;
	if (o->names)
		ret = list_names(list);
	else if (o->json)
		ret = list_print_json(list, o);
	else
		ret = list_print(list, o);
	if (ret < 0 || fflush(stdout) || ferror(stdout))
		return cli_say_errno("cannot write the list", ret < 0 ? -ret : errno);
	return list->nr || list->any ? 0 : 1;
}

static int list_events(const struct list_options *o)
{
	struct list list = { 0 };
	int ret;

	ret = pmcgrp_names_new(&list.names, o->kinds);
	if (!ret)
		ret = choose(&list, o);
	ret = ret < 0 ? cli_say_errno("cannot list the events", -ret) : run(&list, o);
	free(list.at);
	pmcgrp_names_free(list.names);
	return ret;
}

int list_main(int argc, char **argv)
{
	struct list_options o;
	int ret;

	cli_begin("list");
	ret = list_options_parse(&o, argc, argv);
	if (ret <= 0)
		ret = -ret;
	else if (o.explain)
		ret = list_explain(o.explain, o.json);
	else if (o.metrics)
		ret = list_metrics(&o);
	else
		ret = list_events(&o);
	list_options_free(&o);
	return ret;
}
