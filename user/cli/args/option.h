/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of a command line, one by one, and what is wrong with one of them. */
#ifndef OPTION_H
#define OPTION_H

#include <getopt.h>

/*
 * option_next - getopt_long(), which says itself what is wrong with an option, where, and which
 *	option is close
 *
 * @letters and @longs are as getopt_long() has them; the options from REFUSED_FIRST on are not
 * offered. Begins anew where optind is 0.
 *
 * Returns the option, -1 at the end, or '?' after an error that was reported.
 */
int option_next(int argc, char **argv, const char *letters, const struct option *longs);

#endif
