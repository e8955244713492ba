// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Lists of CPUs: what is understood can be written down, as the kernel would, and read again. */
#include <errno.h>

#include "fuzz.h"
#include "pmcgrp.h"

#define LIST_MAX (5 * PMCGRP_CPUS_MAX)

/* Each CPU of the set is named by the text, as far as a number of it says so. */
static void check_numbers(const struct pmcgrp_cpus *cpus, const char *text)
{
	const char *at = text;
	char *end;

	while (*at && *at != '\n') {
		unsigned long first = strtoul(at, &end, 10), last = first;

		must(end > at);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		must(first <= last && last < PMCGRP_CPUS_MAX);
		must(pmcgrp_cpus_test(cpus, (int)first) && pmcgrp_cpus_test(cpus, (int)last));
		must(pmcgrp_cpus_next(cpus, (int)first) == (int)first);
		must(pmcgrp_cpus_nr(cpus) > last - first);
		at = end + (*end == ',');
	}
}

static void check_written(const struct pmcgrp_cpus *cpus)
{
	static char text[LIST_MAX];
	struct pmcgrp_cpus again;
	size_t len = pmcgrp_cpus_format(cpus, text, sizeof(text));

	must(len == strlen(text) && len < sizeof(text));
	must(!pmcgrp_cpus_parse(&again, text, NULL));
	must(!memcmp(cpus, &again, sizeof(again)));
	must(pmcgrp_cpus_format(cpus, NULL, 0) == len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);
	struct pmcgrp_cpus cpus;
	size_t where = SIZE_MAX;
	int ret;

	memset(&cpus, 0xff, sizeof(cpus));
	ret = pmcgrp_cpus_parse(&cpus, text, &where);
	if (ret) {
		must(ret == -EINVAL || ret == -ERANGE);
		must(where <= strlen(text));
		must(!pmcgrp_cpus_nr(&cpus) && pmcgrp_cpus_next(&cpus, 0) == -1);
	} else {
		must(where == SIZE_MAX);
		must(strspn(text, "0123456789-,\n") == strlen(text));
		check_numbers(&cpus, text);
		check_written(&cpus);
	}
	free(text);
	return 0;
}
