/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of perf stat that pmcgrp stat knows, and cannot have. */
#ifndef REFUSED_H
#define REFUSED_H

#include <getopt.h>

/* Their numbers for getopt_long(), and their letters, with a colon where an argument follows. */
#define REFUSED_FIRST 1000
#define REFUSED_LETTERS "gTG:M:b:"

/* How many there are, and each of them for getopt_long(). */
unsigned int refused_nr(void);
struct option refused_option(unsigned int i);

/* refused_say - why not, and what instead; returns -EXIT_TOOL, or 0 for another option */
int refused_say(int option);

#endif
