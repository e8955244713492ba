// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* gnuplot writes colours as attributes, which rules of a style go before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "svg_colors.h"

#define SEEN_MAX 64	/* ways to write the colours: gnuplot has three or four of them */

const struct rep_color_pair rep_colors[REP_COLORS] = {
	{ "0", "#123f8c", "#4d9fff" },
	{ "1", "#d9480f", "#ff8a3d" },
	{ "2", "#0f9488", "#6ff2d0" },
	{ "3", "#b44ad1", "#b65fd0" },
	{ "4", "#7a5c00", "#ffe066" },
	{ "5", "#3a86d8", "#2f8f83" },
	{ "6", "#333a45", "#dfe3ea" },
	{ "7", "#c2366b", "#f06292" },
	[REP_COLOR_TEXT] = { "text", "#1b1f27", "#e8ebf0" },
	[REP_COLOR_FRAME] = { "frame", "#7d8594", "#7f8795" },
	[REP_COLOR_GRID] = { "grid", "#e3e6ec", "#2a2f38" },
	[REP_COLOR_MARK] = { "mark", "#4a5261", "#b7bfcc" },
	[REP_COLOR_PANEL] = { "panel", "#ffffff", "#171a20" },
};

/* "rgb( 18, 63,140)", "#123F8C", "black", which is what gnuplot has for text of no colour. */
static const struct rep_color_pair *pair_of(const char *value)
{
	unsigned int red, green, blue, rgb, i;

	if (!strcmp(value, "black"))
		return &rep_colors[REP_COLOR_TEXT];
	if (sscanf(value, "rgb(%u,%u,%u)", &red, &green, &blue) == 3)
		rgb = red << 16 | green << 8 | blue;
	else if (sscanf(value, "#%6x", &rgb) != 1)
		return NULL;
	for (i = 0; i < REP_COLORS; i++) {
		if (strtoul(rep_colors[i].light + 1, NULL, 16) == rgb)
			return &rep_colors[i];
	}
	return NULL;
}

struct seen {
	char *rules[SEEN_MAX];
	unsigned int nr;
};

/* The value of an attribute, as it is written. */
static void take(struct seen *seen, const char *attribute, const char *value)
{
	const struct rep_color_pair *pair = pair_of(value);
	char *rule = NULL;
	unsigned int i;

	if (!pair || seen->nr == SEEN_MAX ||
	    asprintf(&rule, "[%s=\"%s\"] { %s: %s }", attribute, value, attribute, pair->dark) < 0)
		return;
	for (i = 0; i < seen->nr; i++) {
		if (!strcmp(seen->rules[i], rule)) {
			free(rule);
			return;
		}
	}
	seen->rules[seen->nr++] = rule;
}

/* color='rgb(1, 2, 3)', fill = "#ffffff" */
static void look(struct seen *seen, const char *line, const char *attribute)
{
	const char *at = line;
	char value[32], mark, end;

	while ((at = strstr(at, attribute))) {
		at += strlen(attribute);
		at += strspn(at, " ");
		if (*at != '=')
			continue;
		at += 1 + strspn(at + 1, " ");
		mark = *at;
		if ((mark == '"' || mark == '\'') &&
		    sscanf(at + 1, "%31[^\"']%c", value, &end) == 2 && end == mark)
			take(seen, attribute, value);
	}
}

static void style(FILE *file, const struct seen *seen)
{
	unsigned int i;

	fprintf(file, "<style>" REP_SVG_DARK "\n:root { background: %s }\n",
		rep_colors[REP_COLOR_PANEL].dark);
	for (i = 0; i < seen->nr; i++)
		fprintf(file, "%s\n", seen->rules[i]);
	fputs(REP_SVG_DARK_END "</style>\n", file);
}

int rep_svg_themed(FILE *drawn, FILE *file)
{
	static const char * const attributes[] = { "fill", "stroke", "color" };
	struct seen seen = { .nr = 0 };
	char *line = NULL;
	size_t size = 0, i;
	int ret;

	while (getline(&line, &size, drawn) > 0) {
		for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
			look(&seen, line, attributes[i]);
	}
	rewind(drawn);
	while (getline(&line, &size, drawn) > 0) {
		fputs(line, file);
		if (strstr(line, "<desc>"))
			style(file, &seen);
	}
	ret = ferror(drawn) || fflush(file) || ferror(file) ? -(errno ? errno : EIO) : 0;
	free(line);
	while (seen.nr)
		free(seen.rules[--seen.nr]);
	return ret;
}
