/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The only ABI of pmcgrp: counter groups on /dev/pmcgrp.
 *
 * open("/dev/pmcgrp") needs CAP_PERFMON (or CAP_SYS_ADMIN) in the initial user
 * namespace.  The device descriptor makes groups; each group is a descriptor
 * of its own that is read, steered by perf's own ioctls, and closed.
 */
#ifndef _UAPI_LINUX_PMCGRP_H
#define _UAPI_LINUX_PMCGRP_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: How this ABI grows
 *
 * Every argument struct starts with its own size, set by the caller to
 * sizeof(the struct it was compiled with).  A kernel that knows a longer struct
 * takes the missing tail as zero; a kernel that knows a shorter one accepts a
 * tail of zeroes and refuses anything else with E2BIG.  ioctl numbers carry no
 * size.  Unknown flags and non-zero reserved fields are refused, always, so
 * that they can be given a meaning later.  %PMCGRP_IOC_QUERY says what the
 * loaded module can do; %PMCGRP_ABI_VERSION only changes if something that
 * worked stops working.
 */

/**
 * DOC: What each errno means
 *
 * Everywhere:
 *
 *  - EFAULT: a pointer (of the argument, a member array, an attr, a buffer)
 *    cannot be read or written.
 *  - E2BIG: a struct is longer than the kernel's and its tail is not zero.
 *    For a perf_event_attr the kernel's own size is written to attr.size.
 *  - EINVAL: a struct is shorter than its first published form, a flag or
 *    reserved field is unknown or not zero, or a value makes no sense.
 *  - ENOTTY: no such ioctl on this descriptor.
 *  - ENOMEM, EMFILE, ENFILE: as everywhere.
 *
 * open() of the device:
 *
 *  - EACCES: the caller has neither CAP_PERFMON nor CAP_SYS_ADMIN.
 *
 * PMCGRP_IOC_CREATE (pmcgrp_create.why says more):
 *
 *  - EACCES: the caller (who may have been handed the descriptor) has neither
 *    capability.
 *  - ESRCH: no such task in the caller's PID namespace, or it is exiting.
 *  - ENODEV: the CPU exists but is offline.
 *  - EINVAL: also: the CPU cannot exist on this machine.
 *  - ENOENT: no PMU knows the event of the member fail_member.
 *  - EOPNOTSUPP: the event exists, but cannot be counted in a group.
 *  - ENOSPC: a limit of the module: groups of one open of the device, or counters
 *    in all (module parameters groups_max and slots_max).
 *  - anything else that perf_event_open(2) documents, passed on from the PMU
 *    with %PMCGRP_WHY_PMU.
 *
 * read() of a group:
 *
 *  - ENOSPC: the buffer is smaller than the read_format needs.  Nothing is lost.
 *
 * A read() of 0 bytes is end of file: a pinned group that could not be put on
 * the PMU, exactly as perf does.
 */

#define PMCGRP_ABI_VERSION	1

#define PMCGRP_IOC_TYPE		0xf7

/* On the device. */
#define PMCGRP_IOC_QUERY	_IO(PMCGRP_IOC_TYPE, 0x00)
#define PMCGRP_IOC_CREATE	_IO(PMCGRP_IOC_TYPE, 0x01)
/*
 * On a group, by perf's own numbers from <linux/perf_event.h>:
 *
 *  PERF_EVENT_IOC_ENABLE, _DISABLE, _RESET
 *	act on the whole group.  The argument is 0 or PERF_IOC_FLAG_GROUP, which
 *	mean the same here.  RESET zeroes the counts; like perf's it leaves
 *	time_enabled and time_running alone.  ENABLE also clears the error state
 *	of a pinned group.
 *  PERF_EVENT_IOC_ID
 *	writes the id of member 0 to the __u64 that the argument points to.
 *
 * 0x20 and up of PMCGRP_IOC_TYPE are kept for ioctls on a group.
 */

/** PMCGRP_MEMBERS_MAX: the most members that a group can have */
#define PMCGRP_MEMBERS_MAX	64

/**
 * enum pmcgrp_target_type - whose events a group counts
 * @PMCGRP_TARGET_TASK: one thread; target_id is its TID in the caller's PID
 *	namespace, 0 for the caller
 * @PMCGRP_TARGET_CPU: whatever runs on one CPU; target_id is the CPU
 */
