// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What of this machine decides beside its model. */
#include <sys/stat.h>
#include <sys/utsname.h>

#include "plan_model.h"

#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"

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

/*
 * Where no counter can drive it, the file says 1 all the same, but nobody may write it
 * (kernel/watchdog.c: watchdog_sysctl_init()).
 */
static bool has_watchdog(const char *root)
{
	char path[256];
	struct stat file;

	snprintf(path, sizeof(path), "%s" WATCHDOG, root);
	return !stat(path, &file) && file.st_mode & S_IWUSR && file_says(root, WATCHDOG, '1');
}

void plan_setup_here(struct plan_setup *setup, const char *root)
{
	struct utsname names;

	*setup = (struct plan_setup){
		.ht = file_says(root, "/sys/devices/system/cpu/smt/active", '1'),
		.watchdog = has_watchdog(root),
		.no_pmc3 = file_says(root, "/sys/devices/cpu/allow_tsx_force_abort", '0'),
	};
	if (uname(&names) || !plan_kernel_parse(names.release, &setup->kernel))
		setup->kernel = 0;
}
