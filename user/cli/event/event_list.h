/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The grammar of -e: which events, in which groups, with which modifiers. */
#ifndef EVENT_LIST_H
#define EVENT_LIST_H

#include <stddef.h>

enum event_modifier {
	EVENT_USER	= 1 << 0,	/* u: count user mode */
	EVENT_KERNEL	= 1 << 1,	/* k: count kernel mode */
	EVENT_HV	= 1 << 2,	/* h: count the hypervisor */
	EVENT_PINNED	= 1 << 3,	/* D: the group must always be on the PMU */
};

struct event_item {
	char *name;		/* without modifiers */
	char *shown;		/* with them */
	unsigned int modifiers;	/* enum event_modifier */
	unsigned int group;	/* index of its group in the list */
	size_t column;		/* where the name starts, from 0 */
};

struct event_list {
	struct event_item *items;	/* groups lie together, in order */
	size_t nr;
	unsigned int nr_groups;
};

struct event_error {
	size_t column;		/* of the character to blame, from 0 */
	char text[200];
};

/*
 * event_list_parse - append what the string names to the list
 *
 * A pure function of the string: names are not looked up. Returns 0, or a
 * negative errno: -EINVAL with @error filled in, or -ENOMEM; the list is then as
 * it was before.
 */
int event_list_parse(struct event_list *list, const char *string, struct event_error *error);

void event_list_free(struct event_list *list);

#endif
