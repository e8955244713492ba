// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Cases of a file, and their plans. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "args/cli.h"
#include "case.h"
#include "cases.h"
#include "field.h"

/* What becomes of one; NULL after an error that was reported. */
static json_t *solve(const char *file, size_t number, json_t *json)
{
	char error[FIELD_ERROR];
	struct pmcgrp_plan *plan;
	json_t *result = NULL;
	struct plan_case c;
	int err;

	err = plan_case_read(&c, json, error);
	if (err) {
		cli_say("%s: case %zu%s%s%s: %s", file, number + 1, c.id ? " (" : "", c.id ? c.id : "",
			c.id ? ")" : "", error);
		plan_case_free(&c);
		return NULL;
	}
	err = pmcgrp_plan(&plan, &c.pmu, c.groups, c.nr_groups, &c.options);
	if (err) {
		cli_say("%s: case %zu: %s", file, number + 1,
			err == -E2BIG ? "too many events" : strerror(-err));
	} else {
		result = plan_case_result(&c, plan);
		pmcgrp_plan_free(plan);
	}
	plan_case_free(&c);
	return result;
}

static int solve_all(const char *file, json_t *json)
{
	json_t *all = json_array(), *one, *result;
	int ret = 0;
	size_t i;

	if (!json_is_array(json)) {
		result = solve(file, 0, json);
		ret = result ? 0 : EXIT_TOOL;
		json_array_append_new(all, result);
	}
	json_array_foreach(json, i, one) {
		result = solve(file, i, one);
		if (!result) {
			ret = EXIT_TOOL;
			break;
		}
		json_array_append_new(all, result);
	}
	if (!ret && (json_dumpf(all, stdout, JSON_INDENT(1)) || putchar('\n') < 0 || fflush(stdout)))
		ret = cli_say_errno("cannot write the plans", errno);
	json_decref(all);
	return ret;
}

int plan_cases(const char *file)
{
	json_error_t error;
	json_t *json;
	int ret;

	json = strcmp(file, "-") ? json_load_file(file, JSON_REJECT_DUPLICATES, &error) :
				   json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
	if (!json) {
		if (error.line > 0)
			cli_say("%s: line %d: %s", file, error.line, error.text);
		else
			cli_say("%s", error.text);
		return EXIT_TOOL;
	}
	ret = solve_all(file, json);
	json_decref(json);
	return ret;
}
