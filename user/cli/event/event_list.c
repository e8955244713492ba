// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The grammar of -e:
 *
 *	list      = item { "," item }
 *	item      = event | group
 *	group     = "{" event { "," event } "}" [ ":" modifiers ]
 *	event     = name [ ":" modifiers ]
 *	modifiers = one or more of u k h D, each once
 *
 * with blanks allowed around events and groups. A name may have colons of its
 * own (tracepoints, libpfm4's unit masks): only what follows the last one, and
 * only if all of it is modifiers, is taken for modifiers.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pmcgrp.h>

#include "event_list.h"

static const char modifier_letters[] = "ukhD";

struct parser {
	const char *start;	/* of the whole string */
	const char *at;
	struct event_list *list;
	struct event_error *error;
};

static int __attribute__((format(printf, 3, 4)))
fail(struct parser *p, const char *at, const char *format, ...)
{
	va_list args;

	p->error->column = (size_t)(at - p->start);
	va_start(args, format);
	vsnprintf(p->error->text, sizeof(p->error->text), format, args);
	va_end(args);
	return -EINVAL;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void skip_blanks(struct parser *p)
{
	while (blank(*p->at))
		p->at++;
}

/* The modifier's bit, or 0 for another character. */
static unsigned int modifier_bit(char c)
{
	const char *found = c ? strchr(modifier_letters, c) : NULL;

	return found ? 1U << (found - modifier_letters) : 0;
}

/* The length of the modifiers at @at, if they reach up to @end; else 0. */
static size_t modifiers_length(const char *at, const char *end)
{
	const char *c;

	for (c = at; c < end; c++) {
		if (!modifier_bit(*c))
			return 0;
	}
	return (size_t)(end - at);
}

static int modifiers_parse(struct parser *p, const char *at, size_t len, unsigned int *modifiers)
{
	unsigned int bit;
	size_t i;

	for (i = 0; i < len; i++) {
		bit = modifier_bit(at[i]);
		if (*modifiers & bit)
			return fail(p, at + i, "modifier '%c' is given twice", at[i]);
		*modifiers |= bit;
	}
	return 0;
}

/* Adds letters that the item lacks, behind those that it has. */
static int item_modify(struct event_item *item, unsigned int modifiers)
{
	unsigned int more = modifiers & ~item->modifiers, i;
	char letters[sizeof(modifier_letters)] = "";
	size_t nr = 0;
	char *shown;

	for (i = 0; modifier_letters[i]; i++) {
		if (more & (1U << i))
			letters[nr++] = modifier_letters[i];
	}
	if (!nr)
		return 0;
	if (asprintf(&shown, "%s%s%s", item->shown, item->modifiers ? "" : ":", letters) < 0)
		return -ENOMEM;
	free(item->shown);
	item->shown = shown;
	item->modifiers |= more;
	return 0;
}

static int item_append(struct parser *p, const char *name, size_t len, const char *end,
		       unsigned int modifiers)
{
	struct event_item *items, *item;

	items = reallocarray(p->list->items, p->list->nr + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	p->list->items = items;
	item = &items[p->list->nr];
	item->name = strndup(name, len);
	item->shown = strndup(name, (size_t)(end - name));
	item->modifiers = modifiers;
	item->group = p->list->nr_groups;
	item->column = (size_t)(name - p->start);
	if (!item->name || !item->shown) {
		free(item->name);
		free(item->shown);
		return -ENOMEM;
	}
	p->list->nr++;
	return 0;
}

static int event_parse(struct parser *p, bool leads)
{
	/* A name's characters end where the grammar's own begin. */
	const char *name = p->at, *end = name + strcspn(name, ",{}/"), *colon;
	unsigned int modifiers = 0;
	size_t len;
	int ret;

	if (*end == '/')
		return fail(p, end, "events of the form pmu/terms/ are not known to pmcgrp; "
			    "use a name, or rNNN for a raw code");
	if (*end == '{')
		return fail(p, end, "a brace opens a group at its beginning; is there a comma "
			    "missing?");
	while (end > name && blank(end[-1]))
		end--;
	if (end == name)
		return fail(p, end, "an event's name is missing here");
	len = (size_t)(end - name);
	colon = memrchr(name, ':', len);
	if (colon == end - 1)
		return fail(p, colon, "modifiers (u, k, h, D) are missing after this colon");
	if (colon == name)
		return fail(p, name, "an event's name is missing before this colon");
	if (colon && colon[-1] != ':' && modifiers_length(colon + 1, end)) {
		ret = modifiers_parse(p, colon + 1, (size_t)(end - colon - 1), &modifiers);
		if (ret < 0)
			return ret;
		len = (size_t)(colon - name);
	}
	if ((modifiers & EVENT_PINNED) && !leads)
		return fail(p, strchr(colon, 'D'),
			    "D pins the whole group: write it after the closing brace");
	p->at = end;
	skip_blanks(p);
	return item_append(p, name, len, end, modifiers);
}

static int group_modify(struct parser *p, size_t first)
{
	const char *at = p->at + 1, *end = at + strcspn(at, ",{} \t\n");
	unsigned int modifiers = 0;
	size_t i;
	int ret;

	if (end == at)
		return fail(p, p->at, "modifiers (u, k, h, D) are missing after this colon");
	for (p->at = at; p->at < end; p->at++) {
		if (!modifier_bit(*p->at))
			return fail(p, p->at, "a group's modifiers are u, k, h and D, not '%c'",
				    *p->at);
	}
	ret = modifiers_parse(p, at, (size_t)(end - at), &modifiers);
	for (i = first; i < p->list->nr && !ret; i++)
		/* One mark is enough to pin a group; the leader has it. */
		ret = item_modify(&p->list->items[i],
				  i == first ? modifiers : modifiers & ~EVENT_PINNED);
	return ret;
}

static int group_parse(struct parser *p)
{
	const char *brace = p->at++;
	size_t first = p->list->nr;
	int ret;

	do {
		skip_blanks(p);
		if (*p->at == '{')
			return fail(p, p->at, "a group cannot be within a group");
		if (!*p->at)
			return fail(p, brace, "this brace is not closed");
		if (p->list->nr - first == PMCGRP_MEMBERS_MAX)
			return fail(p, p->at, "a group has at most %d events", PMCGRP_MEMBERS_MAX);
		ret = event_parse(p, p->list->nr == first);
		if (ret < 0)
			return ret;
	} while (*p->at == ',' && p->at++);
	if (!*p->at)
		return fail(p, brace, "this brace is not closed");
	p->at++;
	if (*p->at == ':') {
		ret = group_modify(p, first);
		if (ret < 0)
			return ret;
	}
	skip_blanks(p);
	return 0;
}

static int list_parse(struct parser *p)
{
	int ret;

	do {
		skip_blanks(p);
		ret = *p->at == '{' ? group_parse(p) : event_parse(p, true);
		if (ret < 0)
			return ret;
		p->list->nr_groups++;
	} while (*p->at == ',' && p->at++);
	if (*p->at == '}')
		return fail(p, p->at, "there is no group to close here");
	if (*p->at)
		return fail(p, p->at, "a comma is missing here");
	return 0;
}

static void items_free(struct event_list *list, size_t from)
{
	while (list->nr > from) {
		list->nr--;
		free(list->items[list->nr].name);
		free(list->items[list->nr].shown);
	}
}

int event_list_parse(struct event_list *list, const char *string, struct event_error *error)
{
	struct parser p = { .start = string, .at = string, .list = list, .error = error };
	unsigned int groups = list->nr_groups;
	size_t nr = list->nr;
	int ret;

	ret = list_parse(&p);
	if (ret < 0) {
		items_free(list, nr);
		list->nr_groups = groups;
	}
	return ret;
}

void event_list_free(struct event_list *list)
{
	items_free(list, 0);
	free(list->items);
	memset(list, 0, sizeof(*list));
}
