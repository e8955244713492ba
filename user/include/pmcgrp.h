/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * libpmcgrp: counter groups, each one object with one descriptor and one read.
 *
 *	struct pmcgrp *h;
 *	struct pmcgrp_spec *spec;
 *	struct pmcgrp_group *group;
 *
 *	pmcgrp_open(&h, PMCGRP_OPEN_FALLBACK);
 *	pmcgrp_spec_new(&spec);
 *	pmcgrp_spec_add(spec, &attr, "cycles");		// as many as you like
 *	if (pmcgrp_group_create(h, spec, &group) < 0)
 *		errx(1, "%s", pmcgrp_strerror(h));
 *	// ... the work to be measured ...
 *	len = pmcgrp_group_read(group, buf, sizeof(buf));
 *	pmcgrp_view_init(&view, buf, len, pmcgrp_group_read_format(group));
 *	cycles = pmcgrp_view_value(&view, 0);
 *
 * user/examples/ holds whole programs.
 *
 * Return values: functions that return int or ssize_t return a negative errno
 * on failure (-EINVAL, not -1 with errno). After a failed pmcgrp_open(),
 * pmcgrp_query(), pmcgrp_group_create(), pmcgrp_info_next() or pmcgrp_section_next(),
 * pmcgrp_strerror() has a sentence for people.
 *
 * Threads: no function touches global state but the calling thread's own.
 * Different handles, specs, groups and views can be used by different threads
 * at the same time. One and the same handle or spec needs the caller's lock; a
 * group's enable, disable, reset and read may be called from several threads.
 *
 * Units: times are nanoseconds, as perf_event_open(2) gives them.
 */
#ifndef PMCGRP_H
#define PMCGRP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>
#include <linux/pmcgrp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What follows is all that the library exports. */
#pragma GCC visibility push(default)

/* Linux 6.0 and its headers brought PERF_FORMAT_LOST. */
#define PMCGRP_FORMAT_LOST	(1U << 4)

/**
 * pmcgrp_version - the library's release
 *
 * Returns a static string such as "0.1.0".
 */
const char *pmcgrp_version(void);

/* ---- The handle ------------------------------------------------------- */

struct pmcgrp;

/**
 * enum pmcgrp_backend - what a handle counts with
 * @PMCGRP_BACKEND_DEVICE: the pmcgrp module, through /dev/pmcgrp
 * @PMCGRP_BACKEND_PERF: perf_event_open(2), one descriptor for each member
 */
enum pmcgrp_backend {
	PMCGRP_BACKEND_DEVICE	= 1,
	PMCGRP_BACKEND_PERF	= 2,
};

/*
 * Flags of pmcgrp_open().
 *
 * PMCGRP_OPEN_FALLBACK: where there is no module (open() of the device says
 *	ENOENT, ENODEV or ENXIO), use perf_event_open(2). Ask pmcgrp_backend() what
 *	it came to. A device that refuses the caller (EACCES) is no reason to fall
 *	back: the module is there, and what is missing is a permission.
 * PMCGRP_OPEN_PERF: use perf_event_open(2) in any case.
 */
#define PMCGRP_OPEN_FALLBACK	(1U << 0)
#define PMCGRP_OPEN_PERF	(1U << 1)

/**
 * pmcgrp_open - a handle that makes groups
 * @out: the handle; the caller ends it with pmcgrp_close(). NULL on failure.
 * @flags: PMCGRP_OPEN_*, or 0
 *
 * Kernel calls: open("/dev/pmcgrp"), PMCGRP_IOC_QUERY; none with
 * PMCGRP_OPEN_PERF.
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror(NULL) has the
 * sentence:
 *  -EINVAL: unknown flags, or @out is NULL
 *  -ENOENT, -ENODEV, -ENXIO: the module is not loaded
 *  -EACCES: the caller has neither CAP_PERFMON nor CAP_SYS_ADMIN
 *  -EPROTONOSUPPORT: the module speaks another ABI than this library, or the
 *	device is not pmcgrp's
 *  -ENOMEM, -EMFILE, -ENFILE: as everywhere
 */
int pmcgrp_open(struct pmcgrp **out, unsigned int flags);

/**
 * pmcgrp_close - end a handle
 * @h: the handle, or NULL
 *
 * Groups made through it live on: each is its own descriptor.
 */
void pmcgrp_close(struct pmcgrp *h);

/** pmcgrp_backend - what the handle counts with */
enum pmcgrp_backend pmcgrp_backend(const struct pmcgrp *h);

/** pmcgrp_backend_name - the same for people: "/dev/pmcgrp" or "perf_event_open" */
const char *pmcgrp_backend_name(const struct pmcgrp *h);

/**
 * pmcgrp_query - what the loaded module can do
 * @h: the handle
 * @query: @query->size must be sizeof(*query) and @query->flags 0; the rest is
 *	overwritten
 *
 * Kernel call: PMCGRP_IOC_QUERY.
 *
 * Returns 0, or a negative errno:
 *  -EOPNOTSUPP: the handle counts with perf_event_open(2), which has no such
 *	call
 *  -EINVAL, -E2BIG: as <linux/pmcgrp.h> says
 */
int pmcgrp_query(struct pmcgrp *h, struct pmcgrp_query *query);

/**
 * pmcgrp_strerror - the last failure in a sentence
 * @h: the handle, or NULL for the calling thread's last pmcgrp_open()
 *
 * The sentence says what was wrong, with which member, and what to do about
 * it. It belongs to the handle (or the thread) and lasts until the next failing
 * call on it; "" where nothing has failed yet.
 */
const char *pmcgrp_strerror(const struct pmcgrp *h);

/** pmcgrp_error_why - enum pmcgrp_why of the handle's last failure */
enum pmcgrp_why pmcgrp_error_why(const struct pmcgrp *h);

/** pmcgrp_error_member - index of the member to blame, or -1 for none */
int pmcgrp_error_member(const struct pmcgrp *h);

/** pmcgrp_error_cpu - CPU on which the last failure happened, or -1 */
int pmcgrp_error_cpu(const struct pmcgrp *h);

/* ---- Sets of CPUs ------------------------------------------------------ */

/** PMCGRP_CPUS_MAX: the most CPUs that any kernel is built for */
#define PMCGRP_CPUS_MAX 8192

/**
 * struct pmcgrp_cpus - a set of CPUs
 * @bits: bit n % 64 of word n / 64 for CPU n, as sched_setaffinity(2) lays it out
 *	where long has 64 bits
 *
 * All zero is the empty set. It can be copied.
 */
struct pmcgrp_cpus {
	uint64_t bits[PMCGRP_CPUS_MAX / 64];
};

/**
 * pmcgrp_cpus_parse - the set that a list such as "0-3,7" stands for
 * @cpus: overwritten; the empty set on failure
 * @text: numbers and ranges separated by commas, in any order, as in
 *	/sys/devices/system/cpu/online and after perf's -C. One newline at the end is
 *	allowed, and "" is the empty set.
 * @where: on failure, the offset of the character to blame; may be NULL
 *
 * Returns 0, or a negative errno:
 *  -EINVAL: not such a list, or a range that runs backwards
 *  -ERANGE: a number above %PMCGRP_CPUS_MAX - 1
 */
int pmcgrp_cpus_parse(struct pmcgrp_cpus *cpus, const char *text, size_t *where);

/**
 * pmcgrp_cpus_format - write a set as such a list
 * @buf: where to, zero-terminated if @size is not 0; what does not fit is left out
 *
 * Returns the length of the whole list, as snprintf(3) does.
 */
size_t pmcgrp_cpus_format(const struct pmcgrp_cpus *cpus, char *buf, size_t size);

/** pmcgrp_cpus_set - add a CPU; returns 0, or -EINVAL for one that no set can hold */
int pmcgrp_cpus_set(struct pmcgrp_cpus *cpus, int cpu);

/** pmcgrp_cpus_test - whether the set has the CPU */
bool pmcgrp_cpus_test(const struct pmcgrp_cpus *cpus, int cpu);

/** pmcgrp_cpus_next - the first CPU of the set from @from on, or -1 */
int pmcgrp_cpus_next(const struct pmcgrp_cpus *cpus, int from);

/** pmcgrp_cpus_nr - how many CPUs are in the set */
unsigned int pmcgrp_cpus_nr(const struct pmcgrp_cpus *cpus);

/**
 * pmcgrp_cpus_online - the CPUs that are online now
 *
 * Reads /sys/devices/system/cpu/online. Returns 0 or a negative errno.
 */
int pmcgrp_cpus_online(struct pmcgrp_cpus *cpus);

/* ---- What a group shall be -------------------------------------------- */

struct pmcgrp_spec;

/**
 * pmcgrp_spec_new - an empty description of a group
 * @out: the spec; the caller frees it with pmcgrp_spec_free()
 *
 * It starts as: target the calling thread, no flags, no members, read_format
 * GROUP | ID | TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING. A spec can make any
 * number of groups, and be changed between them.
 *
 * Returns 0, -EINVAL (@out is NULL) or -ENOMEM.
 */
int pmcgrp_spec_new(struct pmcgrp_spec **out);

/** pmcgrp_spec_free - free a spec (or NULL); groups made from it live on */
void pmcgrp_spec_free(struct pmcgrp_spec *spec);

/**
 * pmcgrp_spec_set_task - count one thread, on whatever CPU it runs
 * @tid: its thread id, or 0 for the thread that calls pmcgrp_group_create()
 *
 * Returns 0, or -EINVAL for a negative @tid.
 */
int pmcgrp_spec_set_task(struct pmcgrp_spec *spec, pid_t tid);

