/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What --json and --batch print of an interval. */
#ifndef TOP_OUTPUT_H
#define TOP_OUTPUT_H

#include <stdio.h>

#include "top_screen.h"

/*
 * Each returns 0 or a negative errno: -EPIPE once nobody reads any more, which is no failure.
 *
 * @time: seconds since the epoch, of the interval's end
 * @lines: no more rows than that; 0: all
 * @colour: escape sequences for the styles
 */
int top_output_json(FILE *file, const struct top_content *content, double time, size_t lines);
int top_output_text(FILE *file, const struct top_screen *screen, bool colour);

/* Sends what was printed; returns 0 or a negative errno. */
int top_output_flush(FILE *file);

#endif
