// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The findings as one JSON object. pmcgrp-doctor(1) describes the keys. */
#include <errno.h>

#include <jansson.h>

#include "findings.h"
#include "pmcgrp.h"

static json_t *values(const struct finding *finding)
{
	json_t *object = json_object();
	unsigned int i;
	int bad = !object;

	for (i = 0; i < finding->nr_values; i++)
		bad |= json_object_set_new(object, finding->value[i].name,
					   json_integer(finding->value[i].number));
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

static int add_finding(json_t *list, const struct finding *finding)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "verdict", json_string(verdict_name(finding->verdict)));
	bad |= json_object_set_new(object, "what", json_string(finding->what));
	bad |= json_object_set_new(object, "found", json_string(finding->found));
	bad |= json_object_set_new(object, "advice",
				   finding->advice ? json_string(finding->advice) : json_null());
	bad |= json_object_set_new(object, "values", values(finding));
	if (!bad)
		return json_array_append_new(list, object);
	json_decref(object);
	return -1;
}

static json_t *section(const struct findings *f, enum section section)
{
	json_t *list = json_array();
	int bad = !list;
	size_t i;

	for (i = 0; i < f->nr && !bad; i++) {
		if (f->at[i].section == section)
			bad = add_finding(list, &f->at[i]);
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *summary(const struct findings *f)
{
	json_t *object = json_object();
	enum verdict verdict;
	int bad = !object;

	for (verdict = 0; verdict < NR_VERDICTS; verdict++)
		bad |= json_object_set_new(object, verdict_name(verdict),
					   json_integer((json_int_t)findings_count(f, verdict)));
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

int findings_json(FILE *file, const struct findings *f)
{
	json_t *object = json_object();
	enum section i;
	int bad;

	bad = json_object_set_new(object, "pmcgrp", json_string(pmcgrp_version()));
	for (i = 0; i < NR_SECTIONS; i++)
		bad |= json_object_set_new(object, section_name(i), section(f, i));
	bad |= json_object_set_new(object, "summary", summary(f));
	if (!bad && !json_dumpf(object, file, JSON_INDENT(1)))
		fputc('\n', file);
	else
		bad = -1;
	json_decref(object);
	return bad ? -ENOMEM : 0;
}