/**
 * pmcgrp_spec_set_process - count all threads of a process, those it has and those to come
 * @pid: the process, or any thread of it; 0 for the one that calls
 *	pmcgrp_group_create()
 *
 * A read gives their sum, counts and times. With perf_event_open(2) each thread takes
 * its own descriptors, and a process whose threads come faster than they can be
 * opened is refused with -EAGAIN.
 *
 * Returns 0, or -EINVAL for a negative @pid.
 */
int pmcgrp_spec_set_process(struct pmcgrp_spec *spec, pid_t pid);

/**
 * pmcgrp_spec_set_cpu - count whatever runs on one CPU
 * @cpu: its number, from 0
 *
 * Returns 0, or -EINVAL for a negative @cpu. Whether there is such a CPU is seen
 * at pmcgrp_group_create().
 */
int pmcgrp_spec_set_cpu(struct pmcgrp_spec *spec, int cpu);

/**
 * pmcgrp_spec_set_cpus - count whatever runs on the CPUs of a set
 * @cpus: the set, which is copied
 *
 * A read gives their sum, pmcgrp_group_read_cpus() each of them. They must be online
 * at pmcgrp_group_create().
 *
 * Returns 0, or -EINVAL for an empty set.
 */
int pmcgrp_spec_set_cpus(struct pmcgrp_spec *spec, const struct pmcgrp_cpus *cpus);

/**
 * pmcgrp_spec_set_all_cpus - count whatever runs on the machine
 *
 * CPUs that lack an event of the group (a hybrid machine's other kind of core) are
 * left out. With the module CPUs that come online later are counted, too; with
 * perf_event_open(2) those that are online at pmcgrp_group_create().
 *
 * Returns 0, or -EINVAL (@spec is NULL).
 */
int pmcgrp_spec_set_all_cpus(struct pmcgrp_spec *spec);

/**
 * pmcgrp_spec_set_cgroup - count the tasks of a cgroup, and of all cgroups below it
 * @fd: descriptor of the cgroup's directory, of version 2; it is needed until
 *	pmcgrp_group_create() returns
 *
 * On all CPUs, as by pmcgrp_spec_set_all_cpus(); tasks that are moved in are counted from then on,
 * and no longer when they are moved out. pmcgrp_group_set_keys() tells many cgroups apart.
 *
 * Returns 0, or -EINVAL (@spec is NULL, @fd negative).
 */
int pmcgrp_spec_set_cgroup(struct pmcgrp_spec *spec, int fd);

/**
 * pmcgrp_spec_set_flags - how the group starts and behaves
 * @flags: PMCGRP_CREATE_DISABLED, PMCGRP_CREATE_ENABLE_ON_EXEC,
 *	PMCGRP_CREATE_PINNED, PMCGRP_CREATE_INHERIT, PMCGRP_CREATE_LEADER,
 *	PMCGRP_CREATE_USER_READ, PMCGRP_CREATE_UNTIL_EXIT, PMCGRP_CREATE_BACKGROUND of
 *	<linux/pmcgrp.h>; replaces
 *	what was set before
 *
 * PMCGRP_CREATE_INHERIT counts with a thread also the threads and processes that it
 * and they create, and with a process also the processes that it and they create.
 *
 * PMCGRP_CREATE_UNTIL_EXIT counts each task until perf events of it would end, in exit(2). Without
 * it the module counts until the task's last switch, as getrusage(2) does. perf_event_open(2)
 * always counts so.
 *
 * Returns 0. Flags that are unknown or do not go with the target are refused by
 * pmcgrp_group_create(), as only the module knows.
 */
int pmcgrp_spec_set_flags(struct pmcgrp_spec *spec, uint64_t flags);

/**
 * pmcgrp_spec_set_read_format - what a read gives
 * @read_format: PERF_FORMAT_* of perf_event_open(2)
 *
 * Returns 0; pmcgrp_group_create() refuses bits that are unknown.
 */
int pmcgrp_spec_set_read_format(struct pmcgrp_spec *spec, uint64_t read_format);

/**
 * pmcgrp_spec_add_sized - add a member
 * @attr: what to count: type, config, config1 and so on, exclude_*. All else
 *	must be 0 for the module: sampling, disabled, pinned, inherit and
 *	read_format are properties of the group, or not possible. The attr is
 *	copied and passed to the kernel as it is; an attr.size of 0 becomes
 *	@attr_size.
 * @attr_size: sizeof(*attr) where the caller was compiled
 * @name: what error messages call the member; copied; may be NULL
 *
 * Returns the member's index (0 for the first), or a negative errno:
 *  -EINVAL: @spec or @attr is NULL, the size is below PERF_ATTR_SIZE_VER0, or
 *	attr.size is above @attr_size
 *  -E2BIG: the size is above a page
 *  -ENOSPC: there are %PMCGRP_MEMBERS_MAX members already
 *  -ENOMEM
 */
int pmcgrp_spec_add_sized(struct pmcgrp_spec *spec, const struct perf_event_attr *attr,
			  size_t attr_size, const char *name);

/** pmcgrp_spec_add - pmcgrp_spec_add_sized() with the right size */
static inline int pmcgrp_spec_add(struct pmcgrp_spec *spec, const struct perf_event_attr *attr,
				  const char *name)
{
	return pmcgrp_spec_add_sized(spec, attr, sizeof(*attr), name);
}

/** pmcgrp_spec_nr - how many members the spec has */
unsigned int pmcgrp_spec_nr(const struct pmcgrp_spec *spec);

/* ---- Groups ----------------------------------------------------------- */

struct pmcgrp_group;

/**
 * pmcgrp_group_create - make a group
 * @h: the handle
 * @spec: what it shall be; not kept
 * @out: the group; the caller ends it with pmcgrp_group_close(). NULL on failure.
 *
 * Kernel calls: PMCGRP_IOC_CREATE; with the perf backend, perf_event_open(2) for
 * each member (the first is the leader) and PERF_EVENT_IOC_ID, on each CPU or thread
 * of the target.
 *
 * All descriptors are close-on-exec. Nothing is left behind on failure, and
 * pmcgrp_strerror(), pmcgrp_error_why() and pmcgrp_error_member() say more.
 *
 * Returns 0, or a negative errno:
 *  -ENOENT: no PMU knows the event of member pmcgrp_error_member()
 *  -EOPNOTSUPP: it cannot be counted in a group
 *  -ESRCH: no such task
 *  -ENODEV: the CPU is offline
 *  -EINVAL: no members, unknown flags or read_format bits, a CPU that cannot
 *	exist, an attr that sets what it must not; or the PMU can never have counters
 *	for all members (PMCGRP_WHY_TOO_LARGE; pmcgrp_error_member() is the first one
 *	too many)
 *  -EACCES: not permitted; -EMFILE, -ENFILE: out of descriptors; -ENOMEM
 *  -EAGAIN: a process makes threads faster than the perf backend can follow
 *  anything else that perf_event_open(2) documents
 */
int pmcgrp_group_create(struct pmcgrp *h, const struct pmcgrp_spec *spec,
			struct pmcgrp_group **out);

/**
 * pmcgrp_group_add_sized - add a member with a descriptor of its own
 * @h: a handle, for what pmcgrp_strerror() says; it need not be that of the group
 * @group: a group of the module's, made with PMCGRP_CREATE_LEADER
 * @attr: as perf_event_open(2) would take it with the group's leader as its group_fd: what
 *	to count, and disabled and read_format for the new descriptor.  All else as in
 *	pmcgrp_spec_add_sized().
 * @attr_size: sizeof(*attr) where the caller was compiled
 * @name: what error messages call the member; may be NULL
 *
 * Kernel call: PMCGRP_IOC_ADD.  <linux/pmcgrp.h> says under "Groups with a leader" what
 * the descriptor can do: what perf's can.  The caller closes it, and the member leaves.
 * pmcgrp_group_read() then gives more members than the group was made with;
 * pmcgrp_group_nr() and pmcgrp_group_id() are about those.
 *
 * Returns a descriptor (close-on-exec), or a negative errno, with nothing changed:
 *  -EINVAL: the group has no leader, or as many members as it can have
 *  -EOPNOTSUPP: the event cannot be counted in a group, or the group is one of
 *	perf_event_open(2)
 *  as pmcgrp_group_create() has it
 */
int pmcgrp_group_add_sized(struct pmcgrp *h, struct pmcgrp_group *group,
			   const struct perf_event_attr *attr, size_t attr_size,
			   const char *name);

/** pmcgrp_group_add - pmcgrp_group_add_sized() with the right size */
static inline int pmcgrp_group_add(struct pmcgrp *h, struct pmcgrp_group *group,
				   const struct perf_event_attr *attr, const char *name)
{
	return pmcgrp_group_add_sized(h, group, attr, sizeof(*attr), name);
}

/**
 * pmcgrp_group_close - end the group and free it (or NULL)
 *
 * Kernel call: close(). The counters are free for others when it returns.
 */
void pmcgrp_group_close(struct pmcgrp_group *group);

/**
 * pmcgrp_group_reader - a further descriptor of the group, for reading only
 * @h: a handle, for what pmcgrp_strerror() says
 * @group: a group of the module's
 *
 * It can be handed to somebody who may read the group, but not control it: read(), poll(), a
 * mapping to be read only. <linux/pmcgrp.h> says more under "Descriptors for reading only". The
 * caller closes it. The group counts until the last of its descriptors is closed.
 *
 * Kernel call: PMCGRP_IOC_READER.
 *
 * Returns the descriptor (close-on-exec), or a negative errno, for which pmcgrp_strerror() has the
 * sentence:
 *  -EOPNOTSUPP: the group is one of perf_event_open(2), which has none
 *  -ENOTTY: the loaded module is older than this library
 *  -EMFILE, -ENFILE, -ENOMEM
 */
