// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The grammar of event lists, perf's:
 *
 *	list      = item { "," item }
 *	item      = event | group
 *	group     = [ name ] "{" event { "," event } "}" [ ":" modifiers ]
 *	event     = name [ ":" modifiers ]
 *	          | name "/" [ terms ] "/" [ [ ":" ] modifiers ]
 *
 * Blanks are allowed around events and groups.  A name may have colons of its own: tracepoints,
 * TYPE:CONFIG, libpfm4's unit masks.  What follows the last one, and is letters of modifiers only,
 * is modifiers.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pmcgrp.h>

#include "event_syntax.h"

#define PRECISE_MAX 3

struct parser {
	const char *start;	/* of the whole text */
	const char *at;
	struct event_syntax *out;
	struct pmcgrp_events_error *error;
};

#define FAIL(p, where, ...) event_fail((p)->error, (size_t)((where) - (p)->start), __VA_ARGS__)

static bool blank(char c)
{
	return isspace((unsigned char)c);
}

static void skip_blanks(struct parser *p)
{
	while (blank(*p->at))
		p->at++;
}

/* The bit of a modifier; 0 for p and for what is none. */
static unsigned int modifier_bit(char c)
{
	const char *found = c ? strchr(EVENT_LETTERS, c) : NULL;

	return found ? 1U << (found - EVENT_LETTERS) : 0;
}

/* Whether all of the text up to @end is letters of modifiers. */
static bool are_modifiers(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at != 'p' && !modifier_bit(*at))
			return false;
	}
	return true;
}

static int modifiers_parse(struct parser *p, const char *at, const char *end,
			   struct event_modifiers *modifiers)
{
	unsigned int bit;

	modifiers->column = (size_t)(at - p->start);
	for (; at < end; at++) {
		bit = modifier_bit(*at);
		if (modifiers->bits & bit)
			return FAIL(p, at, "modifier '%c' is given twice", *at);
		if (*at == 'p' && ++modifiers->precise > PRECISE_MAX)
			return FAIL(p, at, "modifier 'p' is given at most %d times", PRECISE_MAX);
		if (*at != 'p' && !bit)
			return FAIL(p, at, "'%c' is no modifier: these are p and " EVENT_LETTERS,
				    *at);
		modifiers->bits |= bit;
	}
	return 0;
}

static struct event_node *node_append(struct parser *p)
{
	struct event_node *nodes;

	nodes = reallocarray(p->out->nodes, p->out->nr + 1, sizeof(*nodes));
	if (!nodes)
		return NULL;
	p->out->nodes = nodes;
	nodes[p->out->nr] = (struct event_node){ 0 };
	return &nodes[p->out->nr++];
}

/* An event without terms, up to @end. */
static int plain_parse(struct parser *p, struct event_node *node, const char *end)
{
	const char *name = p->at, *colon = memrchr(name, ':', (size_t)(end - name));
	size_t len = (size_t)(end - name);
	int ret = 0;

	if (colon == end - 1)
		return FAIL(p, colon, "modifiers, such as u or k, are missing after this colon");
	if (colon == name)
		return FAIL(p, name, "an event's name is missing before this colon");
	if (colon && colon[-1] != ':' && are_modifiers(colon + 1, end)) {
		ret = modifiers_parse(p, colon + 1, end, &node->modifiers);
		len = (size_t)(colon - name);
	}
	if (ret < 0)
		return ret;
	node->name = strndup(name, len);
	return node->name ? 0 : -ENOMEM;
}

