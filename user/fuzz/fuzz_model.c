// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A model of a PMU: it is refused with a line that there is, or all of its events can be planned. */
#include "fuzz.h"
#include "plan/model.h"

static struct failure failure;

/* A code that a constraint is of, and one that none may be of. */
static void check_codes(const struct plan_pmu *pmu)
{
	const struct plan_model *model = pmu->model;
	uint64_t all = model_counters(model, false);
	struct pmcgrp_plan_event event = { 0 };
	size_t i;

	for (i = 0; i < model->nr_constraints; i++) {
		plan_pmu_code(pmu, model->constraints[i].code, i, &event);
		must(!(event.mask & ~all));
		must(event.mask || event.flags & PMCGRP_PLAN_UNSUPPORTED);
		must(event.extra <= model->nr_kinds);
		must(!(event.flags & PMCGRP_PLAN_OVERLAP) || !(event.mask >> PMCGRP_PLAN_FIXED));
	}
	plan_pmu_code(pmu, UINT64_MAX, UINT64_MAX, &event);
	must(!(event.mask & ~all));
}

static void check(const struct plan_model *model)
{
	struct plan_setup setup = { .ht = true, .watchdog = true, .no_pmc3 = true };
	const struct pmu_text *at;
	struct pmu_format format;
	struct plan_pmu pmu;

	must(*plan_model_name(model));
	plan_pmu_begin(&pmu, model, &setup);
	must(pmu.pmu.nr_gp >= 1 && pmu.pmu.nr_gp <= PMCGRP_PLAN_FIXED);
	check_codes(&pmu);
	setup = (struct plan_setup){ .kernel = PMCGRP_PLAN_KERNEL(3, 10, 1), .counters = 0x100000003 };
	plan_pmu_begin(&pmu, model, &setup);
	must(pmu.pmu.nr_gp == 2);
	for (at = model->formats; at->name; at++)
		must(!pmu_format_parse(at->text, &format));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), *at;
	unsigned int lines = 1, line = 0;
	struct plan_model *model;
	int ret;

	for (at = text; at < text + size; at++)
		lines += *at == '\n';
	ret = plan_model_read(&model, text, size, "file", &failure);
	if (ret) {
		must(ret == -EINVAL && !model);
		must(sscanf(failure.text, "file:%u: ", &line) == 1 && line >= 1 && line <= lines);
	} else {
		check(model);
		plan_model_close(model);
	}
	free(text);
	return 0;
}