int pmcgrp_group_reader(struct pmcgrp *h, const struct pmcgrp_group *group);

/**
 * pmcgrp_group_fd - the descriptor behind the group
 *
 * For reading or controlling it by hand, as perf's; with the perf backend it is a
 * leader's, that of the first CPU or thread if there are several. It stays the
 * group's: do not close it.
 */
int pmcgrp_group_fd(const struct pmcgrp_group *group);

/** pmcgrp_group_nr - how many members the group has */
unsigned int pmcgrp_group_nr(const struct pmcgrp_group *group);

/** pmcgrp_group_id - the id of member @i as PERF_FORMAT_ID gives it; 0: no such member */
uint64_t pmcgrp_group_id(const struct pmcgrp_group *group, unsigned int i);

/** pmcgrp_group_read_format - the read_format that the group was made with */
uint64_t pmcgrp_group_read_format(const struct pmcgrp_group *group);

/**
 * pmcgrp_group_enable - start counting
 *
 * Kernel call: PERF_EVENT_IOC_ENABLE on the whole group. It also brings a pinned
 * group out of its error state. Returns 0 or a negative errno.
 */
int pmcgrp_group_enable(struct pmcgrp_group *group);

/**
 * pmcgrp_group_disable - stop counting; the values stay readable
 *
 * Kernel call: PERF_EVENT_IOC_DISABLE. Returns 0 or a negative errno. The group's rings are
 * told what was lost after their last records; where they have no room, the next call does.
 */
int pmcgrp_group_disable(struct pmcgrp_group *group);

/**
 * pmcgrp_group_reset - set all values to 0
 *
 * Kernel call: PERF_EVENT_IOC_RESET. As with perf, time_enabled and time_running
 * go on. Returns 0 or a negative errno.
 */
int pmcgrp_group_reset(struct pmcgrp_group *group);

/**
 * pmcgrp_group_reset_times - the same, and time_enabled and time_running, too
 *
 * Kernel call: PERF_EVENT_IOC_RESET with PMCGRP_IOC_FLAG_TIMES. perf_event_open(2)
 * cannot do so: there the library takes down what there is and subtracts it from
 * what it reads later, which read() of pmcgrp_group_fd() does not show. Returns 0 or
 * a negative errno.
 */
int pmcgrp_group_reset_times(struct pmcgrp_group *group);

/**
 * pmcgrp_group_read - read all members at the same instant
 * @buf: where to; pmcgrp_read_size() bytes are enough
 * @len: its size in bytes
 *
 * Kernel call: read(). The bytes are in read_format layout: struct pmcgrp_view
 * walks them.
 *
 * Returns the number of bytes, 0 for a pinned group that could not be put on the
 * PMU (pmcgrp_view_init() makes -ENODATA of that), or a negative errno:
 *  -ENOSPC: @buf is too small; nothing is lost
 */
ssize_t pmcgrp_group_read(struct pmcgrp_group *group, void *buf, size_t len);

/**
 * pmcgrp_group_read_user - the same without a system call, where that is possible
 * @group: called by the thread that it counts and no other, which would die of SIGILL
 * @buf: as pmcgrp_group_read()
 * @len: as pmcgrp_group_read()
 *
 * For groups made with PMCGRP_CREATE_USER_READ: then a few instructions for each member, as long
 * as the group has its counters. Otherwise, for any other group, and now and then (some tens
 * of times a second) to learn anew where the counters stand, this is pmcgrp_group_read().
 * The administrator has to allow it: sysctl kernel.perf_user_access=1. Setting that back
 * to 0 while threads read so may end them by SIGILL, as it does with perf.
 *
 * Returns as pmcgrp_group_read().
 */
ssize_t pmcgrp_group_read_user(struct pmcgrp_group *group, void *buf, size_t len);

/**
 * pmcgrp_group_user_read_why - why pmcgrp_group_read_user() has to make system calls
 *
 * Returns PMCGRP_WHY_NONE: it has not, while the group has its counters;
 * PMCGRP_WHY_FLAGS: the group was made without PMCGRP_CREATE_USER_READ;
 * PMCGRP_WHY_READ_FORMAT: it is not read with PERF_FORMAT_GROUP, or is with
 * PERF_FORMAT_LOST; PMCGRP_WHY_USER_READ_UNSUPPORTED: the processor, the kernel, or the perf
 * backend; PMCGRP_WHY_USER_READ_DENIED: the administrator; PMCGRP_WHY_USER_READ_EVENT: a
 * member; or PMCGRP_WHY_NOMEM.
 */
enum pmcgrp_why pmcgrp_group_user_read_why(const struct pmcgrp_group *group);

/**
 * pmcgrp_group_read_cpus - read each CPU of a group of CPUs apart
 * @buf: where to
 * @len: its size in bytes; 0 asks how many are needed now
 *
 * Kernel call: PMCGRP_IOC_READ_CPUS; with the perf backend read() for each CPU. The
 * bytes are one record for each CPU, in ascending order: its number in a uint64_t,
 * then what a read of it alone gives. pmcgrp_view_cpu() walks them. CPUs that come
 * online make a group of all CPUs need more bytes.
 *
 * Returns the number of bytes, or a negative errno:
 *  -ENOSPC: @buf is too small; nothing is lost
 *  -EINVAL: not a group of CPUs
 */
ssize_t pmcgrp_group_read_cpus(struct pmcgrp_group *group, void *buf, size_t len);

/**
 * pmcgrp_groups_read - read many groups by one call
 * @h: the handle that has made them
 * @groups: the groups
 * @nr: number of these
 * @buf: where to, aligned to 8 bytes; for each group 8 + pmcgrp_read_size() bytes are enough
 * @len: its size in bytes
 *
 * Kernel call: PMCGRP_IOC_READ_MANY; with the perf backend a read() of each. The bytes are one
 * record for each group, in order: an int64_t, then what pmcgrp_group_read() gives. The
 * int64_t is what that returns: the number of bytes that follow, 0, or a negative errno.
 * Groups of one task that count the same events are read at one instant if they are neighbours
 * in @groups: that also costs least.
 *
 * Returns the number of bytes, or a negative errno:
 *  -ENOSPC: @buf is too small; nothing is lost
 *  -EINVAL: @buf is not aligned
 */
ssize_t pmcgrp_groups_read(struct pmcgrp *h, struct pmcgrp_group *const *groups, unsigned int nr,
			   void *buf, size_t len);

/* ---- What groups are and do ------------------------------------------- */

/*
 * A struct pmcgrp_info of these functions is one block of memory with all that belongs
 * to it: the caller owns it, and pmcgrp_info_free() frees it whole. Its fields are
 * described in <linux/pmcgrp.h>; pmcgrp_info_member() and pmcgrp_info_cpu() find what
 * its pointers lead to.
 */

/**
 * pmcgrp_group_info - what a group is, and what it does on each CPU
 * @out: the info, for pmcgrp_info_free(). NULL on failure.
 *
 * Kernel call: PMCGRP_IOC_INFO, again with more room where there was too little.
 *
 * Returns 0, or a negative errno:
 *  -EOPNOTSUPP: the group counts with perf_event_open(2), which has no such call
 *  -ENOTTY: the loaded module is older than this library
 *  -EPROTO: the module does not answer as it should
 *  -EINVAL (a pointer is NULL), -ENOMEM
 */
int pmcgrp_group_info(const struct pmcgrp_group *group, struct pmcgrp_info **out);

/**
 * pmcgrp_info_fd - the same for a group's descriptor, such as one that was handed over
 * @fd: the descriptor, which stays the caller's
 */
int pmcgrp_info_fd(int fd, struct pmcgrp_info **out);

/**
 * pmcgrp_info_next - the groups of the machine, one by one
 * @h: the handle
 * @id: the least id that is looked for: 0 for the first group, then (*@out)->id + 1
 * @out: the info, for pmcgrp_info_free(). NULL on failure.
 *
 * Kernel call: PMCGRP_IOC_INFO_NEXT, which needs CAP_SYS_ADMIN; without it it finds the groups that
 * were made by this handle. The groups are asked one after the other, and go on meanwhile: what two
 * of them say was true at different times.
 *
 * Returns 0, or a negative errno:
 *  -ENOENT: there is no group with such an id, or a greater one
 *  -EACCES: the caller lacks CAP_SYS_ADMIN, and there is no group that was made by this handle
 *  -EOPNOTSUPP, -ENOTTY, -EPROTO, -EINVAL, -ENOMEM: as pmcgrp_group_info()
 * pmcgrp_strerror() has a sentence for all but -ENOENT.
 */
int pmcgrp_info_next(struct pmcgrp *h, uint64_t id, struct pmcgrp_info **out);

/**
 * pmcgrp_holders - which perf events have counters of a PMU on a CPU now, and whose they are
 * @h: the handle
 * @attr: any event of the PMU
 * @cpu: the CPU
 * @out: as many struct pmcgrp_holder, for free(). NULL on failure.
 *
 * Kernel call: PMCGRP_IOC_HOLDERS, which needs CAP_PERFMON; what others than the caller's user have
 * is shown with CAP_SYS_ADMIN alone. A software event has no counter.
 *
 * Returns how many there are, or a negative errno:
 *  -EACCES: the caller lacks CAP_PERFMON
 *  -ENODEV: the CPU is offline
 *  -ENOTTY: the module is too old
 *  -EOPNOTSUPP: the handle counts with perf_event_open(2)
 *  -EPROTO: the module does not answer as it should
 *  -EINVAL (a pointer is NULL, or no such CPU), -ENOMEM, and what pmcgrp_group_create() says of an
 *  event
 */
