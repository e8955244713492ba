// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Who has counters now: the NMI watchdog, pmcgrp's groups, perf events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/pmu_counters.h"
#include "say/append.h"
#include "sysfile.h"
#include "sections.h"
#include "groups/info_uses.h"

static void print_held(struct doctor *d, const struct core_pmu *pmu, const struct pmu_held *held,
		       int err)
{
	static const char what[] = "perf events";
	struct findings *f = &d->findings;
	const char *name = pmu->name;
	bool others;

	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, what, "%s: %s", name, strerror(-err));
		findings_advise(f, "see the counters of %s above", name);
		return;
	}
	/* More than the watchdog's one. */
	others = held->cpus > held->watchdogs || held->most > 1;
	if (!held->most)
		findings_add(f, DOCTOR_OK, what, "%s: none have counters (CPUs looked at: %u)",
			     name, held->looked_at);
	else if (!others)
		findings_add(f, DOCTOR_OK, what, "%s: the NMI watchdog's alone (CPUs: %u of %u)",
			     name, held->watchdogs, held->looked_at);
	else
		findings_add(f, DOCTOR_WARNING, what, "%s: up to %u counters of a CPU, the NMI "
			     "watchdog's %s (CPUs: %u of %u)", name, held->most,
			     held->watchdogs ? "among them" : "not", held->cpus, held->looked_at);
	if (others)
		findings_advise(f, "end what counts with perf, or expect groups to be multiplexed");
	findings_value(f, "most", held->most);
	findings_value(f, "cpus", held->cpus);
	findings_value(f, "watchdogs", held->watchdogs);
}

/* ---- Whose they are ---- */

static bool same_owner(const struct held_counter *a, const struct held_counter *b)
{
	char texts[2][HOLDER_OWNER_SIZE];

	return !strcmp(holder_owner(&a->holder, texts[0], sizeof(texts[0])),
		       holder_owner(&b->holder, texts[1], sizeof(texts[1])));
}

/* What an owner has on the first of its CPUs stands for the others. */
static void append_event(char *text, size_t size, const struct held_counter *row)
{
	char flags[HOLDER_FLAGS_SIZE];

	append(text, size, "; ", "%s (%s)", row->event ? row->event : "an event",
	       holder_flags(&row->holder, flags, sizeof(flags)));
}

static void print_owner(struct doctor *d, const struct held_counters *named, size_t first)
{
	const struct held_counter *row = &named->at[first];
	char owner[HOLDER_OWNER_SIZE], list[256], events[1024] = "";
	struct findings *f = &d->findings;
	struct pmcgrp_cpus cpus = { 0 };
	unsigned int nr = 0;
	size_t i;

	for (i = first; i < named->nr; i++) {
		if (!same_owner(row, &named->at[i]))
			continue;
		nr++;
		pmcgrp_cpus_set(&cpus, named->at[i].cpu);
		if (named->at[i].cpu == row->cpu)
			append_event(events, sizeof(events), &named->at[i]);
	}
	pmcgrp_cpus_format(&cpus, list, sizeof(list));
	findings_add(f, row->holder.flags & PMCGRP_HOLDER_WATCHDOG ? DOCTOR_OK : DOCTOR_WARNING,
		     "perf counters", "%s: %s has %u, on CPU %s: %s", row->pmu,
		     holder_owner(&row->holder, owner, sizeof(owner)), nr, list, events);
	if (row->holder.pid)
		findings_advise(f, "end it, if groups are to have its counters");
	else if (!(row->holder.flags & PMCGRP_HOLDER_WATCHDOG))
		findings_advise(f, "expect groups to be multiplexed");
	findings_value(f, "pid", row->holder.pid);
	findings_value(f, "counters", nr);
	findings_value(f, "cpus", pmcgrp_cpus_nr(&cpus));
}