/* An event with terms: @slash is the first one.  Leaves in @end where it ends. */
static int with_terms_parse(struct parser *p, struct event_node *node, const char *slash,
			    const char **end)
{
	const char *close = strchr(slash + 1, '/'), *at;
	int ret = 0;

	if (slash == p->at)
		return FAIL(p, slash, "the name of a PMU or an event is missing before this slash");
	if (!close)
		return FAIL(p, slash, "this slash is not closed");
	node->name = strndup(p->at, (size_t)(slash - p->at));
	node->has_terms = true;
	if (!node->name)
		return -ENOMEM;
	if (close > slash + 1)
		ret = event_terms_parse(&node->terms, slash + 1, close,
					(size_t)(slash + 1 - p->start), p->error);
	if (ret < 0)
		return ret;
	at = close + 1;
	if (*at == ':')
		at++;
	*end = at + strcspn(at, ",{}/ \t\n");
	if (*end == at && close[1] == ':')
		return FAIL(p, close + 1,
			    "modifiers, such as u or k, are missing after this colon");
	return modifiers_parse(p, at, *end, &node->modifiers);
}

static int event_parse(struct parser *p)
{
	const char *name = p->at, *end = name + strcspn(name, ",{}/");
	struct event_node *node;
	bool slash = *end == '/';
	int ret;

	if (*end == '{')
		return FAIL(p, end, "a brace opens a group at its beginning; is there a comma "
			    "missing?");
	while (!slash && end > name && blank(end[-1]))
		end--;
	if (end == name && !slash)
		return FAIL(p, end, "an event's name is missing here");
	node = node_append(p);
	if (!node)
		return -ENOMEM;
	node->column = (size_t)(name - p->start);
	ret = slash ? with_terms_parse(p, node, end, &end) : plain_parse(p, node, end);
	if (ret < 0)
		return ret;
	if (node->modifiers.bits & EVENT_WEAK)
		return FAIL(p, p->start + node->modifiers.column,
			    "W breaks up a group: write it after the closing brace");
	node->shown = strndup(name, (size_t)(end - name));
	if (!node->shown)
		return -ENOMEM;
	p->at = end;
	skip_blanks(p);
	return 0;
}

/* Show the modifiers of the group that the event lacks, behind those that it has. */
static int show_modifiers(struct event_node *node, const struct event_modifiers *group,
			  unsigned int hidden)
{
	unsigned int more = group->bits & ~node->modifiers.bits & ~hidden, i, nr = 0;
	char letters[sizeof(EVENT_LETTERS) + PRECISE_MAX] = "";
	bool has = node->modifiers.bits || node->modifiers.precise;
	char *shown;

	for (i = 0; EVENT_LETTERS[i]; i++) {
		if (more & (1U << i))
			letters[nr++] = EVENT_LETTERS[i];
	}
	for (i = 0; i < group->precise; i++)
		letters[nr++] = 'p';
	if (!nr)
		return 0;
	if (asprintf(&shown, "%s%s%s", node->shown, has || node->has_terms ? "" : ":", letters) < 0)
		return -ENOMEM;
	free(node->shown);
	node->shown = shown;
	return 0;
}

static int group_modify(struct parser *p, struct event_node_group *group)
{
	const char *at = p->at + 1, *end = at + strcspn(at, ",{} \t\n");
	struct event_node *node;
	size_t i;
	int ret;

	if (end == at)
		return FAIL(p, p->at, "modifiers, such as u or k, are missing after this colon");
	ret = modifiers_parse(p, at, end, &group->modifiers);
	for (i = 0; i < group->nr && !ret; i++) {
		node = &p->out->nodes[group->first + i];
		/* What is said of the whole group is shown once, at its leader. */
		ret = show_modifiers(node, &group->modifiers,
				     i ? EVENT_WEAK | EVENT_PINNED | EVENT_EXCLUSIVE : EVENT_WEAK);
		if (node->modifiers.precise + group->modifiers.precise > PRECISE_MAX)
			return FAIL(p, at, "modifier 'p' is given more than %d times for '%.32s'",
				    PRECISE_MAX, node->name);
		node->modifiers.bits |= group->modifiers.bits;
		node->modifiers.precise += group->modifiers.precise;
	}
	p->at = end;
	return ret;
}

