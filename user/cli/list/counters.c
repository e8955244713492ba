// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* How many counters each core PMU has at this moment, for --counters, and who has the others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <jansson.h>

#include "args/cli.h"
#include "counters.h"
#include "groups/info_set.h"

/* pmcgrp's own groups, as far as this user may see them. */
static void take_groups(struct list_counters *c, struct pmcgrp *h)
{
	struct info_set set = { 0 };

	c->groups_err = info_set_take(&set, h);
	if (!c->groups_err) {
		c->nr_groups = set.nr;
		info_set_owners(&set, c->owners, sizeof(c->owners));
	}
	info_set_free(&set);
}

static void measure(struct list_counters *c, struct pmcgrp *h, const char *machine_name)
{
	const struct pmu_machine machine = {
		.root = "", .name = machine_name, .nr_pmus = c->nr
	};
	struct list_pmu *pmu;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		pmu = &c->at[i];
		pmu_counters_measure(&pmu->counters, &machine, &pmu->pmu, h);
		/* The sentence is the handle's, and gone with its next failure. */
		if (pmu->counters.err)
			snprintf(pmu->why, sizeof(pmu->why), "%s", pmu->counters.says);
		pmu->held_err = pmu_held_ask(&pmu->held, NULL, machine_name, &pmu->pmu, h);
	}
}

int list_counters_take(struct list_counters *c)
{
	struct core_pmu pmus[CORE_PMUS_MAX];
	struct utsname name;
	struct pmcgrp *h;
	unsigned int i;

	*c = (struct list_counters){ 0 };
	if (uname(&name))
		return cli_say_errno("--counters", errno);
	if (pmcgrp_open(&h, 0) < 0) {
		cli_say("--counters: nothing is measured: %s", pmcgrp_strerror(NULL));
		return 0;
	}
	c->nr = core_pmus_find(pmus, "");
	if (!c->nr)
		cli_say("--counters: nothing is measured: this machine has no PMU of the cores");
	for (i = 0; i < c->nr; i++)
		c->at[i].pmu = pmus[i];
	take_groups(c, h);
	measure(c, h, name.machine);
	pmcgrp_close(h);
	return 0;
}

/* ---- For people ---- */

static void print_held(const struct list_pmu *pmu)
{
	const struct pmu_held *held = &pmu->held;

	if (pmu->held_err)
		printf("    %s: perf events: %s\n", pmu->pmu.name, strerror(-pmu->held_err));
	else if (!held->most)
		printf("    %s: perf events have none\n", pmu->pmu.name);
	else if (held->most == 1 && held->cpus == held->watchdogs)
		printf("    %s: the NMI watchdog has one on %u of %u CPUs\n", pmu->pmu.name,
		       held->watchdogs, held->looked_at);
	else
		printf("    %s: perf events have up to %u of a CPU, on %u of %u CPUs; the NMI "
		       "watchdog's are %s\n", pmu->pmu.name, held->most, held->cpus,
		       held->looked_at, held->watchdogs ? "among them" : "not among them");
}

static void print_groups(const struct list_counters *c, const struct list_pmu *pmu)
{
	if (c->groups_err)
		printf("    %s: groups of pmcgrp: %s\n", pmu->pmu.name, strerror(-c->groups_err));
	else if (c->nr_groups)
		printf("    %s: groups of pmcgrp: %u, of %s\n", pmu->pmu.name, c->nr_groups,
		       c->owners);
}

static void print_pmu(const struct list_counters *c, struct list_pmu *pmu)
{
	const struct pmu_counters *m = &pmu->counters;
	char own[96];

	pmu->printed = true;
	if (m->err) {
		printf("    %s: not measured: %s\n", pmu->pmu.name, pmu->why);
		return;
	}
	pmu_counters_own_names(&m->fill, own, sizeof(own));
	printf("    %s: %u counters for any event%s%s, by filling CPU %d\n", pmu->pmu.name,
	       m->fill.general, own[0] ? ", one more each for " : "", own, m->cpu);
	if (m->left >= 0)
		printf("    %s: %d of these %u are free now\n", pmu->pmu.name, m->left,
		       m->perf.general);
	else
		printf("    %s: how many are free now: perf_event_open(2): %s\n", pmu->pmu.name,
		       strerror(-m->left));
	print_held(pmu);
	print_groups(c, pmu);
}

void list_counters_print(struct list_counters *c, const struct pmcgrp_name *name)
{
	unsigned int i;

	for (i = 0; c && i < c->nr; i++) {
		const char *pmu = c->at[i].pmu.name;
		bool all = name->kind == PMCGRP_NAME_HARDWARE || name->kind == PMCGRP_NAME_CACHE;

		if (!c->at[i].printed && (all || (name->pmu && !strcmp(name->pmu, pmu))))
			print_pmu(c, &c->at[i]);
	}
}

void list_counters_print_rest(struct list_counters *c)
{
	unsigned int i;

	for (i = 0; c && i < c->nr; i++) {
		if (c->at[i].printed)
			continue;
		printf("\nPMU %s\n", c->at[i].pmu.name);
		print_pmu(c, &c->at[i]);
	}
}

/* ---- JSON ---- */

static json_t *held_json(const struct list_pmu *pmu)
{
	const struct pmu_held *held = &pmu->held;

	if (pmu->held_err)
		return json_null();
	return json_pack("{s:i, s:i, s:i, s:i}", "most", (int)held->most, "cpus", (int)held->cpus,
			 "watchdogs", (int)held->watchdogs, "looked-at", (int)held->looked_at);
}

static json_t *number_json(bool known, long long number)
{
	return known ? json_integer(number) : json_null();
}

static json_t *own_json(const struct fill *fill)
{
	char own[96], *at = own, *word;
	json_t *array = json_array();
	int bad = !array;

	pmu_counters_own_names(fill, own, sizeof(own));
	while (own[0] && (word = strsep(&at, ", "))) {
		if (*word)
			bad |= json_array_append_new(array, json_string(word));
	}
	if (!bad)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *pmu_json(const struct list_counters *c, const struct list_pmu *pmu)
{
	const struct pmu_counters *m = &pmu->counters;
	json_t *object = json_object();
	int bad = !object;

	bad |= json_object_set_new(object, "kind", json_string("counters"));
	bad |= json_object_set_new(object, "pmu", json_string(pmu->pmu.name));
	bad |= json_object_set_new(object, "counters", number_json(!m->err, m->fill.general));
	bad |= json_object_set_new(object, "own", m->err ? json_null() : own_json(&m->fill));
	bad |= json_object_set_new(object, "free", number_json(!m->err && m->left >= 0, m->left));
	bad |= json_object_set_new(object, "cpu", number_json(m->cpu >= 0, m->cpu));
	bad |= json_object_set_new(object, "perf-events", held_json(pmu));
	bad |= json_object_set_new(object, "groups", number_json(!c->groups_err, c->nr_groups));
	bad |= json_object_set_new(object, "why", m->err ? json_string(pmu->why) : json_null());
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

int list_counters_json(const struct list_counters *c, json_t *array)
{
	unsigned int i;
	int bad = 0;

	for (i = 0; c && i < c->nr; i++)
		bad |= json_array_append_new(array, pmu_json(c, &c->at[i]));
	return bad ? -ENOMEM : 0;
}
