// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which part of the rows is on the screen. */
#include <errno.h>
#include <stdlib.h>

#include "top_screen.h"

size_t top_screen_offset(size_t nr, size_t wanted, size_t room)
{
	size_t last = nr > room ? nr - room : 0;

	return wanted < last ? wanted : last;
}

int top_screen_rows(struct top_screen *screen, const struct top_content *content, size_t all)
{
	size_t room = content->room ? content->room : all;

	screen->all = all;
	screen->first = top_screen_offset(all, content->view->offset, room);
	screen->nr = all - screen->first < room ? all - screen->first : room;
	screen->rows = calloc(screen->nr + 1, sizeof(*screen->rows));
	return screen->rows ? 0 : -ENOMEM;
}
