// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page_chains.h"
#include "page_json.h"
#include "print.h"

#define NOT_YET UINT32_MAX
#define SMALL UINT32_MAX	/* as a node: what is merged below its parent */

/* A function in the page. */
struct shown {
	uint32_t depth;
	uint32_t node;		/* SMALL */
};

struct chains_page {
	const struct rep_chains *chains;
	const struct rep_summary *summary;
	uint32_t *events;	/* of the members, and REP_CHAIN_SAMPLES */
	size_t nr_events;
	uint64_t *totals;	/* of the nodes; also the counts of what is shown */
	bool *any;		/* has counted something */
	bool *large;		/* enough to be shown */
	uint32_t *to;		/* which function of the page has a node's counts */
	struct shown *shown;	/* room for all nodes */
	size_t nr;
	size_t merged;
};

/* ---- What is shown ---- */

static void weigh(struct chains_page *page, double small)
{
	size_t e, i;

	for (e = 0; e < page->nr_events; e++) {
		rep_chains_totals(page->chains, page->events[e], page->totals);
		for (i = 0; i < page->chains->nr; i++) {
			page->any[i] |= page->totals[i] > 0;
			page->large[i] |= page->totals[i] &&
					  (double)page->totals[i] >= small * (double)page->totals[0];
		}
	}
	page->large[0] = true;
}

/*
 * A caller is never smaller than what it calls, so of what is small all is. @small_of: for each node the
 * place of what is merged below it.
 */
static void choose(struct chains_page *page, uint32_t *small_of)
{
	const struct rep_chain_node *nodes = page->chains->nodes;
	size_t i, parent;

	for (i = 0; i < page->chains->nr; i++) {
		parent = nodes[i].parent;
		small_of[i] = NOT_YET;
		page->merged += page->any[i] && !page->large[i];
		if (page->large[i]) {
			page->shown[page->nr] = (struct shown){ nodes[i].depth, (uint32_t)i };
			page->to[i] = (uint32_t)page->nr++;
		} else if (!page->any[i] || !page->large[parent]) {
			page->to[i] = page->to[parent];
		} else {
			if (small_of[parent] == NOT_YET) {
				page->shown[page->nr] = (struct shown){ nodes[i].depth, SMALL };
				small_of[parent] = (uint32_t)page->nr++;
			}
			page->to[i] = small_of[parent];
		}
	}
}

/* ---- JSON ---- */

/* Each name once, in the order of the functions. @place: of each name of the tree, NOT_YET at first. */
static int put_names(FILE *file, const struct chains_page *page, uint32_t *place)
{
	const struct rep_chains *chains = page->chains;
	size_t i, name, nr = 1;
	uint32_t node;
	int ret = 0;

	fputs("\"names\":[\"[small]\"", file);
	for (i = 0; i < page->nr; i++) {
		if (page->shown[i].node == SMALL)
			continue;
		name = chains->nodes[page->shown[i].node].name;
		if (place[name] != NOT_YET)
			continue;
		place[name] = (uint32_t)nr++;
		fputs(",\n", file);
		ret |= rep_page_string(file, chains->names.rows[name]);
	}
	fputs("],\n\"name\":[", file);
	for (i = 0; i < page->nr; i++) {
		node = page->shown[i].node;
		fprintf(file, "%s%u", i ? "," : "",
			node == SMALL ? 0 : place[chains->nodes[node].name]);
	}
	return ret;
}

static void put_places(FILE *file, const struct chains_page *page)
{
	const struct rep_chain_node *nodes = page->chains->nodes;
	enum rep_chain_kind kind;
	size_t i;

	fputs("],\n\"depth\":[", file);
	for (i = 0; i < page->nr; i++)
		fprintf(file, "%s%u", i ? "," : "", page->shown[i].depth);
	fputs("],\n\"kind\":[", file);
	for (i = 0; i < page->nr; i++) {
		kind = REP_CHAIN_NAME;
		if (page->shown[i].node != SMALL)
			kind = nodes[page->shown[i].node].kind;
		fprintf(file, "%s%d", i ? "," : "", (int)kind);
	}
	fputs("],\n", file);
}

