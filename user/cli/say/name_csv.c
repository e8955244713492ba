// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Names in a field of CSV; apart from name.c, as struct text counts columns by that. */
#include <stdbool.h>
#include <string.h>

#include "name.h"
#include "name_csv.h"

void name_csv_text(struct text *text, const char *name, const char *separator)
{
	if (!strchr(name, '"') && !(*separator && strstr(name, separator))) {
		text_string(text, name);
		return;
	}
	text_char(text, '"');
	for (; *name; name++) {
		if (*name == '"')
			text_char(text, '"');
		text_char(text, *name);
	}
	text_char(text, '"');
}

void name_csv(FILE *file, const char *name, const char *separator)
{
	struct text text;

	text_init(&text, file);
	name_csv_text(&text, name, separator);
	text_end(&text);
}

void name_field(struct text *text, const char *name, const char *separator)
{
	bool quoted = strchr(name, '"');

	if (quoted)
		text_char(text, '"');
	for (; *name; name++) {
		if (*name == '"')
			text_char(text, '"');
		text_char(text, *separator && *name == *separator ? '.' : *name);
	}
	if (quoted)
		text_char(text, '"');
}
