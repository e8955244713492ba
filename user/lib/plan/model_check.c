// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What is wrong with a model that was read: what its keys say of each other. */
#include <regex.h>
#include <stdlib.h>

#include "event/event_syntax.h"
#include "event/near.h"
#include "event/table_match.h"
#include "model.h"

#define FIXED_MASK (UINT64_MAX << PMCGRP_PLAN_FIXED)

static bool is_pattern(const char *text)
{
	regex_t regex;

	if (!table_pattern_ok(text) || regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
		return false;
	regfree(&regex);
	return true;
}

static int check_counts(const struct model_file *file, const struct plan_model *model)
{
	if (model->counters_ht > model->counters)
		return model_wrong(file, file->root, "", "counters_ht",
				   "it is more than \"counters\": hyper-threads share these");
	if (model->watchdog_name && !model->watchdog)
		return model_wrong(file, file->root, "", "watchdog", "\"generic\" has no '%.64s'",
				   model->watchdog_name);
	if (model->cpus && !is_pattern(model->cpus))
		return model_wrong(file, file->root, "", "cpus",
				   "it is no pattern as the file map of perf's tables has them");
	return 0;
}

/* Counters that there are, in words. */
static const char *counters_text(const struct plan_model *model, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "0 to %u", model->counters - 1);

	if (model->fixed)
		used += (size_t)snprintf(text + used, size - used, ", %d to %u", PMCGRP_PLAN_FIXED,
					 PMCGRP_PLAN_FIXED + model->fixed - 1);
	if (model->metrics)
		snprintf(text + used, size - used, ", %d to %u", PMCGRP_PLAN_METRIC,
			 PMCGRP_PLAN_METRIC + model->metrics - 1);
	return text;
}

static int check_bits(const struct model_file *file, const struct plan_model *model,
		      const json_t *object, const char *where, const char *key, uint64_t mask)
{
	uint64_t unknown = mask & ~model_counters(model, false);
	char text[80];

	if (!unknown)
		return 0;
	return model_wrong(file, object, where, key, "bit %d is no counter's; there are %s",
			   __builtin_ctzll(unknown), counters_text(model, text, sizeof(text)));
}

/* Whether a code can be what is left of one by a mask. */
static int check_match(const struct model_file *file, const json_t *object, const char *where,
		       uint64_t code, uint64_t cmask, const char *key)
{
	if (!(code & ~cmask))
		return 0;
	return model_wrong(file, object, where, key,
			   "no event has it: bit %d of it is not in \"cmask\"",
			   __builtin_ctzll(code & ~cmask));
}

static int check_flags(const struct model_file *file, const struct plan_model *model,
		       const json_t *object, const char *where, const struct model_constraint *c)
{
	uint64_t gp = c->mask & ~FIXED_MASK;

	if (c->flags & PMCGRP_PLAN_OVERLAP && c->mask & FIXED_MASK)
		return model_wrong(file, object, where, "flags",
				   "overlapping events have no fixed counters: the kernel's search "
				   "would not end");
	if (c->flags & PMCGRP_PLAN_EXCLUSIVE && !model->ht_workaround)
		return model_wrong(file, object, where, "flags",
				   "events are exclusive by \"ht_workaround\", which the file lacks");
	if (c->flags & PMCGRP_PLAN_PAIR &&
	    (c->mask & FIXED_MASK || gp << 1 & ~model_counters(model, false)))
		return model_wrong(file, object, where, "mask",
				   "a pair needs the next counter, too, and there is none");
	if (c->flags & PMCGRP_PLAN_CYCLES && model->style != PMCGRP_PLAN_ARM)
		return model_wrong(file, object, where, "flags", "cycles is of style arm");
	if (c->flags & (PMCGRP_PLAN_OVERLAP | PMCGRP_PLAN_PAIR) && model->style != PMCGRP_PLAN_X86)
		return model_wrong(file, object, where, "flags", "overlap and pair are of style x86");
	return 0;
}