enum pmcgrp_target_type {
	PMCGRP_TARGET_TASK	= 0,
	PMCGRP_TARGET_CPU	= 1,
};

/*
 * Flags of pmcgrp_create.flags.
 *
 * PMCGRP_CREATE_DISABLED: the group starts disabled, as with attr.disabled.
 * PMCGRP_CREATE_ENABLE_ON_EXEC: the target's next execve() enables it; only for
 *	a task.
 * PMCGRP_CREATE_PINNED: the group must be on the PMU whenever its target runs;
 *	where that fails it goes into error, and read() returns 0.
 */
#define PMCGRP_CREATE_DISABLED		(1ULL << 0)
#define PMCGRP_CREATE_ENABLE_ON_EXEC	(1ULL << 1)
#define PMCGRP_CREATE_PINNED		(1ULL << 2)

/**
 * enum pmcgrp_why - the reason behind an errno
 * @PMCGRP_WHY_NONE: no failure
 * @PMCGRP_WHY_FLAGS: pmcgrp_create.flags has a bit that this module does not
 *	know, or that does not go with the target
 * @PMCGRP_WHY_RESERVED: a reserved field is not zero
 * @PMCGRP_WHY_TARGET: target_type unknown, or target_id negative or impossible
 * @PMCGRP_WHY_READ_FORMAT: read_format has a bit that this module does not know
 * @PMCGRP_WHY_NR_MEMBERS: nr_members is 0 or above %PMCGRP_MEMBERS_MAX
 * @PMCGRP_WHY_MEMBER: the struct pmcgrp_member cannot be read or written, or is
 *	malformed
 * @PMCGRP_WHY_ATTR_POINTER: the perf_event_attr cannot be read
 * @PMCGRP_WHY_ATTR_SIZE: attr.size is 0 or below PERF_ATTR_SIZE_VER0 or above a
 *	page
 * @PMCGRP_WHY_ATTR_UNKNOWN: attr is newer than the kernel and uses what is new
 * @PMCGRP_WHY_ATTR_FIELD: attr sets a field that does not say what to count
 *	(sampling, mmap, inherit, pinned, disabled ...); such things are
 *	properties of the group, or not possible
 * @PMCGRP_WHY_EVENT_UNKNOWN: no PMU of this machine knows the event
 * @PMCGRP_WHY_EVENT_KIND: the event cannot be counted in a group: a breakpoint,
 *	a probe of the kprobe or uprobe PMU (make it in tracefs and count its
 *	tracepoint), an event of a tracing, exclusive or uncore PMU, or of
 *	pmcgrp's own
 * @PMCGRP_WHY_TASK_GONE: there is no such task, or it is exiting
 * @PMCGRP_WHY_CPU_OFFLINE: the CPU is offline
 * @PMCGRP_WHY_PMU: the PMU refused the event; the errno is the PMU's
 * @PMCGRP_WHY_PERMISSION: the caller lacks CAP_PERFMON and CAP_SYS_ADMIN
 * @PMCGRP_WHY_NOMEM: the kernel has no memory for it
 * @PMCGRP_WHY_GROUPS_MAX: this open of the device has module parameter groups_max
 *	groups already
 * @PMCGRP_WHY_SLOTS_MAX: the groups of the machine hold module parameter slots_max
 *	counters already: one for each event and CPU, however many groups share it
 */
enum pmcgrp_why {
	PMCGRP_WHY_NONE			= 0,
	PMCGRP_WHY_FLAGS		= 1,
	PMCGRP_WHY_RESERVED		= 2,
	PMCGRP_WHY_TARGET		= 3,
	PMCGRP_WHY_READ_FORMAT		= 4,
	PMCGRP_WHY_NR_MEMBERS		= 5,
	PMCGRP_WHY_MEMBER		= 6,
	PMCGRP_WHY_ATTR_POINTER		= 7,
	PMCGRP_WHY_ATTR_SIZE		= 8,
	PMCGRP_WHY_ATTR_UNKNOWN		= 9,
	PMCGRP_WHY_ATTR_FIELD		= 10,
	PMCGRP_WHY_EVENT_UNKNOWN	= 11,
	PMCGRP_WHY_EVENT_KIND		= 12,
	PMCGRP_WHY_TASK_GONE		= 13,
	PMCGRP_WHY_CPU_OFFLINE		= 14,
	PMCGRP_WHY_PMU			= 15,
	PMCGRP_WHY_PERMISSION		= 16,
	PMCGRP_WHY_NOMEM		= 17,
	PMCGRP_WHY_GROUPS_MAX		= 18,
	PMCGRP_WHY_SLOTS_MAX		= 19,
};