int pmcgrp_holders(struct pmcgrp *h, const struct perf_event_attr *attr, int cpu,
		   struct pmcgrp_holder **out);

/** pmcgrp_info_free - free an info (or NULL) with its members and their CPUs */
void pmcgrp_info_free(struct pmcgrp_info *info);

/** pmcgrp_info_member - member @i of an info; NULL: there is none */
static inline const struct pmcgrp_info_member *pmcgrp_info_member(const struct pmcgrp_info *info,
								  uint32_t i)
{
	if (i >= info->nr_members)
		return NULL;
	return (const struct pmcgrp_info_member *)(uintptr_t)(info->members +
							      (uint64_t)i * info->member_size);
}

/** pmcgrp_info_cpu - entry @i of an info, a member on a CPU; NULL: there is none */
static inline const struct pmcgrp_info_cpu *pmcgrp_info_cpu(const struct pmcgrp_info *info,
							    uint32_t i)
{
	if (i >= info->nr_cpus)
		return NULL;
	return (const struct pmcgrp_info_cpu *)(uintptr_t)(info->cpus +
							   (uint64_t)i * info->cpu_size);
}

/**
 * pmcgrp_info_attr - the event of a member as perf_event_open(2) knows it
 * @attr: its first PERF_ATTR_SIZE_VER1 bytes are overwritten, and attr.size is that
 */
void pmcgrp_info_attr(const struct pmcgrp_info_member *member, struct perf_event_attr *attr);

/**
 * pmcgrp_state_name - a state in a word: "running", "waiting", "unschedulable",
 * "error", "disabled", "sched-out"; "unknown" for one that this library does not know
 */
const char *pmcgrp_state_name(enum pmcgrp_state state);

/**
 * pmcgrp_why_name - a reason in a word, as the enum has it: "too-large",
 * "busy-pmcgrp", "busy-perf", ...; "none", and "unknown" for one that this library does not know
 */
const char *pmcgrp_why_name(enum pmcgrp_why why);

/**
 * pmcgrp_why_text - a reason in a few words for people, without a full stop
 *
 * For PMCGRP_WHY_BUSY_PERF it says whether the NMI watchdog is on, and how to switch it
 * off. Returns a static string; "" for PMCGRP_WHY_NONE.
 */
const char *pmcgrp_why_text(enum pmcgrp_why why);

/* ---- Sections of kernel modules, and spans ------------------------------ */

/*
 * A kernel module can have sections of its code counted by a group (kmod/include/linux/pmcgrp.h
 * in the sources of pmcgrp). A struct pmcgrp_section_info of these functions is one block of
 * memory with its values: the caller owns it, and pmcgrp_section_free() frees it whole. Its fields
 * are described in <linux/pmcgrp.h>.
 */

/**
 * pmcgrp_section_next - the sections of the machine, one by one
 * @h: the handle
 * @id: the least id that is looked for: 0 for the first section, then (*@out)->id + 1
 * @out: the section, for pmcgrp_section_free(). NULL on failure.
 *
 * Kernel call: PMCGRP_IOC_SECTION_NEXT, again with more room where there was too little. It needs
 * CAP_SYS_ADMIN; without it it finds the spans of groups that were made by this handle.
 *
 * Returns 0, or a negative errno:
 *  -ENOENT: there is no section with such an id, or a greater one
 *  -EACCES: the caller lacks CAP_SYS_ADMIN, and there is no group that was made by this handle
 *  -EOPNOTSUPP: the handle counts with perf_event_open(2), which has no sections
 *  -ENOTTY: the loaded module is older than this library
 *  -EPROTO: the module does not answer as it should
 *  -EINVAL (a pointer is NULL), -ENOMEM
 * pmcgrp_strerror() has a sentence for all but -ENOENT.
 */
int pmcgrp_section_next(struct pmcgrp *h, uint64_t id, struct pmcgrp_section_info **out);

/** pmcgrp_section_free - free a section (or NULL) with its values */
void pmcgrp_section_free(struct pmcgrp_section_info *section);

/** pmcgrp_section_stat - of a section the time (@i 0), or member @i - 1; NULL: there is none */
static inline const struct pmcgrp_section_stat *
pmcgrp_section_stat(const struct pmcgrp_section_info *section, uint32_t i)
{
	if (i > section->nr_members || i >= section->nr_stats)
		return NULL;
	return (const struct pmcgrp_section_stat *)((uintptr_t)section->stats +
						    (uintptr_t)i * section->stat_size);
}

/**
 * struct pmcgrp_section_counts - what a section has counted by CPU and key
 * @by: 1 + enum pmcgrp_key_type: what spans are told apart by; 0: by CPU alone
 * @nr_members: number of members
 * @nr: number of entries
 * @entry: a total for each CPU, in their order; then the keys that have counted, each once; at last
 *	what found no slot, if anything did. Keys are in the order of pmcgrp_section_key.key, and
 *	their @cpu is any of those on which they have counted
 * @buckets: the histograms of each entry; NULL: they were not asked for
 */
struct pmcgrp_section_counts {
	uint32_t by;
	uint32_t nr_members;
	size_t nr;
	struct pmcgrp_section_key_buckets *buckets;
	struct pmcgrp_section_key entry[];
};

/**
 * pmcgrp_section_read_keys - what a section has counted by CPU and key
 * @h: the handle
 * @id: id of the section
 * @out: for pmcgrp_section_counts_free(). NULL on failure.
 *
 * Kernel call: PMCGRP_IOC_SECTION_KEYS, as often as needed. It needs CAP_PERFMON. Keys are those
 * that pmcgrp_group_add_span() was asked for. While the section counts, the sum of all keys can be
 * another one than that of all CPUs.
 *
 * Returns 0, or a negative errno:
 *  -ENOENT: there is no such section
 *  -EACCES: the caller lacks the capability
 *  -EOPNOTSUPP: the handle counts with perf_event_open(2), which has no sections
 *  -ENOTTY: the loaded module is older than this library
 *  -EPROTO: the module does not answer as it should
 *  -EINVAL (a pointer is NULL), -ENOMEM
 * pmcgrp_strerror() has a sentence for all but -ENOENT.
 */
int pmcgrp_section_read_keys(struct pmcgrp *h, uint64_t id, struct pmcgrp_section_counts **out);

/**
 * pmcgrp_section_read_histograms - the same, with pmcgrp_section_counts.buckets
 *
 * CPUs have histograms in any case; keys if pmcgrp_span_spec.histograms was set, else theirs are 0.
 * Each entry takes %PMCGRP_SECTION_BUCKETS * 9 * 8 bytes more.
 */
int pmcgrp_section_read_histograms(struct pmcgrp *h, uint64_t id,
				   struct pmcgrp_section_counts **out);

/** pmcgrp_section_counts_free - free them (or NULL) */
void pmcgrp_section_counts_free(struct pmcgrp_section_counts *counts);

/**
 * pmcgrp_missed_name - why a section was not counted, in a word: "busy", "off", "moved", "limit";
 * "unknown" for a reason that this library does not know
 */
const char *pmcgrp_missed_name(enum pmcgrp_missed reason);

/** pmcgrp_missed_text - the same in a few words for people, without a full stop */
const char *pmcgrp_missed_text(enum pmcgrp_missed reason);

struct pmcgrp_key_options;

/**
 * struct pmcgrp_span_spec - from where to where a span counts; zero what is not needed
 * @kind: %PMCGRP_SECTION_FUNCTION, or another enum pmcgrp_section_kind
 * @begin: name of the kernel's function, MODULE:FUNCTION for one of a module; of a tracepoint; or
 *	the file that has the function
 * @end: name of the tracepoint at which it ends
 * @offset: where in the file the function begins, in bytes
 * @exits: where it leaves: offsets of its returns and of its jumps to other functions, in ascending
 *	order; NULL: the library finds them, by libcapstone, or refuses the function with the reason
 * @nr_exits: number of @exits
 * @force: without @exits: leave out exits that are not certain. Calls that end there are missed, or
 *	stay in flight
 * @key: for tracepoints: which beginning an end is of
 * @begin_arg: for %PMCGRP_SPAN_KEY_ARG: which argument of @begin is the key
 * @end_arg: the same of @end
 * @arg_size: bytes of these arguments, 4 or 8
 * @max_active: how many can be in flight at once; 0: the module chooses
 * @name: what pmcgrp_section_next() calls the span; NULL: @begin
 * @by: count spans by the task that runs at their end, for pmcgrp_section_read_keys(); NULL: do
 *	not. Slots are for all keys that come on a CPU; with 0 the module chooses
 * @histograms: with @by, have histograms of each key, for pmcgrp_section_read_histograms()
 * @record: write each into the group's ring as well, for pmcgrp_record_span(). The group has been
 *	given one with PERF_SAMPLE_RAW
 * @record_id: out: with @record, the id of its records and of those that say how many were lost;
 *	NULL: nobody wants it
 */
struct pmcgrp_span_spec {
	enum pmcgrp_section_kind kind;
	const char *begin;
	const char *end;
	uint64_t offset;
	const uint64_t *exits;
	unsigned int nr_exits;
	bool force;
	enum pmcgrp_span_key key;
	unsigned int begin_arg;
	unsigned int end_arg;
	unsigned int arg_size;
	unsigned int max_active;
	const char *name;
	const struct pmcgrp_key_options *by;
	bool histograms;
	bool record;
	uint64_t *record_id;
};

