/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans in flight, found by a key: for probes that keep nothing of an instance themselves. */
#ifndef PMCGRP_SPAN_FLIGHT_H
#define PMCGRP_SPAN_FLIGHT_H

#include <linux/types.h>

struct pmcgrp_span;
struct pmcgrp_charge;
struct pmcgrp_flights;

/**
 * struct pmcgrp_flight_key - what distinguishes the spans in flight
 * @word: their words; not hashed with a secret, but with a number of the table's own
 */
struct pmcgrp_flight_key {
	u64 word[2];
};

struct pmcgrp_flights *pmcgrp_flights_alloc(struct pmcgrp_charge *charge, unsigned int max_active,
					    unsigned int nr_events, u32 *why);
void pmcgrp_flights_free(struct pmcgrp_flights *flights);
unsigned int pmcgrp_flights_room(const struct pmcgrp_flights *flights);
void pmcgrp_flight_begin(struct pmcgrp_span *span, struct pmcgrp_flights *flights,
			 const struct pmcgrp_flight_key *key);
void pmcgrp_flight_end(struct pmcgrp_span *span, struct pmcgrp_flights *flights,
		       const struct pmcgrp_flight_key *key);

#endif /* PMCGRP_SPAN_FLIGHT_H */
