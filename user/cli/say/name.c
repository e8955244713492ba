// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"

/* ---- Characters ---- */

/* How many bytes the first of them says that the character has, and the bits that it has of it. */
static size_t length_of(unsigned char first, uint32_t *code)
{
	if (first < 0x80) {
		*code = first;
		return 1;
	}
	if (first >= 0xf0) {
		*code = first & 7;
		return first < 0xf5 ? 4 : 0;
	}
	*code = first & (first >= 0xe0 ? 15 : 31);
	if (first >= 0xe0)
		return 3;
	return first >= 0xc2 ? 2 : 0;
}

/* RFC 3629: the shortest form, no surrogates, nothing above U+10FFFF. */
static bool is_character(uint32_t code, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[len] && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||	/* C0, DEL, C1 */
	       code == 0x2028 || code == 0x2029 ||		/* separators of lines */
	       code == 0x200e || code == 0x200f || code == 0x61c ||	/* directions */
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* The bytes of the character that is shown as it is; 0: the first byte is not. */
static size_t shown(const unsigned char *name, size_t left)
{
	uint32_t code;
	size_t i, len = length_of(name[0], &code);

	if (!len || len > left)
		return 0;
	for (i = 1; i < len; i++) {
		if ((name[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (name[i] & 0x3f);
	}
	return is_character(code, len) && !is_control(code) ? len : 0;
}

/* ---- Text ---- */

char *name_text(char *out, size_t size, const void *name, size_t len)
{
	const unsigned char *at = name, *end = at + strnlen(name, len);
	size_t used = 0, part;
	char hex[5];

	while (at < end) {
		part = shown(at, (size_t)(end - at));
		if (!part)
			snprintf(hex, sizeof(hex), "\\x%02x", *at);
		if (used + (part ? part : 4) >= size)
			break;
		memcpy(out + used, part ? (const char *)at : hex, part ? part : 4);
		used += part ? part : 4;
		at += part ? part : 1;
	}
	out[used] = '\0';
	return out;
}

char *name_dup(const void *name, size_t len)
{
	size_t size = NAME_SIZE(strnlen(name, len));
	char *out = malloc(size), *smaller;

	if (!out)
		return NULL;
	name_text(out, size, name, len);
	smaller = realloc(out, strlen(out) + 1);
	return smaller ? smaller : out;
}

/* ---- Columns ---- */

bool name_begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t name_columns(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += name_begins_character(*text);
	return nr;
}

size_t name_cut(const char *text, size_t columns)
{
	size_t i, nr = 0;

	for (i = 0; text[i]; i++) {
		if (name_begins_character(text[i]) && nr++ == columns)
			break;
	}
	return i;
}

void name_left(FILE *file, size_t width, const char *text)
{
	size_t columns = name_columns(text);

	fprintf(file, "%s%*s", text, columns < width ? (int)(width - columns) : 0, "");
}