/**
 * pmcgrp_group_add_span - count what happens between two points
 * @h: a handle, for what pmcgrp_strerror() says; it need not be that of the group
 * @group: a group of the module's, without a leader, of at most %PMCGRP_SECTION_MEMBERS_MAX members
 * @spec: between which
 * @id: out: the span's id, for pmcgrp_section_next(); may be NULL
 *
 * Kernel call: PMCGRP_IOC_SPAN; <linux/pmcgrp.h> says whose spans count, and which are missed. The
 * span goes with the group.
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror() has the sentence:
 *  -ENOENT: the kernel has no such function or tracepoint, there is no such file, or libcapstone is
 *	not installed
 *  -EINVAL: it lets nobody probe the function; a name is empty or too long; @max_active is too
 *	large; a field is out of range, or not of this kind; or a pointer is NULL
 *  -EOPNOTSUPP: the group can have no spans, or the kernel has none; or the function of a
 *	file has exits that are not certain
 *  -ENOEXEC: the file is no program or library for this processor
 *  -ENOSPC: the group has %PMCGRP_SPANS_MAX spans
 *  -EACCES: the caller lacks the capability
 *  -ENOTTY: the loaded module is older than this library
 *  -ENOMEM, and what else the kernel says of a probe
 */
int pmcgrp_group_add_span(struct pmcgrp *h, struct pmcgrp_group *group,
			  const struct pmcgrp_span_spec *spec, uint64_t *id);

/* ---- Names of events --------------------------------------------------- */

/**
 * pmcgrp_event_name - the name that perf has for an event
 * @attr: type, config, config1, config2, exclude_*, and config3 if attr.size has it, are looked at
 * @buf: where to, zero-terminated if @size is not 0; what does not fit is left out
 *
 * "cycles:u", "L1-dcache-load-misses", "sched:sched_switch" (looked up in tracefs),
 * "r1a8"; where perf has no name, the PMU's name (from
 * /sys/bus/event_source/devices/) and the code, "uncore_imc/config=0x4/".
 *
 * Returns the length of the whole name, as snprintf(3) does.
 */
size_t pmcgrp_event_name(const struct perf_event_attr *attr, char *buf, size_t size);

/**
 * pmcgrp_event_pmu - the name of the PMU that counts an event
 * @cpu: where it is counted; -1 for any CPU. Machines with two kinds of cores have two
 *	PMUs for events such as cycles.
 * @buf: as with pmcgrp_event_name()
 */
size_t pmcgrp_event_pmu(const struct perf_event_attr *attr, int cpu, char *buf, size_t size);

/* ---- The bytes of a read ---------------------------------------------- */

/**
 * struct pmcgrp_view - a window on bytes in read_format layout
 *
 * It walks what read() of a group, or of a perf event, gives for any combination
 * of PERF_FORMAT_TOTAL_TIME_ENABLED, _TOTAL_TIME_RUNNING, _ID, _GROUP and _LOST,
 * and the PERF_SAMPLE_READ part of a sample, which is the same. Nothing is
 * copied or allocated: the bytes must live as long as the view. They need no
 * alignment. The fields are the library's.
 */
struct pmcgrp_view {
	const unsigned char *bytes;
	size_t size;
	size_t nr;
	uint64_t read_format;
	uint32_t values;	/* offset of the first value */
	uint32_t stride;	/* from one value to the next */
	uint64_t __reserved[2];
};

/**
 * pmcgrp_read_size - how many bytes a read gives
 * @read_format: PERF_FORMAT_*
 * @nr: members of the group; without PERF_FORMAT_GROUP a read gives one
 *
 * Returns 0 for a @read_format with bits that this library does not know.
 */
size_t pmcgrp_read_size(uint64_t read_format, size_t nr);

/**
 * pmcgrp_view_init - look at bytes
 * @view: the view
 * @bytes: what was read
 * @len: how many bytes; more than the layout needs is fine
 * @read_format: what the event or group was made with
 *
 * Returns 0, or a negative errno:
 *  -EINVAL: @read_format has unknown bits, or a pointer is NULL
 *  -ENODATA: @len is 0: end of file, a pinned group in error
 *  -EBADMSG: the bytes end before what they announce
 * On failure the view is empty: no members, no times.
 */
int pmcgrp_view_init(struct pmcgrp_view *view, const void *bytes, size_t len,
		     uint64_t read_format);

/**
 * pmcgrp_view_cpu - look at one record of pmcgrp_group_read_cpus()
 * @view: the view, as pmcgrp_view_init() makes it
 * @bytes: what was read
 * @len: how many bytes
 * @read_format: what the group was made with
 * @i: which record, from 0
 *
 * Returns the number of the CPU, or a negative errno, with an empty view:
 *  -ENOENT: there are not so many records
 *  -EINVAL: @read_format has unknown bits, or a pointer is NULL
 *  -EBADMSG: the bytes are no such records
 */
int pmcgrp_view_cpu(struct pmcgrp_view *view, const void *bytes, size_t len,
		    uint64_t read_format, size_t i);

/** pmcgrp_view_size - how many bytes the layout takes, from its first */
size_t pmcgrp_view_size(const struct pmcgrp_view *view);

/** pmcgrp_view_nr - how many members the bytes hold */
size_t pmcgrp_view_nr(const struct pmcgrp_view *view);

/**
 * pmcgrp_view_time_enabled - how long the group was enabled, in ns
 * @ns: written if present
 *
 * Returns whether the read_format has it.
 */
bool pmcgrp_view_time_enabled(const struct pmcgrp_view *view, uint64_t *ns);

/** pmcgrp_view_time_running - the same for how long it was on the PMU, in ns */
bool pmcgrp_view_time_running(const struct pmcgrp_view *view, uint64_t *ns);

/** pmcgrp_view_value - the count of member @i; 0 if there is no such member */
uint64_t pmcgrp_view_value(const struct pmcgrp_view *view, size_t i);

/** pmcgrp_view_id - the id of member @i; 0 without PERF_FORMAT_ID or member */
uint64_t pmcgrp_view_id(const struct pmcgrp_view *view, size_t i);

/** pmcgrp_view_lost - lost samples of member @i; 0 without PERF_FORMAT_LOST or member */
uint64_t pmcgrp_view_lost(const struct pmcgrp_view *view, size_t i);

/** pmcgrp_view_find_id - the index of the member with this id, or -ENOENT */
ssize_t pmcgrp_view_find_id(const struct pmcgrp_view *view, uint64_t id);

/* ---- Samples: rings and triggers -------------------------------------- */

/*
 * A group of the module's can be given a ring, into which the kernel writes a record with
 * all members' counts whenever a trigger fires:
 *
 *	pmcgrp_group_set_ring(h, group, 0, sample_type, 0);
 *	pmcgrp_group_add_trigger(h, group, &clock, "every 100 us");
 *	pmcgrp_rings_map(&rings, group, 64);
 *	pmcgrp_group_enable(group);
 *	while (pmcgrp_rings_wait(rings, 100) >= 0) {
 *		while (pmcgrp_rings_next(rings, &record) > 0)
 *			use(&record, pmcgrp_rings_delta(rings, record.ring));
 *		pmcgrp_rings_consume(rings);
 *	}
 *
 * Rings and records are perf's, so that what reads them, pmcgrp_ring_*(),
 * pmcgrp_rings_*(), pmcgrp_record_*() and pmcgrp_delta_*(), also reads those of any
 * descriptor of perf_event_open(2). <linux/pmcgrp.h> says under "The ring" which records
 * there are. One ring, or set of rings, needs the caller's lock.
 */

/**
 * pmcgrp_group_set_ring - let a group have records
 * @h: a handle, for what pmcgrp_strerror() says; it need not be that of the group
 * @group: a group of the module's: of a thread, or of CPUs
 * @flags: PMCGRP_RING_*
 * @sample_type: PERF_SAMPLE_* of IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU,
 *	PERIOD, READ, CALLCHAIN, RAW (for spans) and CGROUP: what a sample's record has
 * @wakeup: let pmcgrp_rings_wait() return after so many samples (with
 *	PMCGRP_RING_WATERMARK: bytes); 0: when a ring is half full
 *
 * Kernel call: PMCGRP_IOC_RING. Once for a group, before it is mapped.
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror() has the sentence:
 *  -EINVAL: a bit is unknown
 *  -EBUSY: the group has its ring already
 *  -EOPNOTSUPP: the group has a leader, or is one of perf_event_open(2)
 *  -EACCES: addresses are asked for, without CAP_SYSLOG
 *  -ENOTTY: the loaded module is older than this library
 */
int pmcgrp_group_set_ring(struct pmcgrp *h, struct pmcgrp_group *group, unsigned int flags,
			  uint64_t sample_type, uint32_t wakeup);

/**
 * pmcgrp_group_set_ring_clock - the same with the clock of PERF_SAMPLE_TIME
 * @clockid: CLOCK_MONOTONIC or CLOCK_MONOTONIC_RAW: times can be compared with what
 *	clock_gettime(2) gives. pmcgrp_query.clockids has a bit for each clock that the module knows.
 *
 * pmcgrp_group_set_ring() has perf's own clock.
 *
 * Returns as that; -EINVAL also for another clock.
 */
int pmcgrp_group_set_ring_clock(struct pmcgrp *h, struct pmcgrp_group *group, unsigned int flags,
				uint64_t sample_type, uint32_t wakeup, clockid_t clockid);

