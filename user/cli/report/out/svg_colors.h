/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The colours of pictures, light and dark: those of the page (page/page.css). */
#ifndef REPORT_SVG_COLORS_H
#define REPORT_SVG_COLORS_H

#include <stdio.h>

/* The first ones are those of lines: four can be told apart whatever colours one sees. */
enum rep_color {
	REP_COLOR_LINES = 8,
	REP_COLOR_TEXT = REP_COLOR_LINES,
	REP_COLOR_FRAME,
	REP_COLOR_GRID,
	REP_COLOR_MARK,
	REP_COLOR_PANEL,
	REP_COLORS,
};

struct rep_color_pair {
	const char *name;	/* in page.css, behind -- */
	const char *light;
	const char *dark;
};

extern const struct rep_color_pair rep_colors[REP_COLORS];

/* What a dark system shows instead begins a rule for it, and what ends that. */
#define REP_SVG_DARK "@media (prefers-color-scheme: dark) {"
#define REP_SVG_DARK_END "}"

/*
 * rep_svg_themed - copy what gnuplot has drawn in light colours, with a style for systems that are dark
 *
 * A program that knows no style shows the light form. Returns 0, or -errno.
 */
int rep_svg_themed(FILE *drawn, FILE *file);

#endif
