// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "grow.h"

bool rep_grow(void *array, size_t *room, size_t nr, size_t size)
{
	void *old, *larger;
	size_t more = *room ? 2 * *room : 16;

	if (nr < *room)
		return true;
	memcpy(&old, array, sizeof(old));
	larger = reallocarray(old, more, size);
	if (!larger)
		return false;
	memcpy(array, &larger, sizeof(larger));
	*room = more;
	return true;
}
