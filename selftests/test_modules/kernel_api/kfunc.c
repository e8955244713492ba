// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function for BPF programs: it reads the group of testapi.c by pmcgrp's API for modules.
 *
 * A kernel without BTF, or a module that was built without, has no such functions
 * (kernel/bpf/btf.c: register_btf_kfunc_id_set()): Linux 6.1 says so by an error, 6.12 by a line in
 * its log.  The module goes on in both cases.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/types.h>
#include "kfunc.h"

/* Linux before 6.3 and 6.9. */
#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)   BTF_SET8_END(name)
#endif

static int (*read_group)(u64 *value, unsigned int nr);

int pmcgrp_testapi_read(u64 *value, u32 value__sz);

/**
 * pmcgrp_testapi_read - read what the group has counted on this CPU, or of this task
 * @value: out: counts, then the times enabled and running
 * @value__sz: bytes of @value; the verifier has seen to it that they are there
 *
 * Context: any, as pmcgrp_kernel_group_read_local().
 * Return: as that; -ENOENT without a group; -EINVAL if @value is not as long as the group is.
 */
__bpf_kfunc int pmcgrp_testapi_read(u64 *value, u32 value__sz)
{
	return read_group(value, value__sz / sizeof(*value));
}

BTF_KFUNCS_START(kfunc_ids)
BTF_ID_FLAGS(func, pmcgrp_testapi_read)
BTF_KFUNCS_END(kfunc_ids)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kfunc_ids,
};

/* Offer it to programs that user space runs, and to those on functions and tracepoints. */
void __init kfunc_init(int (*read)(u64 *value, unsigned int nr))
{
	read_group = read;
	if (!register_btf_kfunc_id_set(BPF_PROG_TYPE_SYSCALL, &kfunc_set))
		register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &kfunc_set);
}
