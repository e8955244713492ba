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
 * pmcgrp_query() or pmcgrp_group_create(), pmcgrp_strerror() has a sentence for
 * people.
 *
 * Threads: no function touches global state but the calling thread's own.
 * Different handles, specs, groups and views can be used by different threads
 * at the same time. One and the same handle or spec needs the caller's lock; a
 * group's enable, disable, reset and read may be called from several threads,
 * for they are single system calls.
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
 * pmcgrp_spec_set_cpu - count whatever runs on one CPU
 * @cpu: its number, from 0
 *
 * Returns 0, or -EINVAL for a negative @cpu. Whether there is such a CPU is seen
 * at pmcgrp_group_create().
 */
int pmcgrp_spec_set_cpu(struct pmcgrp_spec *spec, int cpu);

/**
 * pmcgrp_spec_set_flags - how the group starts and behaves
 * @flags: PMCGRP_CREATE_DISABLED, PMCGRP_CREATE_ENABLE_ON_EXEC,
 *	PMCGRP_CREATE_PINNED of <linux/pmcgrp.h>; replaces what was set before
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
 * each member (the first is the leader) and PERF_EVENT_IOC_ID.
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
 *	exist, an attr that sets what it must not
 *  -EACCES: not permitted; -EMFILE, -ENFILE: out of descriptors; -ENOMEM
 *  anything else that perf_event_open(2) documents
 */
int pmcgrp_group_create(struct pmcgrp *h, const struct pmcgrp_spec *spec,
			struct pmcgrp_group **out);

/**
 * pmcgrp_group_close - end the group and free it (or NULL)
 *
 * Kernel call: close(). The counters are free for others when it returns.
 */
void pmcgrp_group_close(struct pmcgrp_group *group);

/**
 * pmcgrp_group_fd - the descriptor behind the group
 *
 * For reading or steering it by hand, as perf's; with the perf backend it is the
 * leader's. It stays the group's: do not close it.
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