/**
 * pmcgrp_group_add_trigger_sized - let an event cause samples
 * @h: a handle, for what pmcgrp_strerror() says
 * @group: a group that has a ring
 * @attr: which event, and sample_period, or sample_freq with freq. Any that perf can
 *	sample, but no breakpoints.
 * @attr_size: sizeof(*attr) where the caller was compiled
 * @name: what error messages and pmcgrp_group_trigger_name() call it; may be NULL
 *
 * Kernel call: PMCGRP_IOC_TRIGGER. The trigger goes with the group.
 *
 * Returns its index, 1 or more, or a negative errno, for which pmcgrp_strerror() has the
 * sentence:
 *  -EINVAL: the group has no ring, or the attr neither period nor frequency
 *  -ENOSPC: the group has %PMCGRP_TRIGGERS_MAX triggers
 *  -EOPNOTSUPP: the event cannot cause samples, or the group is one of
 *	perf_event_open(2)
 *  -ESRCH: the target has exited
 *  as pmcgrp_group_create() has it of a member
 */
int pmcgrp_group_add_trigger_sized(struct pmcgrp *h, struct pmcgrp_group *group,
				   const struct perf_event_attr *attr, size_t attr_size,
				   const char *name);

/** pmcgrp_group_add_trigger - pmcgrp_group_add_trigger_sized() with the right size */
static inline int pmcgrp_group_add_trigger(struct pmcgrp *h, struct pmcgrp_group *group,
					   const struct perf_event_attr *attr, const char *name)
{
	return pmcgrp_group_add_trigger_sized(h, group, attr, sizeof(*attr), name);
}

/**
 * pmcgrp_group_sample - a record now, in the ring of each CPU where the target runs
 * @addr: what it has as PERF_SAMPLE_ADDR
 *
 * Kernel call: PMCGRP_IOC_SAMPLE. Returns how many records were written, or a negative
 * errno: -EINVAL without a ring.
 */
int pmcgrp_group_sample(struct pmcgrp_group *group, uint64_t addr);

/**
 * pmcgrp_group_pause_rings - stop writing records, or go on
 *
 * Kernel call: PERF_EVENT_IOC_PAUSE_OUTPUT. What would have been written meanwhile is
 * counted as lost. A ring that is written backward is read in such a pause. Returns 0 or a
 * negative errno.
 */
int pmcgrp_group_pause_rings(struct pmcgrp_group *group, bool pause);

/** pmcgrp_group_name - what member @i was called, or its event's name; "": no such member */
const char *pmcgrp_group_name(const struct pmcgrp_group *group, unsigned int i);

/** pmcgrp_group_trigger_name - the same for a trigger's index; "": no such trigger */
const char *pmcgrp_group_trigger_name(const struct pmcgrp_group *group, int index);

/** pmcgrp_group_trigger_id - what records of a trigger have as PERF_SAMPLE_ID; or 0 */
uint64_t pmcgrp_group_trigger_id(const struct pmcgrp_group *group, int index);

/* ---- Records ------------------------------------------------------------ */

/**
 * struct pmcgrp_record_format - what has to be known to read a ring's records
 * @sample_type: PERF_SAMPLE_* of the ring or event. Where it has bits that
 *	pmcgrp_group_set_ring() does not list, what they stand for is left in the body.
 * @read_format: PERF_FORMAT_* of the group or event
 * @sample_id_all: attr.sample_id_all of the event; always set for pmcgrp's
 */
struct pmcgrp_record_format {
	uint64_t sample_type;
	uint64_t read_format;
	bool sample_id_all;
};

/** pmcgrp_group_record_format - that of a group's ring */
void pmcgrp_group_record_format(const struct pmcgrp_group *group,
				struct pmcgrp_record_format *format);

/**
 * struct pmcgrp_record - a record, decoded
 * @type: PERF_RECORD_*, or %PMCGRP_RECORD_COMPACT
 * @misc: PERF_RECORD_MISC_*
 * @size: of the whole record in the ring, in bytes
 * @ring: index of its ring, from pmcgrp_rings_next(); else 0
 * @has: PERF_SAMPLE_* that it has: which of the next nine fields, and @read, mean
 *	something. Those that it lacks are 0.
 * @ip: PERF_SAMPLE_IP
 * @addr: PERF_SAMPLE_ADDR
 * @pid: PERF_SAMPLE_TID: the process; ~0 in a compact record, which has the thread alone
 * @tid: PERF_SAMPLE_TID: the thread
 * @time: PERF_SAMPLE_TIME, in ns
 * @id: PERF_SAMPLE_ID or PERF_SAMPLE_IDENTIFIER: whose it is
 * @stream_id: PERF_SAMPLE_STREAM_ID
 * @period: PERF_SAMPLE_PERIOD
 * @cpu: PERF_SAMPLE_CPU; from pmcgrp_rings_next() also that of its ring
 * @trigger: of a compact record: index of the trigger, or 0 for a sample on request
 * @flags: of a compact record: PMCGRP_COMPACT_*
 * @lost: PERF_RECORD_LOST, _LOST_SAMPLES: how many
 * @read: the counts: PERF_SAMPLE_READ, or those of a compact record
 * @body: what of the record is not decoded, within its bytes
 * @body_size: in bytes
 * @chain: PERF_SAMPLE_CALLCHAIN: its words, of no alignment; pmcgrp_record_chain() reads one
 * @nr_chain: how many: PERF_CONTEXT_KERNEL and _USER, each before the addresses that it is of
 * @cgroup: PERF_SAMPLE_CGROUP: its id, which is the inode number of its directory
 * @raw: PERF_SAMPLE_RAW: its bytes, of no alignment; pmcgrp_record_span() reads a span's
 * @raw_size: how many
 *
 * @read, @chain, @raw and @body point into the bytes that were decoded, and last as long.
 */
struct pmcgrp_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
	uint32_t ring;
	uint32_t cpu;
	uint64_t has;
	uint64_t ip;
	uint64_t addr;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint64_t period;
	uint32_t trigger;
	uint32_t flags;
	uint64_t lost;
	struct pmcgrp_view read;
	const unsigned char *body;
	size_t body_size;
	const unsigned char *chain;
	size_t nr_chain;
	const unsigned char *raw;
	size_t raw_size;
	uint64_t cgroup;
	uint64_t __reserved[1];
};

/** pmcgrp_record_chain - word @i of a call chain, less than @nr_chain: an address or PERF_CONTEXT_* */
static inline uint64_t pmcgrp_record_chain(const struct pmcgrp_record *record, size_t i)
{
	uint64_t word;

	__builtin_memcpy(&word, record->chain + i * sizeof(word), sizeof(word));
	return word;
}

/**
 * pmcgrp_record_decode - read a record
 * @record: overwritten; all zero on failure
 * @bytes: the record, beginning with its struct perf_event_header; no alignment is needed
 * @len: how many bytes there are; more than the record has is fine
 * @format: what the ring has
 *
 * Returns 0, or a negative errno:
 *  -EINVAL: a pointer is NULL, or read_format has unknown bits
 *  -EBADMSG: the record's size cannot be, or it ends before what the format announces
 */
int pmcgrp_record_decode(struct pmcgrp_record *record, const void *bytes, size_t len,
			 const struct pmcgrp_record_format *format);

/**
 * struct pmcgrp_span_values - what a span has counted, of its record
 * @id: id of the span, as pmcgrp_group_add_span() gives it
 * @begin: when it began, in ns, by the clock of pmcgrp_record.time
 * @duration: in ns
 * @nr: number of members
 * @value: what each has counted
 */
struct pmcgrp_span_values {
	uint64_t id;
	uint64_t begin;
	uint64_t duration;
	uint32_t nr;
	uint64_t value[PMCGRP_SECTION_MEMBERS_MAX];
};

/**
 * pmcgrp_record_span - read the record of a span (pmcgrp_span_spec.record)
 * @record: of a ring with PERF_SAMPLE_RAW
 * @span: overwritten; all zero on failure
 *
 * Returns 0, -ENOENT: it is of no span; -EBADMSG: its data cannot be; or -EINVAL: a pointer is
 * NULL.
 */
int pmcgrp_record_span(const struct pmcgrp_record *record, struct pmcgrp_span_values *span);

/**
 * pmcgrp_record_name - a record's type in a word: "sample" (for a compact one, too), "lost",
 * "lost-samples", "throttle", "unthrottle", ...; "other"
 */
const char *pmcgrp_record_name(uint32_t type);

/** pmcgrp_record_is_sample - whether it has counts */
static inline bool pmcgrp_record_is_sample(const struct pmcgrp_record *record)
{
	return record->has & PERF_SAMPLE_READ;
}

/**
 * pmcgrp_group_trigger - what caused a sample
 *
 * Returns the index of the group's trigger, 0 for a sample on request, or -ENOENT: the record does
 * not say (its sample_type has neither ID nor IDENTIFIER), or the trigger is unknown.
 */
int pmcgrp_group_trigger(const struct pmcgrp_group *group, const struct pmcgrp_record *record);

/**
 * struct pmcgrp_delta - from one sample of a ring to the next
 * @valid: there was a sample of the same members before; without, all of the next but
 *	@lost are 0
 * @waited: the group was not on the PMU for all of the time in between
 * @throttled: the kernel had stopped the trigger for a while
 * @nr: how many members, at most %PMCGRP_MEMBERS_MAX
 * @lost: samples that are missing in between
 * @time: ns in between; 0 without PERF_SAMPLE_TIME
 * @enabled: what time_enabled grew by, in ns; 0 without it
 * @running: the same of time_running
 * @value: what the members counted in between
 *
 * It begins all zero, or with @from_zero: then the first sample is valid as well, as all has been
 * counted since the ring was there. The further fields are the library's.
 */
