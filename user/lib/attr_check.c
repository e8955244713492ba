// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "attr_check.h"

/* As the module has it (kmod/counter/attr.c: bits_of_member). */
static const struct perf_event_attr bits_of_member = {
	.size = ~0U,
	.type = ~0U,
	.config = ~0ULL,
	.config1 = ~0ULL,
	.config2 = ~0ULL,
	.exclude_user = 1,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.exclude_idle = 1,
	.exclude_host = 1,
	.exclude_guest = 1,
};

/* Behind it are config3 and what else says what to count. */
#define CHECKED PERF_ATTR_SIZE_VER7

static bool is_within(const struct perf_event_attr *attr)
{
	uint64_t word, mask, any = 0;
	size_t i;

	_Static_assert(CHECKED % sizeof(word) == 0 && sizeof(*attr) % sizeof(word) == 0, "words");
	for (i = 0; i < CHECKED && i < sizeof(*attr); i += sizeof(word)) {
		memcpy(&word, (const unsigned char *)attr + i, sizeof(word));
		memcpy(&mask, (const unsigned char *)&bits_of_member + i, sizeof(mask));
		any |= word & ~mask;
	}
	return !any;
}

enum pmcgrp_why attr_why(const struct perf_event_attr *attr)
{
	if (is_within(attr))
		return PMCGRP_WHY_NONE;
	if (attr->precise_ip)
		return PMCGRP_WHY_PRECISE;
	if (attr->branch_sample_type)
		return PMCGRP_WHY_BRANCHES;
	return PMCGRP_WHY_ATTR_FIELD;
}

const char *attr_fields(const struct perf_event_attr *attr, char *text, size_t size)
{
	const struct {
		const char *name;
		bool is;
	} fields[] = {
		{ "disabled", attr->disabled },
		{ "read_format", attr->read_format },
		{ "inherit", attr->inherit },
		{ "pinned", attr->pinned },
		{ "enable_on_exec", attr->enable_on_exec },
		{ "exclusive", attr->exclusive },
		{ "sample_period", attr->sample_period },
		{ "freq", attr->freq },
		{ "sample_type", attr->sample_type },
		{ "wakeup_events", attr->wakeup_events },
		{ "mmap", attr->mmap },
		{ "comm", attr->comm },
		{ "task", attr->task },
		{ "sample_id_all", attr->sample_id_all },
	};
	size_t i, used = 0;

	text[0] = '\0';
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && used < size - 1; i++) {
		if (fields[i].is)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 fields[i].name);
	}
	return text;
}