/** PMCGRP_NO_MEMBER: pmcgrp_create.fail_member when no member is to blame */
#define PMCGRP_NO_MEMBER	(~0U)

/**
 * struct pmcgrp_query - what the loaded module can do (PMCGRP_IOC_QUERY)
 * @size: in: sizeof(struct pmcgrp_query); out: the size the kernel knows
 * @flags: in: 0
 * @abi_version: out: %PMCGRP_ABI_VERSION of the module
 * @members_max: out: the most members that a group can have
 * @create_flags: out: every PMCGRP_CREATE_* flag that it knows
 * @read_formats: out: every PERF_FORMAT_* bit that it knows
 * @targets: out: bit n is set if enum pmcgrp_target_type n is known
 * @features: out: 0; bits for abilities that come later
 * @rotate_ns: out: the interval, in nanoseconds, at which groups take turns on
 *	a full PMU (module parameter rotate_ms)
 * @release: out: the module's version, zero-terminated
 *
 * Every field but @size and @flags is overwritten.
 */
struct pmcgrp_query {
	__u32	size;
	__u32	flags;
	__u32	abi_version;
	__u32	members_max;
	__u64	create_flags;
	__u64	read_formats;
	__u64	targets;
	__u64	features;
	__u64	rotate_ns;
	char	release[32];
};

/** PMCGRP_QUERY_SIZE_VER0: size of the first published struct pmcgrp_query */
#define PMCGRP_QUERY_SIZE_VER0	88

/**
 * struct pmcgrp_member - one event of a group
 * @attr: in: user pointer to a struct perf_event_attr, which carries its own
 *	size.  It says what to count: type, config, config1, config2, config3,
 *	exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_host and
 *	exclude_guest; all else must be zero.
 * @id: out: the member's id, as PERF_FORMAT_ID gives it.  Unique while the
 *	module is loaded; starts far above perf's own ids.
 * @flags: in: 0
 * @__reserved: in: 0
 */
struct pmcgrp_member {
	__u64	attr;
	__u64	id;
	__u64	flags;
	__u64	__reserved;
};

/** PMCGRP_MEMBER_SIZE_VER0: size of the first published struct pmcgrp_member */
#define PMCGRP_MEMBER_SIZE_VER0	32

/**
 * struct pmcgrp_create - make a group (PMCGRP_IOC_CREATE)
 * @size: in: sizeof(struct pmcgrp_create)
 * @target_type: in: enum pmcgrp_target_type
 * @target_id: in: which task or CPU
 * @nr_members: in: how many members, 1 to %PMCGRP_MEMBERS_MAX
 * @flags: in: PMCGRP_CREATE_*
 * @read_format: in: PERF_FORMAT_* of read() on the group descriptor.  Without
 *	PERF_FORMAT_GROUP a read gives member 0 alone.
 * @members: in: user pointer to nr_members times struct pmcgrp_member
 * @member_size: in: sizeof(struct pmcgrp_member), the stride of @members
 * @why: out: enum pmcgrp_why
 * @fail_member: out: the index of the member that failed, or %PMCGRP_NO_MEMBER
 * @fail_cpu: out: the CPU on which it failed, or -1
 * @__reserved: in: 0
 *
 * Returns a group descriptor (close-on-exec), or -1 with errno.  On failure
 * @why, @fail_member and @fail_cpu are written if the struct itself could be
 * read.
 */
struct pmcgrp_create {
	__u32	size;
	__u32	target_type;
	__s32	target_id;
	__u32	nr_members;
	__u64	flags;
	__u64	read_format;
	__u64	members;
	__u32	member_size;
	__u32	why;
	__u32	fail_member;
	__s32	fail_cpu;
	__u64	__reserved[2];
};

/** PMCGRP_CREATE_SIZE_VER0: size of the first published struct pmcgrp_create */
#define PMCGRP_CREATE_SIZE_VER0	72

#endif /* _UAPI_LINUX_PMCGRP_H */
