// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Lists of names in a buffer. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "append.h"

#define MORE "..."

void append(char *text, size_t size, const char *between, const char *format, ...)
{
	size_t len = strlen(text), before = len ? strlen(between) : 0;
	char item[512];
	va_list args;

	va_start(args, format);
	vsnprintf(item, sizeof(item), format, args);
	va_end(args);
	/* Room for the mark stays until the end. */
	if (len + before + strlen(item) + sizeof(MORE) <= size) {
		memcpy(text + len, between, before);
		strcpy(text + len + before, item);
	} else if (len + sizeof(MORE) <= size &&
		   (len < strlen(MORE) || strcmp(text + len - strlen(MORE), MORE))) {
		strcpy(text + len, MORE);
	}
}
