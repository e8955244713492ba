// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "refused.h"

struct option *refused_join(const struct refused *refused, const struct option *own)
{
	struct option *all;
	unsigned int i, nr;

	for (nr = 0; own[nr].name; nr++)
		;
	all = calloc(nr + refused->nr + 1, sizeof(*all));
	if (!all)
		return NULL;
	memcpy(all, own, nr * sizeof(*all));
	for (i = 0; i < refused->nr; i++) {
		const struct refused_option *r = &refused->options[i];

		all[nr + i] = (struct option){ r->name, r->has_arg, NULL, REFUSED_FIRST + (int)i };
	}
	return all;
}

int refused_say(const struct refused *refused, int option)
{
	unsigned int i;

	for (i = 0; i < refused->nr; i++) {
		const struct refused_option *r = &refused->options[i];

		if (option != REFUSED_FIRST + (int)i && (!option || option != r->letter))
			continue;
		cli_say("--%s %s; instead: %s", r->name, r->why, r->instead);
		return -EXIT_TOOL;
	}
	return 0;
}
