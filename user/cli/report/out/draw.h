/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The files that report makes beside its summary. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include <stdio.h>

#include "plot.h"
#include "report/data/summary.h"

/*
 * Each returns 0, or -1 after a failure that was reported.
 *
 * rep_svg: gnuplot draws; @path is what it leaves.
 * rep_html: one page with the plotting library in it, and the summary.
 * rep_flame: call chains, a graph for each member, as SVG.
 * rep_perfetto: every interval, as counter tracks.
 */
int rep_svg(const char *path, const struct rep_picture *picture, const char *recording);
int rep_html(const char *path, const struct rep_picture *picture,
	     const struct rep_summary *summary, const char *recording);
int rep_flame(const char *path, const struct rep_data *data, const char *recording);
int rep_perfetto(const char *path, const struct rep_data *data, const struct rep_ratios *list);

/* The script for gnuplot, which draws to its stdout. */
void rep_svg_script(FILE *file, const struct rep_picture *picture, const char *recording);

#endif
