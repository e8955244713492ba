// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The file of export: it is refused with a sentence, or each of its groups can be counted. */
#include <errno.h>

#include "export/export_config.h"
#include "fuzz.h"

static void check_group(const struct export_group *group)
{
	must(group->name[0] && !group->name[strspn(group->name, "abcdefghijklmnopqrstuvwxyz0123456789_")]);
	must(group->kind < EXPORT_KINDS);
	must(group->series && group->series <= EXPORT_SERIES_MAX);
	must((group->kind == EXPORT_SECTION) == !group->events);
	must(!group->by_id || export_by_cgroup(group->kind));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), error[EXPORT_ERROR_SIZE];
	struct export_config config;
	unsigned int i, k;
	int ret;

	memset(error, 'x', sizeof(error));
	export_config_init(&config);
	ret = export_config_parse(&config, text, error);
	must(memchr(error, '\0', sizeof(error)));
	must(!ret || (ret == -EINVAL && error[0]));
	for (i = 0; i < config.nr && !ret; i++) {
		check_group(&config.groups[i]);
		for (k = 0; k < i; k++)
			must(strcmp(config.groups[i].name, config.groups[k].name));
	}
	export_config_free(&config);
	free(text);
	return 0;
}
