// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The grammar of event lists: what is understood can be written down and read again. */
#include <errno.h>
#include <stdbool.h>

#include "event/event_syntax.h"
#include "fuzz.h"

/* The list in its own grammar. */
static char *write_down(const struct event_syntax *list)
{
	size_t i, k, size = 1, used = 0;
	char *text;

	for (i = 0; i < list->nr; i++)
		size += strlen(list->nodes[i].shown) + 6;
	text = malloc(size);
	must(text);
	text[0] = '\0';
	for (i = 0; i < list->nr_groups; i++) {
		const struct event_node_group *group = &list->groups[i];

		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "",
					 group->braces ? "{" : "");
		for (k = 0; k < group->nr; k++)
			used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "," : "",
						 list->nodes[group->first + k].shown);
		used += (size_t)snprintf(text + used, size - used, "%s", group->braces ? "}" : "");
		must(used < size);
	}
	return text;
}

static void check_terms(const struct event_node *node, size_t len)
{
	size_t i;

	must(node->has_terms || !node->terms.nr);
	for (i = 0; i < node->terms.nr; i++) {
		const struct event_term *term = &node->terms.at[i];

		must(*term->name && term->column > node->column);
		must(term->value_column >= term->column && term->value_column < len);
		must(term->has_value || (!term->text && term->number == 1));
	}
}

static void check_nodes(const struct event_syntax *list, const char *text)
{
	size_t i, len = strlen(text);

	must(list->nr && list->nr_groups);
	for (i = 0; i < list->nr; i++) {
		const struct event_node *node = &list->nodes[i];

		must(*node->name && !strpbrk(node->name, ",{}/"));
		must(node->column + strlen(node->name) <= len);
		must(!strncmp(text + node->column, node->name, strlen(node->name)));
		must(!strncmp(node->shown, node->name, strlen(node->name)));
		must(node->modifiers.bits < 2 * EVENT_LATENCY && node->modifiers.precise <= 3);
		must(!i || node->column > node[-1].column);
		check_terms(node, len);
	}
}

static void check_groups(const struct event_syntax *list)
{
	size_t i, nr = 0;

	for (i = 0; i < list->nr_groups; i++) {
		must(list->groups[i].first == nr && list->groups[i].nr);
		must(list->groups[i].braces || list->groups[i].nr == 1);
		nr += list->groups[i].nr;
	}
	must(nr == list->nr);
}

static void check_same(const struct event_syntax *a, const struct event_syntax *b)
{
	/* What is said of a whole group is at its leader, and W is not shown. */
	const unsigned int of_group = EVENT_PINNED | EVENT_EXCLUSIVE | EVENT_WEAK;
	size_t i;

	must(a->nr == b->nr && a->nr_groups == b->nr_groups);
	for (i = 0; i < a->nr; i++) {
		must(!strcmp(a->nodes[i].name, b->nodes[i].name));
		must(!strcmp(a->nodes[i].shown, b->nodes[i].shown));
		must((a->nodes[i].modifiers.bits & ~of_group) ==
		     (b->nodes[i].modifiers.bits & ~of_group));
		must(a->nodes[i].modifiers.precise == b->nodes[i].modifiers.precise);
		must(a->nodes[i].terms.nr == b->nodes[i].terms.nr);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmcgrp_events_error error = { .column = SIZE_MAX };
	char *text = text_of(data, size), *written;
	struct event_syntax list, again;
	int ret = event_syntax_parse(&list, text, &error);

	if (ret) {
		must(ret == -EINVAL && !list.nr && !list.nr_groups);
		must(error.column <= strlen(text));
		must(memchr(error.text, '\0', sizeof(error.text)) && error.text[0]);
	} else {
		check_nodes(&list, text);
		check_groups(&list);
		written = write_down(&list);
		must(!event_syntax_parse(&again, written, &error));
		check_same(&list, &again);
		event_syntax_free(&again);
		free(written);
	}
	event_syntax_free(&list);
	free(text);
	return 0;
}
