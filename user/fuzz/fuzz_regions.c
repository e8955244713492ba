// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What a command has written of its regions. What was read is printed in each way, and written and
 * read once more it is the same.
 */
#include <stdint.h>

#include "fuzz.h"
#include "stat/region_reports.h"

static struct regions_reports read_text(const char *text, size_t size)
{
	struct regions_reports reports;
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	must(file);
	must(!regions_read(&reports, file));
	fclose(file);
	return reports;
}

static void print(const struct region_set *set, FILE *file)
{
	struct regions_print how = { .set = set, .separator = "," };
	struct region_set sum;

	region_set_table(file, set, true);
	regions_csv(file, &how);
	must(!regions_json(file, &how));
	must(!region_set_like(&sum, set) && !region_set_sum(&sum, set));
	region_set_table(file, &sum, false);
	region_set_free(&sum);
}

static void read_again(const struct region_set *set)
{
	struct regions_reports again;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	must(file);
	region_set_write(file, set);
	must(!fclose(file));
	again = read_text(text, size);
	must(!again.line && again.nr_sets == 1);
	must(region_set_alike(&again.sets[0], set));
	must(again.sets[0].nr_rows == set->nr_rows && again.sets[0].nr_threads == set->nr_threads);
	regions_reports_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct regions_reports reports;
	char *out = NULL, *text = text_of(data, size);
	size_t out_size = 0;
	unsigned int i;
	FILE *file;

	if (!size) {
		free(text);
		return 0;
	}
	reports = read_text(text, size);
	must(!reports.line == !reports.what);
	file = open_memstream(&out, &out_size);
	must(file);
	for (i = 0; i < reports.nr_sets; i++) {
		must(reports.sets[i].nr_values);
		print(&reports.sets[i], file);
		read_again(&reports.sets[i]);
	}
	must(!fclose(file));
	free(out);
	regions_reports_free(&reports);
	free(text);
	return 0;
}
