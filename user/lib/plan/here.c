// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What of this machine decides beside its model. */
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

void plan_setup_here(struct plan_setup *setup, const char *root)
{
	struct utsname names;

	*setup = (struct plan_setup){
		.ht = file_says(root, "/sys/devices/system/cpu/smt/active", '1'),
		.watchdog = file_says(root, "/proc/sys/kernel/nmi_watchdog", '1'),
		.no_pmc3 = file_says(root, "/sys/devices/cpu/allow_tsx_force_abort", '0'),
	};
	if (uname(&names) || !plan_kernel_parse(names.release, &setup->kernel))
		setup->kernel = 0;
}
