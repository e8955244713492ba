// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where in its file a key is: what reads JSON does not keep that. */
#include <ctype.h>
#include <stdlib.h>

#include "model.h"

/* How many keys of this name there are up to the object's own, in the order of the file. */
static bool count_key(const json_t *at, const json_t *object, const char *key, unsigned int *nr)
{
	const char *name;
	json_t *value;
	size_t i;

	json_object_foreach((json_t *)at, name, value) {
		if (!strcmp(name, key)) {
			++*nr;
			if (at == object)
				return true;
		}
		if (count_key(value, object, key, nr))
			return true;
	}
	json_array_foreach(at, i, value) {
		if (count_key(value, object, key, nr))
			return true;
	}
	return false;
}

/* The @nr-th key of this name: a colon stands behind a key alone. */
static const char *nth_key(const char *text, const char *key, unsigned int nr)
{
	size_t len = strlen(key);
	const char *at = text, *end;

	for (; (at = strstr(at, key)); at++) {
		if (at == text || at[-1] != '"' || at[len] != '"')
			continue;
		for (end = at + len + 1; isspace((unsigned char)*end); end++)
			;
		if (*end == ':' && !--nr)
			return at;
	}
	return text;
}

static unsigned int line_of(const struct model_file *file, const json_t *object, const char *key)
{
	unsigned int nr = 0, line = 1;
	const char *at = file->text, *end = at;

	if (!key)
		key = json_object_iter_key(json_object_iter((json_t *)object));
	if (key && *key && count_key(file->root, object, key, &nr))
		end = nth_key(file->text, key, nr);
	for (; at < end; at++)
		line += *at == '\n';
	return line;
}

int model_wrong(const struct model_file *file, const json_t *object, const char *where,
		const char *key, const char *format, ...)
{
	char what[300];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	begin(file->failure, PMCGRP_WHY_NONE, -1, -1);
	say(file->failure, "%.160s:%u: ", file->path, line_of(file, object, key));
	if (*where || key)
		say(file->failure, "%s%s%.40s: ", where, *where && key ? "." : "", key ? key : "");
	say(file->failure, "%s", what);
	return -EINVAL;
}
