// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A flame graph of each member as one SVG: a rectangle for each function, as wide as what it and its
 * callees have counted, below its caller. What a rectangle is says its title, which viewers show at
 * the pointer.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "say/digits.h"
#include "say/name.h"
#include "draw.h"
#include "escape.h"
#include "print.h"
#include "svg_colors.h"

#define WIDTH 1200.0
#define EDGE 10.0
#define ROW 18.0
#define HEAD 34.0	/* a graph's title */
#define LEAST 0.3	/* what is narrower is not drawn */
#define CHARACTER 7.3	/* of the font, at most */
#define INDENT 3.0	/* of a name in its rectangle */

static const char style[] =
	"text { font: 12px monospace; fill: #14181f }\n"
	"rect { stroke: #fff; stroke-width: .5 } .back { fill: #fff; stroke: none }\n"
	".head { font: bold 15px sans-serif } .note { font: 12px sans-serif }\n"
	".thread { fill: #8a93a1 } .user { fill: #d07f2a } .kernel { fill: #5092d1 }\n"
	/* Names in rectangles stay dark on their colours. */
	REP_SVG_DARK " :root { background: #171a20 } rect { stroke: #171a20 } .back { fill: #171a20 }\n"
	".head, .note { fill: #e8ebf0 } " REP_SVG_DARK_END "\n";

/* A graph: of one member. */
struct flame {
	const struct rep_chains *chains;
	uint64_t *totals;
	double *x;		/* where the next callee of a node begins */
	double y;		/* of the root */
	uint32_t deepest;	/* that is drawn */
	bool narrow;		/* something is not drawn */
};

static double width_of(const struct flame *flame, size_t node)
{
	return WIDTH * (double)flame->totals[node] / (double)flame->totals[0];
}

/* The node behind a node's last callee. */
static size_t behind(const struct rep_chains *chains, size_t node)
{
	size_t at = node + 1;

	while (at < chains->nr && chains->nodes[at].depth > chains->nodes[node].depth)
		at++;
	return at;
}

/* Room for a few characters is no room for a name. */
static void put_label(FILE *file, const char *name, double x, double y, double width)
{
	double room_for = (width - 2.0 * INDENT) / CHARACTER;
	size_t room = room_for < 3.0 ? 0 : (size_t)room_for, len = name_columns(name);
	char *text;

	if (!room)
		return;
	text = strndup(name, name_cut(name, len > room ? room - 2 : room));
	if (!text)
		return;
	fprintf(file, "<text x=\"%.2f\" y=\"%.2f\">", x + INDENT, y + 13.0);
	rep_put_escaped(file, text);
	fprintf(file, "%s</text>", len > room ? ".." : "");
	free(text);
}

static void put_node(FILE *file, const struct flame *flame, size_t node, double x, double width)
{
	static const char * const kinds[] = { "thread", "user", "kernel" };
	const struct rep_chain_node *of = &flame->chains->nodes[node];
	const char *name = rep_chain_name(flame->chains, node);
	double y = flame->y + ROW * of->depth;
	char digits[32], grouped[48];

	snprintf(digits, sizeof(digits), "%" PRIu64, flame->totals[node]);
	digits_group(grouped, digits);
	fprintf(file, "<g><title>");
	rep_put_escaped(file, name);
	fprintf(file, "%s: %s, %.2f%%</title><rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
		"height=\"%.0f\"/>", of->kind == REP_CHAIN_KERNEL ? " (kernel)" : "", grouped,
		100.0 * (double)flame->totals[node] / (double)flame->totals[0],
		kinds[of->kind], x, y, width, ROW - 1.0);
	put_label(file, name, x, y, width);
	fputs("</g>\n", file);
}

