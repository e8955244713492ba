// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <stdlib.h>

#include "event/near.h"
#include "model_key.h"

static const struct model_name styles[] = {
	{ "x86", PMCGRP_PLAN_X86 },
	{ "arm", PMCGRP_PLAN_ARM },
	{ NULL, 0 },
};

static const struct model_name whens[] = {
	{ "umask-several", MODEL_UMASK_SEVERAL },
	{ "umask-halves", MODEL_UMASK_HALVES },
	{ NULL, 0 },
};

static const struct model_name flags[] = {
	{ "overlap", PMCGRP_PLAN_OVERLAP },
	{ "exclusive", PMCGRP_PLAN_EXCLUSIVE },
	{ "pair", PMCGRP_PLAN_PAIR },
	{ "cycles", PMCGRP_PLAN_CYCLES },
	{ NULL, 0 },
};

/* One of some names; others are errors with those that are near, and all of them. */
int model_read_name(const struct model_at *at, const char *key, const json_t *value,
		    const struct model_name *names, unsigned int *to)
{
	const char *text = json_string_value(value);
	char near_names[NEAR_TEXT], all[120] = "";
	struct near near;
	size_t i, used = 0;

	if (!text)
		return MODEL_WRONG(at, key, "it is to be a text");
	near_begin(&near, text);
	for (i = 0; names[i].name; i++) {
		if (!strcmp(names[i].name, text)) {
			*to = names[i].value;
			return 0;
		}
		near_offer(&near, names[i].name);
		if (used >= sizeof(all))
			continue;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 names[i].name);
	}
	return MODEL_WRONG(at, key, "there is no '%.40s', but %s%s", text, all,
			   near_text(&near, near_names, sizeof(near_names)));
}

static int read_flags(const struct model_at *at, const char *key, const json_t *value, unsigned int *to)
{
	unsigned int flag;
	json_t *name;
	size_t i;

	if (!json_is_array(value))
		return MODEL_WRONG(at, key, "it is to be an array of texts");
	json_array_foreach(value, i, name) {
		if (model_read_name(at, key, name, flags, &flag))
			return -EINVAL;
		*to |= flag;
	}
	return 0;
}

int model_read_code(const struct model_at *at, const char *key, const json_t *value, uint64_t *to)
{
	const char *text = json_string_value(value);
	json_int_t number = json_integer_value(value);
	char *end;

	if (json_is_integer(value) && number >= 0) {
		*to = (uint64_t)number;
		return 0;
	}
	errno = 0;
	if (text && isdigit((unsigned char)*text)) {
		*to = strtoull(text, &end, 0);
		if (!errno && !*end)
			return 0;
	}
	return MODEL_WRONG(at, key, "it is to be a number from 0 to 0xffffffffffffffff, in hexadecimal a text: "
				    "\"0x1b7\"");
}

int model_read_count(const struct model_at *at, const struct model_key *key, const json_t *value,
		     unsigned int *to)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < (key->needed ? 1 : 0) || number > key->most)
		return MODEL_WRONG(at, key->name, "it is to be a number from %d to %u", key->needed ? 1 : 0,
				   key->most);
	*to = (unsigned int)number;
	return 0;
}

static int read_version(const struct model_at *at, const char *key, const json_t *value, unsigned int *to)
{
	const char *text = json_string_value(value), *end;

	end = text ? plan_kernel_parse(text, to) : NULL;
	if (!end || *end)
		return MODEL_WRONG(at, key, "it is to be a version of the kernel: \"4.1\", \"4.7-rc7\"");
	return 0;
}

static int read_value(const struct model_at *at, const struct model_key *key, const json_t *value, void *record)
{
	void *to = (char *)record + key->offset;

	switch (key->kind) {
	case MODEL_TEXT:
		*(const char **)to = json_string_value(value);
		return json_string_length(value) ? 0 : MODEL_WRONG(at, key->name, "it is to be a text");
	case MODEL_COUNT:
		return model_read_count(at, key, value, to);
	case MODEL_CODE:
		return model_read_code(at, key->name, value, to);
	case MODEL_VERSION:
		return read_version(at, key->name, value, to);
	case MODEL_STYLE:
		return model_read_name(at, key->name, value, styles, to);
	case MODEL_WHEN:
		return model_read_name(at, key->name, value, whens, to);
	case MODEL_FLAGS:
		return read_flags(at, key->name, value, to);
	case MODEL_ABOUT:
		return json_is_string(value) ? 0 : MODEL_WRONG(at, key->name, "it is to be a text");
	case MODEL_PART:
		break;
	}
	return 0;
}

static int unknown_key(const struct model_at *at, const struct model_key *keys, const char *name)
{
	char near_names[NEAR_TEXT];
	struct near near;

	near_begin(&near, name);
	for (; keys->name; keys++)
		near_offer(&near, keys->name);
	return MODEL_WRONG(at, name, "there is no such key%s",
			   near_text(&near, near_names, sizeof(near_names)));
}

/* All keys but those of kind MODEL_PART. */
int model_read_object(const struct model_at *at, const struct model_key *keys, void *record)
{
	const struct model_key *key;
	const char *name;
	json_t *value;

	if (!json_is_object(at->object))
		return MODEL_WRONG(at, NULL, "it is to be an object: {...}");
	json_object_foreach(at->object, name, value) {
		for (key = keys; key->name && strcmp(key->name, name); key++)
			;
		if (!key->name)
			return unknown_key(at, keys, name);
		if (read_value(at, key, value, record))
			return -EINVAL;
	}
	for (key = keys; key->name; key++) {
		if (key->needed && !json_object_get(at->object, key->name))
			return MODEL_WRONG(at, NULL, "it has no \"%s\"", key->name);
	}
	return 0;
}
