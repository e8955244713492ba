// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What of this machine decides beside its model. */
#include <string.h>
#include <sys/utsname.h>

#include "plan_model.h"

/* Whether a file's first character is this one. */
static bool file_says(const char *root, const char *name, int wanted)
{
	char path[256];
	FILE *file;
	int first;

	snprintf(path, sizeof(path), "%s%s", root, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	first = fgetc(file);
	fclose(file);
	return first == wanted;
}

/* Whether a file has this word. */
static bool file_has(const char *root, const char *name, const char *word)
{
	char path[256], text[4096];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	return strstr(text, word);
}

/*
 * On arm64 a counter drives it only where interrupts of the PMU are NMIs (drivers/perf/arm_pmuv3.c);
 * else it is CPUs that look after each other.
 */
static bool has_watchdog(const char *root, const char *machine)
{
	if (!strcmp(machine, "aarch64") && !file_has(root, "/proc/cmdline", "gicv3_pseudo_nmi=1"))
		return false;
	return file_says(root, "/proc/sys/kernel/nmi_watchdog", '1');
}

void plan_setup_here(struct plan_setup *setup, const char *root)
{
	struct utsname names;

	if (uname(&names))
		names.machine[0] = names.release[0] = '\0';
	*setup = (struct plan_setup){
		.ht = file_says(root, "/sys/devices/system/cpu/smt/active", '1'),
		.watchdog = has_watchdog(root, names.machine),
		.no_pmc3 = file_says(root, "/sys/devices/cpu/allow_tsx_force_abort", '0'),
	};
	if (!plan_kernel_parse(names.release, &setup->kernel))
		setup->kernel = 0;
}
