// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>

#include <jansson.h>

#include "page_json.h"

void rep_page_tagless(FILE *file, const char *json)
{
	for (; *json; json++) {
		if (*json == '<')
			fputs("\\u003c", file);
		else
			fputc(*json, file);
	}
}

int rep_page_string(FILE *file, const char *text)
{
	json_t *string = json_string(text);
	char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	json_decref(string);
	if (!dumped)
		return -ENOMEM;
	rep_page_tagless(file, dumped);
	free(dumped);
	return 0;
}
