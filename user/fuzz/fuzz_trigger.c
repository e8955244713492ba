// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Triggers from their names: the input's first byte says which option it is of. There is no
 * tracefs, but PMUs as those of the machine.
 */
#include <errno.h>

#include "event/machine.h"
#include "event/trigger.h"
#include "fuzz.h"

static void check(const struct trigger *t, const char *text)
{
	const char *referred = (const char *)(uintptr_t)t->attr.config1;

	must(t->name && t->name[0]);
	must(t->attr.sample_period && !t->attr.freq && t->attr.size == sizeof(t->attr));
	must(t->attr.sample_period <= INT64_MAX);
	if (t->text)
		must(t->probe && referred == t->text && strlen(referred) <= strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[TRACEFS_FOLDERS] = { "/nonexistent", "/nonexistent" };
	struct pmcgrp_events_error error = { 0 };
	struct trigger trigger;
	char *text;
	int ret;

	if (!size)
		return 0;
	event_machine_here.tracing = nowhere;
	event_machine_here.tables = "/nonexistent";
	text = text_of(data + 1, size - 1);
	memset(error.text, 'x', sizeof(error.text));
	if (data[0] & 1)
		ret = trigger_every(&trigger, text, data[0] & 2, &error);
	else
		ret = trigger_on(&trigger, text, &error);
	must(!ret || ret == -EINVAL);
	if (ret) {
		must(memchr(error.text, '\0', sizeof(error.text)) && error.text[0]);
		must(error.column <= strlen(text));
		must(!trigger.name && !trigger.text);
	} else {
		check(&trigger, text);
	}
	trigger_free(&trigger);
	free(text);
	return 0;
}