static int check_constraint(const struct model_file *file, const struct plan_model *model, size_t i)
{
	const json_t *object = json_array_get(json_object_get(file->root, "constraints"), i);
	const struct model_constraint *c = &model->constraints[i];
	char where[48];

	snprintf(where, sizeof(where), "constraints[%zu]", i);
	if (c->last < c->code)
		return model_wrong(file, object, where, "last", "it is less than \"code\"");
	if (c->since && c->until && c->since >= c->until)
		return model_wrong(file, object, where, "until", "it is not after \"since\"");
	if (check_match(file, object, where, c->code, c->cmask, "code") ||
	    check_match(file, object, where, c->last, c->cmask, "last") ||
	    check_bits(file, model, object, where, "mask", c->mask))
		return -EINVAL;
	return check_flags(file, model, object, where, c);
}

static int check_extra(const struct model_file *file, const struct plan_model *model, size_t i)
{
	const json_t *object = json_array_get(json_object_get(file->root, "extra"), i);
	const struct model_extra *extra = &model->extras[i];
	char where[48];

	snprintf(where, sizeof(where), "extra[%zu]", i);
	return check_match(file, object, where, extra->code, extra->cmask, "code");
}

/* Whether a term is one of the formats, with a value that they have room for. */
static int check_term(const struct model_file *file, const struct plan_model *model,
		      const struct pmu_text *event, const struct event_term *term)
{
	const json_t *object = json_object_get(file->root, "events");
	char near_names[NEAR_TEXT];
	struct pmu_format format;
	const struct pmu_text *at;
	struct near near;
	int bits;

	near_begin(&near, term->name);
	for (at = model->formats; at->name && strcmp(at->name, term->name); at++)
		near_offer(&near, at->name);
	if (!at->name)
		return model_wrong(file, object, "events", event->name,
				   "\"formats\" has no '%.64s'%s", term->name,
				   near_text(&near, near_names, sizeof(near_names)));
	pmu_format_parse(at->text, &format);
	bits = __builtin_popcountll(format.bits);
	if (term->text || (bits < 64 && term->number >> bits))
		return model_wrong(file, object, "events", event->name,
				   "'%.64s' takes a number of %d bits", term->name, bits);
	return 0;
}

static int check_event(const struct model_file *file, const struct plan_model *model,
		       const struct pmu_text *event)
{
	struct pmcgrp_events_error error;
	struct event_terms terms;
	int ret = event_terms_parse(&terms, event->text, NULL, 0, &error);
	size_t i;

	if (ret == -EINVAL)
		return model_wrong(file, json_object_get(file->root, "events"), "events",
				   event->name, "%.200s", error.text);
	if (ret)
		return failure_plain(file->failure, ENOMEM, PMCGRP_WHY_NOMEM, file->path);
	for (i = 0; i < terms.nr && !ret; i++)
		ret = check_term(file, model, event, &terms.at[i]);
	event_terms_free(&terms);
	return ret;
}

static int check_formats(const struct model_file *file, const struct plan_model *model)
{
	const json_t *object = json_object_get(file->root, "formats");
	const struct pmu_text *at;
	struct pmu_format format;

	for (at = model->formats; at->name; at++) {
		if (pmu_format_parse(at->text, &format))
			return model_wrong(file, object, "formats", at->name,
					   "it is to be as in sysfs: \"config:0-7,32-35\"");
	}
	return 0;
}

int model_check(const struct model_file *file, const struct plan_model *model)
{
	const struct pmu_text *event;
	int ret = check_counts(file, model);
	size_t i;

	if (!ret)
		ret = check_bits(file, model, file->root, "", "in_tx_cp", model->in_tx_cp);
	for (i = 0; i < model->nr_constraints && !ret; i++)
		ret = check_constraint(file, model, i);
	for (i = 0; i < model->nr_extras && !ret; i++)
		ret = check_extra(file, model, i);
	if (!ret)
		ret = check_formats(file, model);
	for (event = model->events; event->name && !ret; event++)
		ret = check_event(file, model, event);
	return ret;
}
