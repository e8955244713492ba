// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The picture as one HTML page that needs nothing else: the plotting library (dygraphs) is
 * in it, with its licence. What comes from the recording goes into it as JSON or escaped
 * text, and the page may fetch nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/cli.h"
#include "draw.h"
#include "print.h"
#include "share.h"

/* Made by the Makefile from page.js and page.css. */
static const char page_js[] =
#include "report/out/page.js.inc"
	;
static const char page_css[] =
#include "report/out/page.css.inc"
	;

static const char policy[] = "default-src 'none'; script-src 'unsafe-inline'; "
			     "style-src 'unsafe-inline'; img-src data:";

/* ---- The library ---- */

struct library {
	char *script;
	char *synchronizer;
	char *style;
	char *copyright;
};

static int library_read(struct library *library)
{
	library->script = rep_share_read("dygraph.min.js");
	library->synchronizer = rep_share_read("extras/synchronizer.js");
	library->style = rep_share_read("dygraph.min.css");
	library->copyright = rep_share_read("copyright");
	if (!library->script || !library->synchronizer || !library->style || !library->copyright) {
		cli_say("--html needs the plotting library dygraphs, which is not installed: Debian has "
			"it as libjs-dygraphs");
		return -1;
	}
	/* What ends a script or a style early would make the rest of it text. */
	if (strstr(library->script, "</script") || strstr(library->synchronizer, "</script") ||
	    strstr(library->style, "</style")) {
		cli_say("--html: this version of dygraphs cannot be put into a page");
		return -1;
	}
	return 0;
}

static void library_free(struct library *library)
{
	free(library->script);
	free(library->synchronizer);
	free(library->style);
	free(library->copyright);
}

/* ---- What is drawn ---- */

static void put_escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			fputc(*text, file);
		}
	}
}

/* A string of JSON in which no tag can begin. */
static int put_string(FILE *file, const char *text)
{
	json_t *string = json_string(text);
	char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
	const char *at;

	json_decref(string);
	if (!dumped)
		return -ENOMEM;
	for (at = dumped; *at; at++) {
		if (*at == '<')
			fputs("\\u003c", file);
		else
			fputc(*at, file);
	}
	free(dumped);
	return 0;
}

/* One of the three numbers of all columns. */
static void put_numbers(FILE *file, const char *key, const struct rep_picture *picture,
			const struct rep_line *line, size_t offset)
{
	unsigned int i;

	fprintf(file, ",\"%s\":[", key);
	for (i = 0; i < picture->nr_columns; i++) {
		double value;

		memcpy(&value, (const char *)&line->columns[i] + offset, sizeof(value));
		if (i)
			fputc(',', file);
		if (isnan(value))
			fputs("null", file);
		else
			fprintf(file, "%.6g", value);
	}
	fputc(']', file);
}

static int put_plot(FILE *file, const struct rep_picture *picture, const struct rep_plot *plot)
{
	unsigned int i;
	int ret;

	fputs("\n{\"title\":", file);
	ret = put_string(file, plot->title);
	fputs(",\"unit\":", file);
	ret |= put_string(file, plot->unit);
	fputs(",\"lines\":[", file);
	for (i = 0; i < plot->nr_lines; i++) {
		fprintf(file, "%s\n{\"label\":", i ? "," : "");
		ret |= put_string(file, plot->lines[i].label);
		put_numbers(file, "low", picture, &plot->lines[i], offsetof(struct rep_column, low));
		put_numbers(file, "mean", picture, &plot->lines[i], offsetof(struct rep_column, mean));
		put_numbers(file, "high", picture, &plot->lines[i], offsetof(struct rep_column, high));
		fputc('}', file);
	}
	fputs("]}", file);
	return ret;
}

static int put_data(FILE *file, const struct rep_picture *picture)
{
	unsigned int i;
	int ret = 0;

	fprintf(file, "{\"start\":\"%.6f\",\"seconds\":%.9g,\"columns\":%u,\"plots\":[",
		(double)picture->start / 1e9, rep_picture_x(picture, picture->nr_columns),
		picture->nr_columns);
	for (i = 0; i < picture->nr_plots; i++) {
		if (i)
			fputc(',', file);
		ret |= put_plot(file, picture, &picture->plots[i]);
	}
	fputs("\n]}", file);
	return ret;
}

static int put_summary(FILE *file, const struct rep_summary *summary, const char *recording)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return -ENOMEM;
	rep_table(memory, summary, recording);
	if (fclose(memory)) {
		free(text);
		return -ENOMEM;
	}
	fputs("<pre>", file);
	put_escaped(file, text);
	fputs("</pre>\n", file);
	free(text);
	return 0;
}

static int put_page(FILE *file, const struct library *library, const struct rep_picture *picture,
		    const struct rep_summary *summary, const char *recording)
{
	char note[400];
	int ret;

	rep_picture_note(picture, note, sizeof(note));
	fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<title>", policy);
	put_escaped(file, recording);
	fprintf(file, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n<h1>pmcgrp report of ",
		library->style, page_css);
	put_escaped(file, recording);
	fputs("</h1>\n<p id=\"note\">", file);
	put_escaped(file, note);
	fputs("</p>\n<p class=\"hint\">Drag to zoom, shift and drag to move, double-click for all. "
	      "--columns and --time of pmcgrp report give finer columns.</p>\n"
	      "<div id=\"plots\"></div>\n", file);
	ret = put_summary(file, summary, recording);
	fputs("<details><summary>Licence of dygraphs, which draws this page</summary><pre>", file);
	put_escaped(file, library->copyright);
	fputs("</pre></details>\n<script type=\"application/json\" id=\"data\">\n", file);
	ret |= put_data(file, picture);
	fprintf(file, "\n</script>\n<script>\n%s\n</script>\n<script>\n%s\n</script>\n"
		"<script>\n%s</script>\n</body>\n</html>\n",
		library->script, library->synchronizer, page_js);
	return ret;
}

int rep_html(const char *path, const struct rep_picture *picture,
	     const struct rep_summary *summary, const char *recording)
{
	struct library library = { 0 };
	FILE *file;
	int ret;

	if (!picture->nr_plots) {
		cli_say("--html: there is nothing to draw: not two samples with counts");
		return -1;
	}
	if (library_read(&library) < 0) {
		library_free(&library);
		return -1;
	}
	file = fopen(path, "we");
	ret = file ? put_page(file, &library, picture, summary, recording) : -errno;
	if (file && !ret && (fflush(file) || ferror(file)))
		ret = -errno;
	if (file)
		fclose(file);
	if (ret < 0)
		cli_say("%s: %s", path, strerror(-ret));
	library_free(&library);
	return ret ? -1 : 0;
}