static void print_owners(struct doctor *d, const struct held_counters *named,
			 const struct pmu_held *held)
{
	struct findings *f = &d->findings;
	size_t i, k;

	for (i = 0; i < named->nr; i++) {
		for (k = 0; k < i && !same_owner(&named->at[i], &named->at[k]); k++)
			;
		if (k == i)
			print_owner(d, named, i);
	}
	if (held->unnamed_err) {
		findings_add(f, DOCTOR_UNKNOWN, "perf counters", "whose they are: %s",
			     held->unnamed_err == -ENOTTY ? "the module does not say" :
							    strerror(-held->unnamed_err));
		findings_advise(f, "see the version of the module above");
	}
}

/* ---- The NMI watchdog ---- */

/* @held: of all core PMUs; NULL: the module was not asked */
static void watchdog(struct doctor *d, const struct pmu_held *held)
{
	static const char path[] = "/proc/sys/kernel/nmi_watchdog";
	struct findings *f = &d->findings;
	long long on;
	bool counts;
	int err;

	err = sysfile_number(d->root, path, &on);
	if (err == -ENOENT) {
		findings_add(f, DOCTOR_OK, "NMI watchdog", "the kernel has none");
		return;
	}
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "NMI watchdog", "%s: %s", path, strerror(-err));
		findings_advise(f, "look at it as root");
		return;
	}
	/* Others than these look for lockups without a counter, and arm64 where it has no NMIs. */
	counts = held ? held->watchdogs : d->nr_pmus && (doctor_is_x86(d) || doctor_is_arm64(d));
	if (on && counts) {
		findings_add(f, DOCTOR_WARNING, "NMI watchdog", "on: it %s a counter of each CPU",
			     held ? "has" : "is likely to have");
		findings_advise(f, "sysctl kernel.nmi_watchdog=0 frees it");
	} else {
		findings_add(f, DOCTOR_OK, "NMI watchdog", on ? "on, without a counter" : "off");
	}
	findings_value(f, "on", on);
}

/* ---- pmcgrp's groups ---- */

static void print_groups(struct doctor *d, const struct info_set *set, const struct info_uses *uses)
{
	struct findings *f = &d->findings;
	char text[512];

	info_set_owners(set, text, sizeof(text));
	findings_add(f, DOCTOR_WARNING, "pmcgrp groups", "%u, on %zu counters of all CPUs: of %s",
		     set->nr, uses->nr, text);
	findings_advise(f, "\"pmcgrp info\" shows who has which counter");
	findings_value(f, "groups", set->nr);
	findings_value(f, "counters", (long long)uses->nr);
}

static void groups(struct doctor *d)
{
	struct findings *f = &d->findings;
	struct info_uses uses = { 0 };
	struct info_set set = { 0 };
	int err;

	err = info_set_take(&set, d->dev);
	if (!err && !set.nr) {
		findings_add(f, DOCTOR_OK, "pmcgrp groups", "none");
		findings_value(f, "groups", 0);
	} else if (!err) {
		err = info_uses_init(&uses, &set, NULL);
		if (!err)
			print_groups(d, &set, &uses);
		info_uses_free(&uses);
	}
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "pmcgrp groups", "%s", strerror(-err));
		if (err == -EACCES)
			findings_advise(f, "run as root, or with CAP_SYS_ADMIN");
		else
			findings_advise(f, "see the version of the module above");
	}
	info_set_free(&set);
}

void doctor_holders(struct doctor *d)
{
	struct pmu_held held[CORE_PMUS_MAX] = { 0 }, all = { 0 };
	struct held_counters named[CORE_PMUS_MAX] = { 0 };
	bool ask = d->dev && d->live, asked = ask && d->nr_pmus;
	int err[CORE_PMUS_MAX];
	unsigned int i;

	d->findings.section = SECTION_HOLDERS;
	for (i = 0; ask && i < d->nr_pmus; i++) {
		err[i] = pmu_held_ask(&held[i], &named[i], d->machine, &d->pmus[i], d->dev);
		asked &= !err[i];
		all.watchdogs += held[i].watchdogs;
	}
	watchdog(d, asked ? &all : NULL);
	for (i = 0; ask && i < d->nr_pmus; i++) {
		print_held(d, &d->pmus[i], &held[i], err[i]);
		print_owners(d, &named[i], &held[i]);
		held_counters_free(&named[i]);
	}
	if (ask)
		groups(d);
	doctor_perf_users(d);
}
