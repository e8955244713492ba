# SPDX-License-Identifier: GPL-2.0-only
# What compat.h is given for a kernel that no version determines: its headers are looked at.
ccflags-y += $(if $(shell grep -s 'struct syscore {' $(srctree)/include/linux/syscore_ops.h),-DPMCGRP_STRUCT_SYSCORE)
ccflags-y += $(if $(shell grep -s IRQ_COUNT_NMI $(srctree)/arch/x86/include/asm/hardirq.h),-DPMCGRP_IRQ_COUNTS)
ccflags-y += $(if $(shell grep -s 'atomic_long_t perf_mlock;' $(srctree)/include/linux/sched/user.h),-DPMCGRP_USER_PERF_MLOCK)
ccflags-y += $(if $(wildcard $(srctree)/arch/x86/include/asm/cpuid/api.h),$(if $(CONFIG_X86),-DPMCGRP_CPUID_API))
ccflags-y += $(if $(wildcard $(srctree)/include/linux/sched/exec_state.h),-DPMCGRP_EXEC_STATE)
