/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef EXPORT_OPTIONS_H
#define EXPORT_OPTIONS_H

#include <stdbool.h>

#include "exposition.h"

#define EXPORT_CONFIG_FILE "/etc/pmcgrp/export.conf"

/**
 * struct export_options - the command line of export
 * @config: the file, or NULL: the usual one, or none with @events
 * @events: after each -e: of one group instead of a file
 * @nr_events: of @events
 * @background: that group counts only while nobody else wants the counters
 * @by: enum export_kind of that group
 * @listen: where to serve instead of what the file says, or NULL
 * @textfile: file that is written instead, or NULL
 * @to_stdout: print once, and end
 * @from: where a running exporter is asked, or NULL
 * @interval: in seconds, 0: the usual one
 * @format: enum exposition_format of files and of stdout
 * @check: read the file, and end
 * @verbose: say what the kernel's totals are
 * @command: to be run meanwhile, or NULL
 */
struct export_options {
	const char *config;
	const char **events;
	unsigned int nr_events;
	bool background;
	int by;
	const char *listen;
	const char *textfile;
	bool to_stdout;
	const char *from;
	int interval;
	int format;
	bool check;
	bool verbose;
	char **command;
};

/* Returns 1, 0 after --help, or -EXIT_TOOL after an error that was reported. */
int export_options_parse(struct export_options *o, int argc, char **argv);

#endif