static void put_nodes(FILE *file, struct flame *flame)
{
	const struct rep_chain_node *nodes = flame->chains->nodes;
	double x, width;
	size_t i;

	for (i = 0; i < flame->chains->nr;) {
		width = width_of(flame, i);
		x = i ? flame->x[nodes[i].parent] : EDGE;
		flame->x[nodes[i].parent] = x + width;
		flame->x[i] = x;
		if (width < LEAST) {
			flame->narrow |= flame->totals[i] > 0;
			i = behind(flame->chains, i);
			continue;
		}
		if (nodes[i].depth > flame->deepest)
			flame->deepest = nodes[i].depth;
		put_node(file, flame, i, x, width);
		i++;
	}
}

static void put_text(FILE *file, const char *class, double y, const char *text)
{
	fprintf(file, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">", class, EDGE, y);
	rep_put_escaped(file, text);
	fputs("</text>\n", file);
}

static void put_graph(FILE *file, struct flame *flame, const struct rep_data *data, uint32_t event,
		      double *y)
{
	const char *name = event == REP_CHAIN_SAMPLES ? "samples" : data->events[event].name;

	rep_chains_totals(flame->chains, event, flame->totals);
	put_text(file, "head", *y + 22.0, name);
	*y += HEAD;
	flame->y = *y;
	flame->deepest = 0;
	if (flame->totals[0])
		put_nodes(file, flame);
	else
		put_text(file, "note", *y + 12.0, "nothing was counted");
	*y += ROW * (flame->deepest + 1);
}

static void put_all(FILE *file, struct flame *flame, const struct rep_data *data, double *y)
{
	unsigned int i, nr = 0;

	for (i = 0; i < data->nr_events; i++) {
		if (!data->events[i].member)
			continue;
		put_graph(file, flame, data, i, y);
		nr++;
	}
	if (!nr)
		put_graph(file, flame, data, REP_CHAIN_SAMPLES, y);
}

struct notes {
	FILE *file;
	double *y;
};

static void put_note(const char *sentence, void *arg)
{
	const struct notes *notes = arg;

	*notes->y += ROW;
	put_text(notes->file, "note", *notes->y, sentence);
}

/* All graphs, and what is to be said of them; @y: where they end. */
static int put_body(FILE *file, const struct rep_data *data, double *y)
{
	struct flame flame = { .chains = &data->chains };
	struct notes notes = { file, y };
	int ret = -ENOMEM;

	flame.totals = calloc(data->chains.nr, sizeof(*flame.totals));
	flame.x = calloc(data->chains.nr, sizeof(*flame.x));
	if (flame.totals && flame.x) {
		put_all(file, &flame, data, y);
		put_note("Grey: threads; orange: user space; blue: the kernel. Callees are below their "
			 "callers.", &notes);
		if (flame.narrow)
			put_note("What is narrower than 0.025 % is not drawn.", &notes);
		rep_objects_say(&data->code, put_note, &notes);
		rep_chains_say(&data->chains, put_note, &notes);
		ret = 0;
	}
	free(flame.totals);
	free(flame.x);
	return ret;
}

static int put_file(FILE *file, const struct rep_data *data, const char *recording)
{
	char *body = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&body, &size);
	double y = 40.0;
	int ret = memory ? put_body(memory, data, &y) : -ENOMEM;

	/* Its height comes first. */
	if (memory && fclose(memory))
		ret = -ENOMEM;
	if (ret < 0) {
		free(body);
		return ret;
	}
	fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\">\n"
		"<style>%s</style>\n<rect class=\"back\" width=\"100%%\" height=\"100%%\"/>\n",
		WIDTH + 2.0 * EDGE, y + ROW, style);
	put_text(file, "head", 26.0, recording);
	fputs(body, file);
	fputs("</svg>\n", file);
	free(body);
	return 0;
}

int rep_flame(const char *path, const struct rep_data *data, const char *recording)
{
	FILE *file = fopen(path, "we");
	int ret = file ? put_file(file, data, recording) : -errno;

	if (file && !ret && (fflush(file) || ferror(file)))
		ret = -errno;
	if (file)
		fclose(file);
	if (ret < 0)
		cli_say("%s: %s", path, strerror(-ret));
	return ret ? -1 : 0;
}