struct pmcgrp_delta {
	bool valid;
	bool waited;
	bool throttled;
	bool begun;
	bool from_zero;
	bool pending_throttled;
	size_t nr;
	uint64_t lost;
	uint64_t time;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[PMCGRP_MEMBERS_MAX];
	uint64_t pending_lost;
	uint64_t last_time;
	uint64_t last_enabled;
	uint64_t last_running;
	uint64_t last[PMCGRP_MEMBERS_MAX];
	uint64_t ids[PMCGRP_MEMBERS_MAX];
};

/**
 * pmcgrp_delta_update - go on by one record of the ring
 *
 * To be called with each, in order: others than samples say what is missing. Returns
 * whether there is now a difference from one sample to the next, delta->valid; false
 * for other records.
 */
bool pmcgrp_delta_update(struct pmcgrp_delta *delta, const struct pmcgrp_record *record);

/* ---- Rings --------------------------------------------------------------- */

struct pmcgrp_ring;

/*
 * Flags of pmcgrp_ring_map() and pmcgrp_ring_open().
 *
 * PMCGRP_MAP_BACKWARD: the ring is written backward (PMCGRP_RING_BACKWARD,
 *	attr.write_backward), the newest records over the oldest: a flight recorder.
 *	It is mapped to be read only. Pause the output while it is read.
 */
#define PMCGRP_MAP_BACKWARD	(1U << 0)

/**
 * pmcgrp_ring_map - map a ring
 * @out: the ring, for pmcgrp_ring_close(). NULL on failure.
 * @fd: a group's descriptor, or one of perf_event_open(2); stays the caller's
 * @offset: 0, or for a group of CPUs or of several tasks PMCGRP_RING_OFFSET(cpu)
 * @pages: how many pages of records: a power of two
 * @flags: PMCGRP_MAP_*
 *
 * Kernel call: mmap().
 *
 * Returns 0, or a negative errno:
 *  -EINVAL: @pages is no power of two, or what <linux/pmcgrp.h> says of mmap()
 *  -EPERM: more locked memory than the caller may have: rings_user_kb of the module (of perf's
 *   descriptor sysctl kernel.perf_event_mlock_kb) for each CPU, and RLIMIT_MEMLOCK beyond it
 *  -ENOSPC: more memory than a user may have (rings_max_mb of the module)
 *  -EBADMSG: what was mapped is no ring
 *  -ENOMEM
 */
int pmcgrp_ring_map(struct pmcgrp_ring **out, int fd, uint64_t offset, size_t pages,
		    unsigned int flags);

/**
 * pmcgrp_ring_open - the same over memory that is mapped already
 * @memory: the struct perf_event_mmap_page; stays the caller's
 * @len: bytes from there to the end of the records
 */
int pmcgrp_ring_open(struct pmcgrp_ring **out, void *memory, size_t len, unsigned int flags);

/** pmcgrp_ring_close - unmap a ring, if pmcgrp_ring_map() mapped it, and free it (or NULL) */
void pmcgrp_ring_close(struct pmcgrp_ring *ring);

/** pmcgrp_ring_fd - the descriptor that was mapped, for poll(); -1: none */
int pmcgrp_ring_fd(const struct pmcgrp_ring *ring);

/**
 * pmcgrp_ring_next - the next record, oldest first
 * @record: where it lies in the ring; only one that goes over the ring's end is a copy.
 *	Valid, as all others, until pmcgrp_ring_consume().
 *
 * Of a ring that is written backward the first call takes down what there is: what comes
 * later is found after pmcgrp_ring_consume().
 *
 * Returns 1, 0 if there is none now, or a negative errno:
 *  -EBADMSG: the record's size cannot be. pmcgrp_ring_consume() gives up what there is and
 *	goes on with what comes.
 *  -ENOMEM: of a ring that is written backward
 */
int pmcgrp_ring_next(struct pmcgrp_ring *ring, const struct perf_event_header **record);

/**
 * pmcgrp_ring_consume - be done with all records that were given
 *
 * The kernel may write over them from now on (it stores data_tail).
 */
void pmcgrp_ring_consume(struct pmcgrp_ring *ring);

/**
 * pmcgrp_ring_overwritten - bytes of records that were overwritten before they could be read
 *
 * Of a ring that is written backward, up to the last pmcgrp_ring_next(); 0 for others.
 */
uint64_t pmcgrp_ring_overwritten(const struct pmcgrp_ring *ring);

/* ---- Several rings in the order of time ---------------------------------- */

struct pmcgrp_rings;

/**
 * pmcgrp_rings_map - map all rings of a group: one of a thread, or one for each CPU
 * @out: the rings, for pmcgrp_rings_free(). NULL on failure.
 * @group: to be closed after them
 * @pages: how many pages of records each has: a power of two
 *
 * Of a group of all CPUs, those of the CPUs that are online; see pmcgrp_rings_update().
 *
 * Returns 0, or a negative errno as pmcgrp_ring_map() and
 *  -EOPNOTSUPP: the group is one of perf_event_open(2)
 */
int pmcgrp_rings_map(struct pmcgrp_rings **out, const struct pmcgrp_group *group, size_t pages);

/**
 * pmcgrp_rings_update - map the rings of CPUs that have come online since
 *
 * Returns how many, or a negative errno as pmcgrp_rings_map(); -EINVAL: these are not a
 * group's.
 */
int pmcgrp_rings_update(struct pmcgrp_rings *rings);

/**
 * pmcgrp_rings_new - an empty set, for rings of one's own
 * @format: what all of them have
 */
int pmcgrp_rings_new(struct pmcgrp_rings **out, const struct pmcgrp_record_format *format);

/**
 * pmcgrp_rings_add - add a ring, which then belongs to the set
 * @cpu: whose it is, or -1
 *
 * Rings that are written backward and others do not mix. Returns the ring's index, or
 * -ENOMEM or -EINVAL.
 */
int pmcgrp_rings_add(struct pmcgrp_rings *rings, struct pmcgrp_ring *ring, int cpu);

/** pmcgrp_rings_free - unmap and free all of them (or NULL) */
void pmcgrp_rings_free(struct pmcgrp_rings *rings);

/**
 * pmcgrp_rings_from_zero - the first sample of each ring is valid: nothing was counted before
 *
 * For a group that is enabled after its rings are mapped, and whose sums are to be complete.
 */
void pmcgrp_rings_from_zero(struct pmcgrp_rings *rings);

/** pmcgrp_rings_nr - how many rings there are */
unsigned int pmcgrp_rings_nr(const struct pmcgrp_rings *rings);

/** pmcgrp_rings_ring - one of them, which stays the set's; NULL: there is none */
struct pmcgrp_ring *pmcgrp_rings_ring(const struct pmcgrp_rings *rings, unsigned int i);

/** pmcgrp_rings_cpu - whose it is; -1: a thread's */
int pmcgrp_rings_cpu(const struct pmcgrp_rings *rings, unsigned int i);

/**
 * pmcgrp_rings_wait - wait until there is enough to be read
 * @timeout: ms; -1: for ever
 *
 * Kernel call: poll(). What is below the ring's wakeup is there to be read, too, when the
 * time is over.
 *
 * Returns 0 when the time is over, a negative errno (-EINTR: a signal), or of poll()'s
 * bits: POLLIN: there are records; POLLHUP: the target has ended, and what is there is the
 * last.
 */
int pmcgrp_rings_wait(const struct pmcgrp_rings *rings, int timeout);

/**
 * pmcgrp_rings_next - the next record of all rings, in the order of time
 * @record: decoded; it refers to the ring until pmcgrp_rings_consume()
 *
 * Of several rings each round, up to a return of 0, gives what is not newer than the newest
 * record that the round before has seen: a record may still be on its way into another
 * CPU's ring. So the first round gives nothing, and after pmcgrp_rings_flush() the last one
 * gives the rest. Rings that are written backward must be paused, and give all at once.
 *
 * Returns 1, 0 if there is none now, or a negative errno:
 *  -EINVAL: there are several rings, and their records have no PERF_SAMPLE_TIME
 *  -EBADMSG, -ENOMEM: as pmcgrp_ring_next() and pmcgrp_record_decode()
 */
int pmcgrp_rings_next(struct pmcgrp_rings *rings, struct pmcgrp_record *record);

/** pmcgrp_rings_delta - ring @i's last sample against the one before; NULL: no such ring */
const struct pmcgrp_delta *pmcgrp_rings_delta(const struct pmcgrp_rings *rings, unsigned int i);

/** pmcgrp_rings_consume - be done with all records that were given, and begin a new round */
void pmcgrp_rings_consume(struct pmcgrp_rings *rings);

/** pmcgrp_rings_flush - nothing comes any more: hold back nothing from now on */
void pmcgrp_rings_flush(struct pmcgrp_rings *rings);

/* ---- Counts by key ------------------------------------------------------ */

/*
 * What a group counts can be told apart by cgroup, process, thread or command: by the key of
 * the task that runs (<linux/pmcgrp.h>, "Counts by key"):
 *
 *	options.type = PMCGRP_KEY_PROCESS;
 *	pmcgrp_group_set_keys(h, group, &options, &table);
 *	pmcgrp_group_enable(group);
 *	for (;;) {
 *		sleep(1);
 *		pmcgrp_keys_update(table);
 *		at = 0;
 *		while ((key = pmcgrp_keys_next(table, &at)))
 *			use(key->comm, key->delta.value[0]);
 *		pmcgrp_keys_drop_ended(table);
 *	}
 *
 * One table needs the caller's lock.
 */

