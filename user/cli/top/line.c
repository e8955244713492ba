// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "say/name.h"
#include "line.h"

void top_line_add(struct top_line *line, enum top_style style, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line->text + line->len, room, format, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len >= room)
		len = (int)room - 1;
	memset(line->style + line->len, style, (size_t)len);
	line->len += (size_t)len;
}

void top_line_name(struct top_line *line, enum top_style style, size_t width, const char *name)
{
	int len = (int)name_cut(name, width);

	top_line_add(line, style, "%.*s%*s", len, name,
		     (int)(width > name_columns(name) ? width - name_columns(name) : 0), "");
}

void top_line_fit(struct top_line *line, size_t width)
{
	line->len = name_cut(line->text, width);
	while (line->len && line->text[line->len - 1] == ' ')
		line->len--;
	line->text[line->len] = '\0';
}
