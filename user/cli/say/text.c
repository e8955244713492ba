// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>

#include "digits.h"
#include "name.h"
#include "text.h"

void text_init(struct text *text, FILE *file)
{
	text->file = file;
	text->gone = 0;
	text->len = 0;
}

void text_end(struct text *text)
{
	if (text->len)
		fwrite(text->buf, 1, text->len, text->file);
	text->gone += text->len;
	text->len = 0;
}

/* Room for @len bytes, no more than the buffer has in all. */
static char *room(struct text *text, size_t len)
{
	if (len > sizeof(text->buf) - text->len)
		text_end(text);
	return text->buf + text->len;
}

void text_bytes(struct text *text, const char *bytes, size_t len)
{
	while (len > sizeof(text->buf)) {
		memcpy(room(text, sizeof(text->buf)), bytes, sizeof(text->buf));
		text->len = sizeof(text->buf);
		bytes += sizeof(text->buf);
		len -= sizeof(text->buf);
	}
	memcpy(room(text, len), bytes, len);
	text->len += len;
}

/* Most are short: to find their length and to call memcpy() would take longer. */
void text_string(struct text *text, const char *string)
{
	char *at = text->buf + text->len, *end = text->buf + sizeof(text->buf);

	while (*string) {
		if (at == end) {
			text->len = sizeof(text->buf);
			text_end(text);
			at = text->buf;
		}
		*at++ = *string++;
	}
	text->len = (size_t)(at - text->buf);
}

void text_blanks(struct text *text, size_t until)
{
	static const char blanks[] = "                ";
	const size_t most = sizeof(blanks) - 1;
	size_t at;

	for (at = text_at(text); at + most < until; at += most)
		text_bytes(text, blanks, most);
	if (at < until)
		text_bytes(text, blanks, until - at);
}

void text_left(struct text *text, size_t width, const char *string)
{
	size_t columns = name_columns(string);

	text_string(text, string);
	if (columns < width)
		text_blanks(text, text_at(text) + width - columns);
}

void text_right(struct text *text, size_t width, const char *string)
{
	size_t columns = name_columns(string);

	if (columns < width)
		text_blanks(text, text_at(text) + width - columns);
	text_string(text, string);
}

void text_fixed(struct text *text, size_t width, double value, int decimals, bool commas)
{
	text->len += digits_right(room(text, DIGITS_RIGHT_SIZE), width, value, decimals, commas);
}

void text_whole(struct text *text, size_t width, uint64_t value)
{
	text->len += digits_whole(room(text, DIGITS_RIGHT_SIZE), width, value);
}
