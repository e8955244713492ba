// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"

struct field field_root(char *error)
{
	error[0] = '\0';
	return (struct field){ .error = error };
}

struct field field_in(const struct field *at, const char *name, const char *entry)
{
	struct field in = { .error = at->error };
	int len;

	len = snprintf(in.path, sizeof(in.path), "%s%s%s", at->path, at->path[0] ? "." : "", name);
	if (entry && len > 0 && (size_t)len < sizeof(in.path))
		snprintf(in.path + len, sizeof(in.path) - (size_t)len, ".%s", entry);
	return in;
}

bool field_wrong(struct field *at, const char *name, const char *is)
{
	if (!at->error[0])
		snprintf(at->error, FIELD_ERROR, "%s%s%s%s%s", at->path,
			 at->path[0] && name ? "." : "", name ? name : "", at->path[0] || name ? " " : "",
			 is);
	return false;
}

bool field_no_memory(struct field *at)
{
	if (!at->error[0])
		snprintf(at->error, FIELD_ERROR, "%s", strerror(ENOMEM));
	return false;
}

/* The field, if it is there. */
static json_t *get(json_t *json, const char *name)
{
	json_t *value = json_object_get(json, name);

	return json_is_null(value) ? NULL : value;
}

const char *field_string(struct field *at, json_t *json, const char *name, const char *other)
{
	json_t *value = get(json, name);

	if (!value)
		return other;
	if (json_is_string(value))
		return json_string_value(value);
	field_wrong(at, name, "is no text");
	return other;
}

bool field_bool(struct field *at, json_t *json, const char *name, bool other)
{
	json_t *value = get(json, name);

	if (!value)
		return other;
	if (!json_is_boolean(value))
		return field_wrong(at, name, "is neither true nor false");
	return json_is_true(value);
}

static uint64_t too_much(struct field *at, const char *name, uint64_t other, uint64_t max)
{
	char text[64];

	snprintf(text, sizeof(text), "is no number from 0 to %llu", (unsigned long long)max);
	field_wrong(at, name, text);
	return other;
}

uint64_t field_number(struct field *at, json_t *json, const char *name, uint64_t other, uint64_t max)
{
	json_t *value = get(json, name);
	json_int_t number;

	if (!value)
		return other;
	number = json_integer_value(value);
	if (!json_is_integer(value) || number < 0 || (uint64_t)number > max)
		return too_much(at, name, other, max);
	return (uint64_t)number;
}

uint64_t field_mask(struct field *at, json_t *json, const char *name, uint64_t other)
{
	json_t *value = get(json, name);
	const char *text = json_string_value(value);
	uint64_t number;
	char *end;

	if (!value)
		return other;
	if (!text)
		return field_number(at, json, name, other, INT64_MAX);
	errno = 0;
	number = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno) {
		field_wrong(at, name, "is no number, as \"0x3f\"");
		return other;
	}
	return number;
}

json_t *field_object(struct field *at, json_t *json, const char *name)
{
	json_t *value = get(json, name);

	if (json_is_object(value))
		return value;
	field_wrong(at, name, value ? "is no object" : "is missing");
	return NULL;
}
