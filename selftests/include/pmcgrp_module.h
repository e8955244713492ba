/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loading and unloading modules: pmcgrp in a test that needs module=no (vm/table.py),
 * and those that a test brings.
 */
#ifndef PMCGRP_MODULE_H
#define PMCGRP_MODULE_H

#include "pmcgrp_test.h"

#define MODULE_FILE	"/lib/pmcgrp.ko"	/* where vm/run puts it */

/* Returns 0 or a negative errno, as the others. */
static inline int module_load_file(const char *file, const char *params)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return err;
}

static inline int module_load(const char *params)
{
	return module_load_file(MODULE_FILE, params);
}

static inline int module_unload_name(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static inline int module_unload(void)
{
	return module_unload_name("pmcgrp");
}

#endif /* PMCGRP_MODULE_H */
