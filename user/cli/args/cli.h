/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What every subcommand shares. */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>

/*
 * Exit statuses of the tool itself, chosen as env(1) and timeout(1) do, so that
 * they can be told from a command's own.
 */
enum {
	EXIT_TOOL	= 125,	/* pmcgrp failed, or was called wrongly */
	EXIT_CANNOT_RUN	= 126,	/* the command is there, but cannot be run */
	EXIT_NOT_FOUND	= 127,	/* there is no such command */
	EXIT_SIGNAL	= 128,	/* plus the signal that ended the command */
};

/* From now on it is this subcommand that speaks. */
void cli_begin(const char *name);

/* Its name. */
const char *cli_subcommand(void);

/*
 * A line on stderr that begins with the subcommand's name. One that is too long for people is
 * broken at a blank, and a word that is too long for a line is cut.
 */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a failure: "what: errno's text"; returns EXIT_TOOL. */
int cli_say_errno(const char *what, int err);

/* A string on stderr, or what of it is near, and under it a caret at its character @column. */
void cli_point(const char *string, size_t column);

int doctor_main(int argc, char **argv);
int export_main(int argc, char **argv);
int info_main(int argc, char **argv);
int list_main(int argc, char **argv);
int plan_main(int argc, char **argv);
int record_main(int argc, char **argv);	/* argv[-1] is the tool's name */
int report_main(int argc, char **argv);
int run_main(int argc, char **argv);
int section_main(int argc, char **argv);
int selftest_main(int argc, char **argv);
int span_main(int argc, char **argv);
int stat_main(int argc, char **argv);
int top_main(int argc, char **argv);

#endif
