// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The grammar of -e: whatever is understood can be written down and read again. */
#include <errno.h>
#include <stdbool.h>

#include "event/event_list.h"
#include "fuzz.h"

/* The list in its own grammar, each group in braces. */
static char *write_down(const struct event_list *list)
{
	size_t i, size = 1, used = 0;
	char *text;

	for (i = 0; i < list->nr; i++)
		size += strlen(list->items[i].shown) + 4;
	text = malloc(size);
	must(text);
	text[0] = '\0';
	for (i = 0; i < list->nr; i++) {
		const struct event_item *item = &list->items[i];
		bool first = !i || item[-1].group != item->group;
		bool last = i + 1 == list->nr || item[1].group != item->group;

		used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", i ? "," : "",
					 first ? "{" : "", item->shown, last ? "}" : "");
		must(used < size);
	}
	return text;
}

static void check_items(const struct event_list *list, const char *text)
{
	size_t i, len = strlen(text);

	must(list->nr && list->nr_groups);
	for (i = 0; i < list->nr; i++) {
		const struct event_item *item = &list->items[i];

		must(*item->name && !strpbrk(item->name, ",{}/"));
		must(item->column + strlen(item->name) <= len);
		must(!strncmp(text + item->column, item->name, strlen(item->name)));
		must(!strncmp(item->shown, item->name, strlen(item->name)));
		must(item->modifiers < 2 * EVENT_PINNED);
		must(!i ? !item->group :
		     item->group == item[-1].group || item->group == item[-1].group + 1);
		must(!i || item->column > item[-1].column);
	}
	must(list->nr_groups == list->items[list->nr - 1].group + 1);
}

static void check_same(const struct event_list *a, const struct event_list *b)
{
	size_t i;

	must(a->nr == b->nr && a->nr_groups == b->nr_groups);
	for (i = 0; i < a->nr; i++) {
		must(!strcmp(a->items[i].name, b->items[i].name));
		must(!strcmp(a->items[i].shown, b->items[i].shown));
		must(a->items[i].modifiers == b->items[i].modifiers);
		must(a->items[i].group == b->items[i].group);
	}
}

static void check_error(const struct event_error *error, const char *text)
{
	must(error->column <= strlen(text));
	must(memchr(error->text, '\0', sizeof(error->text)) && error->text[0]);
}

/* Once more behind what is there: it adds itself, or nothing. */
static void check_appending(struct event_list *list, const char *text)
{
	struct event_error error = { .column = SIZE_MAX };
	size_t nr = list->nr;
	unsigned int groups = list->nr_groups;

	must(!event_list_parse(list, text, &error));
	must(list->nr == 2 * nr && list->nr_groups == 2 * groups);
	must(event_list_parse(list, "{a,b},c,", &error) == -EINVAL);
	must(list->nr == 2 * nr && list->nr_groups == 2 * groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_list list = { 0 }, again = { 0 };
	struct event_error error = { .column = SIZE_MAX };
	char *text = text_of(data, size), *written;

	if (event_list_parse(&list, text, &error)) {
		check_error(&error, text);
		must(!list.nr && !list.nr_groups);
	} else {
		check_items(&list, text);
		written = write_down(&list);
		must(!event_list_parse(&again, written, &error));
		check_same(&list, &again);
		check_appending(&list, text);
		free(written);
	}
	event_list_free(&again);
	event_list_free(&list);
	free(text);
	return 0;
}
