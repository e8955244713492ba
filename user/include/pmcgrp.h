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
 * pmcgrp_query(), pmcgrp_group_create() or pmcgrp_info_next(), pmcgrp_strerror() has a
 * sentence for people.
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
 * pmcgrp_spec_set_flags - how the group starts and behaves
 * @flags: PMCGRP_CREATE_DISABLED, PMCGRP_CREATE_ENABLE_ON_EXEC,
 *	PMCGRP_CREATE_PINNED, PMCGRP_CREATE_INHERIT, PMCGRP_CREATE_LEADER of
 *	<linux/pmcgrp.h>; replaces what was set before
 *
 * PMCGRP_CREATE_INHERIT counts, beside a thread, the threads and processes that it
 * and they create, and beside a process the processes that it and they create.
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
 * pmcgrp_group_fd - the descriptor behind the group
 *
 * For reading or steering it by hand, as perf's; with the perf backend it is a
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
 * Kernel call: PERF_EVENT_IOC_DISABLE. Returns 0 or a negative errno.
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
 * Kernel call: PMCGRP_IOC_NEXT, which needs CAP_SYS_ADMIN. The groups are asked one
 * after the other, and go on meanwhile: what two of them say was true at different times.
 *
 * Returns 0, or a negative errno:
 *  -ENOENT: there is no group with such an id, or a greater one
 *  -EACCES: the caller lacks CAP_SYS_ADMIN
 *  -EOPNOTSUPP, -ENOTTY, -EPROTO, -EINVAL, -ENOMEM: as pmcgrp_group_info()
 * pmcgrp_strerror() has a sentence for all but -ENOENT.
 */
int pmcgrp_info_next(struct pmcgrp *h, uint64_t id, struct pmcgrp_info **out);

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
 * pmcgrp_state_name - a state in a word: "running", "waiting", "never", "error",
 * "disabled", "away"; "unknown" for one that this library does not know
 */
const char *pmcgrp_state_name(enum pmcgrp_state state);

/**
 * pmcgrp_why_name - a reason in a word, as the enum has it: "too-large", "groups",
 * "outside", ...; "none", and "unknown" for one that this library does not know
 */
const char *pmcgrp_why_name(enum pmcgrp_why why);

/**
 * pmcgrp_why_text - a reason in a few words for people, without a full stop
 *
 * For PMCGRP_WHY_OUTSIDE it says whether the NMI watchdog is on, and how to switch it
 * off. Returns a static string; "" for PMCGRP_WHY_NONE.
 */
const char *pmcgrp_why_text(enum pmcgrp_why why);

/* ---- Names of events --------------------------------------------------- */

/**
 * pmcgrp_event_name - the name that perf has for an event
 * @attr: type, config, config1, config2 and exclude_* are looked at
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

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* PMCGRP_H */