/* What is said of the whole group is not said at one of its events. */
static int check_follower(struct parser *p)
{
	const struct event_modifiers *modifiers = &p->out->nodes[p->out->nr - 1].modifiers;

	if (!(modifiers->bits & (EVENT_PINNED | EVENT_EXCLUSIVE)))
		return 0;
	return FAIL(p, p->start + modifiers->column + strcspn(p->start + modifiers->column, "De"),
		    "D and e concern the whole group: write them after the closing brace");
}

/* @brace: where the group opens; a name may stand before it. */
static int braces_parse(struct parser *p, struct event_node_group *group, const char *brace)
{
	int ret;

	group->braces = true;
	if (brace > p->at) {
		group->name = strndup(p->at, (size_t)(brace - p->at));
		if (!group->name)
			return -ENOMEM;
	}
	p->at = brace + 1;
	do {
		skip_blanks(p);
		if (*p->at == '{')
			return FAIL(p, p->at, "a group cannot be within a group");
		if (!*p->at)
			return FAIL(p, brace, "this brace is not closed");
		if (group->nr == PMCGRP_MEMBERS_MAX)
			return FAIL(p, p->at, "a group has at most %d events", PMCGRP_MEMBERS_MAX);
		ret = event_parse(p);
		if (!ret && group->nr)
			ret = check_follower(p);
		if (ret < 0)
			return ret;
		group->nr++;
	} while (*p->at == ',' && p->at++);
	if (!*p->at)
		return FAIL(p, brace, "this brace is not closed");
	if (*p->at != '}')
		return FAIL(p, p->at, "a comma is missing here");
	p->at++;
	if (*p->at == ':') {
		ret = group_modify(p, group);
		if (ret < 0)
			return ret;
	}
	skip_blanks(p);
	return 0;
}

static struct event_node_group *group_append(struct parser *p)
{
	struct event_node_group *groups;

	groups = reallocarray(p->out->groups, p->out->nr_groups + 1, sizeof(*groups));
	if (!groups)
		return NULL;
	p->out->groups = groups;
	groups[p->out->nr_groups] = (struct event_node_group){ .first = p->out->nr };
	return &groups[p->out->nr_groups++];
}

/* The brace behind a group's name, if that is what comes. */
static const char *brace_at(const char *at)
{
	while (isalnum((unsigned char)*at) || *at == '_' || *at == '-' || *at == '.')
		at++;
	return *at == '{' ? at : NULL;
}

static int list_parse(struct parser *p)
{
	struct event_node_group *group;
	const char *brace;
	int ret;

	do {
		skip_blanks(p);
		brace = brace_at(p->at);
		group = group_append(p);
		if (!group)
			return -ENOMEM;
		if (brace) {
			ret = braces_parse(p, group, brace);
		} else {
			ret = event_parse(p);
			group->nr = 1;
		}
		if (ret < 0)
			return ret;
	} while (*p->at == ',' && p->at++);
	if (*p->at == '}')
		return FAIL(p, p->at, "there is no group to close here");
	if (*p->at)
		return FAIL(p, p->at, "a comma is missing here");
	return 0;
}

int event_syntax_parse(struct event_syntax *syntax, const char *text,
		       struct pmcgrp_events_error *error)
{
	struct parser p = { .start = text, .at = text, .out = syntax, .error = error };
	int ret;

	*syntax = (struct event_syntax){ 0 };
	ret = list_parse(&p);
	if (ret < 0)
		event_syntax_free(syntax);
	return ret;
}

void event_syntax_free(struct event_syntax *syntax)
{
	while (syntax->nr) {
		struct event_node *node = &syntax->nodes[--syntax->nr];

		free(node->name);
		free(node->shown);
		event_terms_free(&node->terms);
	}
	while (syntax->nr_groups)
		free(syntax->groups[--syntax->nr_groups].name);
	free(syntax->nodes);
	free(syntax->groups);
	*syntax = (struct event_syntax){ 0 };
}
