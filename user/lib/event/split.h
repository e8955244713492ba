/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which events of a group that was written can be counted as one group. */
#ifndef PMCGRP_EVENT_SPLIT_H
#define PMCGRP_EVENT_SPLIT_H

#include "event_codes.h"

/**
 * struct event_split_entry - an event of a group
 * @node: which one of those that were written, from 0
 * @code: which one of those that it stands for
 */
struct event_split_entry {
	size_t node;
	size_t code;
};

/**
 * struct event_split_part - events that are counted as one group
 * @first: index of its first entry
 * @nr: number of its entries
 * @pmu: if there are several parts, the PMU of all events of this one; else NULL
 * @lacks: there are several parts, and an event that was written is not in this one
 */
struct event_split_part {
	size_t first;
	size_t nr;
	const struct pmu *pmu;
	bool lacks;
};

/**
 * struct event_split - the parts of a group
 * @entries: the events, part by part
 */
struct event_split {
	struct event_split_entry *entries;
	size_t nr;
	struct event_split_part *parts;
	size_t nr_parts;
};

/*
 * event_split - split a group
 * @braces: the events are a group; without, each is one
 * @codes: what its nodes stand for
 * @nr_core: number of core PMUs
 *
 * A part has events of one core PMU, with software events and tracepoints beside the first one; or
 * of uncore PMUs that count on the same CPUs, box by box.  A box's events stay together.
 *
 * Return: 0, then event_split_free() frees what it holds; or -ENOMEM.
 */
int event_split(struct event_split *split, bool braces, const struct event_codes *codes,
		size_t nr_nodes, size_t nr_core);

void event_split_free(struct event_split *split);

/* Whether the kernel itself counts it, and no PMU. */
bool event_is_software(const struct event_code *code);

#endif
