/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading the module, in a test with module=no (vm/tests). */
#ifndef PMCGRP_MODULE_H
#define PMCGRP_MODULE_H

#include "pmcgrp_test.h"

#define MODULE_FILE	"/lib/pmcgrp.ko"	/* where vm/run puts it */
static inline int module_load(const char *params)
{
	int fd = open(MODULE_FILE, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return err;
}

static inline int module_unload(void)
{
	return syscall(SYS_delete_module, "pmcgrp", O_NONBLOCK) ? -errno : 0;
}

#endif /* PMCGRP_MODULE_H */
