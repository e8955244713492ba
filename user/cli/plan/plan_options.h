/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef PLAN_OPTIONS_H
#define PLAN_OPTIONS_H

#include <stdbool.h>

/**
 * struct plan_options - the command line of plan
 * @events: after each -e
 * @nr_events: of @events
 * @model: name of a model, or a file; NULL: this machine
 * @ht: hyper-threading: 1 on, -1 off; 0: as the machine has it, or on
 * @watchdog: the NMI watchdog, as @ht
 * @no_tfa: counter 3 is not used: allow_tsx_force_abort is 0
 * @kernel: version, or NULL: 6.12
 * @duration: of the run in ms, 0: it does not end
 * @mux_interval: in ms
 * @perf: perf alone
 * @pmcgrp: pmcgrp alone
 * @case_file: cases in JSON, or NULL
 * @verify: do it here, and compare
 * @list: the models that there are
 * @picture: counters by time
 * @svg: file for that, or NULL
 * @json: print JSON
 */
struct plan_options {
	const char **events;
	unsigned int nr_events;
	const char *model;
	int ht;
	int watchdog;
	bool no_tfa;
	const char *kernel;
	unsigned int duration;
	unsigned int mux_interval;
	bool perf;
	bool pmcgrp;
	const char *case_file;
	bool verify;
	bool list;
	bool picture;
	const char *svg;
	bool json;
};

/* Returns 1, 0 after --help, or -EXIT_TOOL after an error that was reported. */
int plan_options_parse(struct plan_options *o, int argc, char **argv);

#endif
