// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The list as text. */
#include <stdio.h>
#include <string.h>

#include "event/near.h"
#include "counters.h"
#include "listing.h"

#define WIDTH	80
#define INDENT	8

static const char *heading(enum pmcgrp_name_kind kind)
{
	switch (kind) {
	case PMCGRP_NAME_HARDWARE:
		return "Hardware events, of the PMU of each CPU";
	case PMCGRP_NAME_SOFTWARE:
		return "Software events";
	case PMCGRP_NAME_CACHE:
		return "Cache events, of the PMU of each CPU";
	case PMCGRP_NAME_PMU:
		return "Events of PMU";
	case PMCGRP_NAME_TABLE:
		return "Events of perf's table for this CPU, of PMU";
	default:
		return "Tracepoints";
	}
}

static bool begins(const struct list *list, unsigned int i)
{
	const struct pmcgrp_name *name = list->at[i].name, *before;

	if (!i)
		return true;
	before = list->at[i - 1].name;
	return name->kind != before->kind || (name->pmu && strcmp(name->pmu, before->pmu));
}

static void print_probe(const struct list_entry *entry)
{
	const struct list_probe *probe = &entry->probe;

	if (!probe->tried)
		return;
	if (!probe->opens)
		printf("  no: %s", probe->why);
	else if (entry->name->kind != PMCGRP_NAME_CACHE)
		printf("  opens");
	else
		printf("  opens  %s", probe->moves ? "counts" : "stays 0");
}

static void print_details(const struct pmcgrp_name *name)
{
	printf("  %s", name->terms);
	if (name->unit[0])
		printf(" (%s)", name->unit);
	if (name->counter)
		printf(" counter %s", name->counter);
}

void list_print_wrapped(const char *before, const char *text)
{
	size_t column = INDENT + strlen(before), len;
	bool first = true;

	printf("%*s%s", INDENT, "", before);
	for (; *text; text += len, text += strspn(text, " \n"), first = false) {
		len = strcspn(text, " \n");
		if (!first && column + 1 + len > WIDTH) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		} else if (!first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)len, text);
		column += len;
	}
	putchar('\n');
}

static void print_entry(const struct list_entry *entry, const struct list_options *o)
{
	const struct pmcgrp_name *name = entry->name;
	char shown[128];

	snprintf(shown, sizeof(shown), "%s%s%s", name->name, name->alias ? " OR " : "",
		 name->alias ? name->alias : "");
	printf(o->probe || (o->details && name->terms) ? "  %-48s" : "  %s", shown);
	print_probe(entry);
	if (o->details && name->terms)
		print_details(name);
	putchar('\n');
	if (name->desc)
		list_print_wrapped(name->deprecated ? "deprecated: " : "", name->desc);
}

static void print_none(const struct list *list, const struct list_options *o)
{
	const struct pmcgrp_name *name;
	char near_names[NEAR_TEXT];
	struct near near;
	unsigned int i;

	near_begin(&near, o->nr_patterns == 1 ? o->patterns[0] : "");
	near_offer_list(&near, list_kinds);
	for (i = 0; (name = pmcgrp_names_at(list->names, i)); i++) {
		near_offer(&near, name->name);
		near_offer(&near, name->alias);
	}
	near_text(&near, near_names, sizeof(near_names));
	printf("no event of this machine matches%s\n",
	       near_names[0] ? near_names : "; \"pmcgrp list\" lists all");
}

int list_print(struct list *list, const struct list_options *o)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < list->nr; i++) {
		const struct pmcgrp_name *name = list->at[i].name;

		if (begins(list, i)) {
			printf("%s%s%s%s%s%s\n", i ? "\n" : "", heading(name->kind),
			       name->pmu ? " " : "", name->pmu ? name->pmu : "",
			       name->cpus ? ", outside the CPUs: with -a, on CPUs " : "",
			       name->cpus ? name->cpus : "");
			list_counters_print(list->counters, name);
		}
		print_entry(&list->at[i], o);
	}
	list->any = list->nr;
	if (o->kinds & PMCGRP_NAME_PMU)
		ret = list_print_uncore(o, &list->any);
	if (!list->any)
		print_none(list, o);
	list_counters_print_rest(list->counters);
	return ret;
}