/**
 * struct pmcgrp_key_options - how a group's counts are told apart
 * @type: enum pmcgrp_key_type
 * @depth: for PMCGRP_KEY_CGROUP without a list: deeper cgroups count for their ancestor so many
 *	levels below the root. PMCGRP_KEYS_LEAF, which is 0: each counts for itself.
 *	PMCGRP_KEYS_ROOT: all count for the root.
 * @cgroups: for PMCGRP_KEY_CGROUP: ids of cgroups; each counts for the nearest of these; or NULL
 * @nr_cgroups: how many
 * @slots: for so many keys each CPU has room between two updates; 0: %PMCGRP_KEY_SLOTS
 */
struct pmcgrp_key_options {
	enum pmcgrp_key_type type;
	uint32_t depth;
	const uint64_t *cgroups;
	uint32_t nr_cgroups;
	uint32_t slots;
};

/** PMCGRP_KEY_SLOTS: slots for each CPU where pmcgrp_key_options.slots is 0 */
#define PMCGRP_KEY_SLOTS 2048

/**
 * enum pmcgrp_key_kind - what a key stands for
 * @PMCGRP_KEY_KIND_KEY: a cgroup, process, thread or command
 * @PMCGRP_KEY_KIND_IDLE: CPUs that were idle
 * @PMCGRP_KEY_KIND_OTHER: tasks in none of the listed cgroups, or that the caller cannot see
 * @PMCGRP_KEY_KIND_OVERFLOW: keys that found all slots in use
 */
enum pmcgrp_key_kind {
	PMCGRP_KEY_KIND_KEY,
	PMCGRP_KEY_KIND_IDLE,
	PMCGRP_KEY_KIND_OTHER,
	PMCGRP_KEY_KIND_OVERFLOW,
};

/**
 * struct pmcgrp_key_counts - what was counted of a key
 * @stays: how often a task of the key was switched to from one of another key
 * @time_enabled: ns for which the group was enabled while one ran
 * @time_running: ns of these for which the group was on the PMU
 * @value: of each member, in their order
 */
struct pmcgrp_key_counts {
	uint64_t stays;
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t *value;
};

/**
 * struct pmcgrp_key - a key, and what it has come to
 * @kind: whether it is one, and not what is left of others
 * @key: as pmcgrp_keys_slot.key
 * @comm: name of the task that came last; of a process that of its first thread
 * @ended: the kernel's table has it no more: pmcgrp_keys_drop_ended() would free it. It can come
 *	again.
 * @cpus: on how many CPUs it has counted since the last pmcgrp_keys_update()
 * @total: since pmcgrp_group_set_keys()
 * @delta: from the last but one to the last pmcgrp_keys_update()
 */
struct pmcgrp_key {
	enum pmcgrp_key_kind kind;
	uint64_t key[2];
	char comm[PMCGRP_COMM_SIZE];
	bool ended;
	unsigned int cpus;
	struct pmcgrp_key_counts total;
	struct pmcgrp_key_counts delta;
};

/**
 * struct pmcgrp_key_totals - all keys together, as the kernel has counted them
 * @used: slots in use
 * @reused: how often a slot was given to another key
 * @overflows: how often a key found no slot
 * @time_enabled: ns, the sum of all CPUs
 * @time_running: ns, the sum of all CPUs
 * @value: of each member
 */
struct pmcgrp_key_totals {
	uint64_t used;
	uint64_t reused;
	uint64_t overflows;
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t value[PMCGRP_MEMBERS_MAX];
};

struct pmcgrp_key_table;

/**
 * pmcgrp_group_set_keys - have a group tell its counts by key, and map its table
 * @h: a handle, for what pmcgrp_strerror() says; it need not be that of the group
 * @group: a group of the module's: of CPUs, or of several tasks
 * @options: how
 * @out: the table, for pmcgrp_keys_free(), which is to come before pmcgrp_group_close(). NULL on
 *	failure.
 *
 * Kernel calls: PMCGRP_IOC_KEYS, mmap(). Once for a group.
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror() has the sentence:
 *  -EINVAL: an option is wrong
 *  -EBUSY: the group has a table already, or a ring
 *  -EOPNOTSUPP: the group counts one task, has a leader, counts uncore PMUs, or is one of
 *	perf_event_open(2); or the kernel does not tell perf events of cgroups
 *  -EACCES: the caller lacks CAP_PERFMON
 *  -EPERM, -ENOSPC: more locked memory, or memory, than the caller may have (rings_user_kb,
 *	rings_max_mb of the module): take less slots
 *  -ENOTTY: the loaded module is older than this library
 *  -EPROTO: the module does not answer as it should
 *  -ENOMEM
 */
int pmcgrp_group_set_keys(struct pmcgrp *h, struct pmcgrp_group *group,
			  const struct pmcgrp_key_options *options,
			  struct pmcgrp_key_table **out);

/** pmcgrp_keys_free - unmap a table, and free it (or NULL) with its keys */
void pmcgrp_keys_free(struct pmcgrp_key_table *table);

/**
 * pmcgrp_keys_update - read the table, and end an interval
 *
 * Kernel call: PMCGRP_IOC_KEYS_FLUSH.
 *
 * Returns 0, or a negative errno, after which the next call has what this one has not. Keys, and
 * what pmcgrp_keys_next() has given, stay until pmcgrp_keys_drop_ended().
 */
int pmcgrp_keys_update(struct pmcgrp_key_table *table);

/**
 * pmcgrp_keys_drain - read the table within an interval
 *
 * Makes room for keys to come, where more come from one pmcgrp_keys_update() to the next than each
 * CPU has slots. Returns as that.
 */
int pmcgrp_keys_drain(struct pmcgrp_key_table *table);

/**
 * pmcgrp_keys_next - the keys that there are, one by one
 * @at: 0 for the first one; the library's from then on
 *
 * Returns NULL behind the last.
 */
const struct pmcgrp_key *pmcgrp_keys_next(const struct pmcgrp_key_table *table, size_t *at);

/** pmcgrp_keys_nr - how many that are at most */
size_t pmcgrp_keys_nr(const struct pmcgrp_key_table *table);

/**
 * pmcgrp_keys_drop_ended - free the keys that have ended
 *
 * What they came to is added to pmcgrp_keys_dropped(). So no more keys are kept than the kernel has
 * slots, and those of one interval.
 */
void pmcgrp_keys_drop_ended(struct pmcgrp_key_table *table);

/** pmcgrp_keys_dropped - the total of all keys that pmcgrp_keys_drop_ended() has freed */
const struct pmcgrp_key_counts *pmcgrp_keys_dropped(const struct pmcgrp_key_table *table);

/**
 * pmcgrp_keys_totals - all keys together, of the last pmcgrp_keys_update() or _drain()
 *
 * That of a group that is disabled is the sum of the totals of all keys, and of those dropped.
 */
void pmcgrp_keys_totals(const struct pmcgrp_key_table *table, struct pmcgrp_key_totals *totals);

/* ---- Cgroups -------------------------------------------------------------- */

struct pmcgrp_cgroups;

/**
 * pmcgrp_cgroups_new - the cgroups that there are, of the hierarchy that perf events go by
 * @out: for pmcgrp_cgroups_free(). NULL on failure.
 *
 * Reads /proc/self/mountinfo and the folders below the mount point: that of version 1 with
 * perf_event, or that of version 2.
 *
 * Returns 0, -ENOENT: neither is mounted, or another negative errno.
 */
int pmcgrp_cgroups_new(struct pmcgrp_cgroups **out);

/**
 * pmcgrp_cgroups_new_unified - the same of version 2, which PMCGRP_TARGET_CGROUP and
 *	pmcgrp_info.cgroup are of, also where perf events go by version 1
 */
int pmcgrp_cgroups_new_unified(struct pmcgrp_cgroups **out);

/** pmcgrp_cgroups_free - free them (or NULL) */
void pmcgrp_cgroups_free(struct pmcgrp_cgroups *cgroups);

/**
 * pmcgrp_cgroups_update - look which there are now
 * @forget: forget those that are no more; without, they stay known
 *
 * Returns 0 or a negative errno.
 */
int pmcgrp_cgroups_update(struct pmcgrp_cgroups *cgroups, bool forget);

/** pmcgrp_cgroups_root - where they are mounted: "/sys/fs/cgroup" */
const char *pmcgrp_cgroups_root(const struct pmcgrp_cgroups *cgroups);

/**
 * pmcgrp_cgroups_path - the path of a cgroup: "/" or "/a/b"
 * @id: as a key has it
 * @removed: set to whether it is no more, as of the last pmcgrp_cgroups_update(); may be NULL
 *
 * Returns NULL for one that is not known: newer than the last pmcgrp_cgroups_update(), or removed
 * before it. Valid until the next one.
 */
const char *pmcgrp_cgroups_path(const struct pmcgrp_cgroups *cgroups, uint64_t id, bool *removed);

/**
 * pmcgrp_cgroups_id - the id of a cgroup
 * @path: "a/b", "/a/b", or the whole path of its folder
 *
 * Returns 0, or -ENOENT for none, or another negative errno.
 */
int pmcgrp_cgroups_id(const struct pmcgrp_cgroups *cgroups, const char *path, uint64_t *id);

/** pmcgrp_cgroups_at - path of number @i of those that there are, in rising order; NULL: no more */
const char *pmcgrp_cgroups_at(const struct pmcgrp_cgroups *cgroups, size_t i);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include <pmcgrp_events.h>

#endif /* PMCGRP_H */
