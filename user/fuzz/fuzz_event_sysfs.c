// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What a PMU's folder says: a format, terms of an event, a name; the first byte says which. */
#include <errno.h>

#include "event/pmu.h"
#include "event/event_syntax.h"
#include "fuzz.h"

static void check_format(const char *text)
{
	struct pmu_format format;
	int ret = pmu_format_parse(text, &format);

	must(!ret || ret == -EINVAL || ret == -EOPNOTSUPP);
	must(ret || (format.config < PMU_CONFIGS && format.bits));
}

static void check_terms(const char *text)
{
	struct pmcgrp_events_error error = { .column = SIZE_MAX };
	struct event_terms terms;
	size_t i;

	if (event_terms_parse(&terms, text, NULL, 0, &error)) {
		must(error.column <= strlen(text) && error.text[0]);
		must(!terms.nr && !terms.at);
		return;
	}
	must(terms.nr);
	for (i = 0; i < terms.nr; i++)
		must(terms.at[i].name[0]);
	event_terms_free(&terms);
}

static void check_name(const char *text)
{
	char *comma = strchr(text, ','), *first;
	struct pmu pmu = { 0 };

	if (!comma)
		return;
	first = strndup(text, (size_t)(comma - text));
	must(first);
	pmu.name = first;
	pmu_matches(&pmu, comma + 1);
	free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = text_of(data + 1, size - 1);
	if (data[0] % 3 == 0)
		check_format(text);
	else if (data[0] % 3 == 1)
		check_terms(text);
	else
		check_name(text);
	free(text);
	return 0;
}
