/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The sections of kernel modules, and spans. */
#ifndef SECTION_SET_H
#define SECTION_SET_H

#include <stdbool.h>
#include <stdio.h>

#include "say/name.h"
#include "keys.h"
#include "section_options.h"
#include "pmcgrp.h"

/**
 * struct section_value - the time of a section, or a member
 * @name: "time", or the name of the event
 * @stat: what was counted
 * @min_exact: @stat.min is the least value; else no value is less, as far as is known
 * @max_exact: @stat.max is the greatest value; else no value is greater
 */
struct section_value {
	char *name;
	struct pmcgrp_section_stat stat;
	bool min_exact;
	bool max_exact;
};

/* Reasons that this tool knows (enum pmcgrp_missed). */
#define SECTION_REASONS (PMCGRP_MISSED_GONE + 1)

/**
 * struct section - a section
 * @id: id
 * @group: id of the group that counts
 * @owner: name of that group, fit for a terminal; "": not known
 * @name: name, fit for a terminal
 * @count: number of sections that were counted
 * @missed: number of those that were not, by reason
 * @in_flight: of a span: number of those that have begun and not ended
 * @kind: what begins and ends it
 * @is_gone: of a span: its function has gone
 * @values: the time, then the members
 * @nr: number of @values
 * @keys: what was counted by CPU or key; NULL: not asked
 */
struct section {
	uint64_t id;
	uint64_t group;
	char owner[NAME_COMM_SIZE];
	char name[NAME_SIZE(PMCGRP_SECTION_NAME_MAX)];
	uint64_t count;
	uint64_t missed[SECTION_REASONS];
	uint64_t in_flight;
	enum pmcgrp_section_kind kind;
	bool is_gone;
	struct section_value *values;
	unsigned int nr;
	struct section_keys *keys;
};

struct section_set {
	struct section *sections;	/* by id */
	unsigned int nr;
};

/*
 * section_set_take - all sections of the machine
 * @known: an earlier set, whose names are used again; or NULL
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror(h) has the sentence, or "" for -ENOMEM;
 * the set is to be freed in any case.
 */
int section_set_take(struct section_set *set, struct pmcgrp *h, const struct section_set *known);

/*
 * section_set_take_ids - the same of some sections: to sum up one takes a look at each CPU
 * @ids: their ids, increasing; those that there are not any more are left out
 */
int section_set_take_ids(struct section_set *set, struct pmcgrp *h, const struct section_set *known,
			 const uint64_t *ids, unsigned int nr);

/* section_set_copy - another one with the same content; returns 0 or -ENOMEM, to be freed */
int section_set_copy(struct section_set *set, const struct section_set *from);

/*
 * section_set_subtract - leave in a set what has come since an earlier one
 *
 * The least and greatest values of the time between are known if they are new; else the histograms
 * give bounds.
 */
void section_set_subtract(struct section_set *set, const struct section_set *before);

/* section_set_find - the section with this id; NULL: none */
const struct section *section_set_find(const struct section_set *set, uint64_t id);

/* section_set_choose - drop sections whose name none of the patterns matches */
void section_set_choose(struct section_set *set, const struct section_options *options);

/*
 * section_set_take_keys - have each section its keys
 *
 * Returns 0, or a negative errno as section_set_take() does. A section that has ended has none.
 */
int section_set_take_keys(struct section_set *set, struct pmcgrp *h, const struct section_by *by);

void section_set_free(struct section_set *set);

/* Sections that were not counted, for any reason. */
uint64_t section_missed(const struct section *section);

/* The mean of a value; of no section 0. */
double section_mean(const struct section *section, unsigned int i);

/* What a value is called for people: the time with its unit. */
const char *section_label(const struct section *section, unsigned int i);

/* The least and greatest value of a bucket. */
uint64_t section_bucket_from(unsigned int bucket);
uint64_t section_bucket_to(unsigned int bucket);

#endif
