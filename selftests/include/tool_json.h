/* SPDX-License-Identifier: GPL-2.0-only */
/* To look up single values in JSON that is known to be well-formed: a test's own output. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *blanks(const char *p)
{
	return p + strspn(p, " \t\n");
}

/* Behind a value, or NULL. */
static inline const char *skip(const char *p)
{
	int depth = 0;

	do {
		p = blanks(p);
		if (!*p)
			return NULL;
		if (*p == '"') {
			for (p++; *p && *p != '"'; p++)
				if (*p == '\\' && p[1])
					p++;
			p += *p == '"';
		} else if (strchr("[{", *p)) {
			depth++;
			p++;
		} else if (strchr("]}", *p)) {
			depth--;
			p++;
		} else if (strchr(",:", *p)) {
			p++;
		} else {
			p += strcspn(p, " \t\n,:]}");
		}
	} while (depth > 0);
	return p;
}

/* The value of a key of an object, or an item of a list by its number; NULL: none. */
static inline const char *part(const char *p, const char *key, size_t len)
{
	long i, index = atol(key);
	bool list = *p == '[';
	const char *value;

	p = blanks(p + 1);
	for (i = 0; p && *p && !strchr("]}", *p); i++) {
		value = list ? p : skip(p);
		if (!value)
			return NULL;
		if (!list)
			value = blanks(blanks(value) + 1);
		if (list ? i == index : !strncmp(p + 1, key, len) && p[1 + len] == '"')
			return value;
		p = skip(value);
		if (p)
			p = blanks(p);
		if (p && *p == ',')
			p = blanks(p + 1);
	}
	return NULL;
}

/* "members.0.event" of an object; NULL: there is no such thing. */
static inline const char *json(const char *p, const char *path)
{
	size_t len;

	p = blanks(p);
	for (; p && *path; path += len + (path[len] == '.')) {
		len = strcspn(path, ".");
		p = part(p, path, len);
	}
	return p;
}

/* A number; -1 for none, -2 for null. */
static inline long long number(const char *from, const char *path)
{
	const char *p = from ? json(from, path) : NULL;

	if (!p)
		return -1;
	return *p == 'n' ? -2 : atoll(p);
}

/* Whether it is this string, or word. */
static inline bool is(const char *from, const char *path, const char *text)
{
	const char *p = from ? json(from, path) : NULL;

	if (!p)
		return false;
	p += *p == '"';
	return !strncmp(p, text, strlen(text)) && strchr("\",\n]}", p[strlen(text)]);
}

/* The item of a list whose key is this number. */
static inline const char *item_with(const char *from, const char *list, const char *key,
				    long long value)
{
	char path[64];
	const char *p;
	int i;

	for (i = 0;; i++) {
		snprintf(path, sizeof(path), "%s.%d", list, i);
		p = from ? json(from, path) : NULL;
		if (!p || number(p, key) == value)
			return p;
	}
}

#endif /* TOOL_JSON_H */
