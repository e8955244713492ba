// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Counters by time, in SVG: a row for each counter, and a box for each interval that it counts in. */
#include <string.h>

#include "picture.h"
#include "report/out/escape.h"
#include "report/out/svg_colors.h"
#include "table.h"

#define LEFT	92	/* pixels, for names of counters */
#define TOP	56
#define CELL	22
#define LINE	20	/* of the legend */
#define MARGIN	12
#define WIDTH_LEAST 560
#define CHAR 8			/* a letter's width, or more */
#define LEGEND_CHARS 20		/* of a legend beside its name */

struct drawing {
	FILE *out;
	const struct pmcgrp_plan *plan;
	const struct pmcgrp_plan_pmu *pmu;
	unsigned int intervals;
	int y;
};

static void style_of(FILE *out, bool dark)
{
	unsigned int i;

	for (i = 0; i < REP_COLOR_LINES; i++)
		fprintf(out, ".c%u{fill:%s}", i, dark ? rep_colors[i].dark : rep_colors[i].light);
	fprintf(out, "text{fill:%s}.in{fill:%s}.w{fill:%s}.g{fill:%s}.bg{fill:%s}",
		dark ? rep_colors[REP_COLOR_TEXT].dark : rep_colors[REP_COLOR_TEXT].light,
		dark ? rep_colors[REP_COLOR_PANEL].dark : rep_colors[REP_COLOR_PANEL].light,
		dark ? rep_colors[REP_COLOR_FRAME].dark : rep_colors[REP_COLOR_FRAME].light,
		dark ? rep_colors[REP_COLOR_GRID].dark : rep_colors[REP_COLOR_GRID].light,
		dark ? rep_colors[REP_COLOR_PANEL].dark : rep_colors[REP_COLOR_PANEL].light);
}

static void style(FILE *out)
{
	fputs("<style>text{font:13px sans-serif}.in{font-size:11px;text-anchor:middle}"
	      ".r{text-anchor:end}", out);
	style_of(out, false);
	fputs(REP_SVG_DARK, out);
	style_of(out, true);
	fputs(REP_SVG_DARK_END "</style>\n", out);
}

/* The class of a box. */
static void print_class(FILE *out, int row)
{
	if (row == PMCGRP_PLAN_WATCHDOG)
		fputs("w", out);
	else if (row < 0)
		fputs("g", out);
	else
		fprintf(out, "c%d", row % REP_COLOR_LINES);
}

static const char *title_of(const struct drawing *d, int row)
{
	return row == PMCGRP_PLAN_WATCHDOG ? "the NMI watchdog" : d->plan->rows[row].event->name;
}

static void box(const struct drawing *d, unsigned int interval, int row)
{
	unsigned int x = LEFT + interval * CELL;

	fprintf(d->out, "<g><rect x=\"%u\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"", x, d->y,
		CELL - 2, CELL - 4);
	print_class(d->out, row);
	fputs("\"/>", d->out);
	if (row != PMCGRP_PLAN_FREE) {
		fprintf(d->out, "<text x=\"%u\" y=\"%d\" class=\"in\">%c</text><title>", x + CELL / 2 - 1,
			d->y + CELL - 8, plan_letter(row));
		rep_put_escaped(d->out, title_of(d, row));
		fputs("</title>", d->out);
	}
	fputs("</g>\n", d->out);
}

static void counter(struct drawing *d, unsigned int bit)
{
	unsigned int i;
	char name[16];

	pmcgrp_plan_counter(name, sizeof(name), bit);
	fprintf(d->out, "<text x=\"%d\" y=\"%d\" class=\"r\">%s</text>\n", LEFT - 10, d->y + CELL - 8,
		name);
	for (i = 0; i < d->intervals; i++)
		box(d, i, d->plan->slices[i].row[bit]);
	d->y += CELL;
}

static void legend(struct drawing *d, int row, const char *share)
{
	fprintf(d->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"", MARGIN, d->y,
		CELL - 2, CELL - 4);
	print_class(d->out, row);
	fprintf(d->out, "\"/><text x=\"%d\" y=\"%d\" class=\"in\">%c</text>", MARGIN + CELL / 2 - 1,
		d->y + CELL - 8, plan_letter(row));
	fprintf(d->out, "<text x=\"%d\" y=\"%d\">", MARGIN + CELL + 6, d->y + CELL - 8);
	rep_put_escaped(d->out, title_of(d, row));
	fprintf(d->out, "%s</text>\n", share);
	d->y += LINE;
}

static void legends(struct drawing *d)
{
	char share[32];
	unsigned int i;

	d->y += LINE / 2;
	for (i = 0; i < d->plan->nr; i++) {
		const struct pmcgrp_plan_row *row = &d->plan->rows[i];

		if (row->event->flags & PMCGRP_PLAN_SOFTWARE)
			continue;
		if (row->status == PMCGRP_PLAN_NOT_SUPPORTED)
			snprintf(share, sizeof(share), ": not supported");
		else
			snprintf(share, sizeof(share), ": %.4g %%", row->kernel_share);
		legend(d, (int)i, share);
	}
	if (d->plan->watchdog >= 0)
		legend(d, PMCGRP_PLAN_WATCHDOG, "");
}

static int lines(const struct pmcgrp_plan *plan)
{
	int nr = plan->watchdog >= 0;
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		nr += !(plan->rows[i].event->flags & PMCGRP_PLAN_SOFTWARE);
	return nr;
}

/* For the intervals, the title and the names. */
static unsigned int width_of(const struct drawing *d, const char *title)
{
	size_t chars = strlen(title), len;
	unsigned int i, width = LEFT + d->intervals * CELL;

	for (i = 0; i < d->plan->nr; i++) {
		len = strlen(d->plan->rows[i].event->name) + LEGEND_CHARS;
		chars = len > chars ? len : chars;
	}
	if (width < MARGIN + CHAR * chars)
		width = MARGIN + CHAR * (unsigned int)chars;
	return (width < WIDTH_LEAST ? WIDTH_LEAST : width) + MARGIN;
}

void plan_svg(FILE *out, const char *title, const struct pmcgrp_plan *plan,
	      const struct pmcgrp_plan_pmu *pmu, uint64_t mux_us)
{
	struct drawing d = { .out = out, .plan = plan, .pmu = pmu,
			     .intervals = plan_shown(plan), .y = TOP };
	unsigned int width = width_of(&d, title), height = TOP + LINE + MARGIN, bit;

	for (bit = 0; bit < 64; bit++)
		height += plan_has_counter(pmu, plan, bit) ? CELL : 0;
	height += (unsigned int)lines(plan) * LINE;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
		     "style=\"max-width:100%%;height:auto\" role=\"img\">\n", width, height, width);
	style(out);
	fprintf(out, "<rect width=\"%u\" height=\"%u\" class=\"bg\"/><text x=\"%d\" y=\"22\">", width,
		height, MARGIN);
	rep_put_escaped(out, title);
	fprintf(out, "</text><text x=\"%d\" y=\"44\">A column is %g ms", MARGIN, (double)mux_us / 1000);
	if (plan->cycle)
		fprintf(out, "; from the %u. on %u repeat", plan->before + 1, plan->cycle);
	fputs("</text>\n", out);
	for (bit = 0; bit < 64; bit++)
		if (plan_has_counter(pmu, plan, bit))
			counter(&d, bit);
	legends(&d);
	fputs("</svg>\n", out);
}
