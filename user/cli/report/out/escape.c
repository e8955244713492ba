// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "escape.h"

void rep_put_escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			fputc(*text, file);
		}
	}
}
