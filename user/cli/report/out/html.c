// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The picture as one HTML page that needs nothing else: the plotting library (dygraphs) is
 * in it, with its licence. What comes from the recording goes into it as JSON or escaped
 * text, and the page may fetch nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "draw.h"
#include "escape.h"
#include "lanes.h"
#include "page_chains.h"
#include "page_data.h"
#include "print.h"
#include "share.h"

/* Made by the Makefile from the files in page/. */
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
	char *style;
	char *copyright;
};

static int library_read(struct library *library)
{
	library->script = rep_share_read("dygraph.min.js");
	library->style = rep_share_read("dygraph.min.css");
	library->copyright = rep_share_read("copyright");
	if (!library->script || !library->style || !library->copyright) {
		cli_say("--html needs the plotting library dygraphs, which is not installed: Debian has "
			"it as libjs-dygraphs");
		return -1;
	}
	/* What ends a script or a style early would make the rest of it text. */
	if (strstr(library->script, "</script") || strstr(library->style, "</style")) {
		cli_say("--html: this version of dygraphs cannot be put into a page");
		return -1;
	}
	return 0;
}

static void library_free(struct library *library)
{
	free(library->script);
	free(library->style);
	free(library->copyright);
}

/* ---- What is drawn ---- */

struct page {
	const struct rep_picture *picture;
	const struct rep_summary *summary;
	const char *recording;
	struct rep_picture heat;
	struct rep_lanes lanes;
};

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
	rep_put_escaped(file, text);
	fputs("</pre>\n", file);
	free(text);
	return 0;
}

static int put_page(FILE *file, const struct library *library, const struct page *page)
{
	char note[400];
	int ret;

	rep_picture_note(page->picture, note, sizeof(note));
	fprintf(file, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<title>", policy);
	rep_put_escaped(file, page->recording);
	fprintf(file, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n<header>\n<h1>",
		library->style, page_css);
	rep_put_escaped(file, page->recording);
	fputs("</h1>\n<p id=\"facts\"></p>\n<p id=\"note\">", file);
	rep_put_escaped(file, note);
	fputs("</p>\n</header>\n<div id=\"tools\"></div>\n<main>\n<div id=\"plots\"></div>\n"
	      "<div id=\"chains\"></div>\n<div id=\"tables\"></div>\n<details><summary>The summary as text</summary>\n", file);
	ret = put_summary(file, page->summary, page->recording);
	fputs("</details>\n<details><summary>Licence of dygraphs, which draws the plots</summary><pre>",
	      file);
	rep_put_escaped(file, library->copyright);
	fputs("</pre></details>\n</main>\n<script type=\"application/json\" id=\"data\">\n", file);
	ret |= rep_page_data(file, page->picture, &page->heat, &page->lanes);
	fputs("</script>\n<script type=\"application/json\" id=\"summary\">\n", file);
	ret |= rep_page_summary(file, page->summary, page->recording);
	if (page->summary->data->filter.chains) {
		fputs("</script>\n<script type=\"application/json\" id=\"stacks\">\n", file);
		ret |= rep_page_chains(file, page->summary, REP_PAGE_SMALL);
	}
	fprintf(file, "</script>\n<script>\n%s\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
		library->script, page_js);
	return ret ? -ENOMEM : 0;
}

static int write_page(const char *path, const struct page *page)
{
	struct library library = { 0 };
	FILE *file;
	int ret;

	if (library_read(&library) < 0) {
		library_free(&library);
		return -1;
	}
	file = fopen(path, "we");
	ret = file ? put_page(file, &library, page) : -errno;
	if (file && !ret && (fflush(file) || ferror(file)))
		ret = -errno;
	if (file)
		fclose(file);
	if (ret < 0)
		cli_say("%s: %s", path, strerror(-ret));
	library_free(&library);
	return ret ? -1 : 0;
}

int rep_html(const char *path, const struct rep_picture *picture,
	     const struct rep_summary *summary, const char *recording)
{
	struct page page = { .picture = picture, .summary = summary, .recording = recording };
	int ret;

	if (!picture->nr_plots) {
		cli_say("--html: there is nothing to draw: not two samples with counts");
		return -1;
	}
	ret = rep_heat_take(&page.heat, summary->data, summary->list);
	if (!ret)
		ret = rep_lanes_take(&page.lanes, picture, summary->data);
	if (ret < 0)
		cli_say("cannot draw: %s", strerror(-ret));
	else
		ret = write_page(path, &page);
	rep_lanes_free(&page.lanes);
	rep_picture_free(&page.heat);
	return ret ? -1 : 0;
}