static int put_member(FILE *file, const struct chains_page *page, uint32_t event)
{
	const struct rep_event *of = NULL;
	bool clock = false;
	size_t i;
	int ret;

	if (event != REP_CHAIN_SAMPLES) {
		of = &page->summary->data->events[event];
		clock = rep_event_is_clock(of->attr);
	}
	memset(page->totals, 0, page->nr * sizeof(*page->totals));
	for (i = 0; i < page->chains->nr; i++)
		page->totals[page->to[i]] += rep_chain_self(page->chains, i, event);
	fputs("{\"name\":", file);
	ret = rep_page_string(file, of ? of->name : "samples");
	fprintf(file, ",\"clock\":%s,\"self\":[", clock ? "true" : "false");
	for (i = 0; i < page->nr; i++)
		fprintf(file, "%s%" PRIu64, i ? "," : "", page->totals[i]);
	fputs("]}", file);
	return ret;
}

/* Which of the page's members an event is. */
static size_t member_of(const struct chains_page *page, unsigned int event)
{
	size_t i = 0;

	while (page->events[i] != event)
		i++;
	return i;
}

static int put_ratios(FILE *file, const struct chains_page *page)
{
	const struct rep_ratios *list = page->summary->list;
	int ret = 0;
	size_t i;

	fputs("],\n\"ratios\":[", file);
	for (i = 0; i < list->nr; i++) {
		const struct rep_ratio *ratio = &list->rows[i];

		fprintf(file, "%s{\"name\":", i ? "," : "");
		ret |= rep_page_string(file, ratio->name);
		fputs(",\"unit\":", file);
		ret |= rep_page_string(file, ratio->unit);
		fprintf(file, ",\"event\":%zu,\"of\":%zu,\"scale\":%g}",
			member_of(page, ratio->event), member_of(page, ratio->of), ratio->scale);
	}
	return ret;
}

struct notes {
	FILE *file;
	unsigned int nr;
	int ret;
};

static void put_note(const char *sentence, void *arg)
{
	struct notes *notes = arg;

	if (notes->nr++)
		fputc(',', notes->file);
	notes->ret |= rep_page_string(notes->file, sentence);
}

static int put_all(FILE *file, const struct chains_page *page, uint32_t *place, double small)
{
	struct notes notes = { .file = file };
	size_t i;
	int ret;

	fputs("{", file);
	ret = put_names(file, page, place);
	put_places(file, page);
	fputs("\"members\":[", file);
	for (i = 0; i < page->nr_events; i++) {
		if (i)
			fputs(",\n", file);
		ret |= put_member(file, page, page->events[i]);
	}
	ret |= put_ratios(file, page);
	fprintf(file, "],\n\"small\":%g,\"merged\":%zu,\"notes\":[", small, page->merged);
	rep_objects_say(&page->summary->data->code, put_note, &notes);
	rep_chains_say(page->chains, put_note, &notes);
	fputs("]}\n", file);
	return ret || notes.ret ? -ENOMEM : 0;
}

/* ---- The whole ---- */

static void members_find(struct chains_page *page)
{
	const struct rep_data *data = page->summary->data;
	uint32_t i;

	for (i = 0; i < data->nr_events; i++) {
		if (data->events[i].member)
			page->events[page->nr_events++] = i;
	}
	page->events[page->nr_events++] = REP_CHAIN_SAMPLES;
}

int rep_page_chains(FILE *file, const struct rep_summary *summary, double small)
{
	const struct rep_chains *chains = &summary->data->chains;
	size_t nr = chains->nr, nr_more = nr > chains->names.nr ? nr : chains->names.nr;
	uint32_t *more = malloc(nr_more * sizeof(*more));
	struct chains_page page = {
		.chains = chains,
		.summary = summary,
		.events = calloc(summary->data->nr_events + 1U, sizeof(*page.events)),
		.totals = calloc(nr, sizeof(*page.totals)),
		.any = calloc(nr, sizeof(*page.any)),
		.large = calloc(nr, sizeof(*page.large)),
		.to = calloc(nr, sizeof(*page.to)),
		.shown = calloc(nr, sizeof(*page.shown)),
	};
	int ret = -ENOMEM;

	if (more && page.events && page.totals && page.any && page.large && page.to && page.shown) {
		members_find(&page);
		weigh(&page, small);
		choose(&page, more);
		memset(more, 0xff, nr_more * sizeof(*more));
		ret = put_all(file, &page, more, small);
	}
	free(more);
	free(page.events);
	free(page.totals);
	free(page.any);
	free(page.large);
	free(page.to);
	free(page.shown);
	return ret;
}
