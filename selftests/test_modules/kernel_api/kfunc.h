/* SPDX-License-Identifier: GPL-2.0-only */
/* A function for BPF programs, which reads the group of testapi.c. */
#ifndef PMCGRP_TESTAPI_KFUNC_H
#define PMCGRP_TESTAPI_KFUNC_H

#include <linux/types.h>

/*
 * @read: reads the group into @nr values, in any context.  BPF programs hold the module while they
 * can call it.
 */
void kfunc_init(int (*read)(u64 *value, unsigned int nr));

#endif /* PMCGRP_TESTAPI_KFUNC_H */
