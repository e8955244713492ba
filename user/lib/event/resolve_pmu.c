// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Names of PMUs and of their events.  A name may stand for several boxes of an uncore PMU, and
 * each has an event then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolver.h"

struct event_code *resolver_append(struct resolver *r, const struct pmu *pmu)
{
	struct event_codes *codes = r->codes;
	struct event_code *at = reallocarray(codes->at, codes->nr + 1, sizeof(*at));
	char **shown;

	if (!at)
		return NULL;
	codes->at = at;
	shown = reallocarray(codes->shown, codes->nr + 1, sizeof(*shown));
	if (!shown)
		return NULL;
	codes->shown = shown;
	shown[codes->nr] = NULL;
	at[codes->nr] = (struct event_code){ .pmu = pmu, .scale = 1.0 };
	if (pmu)
		at[codes->nr].type = pmu->type;
	return &at[codes->nr++];
}

static int show_of(struct resolver *r, size_t i, const struct pmu *pmu, size_t len)
{
	const char *rest = r->node->shown + strlen(r->node->name);
	char *shown;

	if (asprintf(&shown, "%.*s/%s/%s", (int)len, pmu->name, r->node->name,
		     *rest == ':' ? rest + 1 : "") < 0)
		return -ENOMEM;
	free(r->codes->shown[i]);
	r->codes->shown[i] = shown;
	return 0;
}

int resolver_show_pmu(struct resolver *r, const struct pmu *pmu, size_t len)
{
	if (r->node->has_terms && pmus_find(&r->machine->pmus, r->node->name))
		return 0;
	return show_of(r, r->codes->nr - 1, pmu, len);
}

static int add_pmu(struct resolver *r, const struct pmu *pmu, const struct event_terms *terms)
{
	struct event_code *code = resolver_append(r, pmu);

	if (!code)
		return -ENOMEM;
	return event_code_terms(r->machine, pmu, terms, r->flags, code, r->error);
}

/* Take the last code back. */
static void drop(struct resolver *r)
{
	r->codes->nr--;
	event_code_clear(&r->codes->at[r->codes->nr]);
	free(r->codes->shown[r->codes->nr]);
}

/*
 * All PMUs that the name stands for.  Those that do not know the terms are left out, as perf does;
 * if none does, the first one says why.
 */
static int add_matching(struct resolver *r, const struct pmus *pmus)
{
	struct pmcgrp_events_error first = { 0 };
	bool failed = false;
	int ret = 0;
	size_t i;

	for (i = 0; i < pmus->nr && ret != -ENOMEM; i++) {
		if (!pmu_matches(&pmus->at[i], r->node->name) ||
		    !event_machine_wants(r->machine, &pmus->at[i]))
			continue;
		ret = add_pmu(r, &pmus->at[i], &r->node->terms);
		if (ret != -EINVAL)
			continue;
		drop(r);
		if (!failed)
			first = *r->error;
		failed = true;
	}
	if (ret == -ENOMEM || r->codes->nr)
		return ret == -ENOMEM ? ret : 0;
	if (!failed)
		return NEXT;
	*r->error = first;
	return -EINVAL;
}

int resolver_pmu(struct resolver *r)
{
	const struct pmus *pmus = event_machine_pmus(r->machine);
	const struct pmu *pmu;

	if (!pmus)
		return -ENOMEM;
	if (!r->node->has_terms)
		return NEXT;
	pmu = pmus_find(pmus, r->node->name);
	if (pmu)
		return add_pmu(r, pmu, &r->node->terms);
	return add_matching(r, pmus);
}

/* Terms, and behind them an event of the PMU as perf has it. */
static int terms_with(const struct event_node *node, struct event_terms *all)
{
	size_t nr = node->terms.nr;

	*all = (struct event_terms){ .nr = nr + 1 };
	all->at = calloc(nr + 1, sizeof(*all->at));
	if (!all->at)
		return -ENOMEM;
	if (nr)
		memcpy(all->at, node->terms.at, nr * sizeof(*all->at));
	all->at[nr] = (struct event_term){ .name = node->name, .number = 1,
					   .column = node->column, .value_column = node->column };
	return 0;
}

/*
 * Boxes of one kind keep the name that was written, for their sum is shown.  Those of several kinds
 * do not count the same, even where their events have one name.
 */
static int show_kinds(struct resolver *r)
{
	const struct event_codes *codes = r->codes;
	bool several = false;
	int ret = 0;
	size_t i;

	for (i = 1; i < codes->nr; i++)
		several |= !pmu_same_kind(codes->at[0].pmu, codes->at[i].pmu);
	for (i = 0; i < codes->nr && several && !ret; i++) {
		const struct pmu *pmu = codes->at[i].pmu;

		if (pmu->uncore)
			ret = show_of(r, i, pmu, pmu_kind_len(pmu->name));
	}
	return ret;
}

int resolver_alias(struct resolver *r)
{
	const struct pmus *pmus = event_machine_pmus(r->machine);
	struct event_terms all;
	struct pmu_alias alias;
	size_t i, found = 0;
	int ret;

	if (!pmus)
		return -ENOMEM;
	ret = terms_with(r->node, &all);
	for (i = 0; i < pmus->nr && !ret; i++) {
		const struct pmu *pmu = &pmus->at[i];

		if (!event_machine_wants(r->machine, pmu) ||
		    event_machine_alias(r->machine, pmu, r->node->name, &alias) == -ENOENT)
			continue;
		ret = add_pmu(r, pmu, &all);
		found++;
		if (!ret && !pmu->uncore && (pmus->nr_core > 1 || !pmu->core))
			ret = resolver_show_pmu(r, pmu, strlen(pmu->name));
	}
	free(all.at);
	if (!ret)
		ret = show_kinds(r);
	return ret || found ? ret : NEXT;
}
