// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What ? shows. */
#include "top_screen.h"

static const struct {
	enum top_style style;
	const char *text;
} lines[] = {
	{ TOP_PLAIN, "e c t p g o rows of events, CPUs, threads, processes, cgroups, commands" },
	{ TOP_PLAIN, "m           the CPUs as a matrix: cells are parts of the highest" },
	{ TOP_PLAIN, "< >         sort by the column before, after (marked by > in the header)" },
	{ TOP_PLAIN, "r           reverse the order" },
	{ TOP_PLAIN, "/           only rows whose name has a text; Enter keeps, Escape forgets it" },
	{ TOP_PLAIN, "space       let the screen stand still, and go on; counting goes on" },
	{ TOP_PLAIN, "+ -         double, halve the interval" },
	{ TOP_PLAIN, "arrows      scroll; so do Page Up and Page Down" },
	{ TOP_PLAIN, "? h         this help; any key leaves it" },
	{ TOP_PLAIN, "q Escape    quit" },
	{ TOP_PLAIN, "" },
	{ TOP_HOT, "hot         at least half of the highest value of the column" },
	{ TOP_PARTIAL, "~partial    not counted all of the time, and scaled to it" },
	{ TOP_LOST, "LOST        rings were full: these sums are not exact; -m makes them larger" },
	{ TOP_PLAIN, "-           not counted" },
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

int top_screen_help(struct top_screen *screen, const struct top_content *content)
{
	int ret = top_screen_rows(screen, content, NR_LINES);
	size_t i;

	if (ret < 0)
		return ret;
	top_line_add(&screen->columns, TOP_HEADER, "KEYS AND COLOURS");
	for (i = 0; i < screen->nr; i++)
		top_line_add(&screen->rows[i], lines[screen->first + i].style, "%s",
			     lines[screen->first + i].text);
	return 0;
}
