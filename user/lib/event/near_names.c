// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "kernel_name.h"
#include "near_names.h"
#include "pfm.h"
#include "event_table.h"

static int offer_kernel(void *ctx, const char *name, const char *alias)
{
	near_offer(ctx, name);
	near_offer(ctx, alias);
	return 0;
}

static int offer_alias(void *ctx, const struct pmu *pmu, const char *name)
{
	(void)pmu;
	near_offer(ctx, name);
	return 0;
}

static void offer_name(void *ctx, const char *name)
{
	near_offer(ctx, name);
}

/* Events of a table that a PMU has; NULL: any PMU. */
static void offer_table(struct near *near, const struct event_machine *machine,
			const struct event_table *table, const struct pmu *pmu)
{
	size_t i, k, nr = table ? event_table_nr(table) : 0;

	for (i = 0; i < nr; i++) {
		const struct event_table_entry *entry = event_table_entry(table, i);

		for (k = 0; k < machine->pmus.nr; k++) {
			if ((!pmu || pmu == &machine->pmus.at[k]) &&
			    event_machine_has(machine, &machine->pmus.at[k], entry)) {
				near_offer(near, entry->name);
				break;
			}
		}
	}
}

/* Events of a PMU, or of all. */
static void offer_aliases(struct near *near, struct event_machine *machine, const struct pmu *pmu)
{
	const struct pmus *pmus = event_machine_pmus(machine);
	size_t i;

	for (i = 0; pmus && i < pmus->nr; i++) {
		if (!pmu || pmu == &pmus->at[i])
			pmu_each_alias(pmus, &pmus->at[i], offer_alias, near);
	}
	if (!pmus)
		return;
	event_machine_tables(machine);
	offer_table(near, machine, machine->table, pmu);
	offer_table(near, machine, machine->sys, pmu);
}

static void offer_kernels(struct near *near)
{
	kernel_name_each(PERF_TYPE_HARDWARE, offer_kernel, near);
	kernel_name_each(PERF_TYPE_HW_CACHE, offer_kernel, near);
}

/* libpfm4 knows those of the CPU that it runs on. */
static void offer_pfm(struct near *near, const struct event_machine *machine)
{
	if (!machine->given)
		event_pfm_each(offer_name, near);
}

const char *near_event(struct event_machine *machine, const char *name, char *text, size_t size)
{
	struct near near;

	near_begin(&near, name);
	offer_kernels(&near);
	kernel_name_each(PERF_TYPE_SOFTWARE, offer_kernel, &near);
	offer_aliases(&near, machine, NULL);
	offer_pfm(&near, machine);
	return near_text(&near, text, size);
}

const char *near_system(struct event_machine *machine, const char *name, char *text, size_t size)
{
	size_t len = strcspn(name, ":");
	char system[NEAR_LENGTH] = "";
	struct near near;

	if (len < sizeof(system))
		memcpy(system, name, len);
	near_begin(&near, system);
	tracefs_each(machine->tracing, "", offer_name, &near);
	offer_kernels(&near);
	kernel_name_each(PERF_TYPE_SOFTWARE, offer_kernel, &near);
	offer_aliases(&near, machine, NULL);
	offer_pfm(&near, machine);
	return near_text(&near, text, size);
}

bool near_tracepoint(struct event_machine *machine, const char *name, char *text, size_t size)
{
	struct near near;

	near_begin(&near, strchr(name, ':') + 1);
	tracefs_each(machine->tracing, name, offer_name, &near);
	near_text(&near, text, size);
	return near.nr && !strcmp(near.at[0].name, near.word);
}

const char *near_pmu(struct event_machine *machine, const char *name, char *text, size_t size)
{
	const struct pmus *pmus = event_machine_pmus(machine);
	struct near near;
	size_t i;

	near_begin(&near, name);
	for (i = 0; pmus && i < pmus->nr; i++)
		near_offer(&near, pmus->at[i].name);
	offer_aliases(&near, machine, NULL);
	return near_text(&near, text, size);
}

const char *near_term(struct event_machine *machine, const struct pmu *pmu, const char *fixed,
		      const char *name, char *text, size_t size)
{
	char formats[4096];
	struct near near;

	near_begin(&near, name);
	near_offer_list(&near, fixed);
	if (pmu) {
		pmu_formats_list(&machine->pmus, pmu, formats, sizeof(formats));
		near_offer_list(&near, formats);
		offer_aliases(&near, machine, pmu);
		if (pmu->core)
			offer_kernels(&near);
	}
	return near_text(&near, text, size);
}
