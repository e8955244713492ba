// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "findings.h"

static const char * const verdicts[] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_WARNING] = "warning",
	[DOCTOR_PROBLEM] = "problem",
	[DOCTOR_UNKNOWN] = "unknown",
};

static const struct {
	const char *name;
	const char *title;
} sections[] = {
	[SECTION_MACHINE] = { "machine", "Machine" },
	[SECTION_CONFIG] = { "config", "Kernel configuration" },
	[SECTION_MODULE] = { "module", "Module" },
	[SECTION_RIGHTS] = { "rights", "Rights and limits of this process" },
	[SECTION_PMUS] = { "pmus", "PMUs" },
	[SECTION_HOLDERS] = { "holders", "Who has counters now" },
	[SECTION_USER_READ] = { "user-read", "Reading counters from user space" },
	[SECTION_LIMITS] = { "limits", "Known limits of this kernel and processor" },
	[SECTION_SELFTEST] = { "self-test", "Self-test" },
};

const char *verdict_name(enum verdict verdict)
{
	return verdicts[verdict];
}

const char *section_name(enum section section)
{
	return sections[section].name;
}

const char *section_title(enum section section)
{
	return sections[section].title;
}

static char *print(struct findings *f, const char *format, va_list args)
{
	char *text, *shown = NULL;

	if (vasprintf(&text, format, args) >= 0) {
		/* Text of others, such as names of processes, may be in it. */
		shown = name_dup(text, strlen(text));
		free(text);
	}
	f->failed |= !shown;
	return shown;
}

void findings_add(struct findings *f, enum verdict verdict, const char *what, const char *found,
		  ...)
{
	struct finding *more = reallocarray(f->at, f->nr + 1, sizeof(*more)), *last;
	va_list args;

	if (!more) {
		f->failed = true;
		return;
	}
	f->at = more;
	last = &more[f->nr];
	*last = (struct finding){ .section = f->section, .verdict = verdict };
	last->what = name_dup(what, strlen(what));
	va_start(args, found);
	last->found = print(f, found, args);
	va_end(args);
	if (!last->what || !last->found) {
		free(last->what);
		free(last->found);
		f->failed = true;
		return;
	}
	f->nr++;
}

/* After a failure the last one may be another one: what is added to it is not printed. */
void findings_advise(struct findings *f, const char *advice, ...)
{
	va_list args;

	if (!f->nr || f->failed)
		return;
	free(f->at[f->nr - 1].advice);
	va_start(args, advice);
	f->at[f->nr - 1].advice = print(f, advice, args);
	va_end(args);
}

void findings_value(struct findings *f, const char *name, long long number)
{
	struct finding *last;

	if (!f->nr || f->failed)
		return;
	last = &f->at[f->nr - 1];
	if (last->nr_values < FINDING_VALUES)
		last->value[last->nr_values++] = (struct finding_value){ name, number };
}

size_t findings_count(const struct findings *f, enum verdict verdict)
{
	size_t i, nr = 0;

	for (i = 0; i < f->nr; i++)
		nr += f->at[i].verdict == verdict;
	return nr;
}

void findings_free(struct findings *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		free(f->at[i].what);
		free(f->at[i].found);
		free(f->at[i].advice);
	}
	free(f->at);
	*f = (struct findings){ 0 };
}
