// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Answers of the planner, remembered.  It cannot distinguish groups that are alike: passes whose
 * groups are alike, in the same order, have the same answer.
 */
#include <stdlib.h>
#include <string.h>

#include "passes.h"

/* Answers that are remembered, and the groups of a pass for which one is. */
#define ANSWERS 4096
#define ANSWER_GROUPS 46

/*
 * struct answer - of the planner
 * @nr: groups; 0: there is none
 * @fits: what it was
 * @alike: passes_problem.alike of each group
 */
struct answer {
	uint8_t nr;
	bool fits;
	uint8_t alike[ANSWER_GROUPS];
};

struct passes_oracle {
	const struct passes_problem *p;
	passes_fits_fn fits;
	void *arg;
	struct answer answer[ANSWERS];
	struct answer any_order[ANSWERS];
};

struct passes_oracle *passes_oracle_new(const struct passes_problem *p, passes_fits_fn fits, void *arg)
{
	struct passes_oracle *oracle = calloc(1, sizeof(*oracle));

	if (!oracle)
		return NULL;
	oracle->p = p;
	oracle->fits = fits;
	oracle->arg = arg;
	return oracle;
}

/* The groups of a pass, and where the answer is kept in @table; NULL: they are too many. */
static struct answer *look_up(struct passes_oracle *oracle, struct answer *table,
			      const unsigned int *group, unsigned int nr, struct answer *key)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	unsigned int i;

	if (nr > ANSWER_GROUPS)
		return NULL;
	*key = (struct answer){ .nr = nr };
	for (i = 0; i < nr; i++) {
		key->alike[i] = oracle->p->alike[group[i]];
		hash = (hash ^ key->alike[i]) * 0x100000001b3ULL;
	}
	return &table[(hash ^ hash >> 32) % ANSWERS];
}

static bool is_known(const struct answer *answer, const struct answer *key)
{
	return answer->nr == key->nr && !memcmp(answer->alike, key->alike, sizeof(key->alike));
}

static unsigned int list(const struct passes_oracle *oracle, const uint64_t groups[PASSES_WORDS],
			 unsigned int *group)
{
	unsigned int i, nr = 0;

	for (i = 0; i < oracle->p->nr; i++) {
		if (groups[i / 64] & (1ULL << i % 64))
			group[nr++] = i;
	}
	return nr;
}

bool passes_ask(struct passes_oracle *oracle, const uint64_t groups[PASSES_WORDS])
{
	unsigned int group[PMCGRP_PLAN_EVENTS_MAX], nr = list(oracle, groups, group);
	struct answer key, *answer = look_up(oracle, oracle->answer, group, nr, &key);

	if (!answer)
		return oracle->fits(oracle->arg, group, nr);
	if (!is_known(answer, &key)) {
		key.fits = oracle->fits(oracle->arg, group, nr);
		*answer = key;
	}
	return answer->fits;
}

static void swap(unsigned int *a, unsigned int *b)
{
	unsigned int c = *a;

	*a = *b;
	*b = c;
}

/* The groups from @at on in each order, but for that of groups that are alike. */
static bool fits_in_any(struct passes_oracle *oracle, unsigned int *group, unsigned int nr, unsigned int at)
{
	const unsigned int *alike = oracle->p->alike;
	unsigned int i, k;
	bool fits;

	if (at == nr)
		return oracle->fits(oracle->arg, group, nr);
	for (i = at; i < nr; i++) {
		for (k = at; k < i && alike[group[k]] != alike[group[i]]; k++)
			;
		if (k < i)
			continue;
		swap(&group[at], &group[i]);
		fits = fits_in_any(oracle, group, nr, at + 1);
		swap(&group[at], &group[i]);
		if (fits)
			return true;
	}
	return false;
}

bool passes_ask_any_order(struct passes_oracle *oracle, const uint64_t groups[PASSES_WORDS])
{
	unsigned int group[PMCGRP_PLAN_EVENTS_MAX], nr = list(oracle, groups, group), i, k;
	struct answer key, *answer;

	if (nr > PASSES_ANY_ORDER)
		return true;
	for (i = 1; i < nr; i++) {
		for (k = i; k > 0 && oracle->p->alike[group[k - 1]] > oracle->p->alike[group[k]]; k--)
			swap(&group[k - 1], &group[k]);
	}
	answer = look_up(oracle, oracle->any_order, group, nr, &key);
	if (!is_known(answer, &key)) {
		key.fits = fits_in_any(oracle, group, nr, 0);
		*answer = key;
	}
	return answer->fits;
}
