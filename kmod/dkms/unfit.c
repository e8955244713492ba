// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dkms installs for a kernel that the module cannot be built for: it says why, and ends.
 * It has to compile for any kernel (Makefile says why there has to be something).
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include "why.h"

/* ENODEV: systemd-modules-load takes it for a machine without the device, not for a failure. */
static int __init pmcgrp_unfit_init(void)
{
	pr_err("%s\n", PMCGRP_WHY);
	return -ENODEV;
}

module_init(pmcgrp_unfit_init);
MODULE_DESCRIPTION("Stands in for pmcgrp on a kernel that it cannot be built for");
MODULE_AUTHOR("The pmcgrp developers");
MODULE_INFO(unfit, PMCGRP_WHY);
MODULE_LICENSE("GPL");
