/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The only ABI of pmcgrp: counter groups on /dev/pmcgrp.
 *
 * open("/dev/pmcgrp") needs CAP_PERFMON (or CAP_SYS_ADMIN) in the initial user
 * namespace.  The device descriptor makes groups; each group is a descriptor
 * of its own that is read, controlled by perf's ioctls, and closed.
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
 * takes the missing tail as zero.  A kernel that knows a shorter one accepts a
 * tail of zeroes, and refuses anything else with E2BIG.  ioctl numbers carry no
 * size.  Unknown flags and non-zero reserved fields are refused, always, so
 * that they can be given a meaning later.  %PMCGRP_IOC_QUERY says what the
 * loaded module can do; %PMCGRP_ABI_VERSION only changes if something that
 * worked stops working.
 *
 * Arrays have a stride: the caller states the size of an entry, and the kernel cuts it, or fills it
 * up with zeroes.  Where the kernel writes values behind a struct, it states where they begin.  So
 * structs and entries grow at their ends.  The size of an entry is not above 64 KiB (else E2BIG).
 * struct pmcgrp_user_page and struct pmcgrp_compact have no size: another form of them takes
 * another flag.
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
 *  - EBADF: the descriptor is for reading only ("Descriptors for reading only").
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
 *  - ENODEV: a CPU exists but is offline.
 *  - EINVAL: also: a CPU cannot exist on this machine, or the mask is empty.
 *  - EINVAL: also: the group needs more counters than the PMU has; fail_member is
 *    the first member for which there is none.  That is found out on a PMU that has
 *    nothing else to do, or only what pmcgrp can take off it for a moment.  Else the
 *    group is made, and %PMCGRP_IOC_INFO says why it waits.
 *  - ENOENT: no PMU knows the event of the member fail_member.
 *  - EOPNOTSUPP: the event exists, but cannot be counted in a group; or the kernel
 *    does not say where perf's events of a task end (%PMCGRP_CREATE_UNTIL_EXIT).
 *  - ENODEV, EINVAL: also: an uncore PMU, on a CPU that does not count for it, with a task, or
 *    beside events of other PMUs.
 *  - EXDEV: members of uncore PMUs that are counted on different CPUs.
 *  - ENOSPC: the user has as many groups, counters or as much memory as the module parameters
 *    groups_max, counters_max and rings_max_mb allow.  Or a context switch would have more
 *    than %PMCGRP_SWITCH_MAX lists to visit.
 *  - anything else that perf_event_open(2) documents, passed on from the PMU
 *    with %PMCGRP_WHY_PMU.
 *
 * PMCGRP_IOC_ADD (pmcgrp_add.why says more): as PMCGRP_IOC_CREATE says of a member.  The caller
 * needs a capability, also if it did not create the group.
 *
 *  - EACCES: the caller has neither capability.
 *  - EINVAL: also: the group was made without %PMCGRP_CREATE_LEADER, the descriptor
 *    is not its leader's, or it has %PMCGRP_MEMBERS_MAX members.  With %PMCGRP_ADD_AS_PERF:
 *    perf would refuse it, or count it otherwise than this module does.
 *  - ENOENT, EOPNOTSUPP and what a PMU says: on any CPU where the group counts.
 *    Nothing is done without such a CPU, as PMCGRP_IOC_CREATE may.
 *  - ENODEV: all CPUs where the group counts are offline.
 *
 * PMCGRP_IOC_RING (pmcgrp_ring_setup.why says more):
 *
 *  - EACCES: the caller has neither capability; or asks for
 *    PERF_SAMPLE_IP and lacks CAP_SYSLOG.
 *  - EBUSY: the group has been given its ring already.
 *  - EINVAL: also: clockid is not allowed.
 *  - EOPNOTSUPP: the group has a leader, or counts uncore PMUs.
 *  - ENOSPC: as for PMCGRP_IOC_CREATE, as the group shares nothing with others from then on.
 *  - ESRCH: the target has exited, and other groups count it as well.
 *
 * PMCGRP_IOC_TRIGGER (pmcgrp_trigger_add.why says more): as PMCGRP_IOC_CREATE says of a
 * member, and
 *
 *  - EACCES: the caller has neither capability.
 *  - EINVAL: also: the group has no ring, or attr neither period nor frequency, a period
 *    with its highest bit set, or a frequency above 100,000.
 *  - EOPNOTSUPP: also: a breakpoint.
 *  - ENOSPC: also: the group has %PMCGRP_TRIGGERS_MAX triggers.  They count, one for
 *    each CPU, against counters_max.
 *  - ESRCH: the target has exited.
 *
 * PMCGRP_IOC_KEYS (pmcgrp_keys.why says more):
 *
 *  - EACCES: the caller lacks CAP_PERFMON in the initial user namespace
 *  - EINVAL: an argument is wrong
 *  - EBUSY: the group has a table of counts by key already, or a ring
 *  - EOPNOTSUPP: no such group has one
 *  - ENOSPC, EPERM: as for the mmap() of a ring
 *  - ENOMEM
 *
 * PMCGRP_IOC_INFO_NEXT, PMCGRP_IOC_SECTION_NEXT, PMCGRP_IOC_SECTION_KEYS:
 *
 *  - EACCES: the caller lacks CAP_SYS_ADMIN, which is what it takes to see all groups.  Without it
 *    the caller needs CAP_PERFMON, and sees the groups made by this descriptor of the device.  The
 *    descriptor has to be one that the caller has opened, and by which there is a group.
 *
 * PMCGRP_IOC_HOLDERS (pmcgrp_holders.why says more): as PMCGRP_IOC_CREATE says of a member, and
 *
 *  - EACCES: the caller has neither capability.
 *  - EINVAL: also: flags, or a holder_size that is too small; or the CPU cannot exist.
 *  - ENODEV: the CPU is offline.
 *  - ENOSPC: there are more than nr_holders, which says how many.
 *
 * PMCGRP_IOC_SECTION_NEXT:
 *
 *  - EINVAL: flags, or a stat_size that is too small.
 *  - ENOENT: there is no section with this id or a higher one.
 *
 * PMCGRP_IOC_SECTION_KEYS:
 *
 *  - EINVAL: flags, a room of no entry, or a cursor that was not given out.
 *  - EINVAL: also: an entry_size or bucket_size that is too small.
 *  - ENOENT: there is no section with this id.
 *
 * PMCGRP_IOC_SPAN (pmcgrp_span_add.why says more):
 *
 *  - EACCES: the caller has neither capability.
 *  - EFAULT, ENAMETOOLONG: a name or the list of exits cannot be read, or a name is too long.
 *  - EINVAL: also: kind, flags, max_active, or a name is empty.
 *  - EINVAL: also: the kernel lets nobody probe the function.
 *  - EINVAL: also: exits are none, too many, or not in ascending order.
 *  - ENOENT: the kernel has no such function or tracepoint; there is no such file.
 *  - ENOSPC: the group has %PMCGRP_SPANS_MAX spans; or all spans of the user together have no more
 *    room; or as for the mmap() of a ring.
 *  - EPERM: as for the mmap() of a ring.
 *  - EOPNOTSUPP: the group has a leader, more than %PMCGRP_SECTION_MEMBERS_MAX members, or counts
 *    uncore PMUs.
 *  - EOPNOTSUPP: also: the kernel has no kretprobes or no uprobes.
 *  - EOPNOTSUPP: also: an instruction to be probed is a breakpoint already.
 *  - EINTR: a fatal signal came while the program was being probed.
 *  - anything else that the kernel says of a probe, with %PMCGRP_WHY_SPAN_REFUSED.
 *
 * mmap() of a group, as perf has it:
 *
 *  - EINVAL: no ring was set up, or the offset stands for none.
 *  - EINVAL: also: the mapping is not shared, is not 1 + 2^n pages long, or has another
 *    size than the one there is.  Of a leader or member ("Groups with a leader"): the group counts
 *    more than one task or CPU.  At
 *    %PMCGRP_USER_PAGE_OFFSET: no %PMCGRP_CREATE_USER_READ, or not one page.  At
 *    %PMCGRP_KEYS_OFFSET: no PMCGRP_IOC_KEYS, or not pmcgrp_keys.map_size.
 *  - EPERM: the caller's user has no more allowance for rings, tables of counts by key and spans:
 *    module parameter rings_user_kb for each possible CPU.  What is beyond that is locked memory
 *    of the process, which would be above RLIMIT_MEMLOCK, and it has no CAP_IPC_LOCK.  perf's ring
 *    buffers are in both sums.
 *  - ENOSPC: rings, tables, spans and groups of the user together would have more memory than
 *    module parameter rings_max_mb.
 *  - EACCES: at %PMCGRP_USER_PAGE_OFFSET or %PMCGRP_KEYS_OFFSET: to be written to.
 *
 * read() of a group or a member:
 *
 *  - ENOSPC: the buffer is smaller than the read_format needs.  Nothing is lost.
 *
 * A read() of 0 bytes is end of file: a pinned group that could not be put on
 * the PMU, exactly as perf does.  So is each read() of a group of a process or with
 * %PMCGRP_CREATE_INHERIT that has missed a task, as its parent's fork() found no
 * memory.  pmcgrp_info.why is then %PMCGRP_WHY_NOMEM.
 * Of a group with a leader only the leader's descriptor says so.
 */

#define PMCGRP_ABI_VERSION	1

#define PMCGRP_IOC_TYPE		0xf7

/* On the device. */
#define PMCGRP_IOC_QUERY	_IO(PMCGRP_IOC_TYPE, 0x00)
#define PMCGRP_IOC_CREATE	_IO(PMCGRP_IOC_TYPE, 0x01)
#define PMCGRP_IOC_INFO_NEXT	_IO(PMCGRP_IOC_TYPE, 0x02)
#define PMCGRP_IOC_READ_MANY	_IO(PMCGRP_IOC_TYPE, 0x03)
#define PMCGRP_IOC_SECTION_NEXT	_IO(PMCGRP_IOC_TYPE, 0x04)
#define PMCGRP_IOC_SECTION_KEYS	_IO(PMCGRP_IOC_TYPE, 0x05)
#define PMCGRP_IOC_HOLDERS	_IO(PMCGRP_IOC_TYPE, 0x06)
/*
 * On a group, by perf's own numbers from <linux/perf_event.h>:
 *
 *  PERF_EVENT_IOC_ENABLE, _DISABLE, _RESET
 *	act on the whole group, on all of its CPUs and tasks.  The argument is 0
 *	or PERF_IOC_FLAG_GROUP, which mean the same here.  RESET zeroes the
 *	counts; like perf's it leaves time_enabled and time_running alone, unless
 *	the argument has %PMCGRP_IOC_FLAG_TIMES as well.  ENABLE also clears the
 *	error state of a pinned group.
 *  PERF_EVENT_IOC_ID
 *	writes the id of member 0 to the __u64 that the argument points to.
 *  PERF_EVENT_IOC_PAUSE_OUTPUT
 *	with an argument that is not 0 nothing is written to the group's rings; what
 *	would have been is counted as lost.  EINVAL without PMCGRP_IOC_RING.
 *
 * To a group with a leader (%PMCGRP_CREATE_LEADER) 0 and PERF_IOC_FLAG_GROUP differ.
 *
 * 0x20 and up of PMCGRP_IOC_TYPE are ioctls on a group.
 */
#define PMCGRP_IOC_READ_CPUS	_IO(PMCGRP_IOC_TYPE, 0x20)
#define PMCGRP_IOC_INFO		_IO(PMCGRP_IOC_TYPE, 0x21)
#define PMCGRP_IOC_ADD		_IO(PMCGRP_IOC_TYPE, 0x22)
#define PMCGRP_IOC_RING		_IO(PMCGRP_IOC_TYPE, 0x23)
#define PMCGRP_IOC_TRIGGER	_IO(PMCGRP_IOC_TYPE, 0x24)
/*
 * PMCGRP_IOC_SAMPLE: one record now in the ring of each CPU where the target runs.
 *	The argument is a number for PERF_SAMPLE_ADDR.  Returns how many records were
 *	written; EINVAL without PMCGRP_IOC_RING.
 */
#define PMCGRP_IOC_SAMPLE	_IO(PMCGRP_IOC_TYPE, 0x25)
#define PMCGRP_IOC_SPAN		_IO(PMCGRP_IOC_TYPE, 0x26)

#define PMCGRP_IOC_KEYS		_IO(PMCGRP_IOC_TYPE, 0x28)
/*
 * PMCGRP_IOC_KEYS_FLUSH: bring a table of counts by key up to date (DOC: Counts by key).
 *	The argument is 0 or %PMCGRP_KEYS_READ.  EINVAL for another one, and without
 *	PMCGRP_IOC_KEYS.
 */
#define PMCGRP_IOC_KEYS_FLUSH	_IO(PMCGRP_IOC_TYPE, 0x29)

/*
 * PMCGRP_IOC_READER: a descriptor of the same group or member for reading only, close-on-exec.  The
 *	argument is 0.  See "Descriptors for reading only".
 */
#define PMCGRP_IOC_READER	_IO(PMCGRP_IOC_TYPE, 0x2a)

/** PMCGRP_IOC_FLAG_TIMES: PERF_EVENT_IOC_RESET zeroes the times, too */
#define PMCGRP_IOC_FLAG_TIMES	(1U << 8)

/**
 * DOC: Groups with a leader
 *
 * A group made with %PMCGRP_CREATE_LEADER is to its descriptors what a group of
 * perf_event_open(2) is to perf's.  The group's descriptor is that of its member 0,
 * the leader.  Each PMCGRP_IOC_ADD on it adds a member and returns a descriptor of
 * that member.  On any of them:
 *
 *  PERF_EVENT_IOC_ENABLE, _DISABLE
 *	With 0 these change this member's own state, with PERF_IOC_FLAG_GROUP that of all.
 *	A member counts, and its times go on, while it and the leader are enabled.
 *	So the leader's state starts and stops all members.  They keep their own meanwhile.
 *  PERF_EVENT_IOC_RESET
 *	With 0 this zeroes this member's count, with PERF_IOC_FLAG_GROUP all counts.  With
 *	%PMCGRP_IOC_FLAG_TIMES it also zeroes the times of the same members.
 *  PERF_EVENT_IOC_ID
 *	gives this member's id.
 *  read()
 *	Without PERF_FORMAT_GROUP in the descriptor's read_format it gives this member's
 *	count, times and id.  Its time_enabled begins when it was added.
 *	With PERF_FORMAT_GROUP it gives the whole group, with the leader's times.  The
 *	leader comes first, and then the others in the order in which they were added.
 *  mmap() at offset 0
 *	gives this member's count page, a struct perf_event_mmap_page as that of a counting event
 *	of perf's.  The group has to count one CPU, or one task without %PMCGRP_CREATE_INHERIT.
 *	The page is right while the member does not count.  While it does, index says by which
 *	register user space goes on from offset.  With index 0 there is none.  Then offset is from
 *	the last switch to or from the task, rotation, change of a member, or read().
 *	time_enabled stands while the group rests, as many others wait.  Registers can
 *	be read where %PMCGRP_CREATE_USER_READ could on x86; on arm64 there is none.
 *	cap_user_time is set only while time_enabled goes on.  What is mapped behind the page is
 *	always empty; of more pages than a ring of perf's can have mmap() is ENOMEM.  The mapping
 *	keeps the descriptor.
 *  close()
 *	takes the member out.  The others keep their order.
 *	The last close() of the leader's descriptor ends the leader.  Members that have
 *	descriptors go on as single ones.  To them the group is this one member: in reads
 *	with PERF_FORMAT_GROUP, and for PERF_IOC_FLAG_GROUP.  Its own state alone says
 *	whether it counts.
 *	Members made by PMCGRP_IOC_CREATE have no descriptors, and go with the leader.  The
 *	last close() of all ends the group.
 *
 * What differs from perf:
 *
 *  - A member that is disabled alone keeps its counter.
 *  - A counter comes or goes with a member, unless another member counts the same.
 *    Meanwhile all counts and times of the group stand still for a moment.
 *  - Members without a leader still have the PMU all together or not at all.  Nothing
 *    can be added to them.  Those that were pinned are not any more, as in perf.
 *  - While a leader is disabled, nothing is added to the time_enabled of its members.
 *    perf adds that time when the leader is closed while it is disabled.
 *  - RESET also zeroes what ended tasks have counted.
 *  - A member can be added to a group with %PMCGRP_CREATE_INHERIT or of
 *    %PMCGRP_TARGET_PROCESS.  It counts, from then on, in all tasks that the group has.
 *    perf leaves out children that exist already.
 */

/**
 * DOC: Descriptors for reading only
 *
 * PMCGRP_IOC_READER returns a descriptor that can be handed to somebody who may read a group, but
 * not control it.  It is open for reading only (O_RDONLY, as F_GETFL says), and stands for the same
 * group or member.  It keeps the group, as any descriptor does.  It can
 *
 *  - read(), poll(), and be in the array of PMCGRP_IOC_READ_MANY;
 *  - PERF_EVENT_IOC_ID, PMCGRP_IOC_INFO and PMCGRP_IOC_READ_CPUS;
 *  - mmap() a ring that is mapped already, or the table of counts by key, both to be read only.
 *
 * Other ioctls that a group has are EBADF.  Those whose struct has a why say
 * %PMCGRP_WHY_READ_ONLY there.  EBADF is what write(2) and fallocate(2) give on such a descriptor.
 * EPERM would say that the caller lacks a capability.  With no ring to be mapped mmap() is EBADF as
 * well: it would make one.  So it is for a leader's count page.  At %PMCGRP_USER_PAGE_OFFSET it is
 * EACCES: that mapping opens counters.
 *
 * The rights are those of the open file, as everywhere in the kernel.  perf has no such
 * rights: a process that can read an event can reset it, too.
 *
 * A device that was opened with O_RDONLY makes no groups: PMCGRP_IOC_CREATE is EBADF on it.
 */

/** PMCGRP_MEMBERS_MAX: the most members that a group can have */
#define PMCGRP_MEMBERS_MAX	64

/**
 * enum pmcgrp_target_type - whose events a group counts
 * @PMCGRP_TARGET_TASK: one thread; target_id is its TID in the caller's PID
 *	namespace, 0 for the caller.  With %PMCGRP_CREATE_INHERIT also every
 *	thread and process that it or they create from then on.
 * @PMCGRP_TARGET_CPU: whatever runs on one CPU; target_id is the CPU
 * @PMCGRP_TARGET_PROCESS: all threads of a process, present and future;
 *	target_id is the TID of any of them, 0 for the caller's own process.  With
 *	%PMCGRP_CREATE_INHERIT also the processes that they create from then on.
 * @PMCGRP_TARGET_CPUS: whatever runs on the CPUs of the mask pmcgrp_create.cpus,
 *	which must be online; target_id is 0
 * @PMCGRP_TARGET_ALL_CPUS: whatever runs on any CPU, also on those that come
 *	online later; target_id is 0.  Where a CPU lacks the events (a hybrid
 *	machine's other kind of core) the group does without.
 * @PMCGRP_TARGET_CGROUP: the tasks of a cgroup of version 2, and of all cgroups below it.  A task
 *	counts as long as it is there.  target_id is a
 *	descriptor of the cgroup's directory, which can be closed then.  On all CPUs, as
 *	%PMCGRP_TARGET_ALL_CPUS.  Neither %PMCGRP_CREATE_PINNED nor rings go with it.
 *
 * A group of several CPUs or tasks reads as their sum, counts and times.
 */
enum pmcgrp_target_type {
	PMCGRP_TARGET_TASK	= 0,
	PMCGRP_TARGET_CPU	= 1,
	PMCGRP_TARGET_PROCESS	= 2,
	PMCGRP_TARGET_CPUS	= 3,
	PMCGRP_TARGET_ALL_CPUS	= 4,
	PMCGRP_TARGET_CGROUP	= 5,
};

/*
 * Flags of pmcgrp_create.flags.
 *
 * PMCGRP_CREATE_DISABLED: the group starts disabled, as with attr.disabled.
 * PMCGRP_CREATE_ENABLE_ON_EXEC: the target's next execve() enables it; only for
 *	tasks and processes.
 * PMCGRP_CREATE_PINNED: the group must be on the PMU whenever its target runs;
 *	where that fails it goes into error, and read() returns 0.
 * PMCGRP_CREATE_INHERIT: count what the target creates, too, as attr.inherit
 *	does; only for tasks and processes.
 * PMCGRP_CREATE_LEADER: member 0 is the leader of the others as perf has it, and
 *	PMCGRP_IOC_ADD can add members with descriptors of their own.
 * PMCGRP_CREATE_USER_READ: the task may read its counters without a system call; only for
 *	%PMCGRP_TARGET_TASK and the calling thread itself, not with
 *	%PMCGRP_CREATE_INHERIT or %PMCGRP_CREATE_LEADER.  See "Reading from user space".
 * PMCGRP_CREATE_UNTIL_EXIT: count each task until do_exit() calls perf_event_exit_task(), where
 *	perf's own events end.  Without it a task is counted until its last switch, as getrusage(2)
 *	has its time.  What it does to release its memory and files is in the counts then.
 *	Only for tasks and processes.
 * PMCGRP_CREATE_AS_PERF: descriptors of leader and members answer perf's ioctls and lseek(2) as a
 *	counting event of perf's does; only with %PMCGRP_CREATE_LEADER.  Unknown bits of
 *	PERF_EVENT_IOC_ENABLE, _DISABLE and _RESET are ignored, %PMCGRP_IOC_FLAG_TIMES among them.
 *	Those that are for samples and records only have perf's errno instead of ENOTTY.
 * PMCGRP_CREATE_BACKGROUND: count with hardware counters that nobody else wants, all members or
 *	none.  Any perf event and any other group finds room as if this group were not there.
 *	Background groups take turns in what is left, and time_running says how long this one was
 *	on.  Not with %PMCGRP_CREATE_PINNED, %PMCGRP_CREATE_LEADER or %PMCGRP_CREATE_USER_READ;
 *	the triggers of its rings are software events.
 */
#define PMCGRP_CREATE_DISABLED		(1ULL << 0)
#define PMCGRP_CREATE_ENABLE_ON_EXEC	(1ULL << 1)
#define PMCGRP_CREATE_PINNED		(1ULL << 2)
#define PMCGRP_CREATE_INHERIT		(1ULL << 3)
#define PMCGRP_CREATE_LEADER		(1ULL << 4)
#define PMCGRP_CREATE_USER_READ		(1ULL << 5)
#define PMCGRP_CREATE_UNTIL_EXIT	(1ULL << 6)
#define PMCGRP_CREATE_AS_PERF		(1ULL << 7)
#define PMCGRP_CREATE_BACKGROUND	(1ULL << 8)

/**
 * enum pmcgrp_why - the reason behind an errno
 * @PMCGRP_WHY_NONE: no failure
 * @PMCGRP_WHY_FLAGS: flags has a bit that this module does not know, or that does not
 *	go with the target; PMCGRP_IOC_ADD: or the group has no leader
 * @PMCGRP_WHY_RESERVED: a reserved field, or pmcgrp_member.flags, is not zero
 * @PMCGRP_WHY_TARGET: target_type unknown, or target_id negative or impossible
 * @PMCGRP_WHY_READ_FORMAT: read_format has a bit that this module does not know
 * @PMCGRP_WHY_NR_MEMBERS: nr_members is 0 or above %PMCGRP_MEMBERS_MAX, or a group has
 *	that many already
 * @PMCGRP_WHY_MEMBER: the struct pmcgrp_member cannot be read or written, or is
 *	malformed
 * @PMCGRP_WHY_ATTR_POINTER: the perf_event_attr cannot be read
 * @PMCGRP_WHY_ATTR_SIZE: attr.size is 0 or below PERF_ATTR_SIZE_VER0 or above a
 *	page
 * @PMCGRP_WHY_ATTR_UNKNOWN: attr is newer than the kernel and uses what is new
 * @PMCGRP_WHY_ATTR_FIELD: attr sets a field that is not allowed for a member (sampling, mmap,
 *	inherit, pinned, disabled ...): a property of the group, or not possible
 * @PMCGRP_WHY_EVENT_UNKNOWN: no PMU of this machine knows the event
 * @PMCGRP_WHY_EVENT_KIND: the event cannot be counted in a group.  It is a breakpoint, a probe of
 *	the kprobe or uprobe PMU, or an event of an exclusive PMU or of pmcgrp's own.  A probe can
 *	be made in tracefs: its tracepoint can be counted.
 * @PMCGRP_WHY_TASK_GONE: there is no such task, or it is exiting
 * @PMCGRP_WHY_CPU_OFFLINE: the CPU is offline
 * @PMCGRP_WHY_PMU: the PMU refused the event; the errno is the PMU's
 * @PMCGRP_WHY_PERMISSION: the caller lacks CAP_PERFMON and CAP_SYS_ADMIN
 * @PMCGRP_WHY_NOMEM: out of kernel memory; of a group that exists: when a task was created
 * @PMCGRP_WHY_GROUPS_MAX: the user has module parameter groups_max
 *	groups already
 * @PMCGRP_WHY_COUNTERS_MAX: the groups of the user hold module parameter counters_max
 *	counters already: one for each event and CPU, however many groups share it
 * @PMCGRP_WHY_CPUS: the mask of CPUs cannot be read, is empty, or stands with another target.  Or
 *	its size is not a multiple of 8 bytes, or above a page.  Or it has a bit for a CPU that
 *	cannot exist.
 * @PMCGRP_WHY_TOO_LARGE: the group can never run: the PMU, emptied for a trial, had no
 *	counter for the member
 * @PMCGRP_WHY_BUSY_PMCGRP: other groups of pmcgrp have the counters
 * @PMCGRP_WHY_BUSY_PERF: perf events, possibly the NMI watchdog, occupy the counters; or events
 *	on another thread of the core occupy counters that both threads share
 * @PMCGRP_WHY_SAMPLE_TYPE: sample_type has a bit that this module does not know, or that
 *	does not go with %PMCGRP_RING_COMPACT
 * @PMCGRP_WHY_RING_EXISTS: the group has a ring already
 * @PMCGRP_WHY_NO_RING: the group has no ring: PMCGRP_IOC_RING comes before PMCGRP_IOC_TRIGGER
 * @PMCGRP_WHY_LEADER: the group has a leader: its members change, the format of a ring's
 *	records does not
 * @PMCGRP_WHY_PERIOD: a trigger has neither sample_period nor sample_freq, or one that
 *	cannot be: the highest bit of a period, a frequency above 100,000
 * @PMCGRP_WHY_TRIGGERS_MAX: the group has %PMCGRP_TRIGGERS_MAX triggers
 * @PMCGRP_WHY_USER_READ_UNSUPPORTED: pmcgrp cannot let user space read counters of this
 *	processor or on this kernel.  It can for Arm's PMUv3 from Linux 6.2 on, but from 6.13
 *	on not for PMUv3p9.  It can for the cores of Intel and AMD, if the TSC is stable.
 * @PMCGRP_WHY_USER_READ_DENIED: the administrator does not allow it: sysctl
 *	kernel.perf_user_access is 0, on x86 /sys/bus/event_source/devices/cpu/rdpmc
 * @PMCGRP_WHY_USER_READ_EVENT: user space cannot read the counter of a member.  It is a software
 *	event, or one of 64 bits on Arm's PMUv3 (bit 0 of config1).  Or its PMU has no interrupt,
 *	or an NMI (irqchip.gicv3_pseudo_nmi=1).
 * @PMCGRP_WHY_PRECISE: attr.precise_ip is set (Intel's PEBS, AMD's IBS): a way of sampling
 * @PMCGRP_WHY_BRANCHES: the event records branches: attr.branch_sample_type is set (Intel's
 *	LBR, AMD's BRS).  Or a trigger is of branch instructions with a period of 1, which
 *	stands for Intel's BTS.
 * @PMCGRP_WHY_SAMPLES: the event has samples or traces, and no count that could be read.  Its
 *	driver gives it a period by itself (AMD's IBS), or writes to an AUX area (Intel PT, Arm
 *	SPE).
 * @PMCGRP_WHY_TOPDOWN: a topdown metric, which its driver counts with event slots in a
 *	perf group only.  Slots itself, and the topdown events of general counters, can be
 *	members.
 * @PMCGRP_WHY_USER_READ_TASK: the event asks for user access, by bit 1 of config1 on Arm's
 *	PMUv3 (format rdpmc), and the group counts CPUs.  perf refuses that as well.  A task that
 *	reads its own group in user space uses %PMCGRP_CREATE_USER_READ
 * @PMCGRP_WHY_EXCLUDE_GUEST: the kernel lends the event's PMU to KVM guests (a mediated vPMU, from
 *	Linux 6.19 on).  While there is such a guest, events have to set attr.exclude_guest.  While
 *	there are events without it, the kernel makes no such guest.  Or the event sets it, and this
 *	kernel allows no kprobe where it lends the PMU.
 * @PMCGRP_WHY_UNCORE_TASK: the event is of an uncore PMU, which counts a part of the machine and no
 *	task: the target has to be CPUs
 * @PMCGRP_WHY_UNCORE_MIXED: the member is of an uncore PMU, and those before it are not, or the
 *	other way round: a group has one sort of them
 * @PMCGRP_WHY_UNCORE_CPU: the uncore PMU of a member counts that part of the machine on another
 *	CPU, which its file cpumask in sysfs names.  Or it counts it already for this group.
 * @PMCGRP_WHY_UNCORE_RING: the group counts uncore PMUs, which only one CPU of each part of the
 *	machine could read: it has no ring
 * @PMCGRP_WHY_KEYS_EXIST: the group has a table of counts by key: it has no second one, and no ring
 * @PMCGRP_WHY_KEYS_TARGET: counts by key are those of CPUs, or of several tasks
 * @PMCGRP_WHY_CGROUP: target_id is no descriptor of a cgroup of version 2, or a group of one has no
 *	such thing
 * @PMCGRP_WHY_NO_CGROUPS: the kernel has no cgroups (CONFIG_CGROUPS)
 * @PMCGRP_WHY_SPAN_KIND: kind or max_active of a span is out of range
 * @PMCGRP_WHY_SPAN_NAME: a name of a span cannot be read, is empty or too long
 * @PMCGRP_WHY_SPAN_GROUP: the group can have no spans: it has a leader, more than
 *	%PMCGRP_SECTION_MEMBERS_MAX members, or counts uncore PMUs
 * @PMCGRP_WHY_SPANS_MAX: the group has %PMCGRP_SPANS_MAX spans
 * @PMCGRP_WHY_SPAN_UNKNOWN: the kernel has no such function or tracepoint
 * @PMCGRP_WHY_SPAN_REFUSED: the kernel lets nobody probe the function; the errno is the kernel's
 * @PMCGRP_WHY_SPAN_UNSUPPORTED: the kernel was built without kretprobes or uprobes, which such a
 *	span needs.  Or, for tracepoints, with checks of the types of functions (CFI).
 * @PMCGRP_WHY_SPAN_KEY: key, begin_arg, end_arg, arg_size or offset is out of range, or not of this
 *	kind of span
 * @PMCGRP_WHY_SPANS_ROOM: spans in flight would have more memory than all spans of the user
 *	together can have
 * @PMCGRP_WHY_SPAN_FILE: the file of a span cannot be opened, or has no code that can be probed
 * @PMCGRP_WHY_SPAN_BY: by, depth, cgroups, nr_cgroups or slots of a span is out of range, or they
 *	or %PMCGRP_SPAN_HISTOGRAMS are set without by
 * @PMCGRP_WHY_SPAN_EXITS: exits of a span cannot be read, are none, too many, or not in ascending
 *	order; or it is no %PMCGRP_SECTION_USER_FUNCTION
 * @PMCGRP_WHY_SPAN_RING: %PMCGRP_SPAN_RECORD needs a ring with PERF_SAMPLE_RAW, before the span
 * @PMCGRP_WHY_MEMORY_MAX: the user would have more memory in groups, rings, tables and spans than
 *	module parameter rings_max_mb
 * @PMCGRP_WHY_MEMLOCK: the user has used up its allowance for rings, tables and spans (module
 *	parameter rings_user_kb for each possible CPU), and the process its RLIMIT_MEMLOCK
 * @PMCGRP_WHY_SWITCH_MAX: a context switch would have to visit more than %PMCGRP_SWITCH_MAX groups
 *	of these tasks
 * @PMCGRP_WHY_UNTIL_EXIT: %PMCGRP_CREATE_UNTIL_EXIT needs a kprobe at perf_event_exit_task(), which
 *	this kernel has not
 * @PMCGRP_WHY_CLOCK: clockid is not one of those that are allowed, or is set without
 *	%PMCGRP_RING_USE_CLOCKID
 * @PMCGRP_WHY_READ_ONLY: the descriptor was opened for reading only, or made by PMCGRP_IOC_READER
 * @PMCGRP_WHY_BACKGROUND: a trigger of a background group (%PMCGRP_CREATE_BACKGROUND) would take a
 *	hardware counter.  Or an event of one takes what other CPUs of its core need.  Or this
 *	kernel allows no kprobe where perf core schedules events in.
 */
enum pmcgrp_why {
	PMCGRP_WHY_NONE				= 0,
	PMCGRP_WHY_FLAGS			= 1,
	PMCGRP_WHY_RESERVED			= 2,
	PMCGRP_WHY_TARGET			= 3,
	PMCGRP_WHY_READ_FORMAT			= 4,
	PMCGRP_WHY_NR_MEMBERS			= 5,
	PMCGRP_WHY_MEMBER			= 6,
	PMCGRP_WHY_ATTR_POINTER			= 7,
	PMCGRP_WHY_ATTR_SIZE			= 8,
	PMCGRP_WHY_ATTR_UNKNOWN			= 9,
	PMCGRP_WHY_ATTR_FIELD			= 10,
	PMCGRP_WHY_EVENT_UNKNOWN		= 11,
	PMCGRP_WHY_EVENT_KIND			= 12,
	PMCGRP_WHY_TASK_GONE			= 13,
	PMCGRP_WHY_CPU_OFFLINE			= 14,
	PMCGRP_WHY_PMU				= 15,
	PMCGRP_WHY_PERMISSION			= 16,
	PMCGRP_WHY_NOMEM			= 17,
	PMCGRP_WHY_GROUPS_MAX			= 18,
	PMCGRP_WHY_COUNTERS_MAX			= 19,
	PMCGRP_WHY_CPUS				= 20,
	PMCGRP_WHY_TOO_LARGE			= 21,
	PMCGRP_WHY_BUSY_PMCGRP			= 22,
	PMCGRP_WHY_BUSY_PERF			= 23,
	PMCGRP_WHY_SAMPLE_TYPE			= 24,
	PMCGRP_WHY_RING_EXISTS			= 25,
	PMCGRP_WHY_NO_RING			= 26,
	PMCGRP_WHY_LEADER			= 27,
	PMCGRP_WHY_PERIOD			= 28,
	PMCGRP_WHY_TRIGGERS_MAX			= 29,
	PMCGRP_WHY_USER_READ_UNSUPPORTED	= 30,
	PMCGRP_WHY_USER_READ_DENIED		= 31,
	PMCGRP_WHY_USER_READ_EVENT		= 32,
	PMCGRP_WHY_PRECISE			= 33,
	PMCGRP_WHY_BRANCHES			= 34,
	PMCGRP_WHY_SAMPLES			= 35,
	PMCGRP_WHY_TOPDOWN			= 36,
	PMCGRP_WHY_USER_READ_TASK		= 37,
	PMCGRP_WHY_EXCLUDE_GUEST		= 38,
	PMCGRP_WHY_UNCORE_TASK			= 39,
	PMCGRP_WHY_UNCORE_MIXED			= 40,
	PMCGRP_WHY_UNCORE_CPU			= 41,
	PMCGRP_WHY_UNCORE_RING			= 42,
	PMCGRP_WHY_KEYS_EXIST			= 43,
	PMCGRP_WHY_KEYS_TARGET			= 44,
	PMCGRP_WHY_NO_CGROUPS			= 45,
	PMCGRP_WHY_CGROUP			= 46,
	PMCGRP_WHY_SPAN_KIND			= 47,
	PMCGRP_WHY_SPAN_NAME			= 48,
	PMCGRP_WHY_SPAN_GROUP			= 49,
	PMCGRP_WHY_SPANS_MAX			= 50,
	PMCGRP_WHY_SPAN_UNKNOWN			= 51,
	PMCGRP_WHY_SPAN_REFUSED			= 52,
	PMCGRP_WHY_SPAN_UNSUPPORTED		= 53,
	PMCGRP_WHY_SPAN_KEY			= 54,
	PMCGRP_WHY_SPAN_FILE			= 55,
	PMCGRP_WHY_SPANS_ROOM			= 56,
	PMCGRP_WHY_READ_ONLY			= 57,
	PMCGRP_WHY_SPAN_BY			= 58,
	PMCGRP_WHY_SPAN_RING			= 59,
	PMCGRP_WHY_SPAN_EXITS			= 60,
	PMCGRP_WHY_MEMORY_MAX			= 61,
	PMCGRP_WHY_MEMLOCK			= 62,
	PMCGRP_WHY_SWITCH_MAX			= 63,
	PMCGRP_WHY_UNTIL_EXIT			= 64,
	PMCGRP_WHY_CLOCK			= 65,
	PMCGRP_WHY_BACKGROUND			= 66,
};

/** PMCGRP_COMM_SIZE: bytes of a task's name, zero-terminated; a longer one is cut */
#define PMCGRP_COMM_SIZE	32

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
 * @mux_interval_ns: out: the interval, in nanoseconds, at which groups are multiplexed
 *	on a full PMU (module parameter mux_interval_ms)
 * @release: out: the module's version, zero-terminated
 * @sample_types: out: every PERF_SAMPLE_* bit that PMCGRP_IOC_RING knows
 * @ring_flags: out: every PMCGRP_RING_* flag that it knows
 * @triggers_max: out: the most triggers that a group can have
 * @features: out: PMCGRP_FEATURE_*
 * @clockids: out: bit n is set if clock n can be pmcgrp_ring_setup.clockid
 * @span_kinds: out: bit n is set if this kernel can have spans of enum pmcgrp_section_kind n
 * @span_flags: out: every PMCGRP_SPAN_* flag that it knows
 * @span_keys: out: bit n is set if enum pmcgrp_span_key n is known
 * @key_types: out: bit n is set if this kernel can have enum pmcgrp_key_type n
 * @spans_max: out: the most spans of a group
 * @span_active_max: out: the greatest pmcgrp_span_add.max_active
 * @span_slots_max: out: the greatest pmcgrp_span_add.slots
 * @span_exits_max: out: the greatest pmcgrp_span_add.nr_exits
 * @keys_slots_max: out: the greatest pmcgrp_keys.slots
 * @keys_cgroups_max: out: the greatest pmcgrp_keys.nr_cgroups
 * @section_members_max: out: the most members of a group that has sections or spans
 * @switch_max: out: %PMCGRP_SWITCH_MAX
 *
 * A limit that this header has as a macro is that of its own release.  That of the module is here.
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
	__u64	mux_interval_ns;
	char	release[32];
	__u64	sample_types;
	__u32	ring_flags;
	__u32	triggers_max;
	__u64	features;
	__u64	clockids;
	__u32	span_kinds;
	__u32	span_flags;
	__u32	span_keys;
	__u32	key_types;
	__u32	spans_max;
	__u32	span_active_max;
	__u32	span_slots_max;
	__u32	span_exits_max;
	__u32	keys_slots_max;
	__u32	keys_cgroups_max;
	__u32	section_members_max;
	__u32	switch_max;
};

/** PMCGRP_QUERY_SIZE_VER0: size of the first published struct pmcgrp_query */
#define PMCGRP_QUERY_SIZE_VER0	160

/*
 * Bits of pmcgrp_query.features: ioctls that the module has.
 *
 * PMCGRP_FEATURE_INFO: PMCGRP_IOC_INFO and _INFO_NEXT
 * PMCGRP_FEATURE_READ_MANY: PMCGRP_IOC_READ_MANY
 * PMCGRP_FEATURE_LEADER: PMCGRP_IOC_ADD
 * PMCGRP_FEATURE_RING: PMCGRP_IOC_RING, _TRIGGER and _SAMPLE
 * PMCGRP_FEATURE_KEYS: PMCGRP_IOC_KEYS and _KEYS_FLUSH
 * PMCGRP_FEATURE_SECTIONS: PMCGRP_IOC_SECTION_NEXT and _SECTION_KEYS
 * PMCGRP_FEATURE_SPANS: PMCGRP_IOC_SPAN
 * PMCGRP_FEATURE_READER: PMCGRP_IOC_READER
 * PMCGRP_FEATURE_HOLDERS: PMCGRP_IOC_HOLDERS
 */
#define PMCGRP_FEATURE_INFO		(1ULL << 0)
#define PMCGRP_FEATURE_READ_MANY	(1ULL << 1)
#define PMCGRP_FEATURE_LEADER		(1ULL << 2)
#define PMCGRP_FEATURE_RING		(1ULL << 3)
#define PMCGRP_FEATURE_KEYS		(1ULL << 4)
#define PMCGRP_FEATURE_SECTIONS		(1ULL << 5)
#define PMCGRP_FEATURE_SPANS		(1ULL << 6)
#define PMCGRP_FEATURE_READER		(1ULL << 7)
#define PMCGRP_FEATURE_HOLDERS		(1ULL << 8)

/**
 * struct pmcgrp_member - one event of a group
 * @attr: in: user pointer to a struct perf_event_attr, which carries its own
 *	size.  It says what to count: type, config, config1, config2, config3,
 *	exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_host and
 *	exclude_guest; all else must be zero.  Arm's bit of user access in config1 (rdpmc) is
 *	accepted in groups of tasks, where perf accepts it.  It selects a counter that user
 *	space can read; %PMCGRP_CREATE_USER_READ gives the access.
 * @id: out: the member's id, as PERF_FORMAT_ID gives it.  Unique while the
 *	module is loaded; starts far above perf's own ids.
 * @flags: in: 0
 */
struct pmcgrp_member {
	__u64	attr;
	__u64	id;
	__u64	flags;
};

/** PMCGRP_MEMBER_SIZE_VER0: size of the first published struct pmcgrp_member */
#define PMCGRP_MEMBER_SIZE_VER0	24

/**
 * struct pmcgrp_create - make a group (PMCGRP_IOC_CREATE)
 * @size: in: sizeof(struct pmcgrp_create)
 * @target_type: in: enum pmcgrp_target_type
 * @target_id: in: which task or CPU
 * @nr_members: in: how many members, 1 to %PMCGRP_MEMBERS_MAX
 * @flags: in: PMCGRP_CREATE_*
 * @read_format: in: PERF_FORMAT_* of read() on the group descriptor.  Without
 *	PERF_FORMAT_GROUP a read gives member 0 alone.  PERF_FORMAT_LOST: for member 0
 *	what the group's rings have lost for want of room, otherwise 0.
 * @members: in: user pointer to nr_members times struct pmcgrp_member
 * @member_size: in: sizeof(struct pmcgrp_member), the stride of @members
 * @why: out: enum pmcgrp_why
 * @fail_member: out: the index of the member that failed, or %PMCGRP_NO_MEMBER
 * @fail_cpu: out: the CPU on which it failed, or -1
 * @cpus: in: user pointer to the mask of %PMCGRP_TARGET_CPUS, bit n of it for CPU n,
 *	laid out as for sched_setaffinity(2); otherwise 0
 * @cpus_size: in: the size of the mask in bytes, a multiple of 8; otherwise 0
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
	__u64	cpus;
	__u32	cpus_size;
	__u32	__reserved;
};

/** PMCGRP_CREATE_SIZE_VER0: size of the first published struct pmcgrp_create */
#define PMCGRP_CREATE_SIZE_VER0	72

/**
 * struct pmcgrp_read_cpus - read a group of CPUs apart (PMCGRP_IOC_READ_CPUS)
 * @size: in: sizeof(struct pmcgrp_read_cpus)
 * @flags: in: 0
 * @buf: in: user pointer to the buffer
 * @buf_size: in: its size in bytes
 * @nr_cpus: out: how many records there are; with ENOSPC, how many there would be
 * @record_size: out: the size of each record in bytes
 *
 * For each CPU of the target, in ascending order, there is one record.  It has a __u64
 * with the number of the CPU, then what read() would give for that CPU alone.  All are read
 * by the same broadcast.  A CPU that is offline keeps its counts.  Returns 0, or
 * -1 with EINVAL for a group of tasks or ENOSPC if @buf_size is too small.
 */
struct pmcgrp_read_cpus {
	__u32	size;
	__u32	flags;
	__u64	buf;
	__u64	buf_size;
	__u32	nr_cpus;
	__u32	record_size;
};

/** PMCGRP_READ_CPUS_SIZE_VER0: size of the first published struct pmcgrp_read_cpus */
#define PMCGRP_READ_CPUS_SIZE_VER0	32

/**
 * struct pmcgrp_read_many - read many groups by one call (PMCGRP_IOC_READ_MANY)
 * @size: in: sizeof(struct pmcgrp_read_many)
 * @flags: in: 0
 * @fds: in: user pointer to an array of __s32: descriptors of groups or members
 * @nr: in: number of descriptors; out: number of records that are complete
 * @__reserved: in: 0
 * @buf: in: user pointer to the buffer, aligned to 8 bytes
 * @buf_size: in: its size in bytes
 *
 * For each descriptor, in the order of @fds, one record: a __s64, then what read()
 * of the descriptor would give.  The __s64 is the number of bytes that follow, or 0
 * where read() would return 0.  Or it is a negative errno: EBADF for what is no open
 * descriptor of a group or member.  Neighbours in @fds that count the same events
 * of the same task are read at the same instant.
 *
 * Returns 0, or -1 with EFAULT, or EINVAL for @flags, @__reserved or an unaligned @buf.
 * With ENOSPC @buf_size is too small for all, with EINTR the caller has been killed.
 * Then @nr says how many records are there.
 */
struct pmcgrp_read_many {
	__u32	size;
	__u32	flags;
	__u64	fds;
	__u32	nr;
	__u32	__reserved;
	__u64	buf;
	__u64	buf_size;
};

/** PMCGRP_READ_MANY_SIZE_VER0: size of the first published struct pmcgrp_read_many */
#define PMCGRP_READ_MANY_SIZE_VER0	40

/*
 * Flags of pmcgrp_add.flags.
 *
 * PMCGRP_ADD_DISABLED: the member starts disabled, as with attr.disabled.
 * PMCGRP_ADD_NO_CLOEXEC: its descriptor is not close-on-exec.
 * PMCGRP_ADD_AS_PERF: attr, pid and cpu are arguments of perf_event_open(2), whose group_fd is
 *	the leader.  What attr says of read_format, disabled and enable_on_exec is done.  Only for
 *	groups with %PMCGRP_CREATE_AS_PERF, without %PMCGRP_ADD_DISABLED and with read_format 0.
 *	It succeeds only where perf_event_open(2) would if it were asked for the whole group, but
 *	for a security module's word.  It is refused to callers that have a seccomp filter.
 *	A caller that is refused calls perf_event_open(2) to learn perf's errno.
 */
#define PMCGRP_ADD_DISABLED		(1U << 0)
#define PMCGRP_ADD_NO_CLOEXEC		(1U << 1)
#define PMCGRP_ADD_AS_PERF		(1U << 2)

/**
 * struct pmcgrp_add - add a member to a group with a leader (PMCGRP_IOC_ADD)
 * @size: in: sizeof(struct pmcgrp_add)
 * @flags: in: PMCGRP_ADD_*
 * @attr: in: user pointer to a struct perf_event_attr, as in struct pmcgrp_member
 * @read_format: in: PERF_FORMAT_* of read() on the new descriptor
 * @id: out: the member's id; 0 on failure
 * @why: out: enum pmcgrp_why
 * @fail_cpu: out: the CPU on which it failed, or -1
 * @pid: in: with %PMCGRP_ADD_AS_PERF: pid of perf_event_open(2); otherwise 0
 * @cpu: in: with %PMCGRP_ADD_AS_PERF: its cpu; otherwise 0
 * @leader: out: id of the leader
 * @process: out: the caller's process, as getpid(2) has it
 * @thread: out: the caller, as gettid(2) has it
 *
 * A member that counts the same as another shares its counter.  Its count starts at
 * 0 all the same.  With %PMCGRP_ADD_AS_PERF such an event of hardware is refused: perf has a
 * counter for each.
 *
 * Returns a descriptor of the member, close-on-exec by default, or -1 with errno.  On failure
 * the group is as it was, and @why and @fail_cpu are written if the struct itself
 * could be read.
 */
struct pmcgrp_add {
	__u32	size;
	__u32	flags;
	__u64	attr;
	__u64	read_format;
	__u64	id;
	__u32	why;
	__s32	fail_cpu;
	__s32	pid;
	__s32	cpu;
	__u64	leader;
	__s32	process;
	__s32	thread;
};

/** PMCGRP_ADD_SIZE_VER0: size of the first published struct pmcgrp_add */
#define PMCGRP_ADD_SIZE_VER0	40

/**
 * enum pmcgrp_state - what a group does on a CPU
 * @PMCGRP_STATE_RUNNING: all of its members count
 * @PMCGRP_STATE_WAITING: it is enabled and its target runs, but it has no counters now
 * @PMCGRP_STATE_UNSCHEDULABLE: it is enabled, but cannot run on this CPU
 * @PMCGRP_STATE_ERROR: it is pinned and could not be placed; enabling it tries again
 * @PMCGRP_STATE_DISABLED: it is not enabled
 * @PMCGRP_STATE_SCHED_OUT: no task of the target runs anywhere just now (cpu is -1), or the
 *	CPU is offline
 */
enum pmcgrp_state {
	PMCGRP_STATE_RUNNING		= 0,
	PMCGRP_STATE_WAITING		= 1,
	PMCGRP_STATE_UNSCHEDULABLE	= 2,
	PMCGRP_STATE_ERROR		= 3,
	PMCGRP_STATE_DISABLED		= 4,
	PMCGRP_STATE_SCHED_OUT		= 5,
};

/** PMCGRP_NO_COUNTER: pmcgrp_info_cpu.counter of a member without a hardware counter */
#define PMCGRP_NO_COUNTER	(-1)

/**
 * struct pmcgrp_info_member - a member (PMCGRP_IOC_INFO, PMCGRP_IOC_INFO_NEXT)
 * @id: as PERF_FORMAT_ID gives it
 * @type: perf_event_attr.type
 * @__reserved: 0
 * @config: perf_event_attr.config of what is counted: for task-clock that is cpu-clock
 * @config1: perf_event_attr.config1
 * @config2: perf_event_attr.config2
 * @config3: perf_event_attr.config3; 0 before Linux 6.3, which lacks it
 * @bits: perf_event_attr's 64 bits from disabled on, of which only the exclude_* can be
 *	set
 * @count: events since the last reset
 */
struct pmcgrp_info_member {
	__u64	id;
	__u32	type;
	__u32	__reserved;
	__u64	config;
	__u64	config1;
	__u64	config2;
	__u64	config3;
	__u64	bits;
	__u64	count;
};

/** PMCGRP_INFO_MEMBER_SIZE_VER0: size of its first published form */
#define PMCGRP_INFO_MEMBER_SIZE_VER0	64

/** PMCGRP_PERF_WATCHDOG: in pmcgrp_info_cpu.perf_flags: one is the kernel's NMI watchdog */
#define PMCGRP_PERF_WATCHDOG	(1U << 0)

/**
 * struct pmcgrp_info_cpu - a member on one CPU (PMCGRP_IOC_INFO, PMCGRP_IOC_INFO_NEXT)
 * @cpu: which; -1 for the target's tasks that run nowhere just now
 * @member: index of the member
 * @state: enum pmcgrp_state, the same for all members on the CPU
 * @why: enum pmcgrp_why: the reason for a state other than running or disabled.  It is that of this
 *	member: %PMCGRP_WHY_BUSY_PMCGRP, %PMCGRP_WHY_BUSY_PERF or %PMCGRP_WHY_TOO_LARGE.  A member
 *	that has what it needs has %PMCGRP_WHY_NONE.  Or it is %PMCGRP_WHY_CPU_OFFLINE,
 *	%PMCGRP_WHY_EVENT_UNKNOWN (this CPU lacks the event) or %PMCGRP_WHY_TASK_GONE.
 * @counter: the physical counter that it is on now (the PMU driver's number for it), or
 *	%PMCGRP_NO_COUNTER
 * @groups: how many groups share its counter on this CPU, this one among them; 0 where
 *	the group has none
 * @perf_counters: counters of its PMU that perf events have now; 0 for a software event
 * @perf_flags: PMCGRP_PERF_*: which perf events these are
 * @blocked_by: id of the first member of a group that has counters of its PMU now, or 0
 */
struct pmcgrp_info_cpu {
	__s32	cpu;
	__u32	member;
	__u32	state;
	__u32	why;
	__s32	counter;
	__u32	groups;
	__u32	perf_counters;
	__u32	perf_flags;
	__u64	blocked_by;
};

/** PMCGRP_INFO_CPU_SIZE_VER0: size of its first published form */
#define PMCGRP_INFO_CPU_SIZE_VER0	40

/** PMCGRP_INFO_NO_CPUS: no member on a CPU is asked for: there are 0 in pmcgrp_info.nr_cpus */
#define PMCGRP_INFO_NO_CPUS	(1U << 0)

/**
 * struct pmcgrp_info - what a group is and does (PMCGRP_IOC_INFO, PMCGRP_IOC_INFO_NEXT)
 * @size: in: sizeof(struct pmcgrp_info)
 * @flags: in: 0 or %PMCGRP_INFO_NO_CPUS
 * @id: in, PMCGRP_IOC_INFO_NEXT: the least id that is looked for; 0 with PMCGRP_IOC_INFO;
 *	out: the id of the group's first member
 * @members: in: user pointer to room for the members, or 0
 * @cpus: in: user pointer to room for each member on each CPU, or 0
 * @nr_members: in: for how many there is room; out: how many there are
 * @nr_cpus: in: for how many there is room; out: how many there are: members times CPUs
 * @member_size: in: sizeof(struct pmcgrp_info_member), the stride of @members
 * @cpu_size: in: sizeof(struct pmcgrp_info_cpu), the stride of @cpus
 * @create_flags: out: PMCGRP_CREATE_* that it was made with
 * @read_format: out: PERF_FORMAT_*
 * @target_type: out: enum pmcgrp_target_type
 * @target_id: out: the CPU, or the task in the caller's PID namespace; 0 if it is not in
 *	there.  A task that is gone has the id that it had when the group was made.
 * @time_enabled: out: nanoseconds, as read() would give them
 * @time_running: out: nanoseconds
 * @owner: out: the process that has made it, in the caller's PID namespace, or 0; 0 also of a group
 *	of a kernel module
 * @enabled: out: whether it is enabled, 1 or 0
 * @why: out: enum pmcgrp_why: why a placement failed that has not succeeded since, anywhere,
 *	also of tasks that are gone: what to say if time_running is 0
 * @nr_targets: out: how many tasks or CPUs it counts just now
 * @blocked_by: out: with %PMCGRP_WHY_BUSY_PMCGRP in @why: a group that had the counters then
 * @comm: out: the name of the process that has made it, or the name that a kernel module has given
 *	its group; zero-terminated
 * @nr_triggers: out: how many triggers it was given
 * @triggers_in_error: out: on how many tasks or CPUs one of them has no counter.  perf core
 *	puts a pinned event into error for want of one, and tries again when the group is
 *	enabled anew.
 * @lost: out: what its rings have lost for want of room
 * @user_read_why: out: with %PMCGRP_CREATE_USER_READ: enum pmcgrp_why: why its task has to read it
 *	by system calls, or %PMCGRP_WHY_NONE: need not, while it has its counters; else 0
 * @__reserved: out: 0
 * @cgroup: out: with %PMCGRP_TARGET_CGROUP the id of the cgroup, which is the inode number of its
 *	directory; else 0
 * @keys_size: out: pmcgrp_keys.map_size of its table of counts by key; 0: it has none
 *
 * PMCGRP_IOC_INFO is an ioctl on a group, and needs no capability.
 * PMCGRP_IOC_INFO_NEXT is one on the device; what it needs stands at the errnos above.  It finds
 * the group with the least id from @id on.  With the id found, plus 1, it goes to the
 * next one.  ENOENT: there is none.  ENOSPC: no room in @members or @cpus; @nr_members,
 * @nr_cpus and @id are then written, nothing else.
 */
struct pmcgrp_info {
	__u32	size;
	__u32	flags;
	__u64	id;
	__u64	members;
	__u64	cpus;
	__u32	nr_members;
	__u32	nr_cpus;
	__u32	member_size;
	__u32	cpu_size;
	__u64	create_flags;
	__u64	read_format;
	__u32	target_type;
	__s32	target_id;
	__u64	time_enabled;
	__u64	time_running;
	__s32	owner;
	__u32	enabled;
	__u32	why;
	__u32	nr_targets;
	__u64	blocked_by;
	char	comm[PMCGRP_COMM_SIZE];
	__u32	nr_triggers;
	__u32	triggers_in_error;
	__u64	lost;
	__u32	user_read_why;
	__u32	__reserved;
	__u64	cgroup;
	__u64	keys_size;
};

/** PMCGRP_INFO_SIZE_VER0: size of the first published struct pmcgrp_info */
#define PMCGRP_INFO_SIZE_VER0	184

/*
 * What a perf event that has a counter is: pmcgrp_holder.flags.
 *
 * PMCGRP_HOLDER_PINNED: its group is pinned
 * PMCGRP_HOLDER_EXCLUSIVE: its group is to be alone on the PMU
 * PMCGRP_HOLDER_INHERIT: new children of its task are counted as well
 * PMCGRP_HOLDER_INHERITED: it is the copy that a child has got of such an event
 * PMCGRP_HOLDER_TASK: it counts a task, which runs on this CPU; without it, the CPU
 * PMCGRP_HOLDER_CGROUP: it counts a cgroup on this CPU
 * PMCGRP_HOLDER_SAMPLES: it samples
 * PMCGRP_HOLDER_KERNEL: the kernel or a module has made it, no process
 * PMCGRP_HOLDER_WATCHDOG: the NMI watchdog has
 * PMCGRP_HOLDER_ENDED: the process that has opened it has ended; others have its descriptor
 * PMCGRP_HOLDER_HIDDEN: the caller may not see more of it
 */
#define PMCGRP_HOLDER_PINNED	(1U << 0)
#define PMCGRP_HOLDER_EXCLUSIVE	(1U << 1)
#define PMCGRP_HOLDER_INHERIT	(1U << 2)
#define PMCGRP_HOLDER_INHERITED	(1U << 3)
#define PMCGRP_HOLDER_TASK	(1U << 4)
#define PMCGRP_HOLDER_CGROUP	(1U << 5)
#define PMCGRP_HOLDER_SAMPLES	(1U << 6)
#define PMCGRP_HOLDER_KERNEL	(1U << 7)
#define PMCGRP_HOLDER_WATCHDOG	(1U << 8)
#define PMCGRP_HOLDER_ENDED	(1U << 9)
#define PMCGRP_HOLDER_HIDDEN	(1U << 10)

/** PMCGRP_FUNCTION_SIZE: bytes of pmcgrp_holder.function */
#define PMCGRP_FUNCTION_SIZE	64

/**
 * struct pmcgrp_holder - a perf event that has a counter (PMCGRP_IOC_HOLDERS)
 * @flags: PMCGRP_HOLDER_*
 * @counter: the PMU driver's number of the counter, or %PMCGRP_NO_COUNTER
 * @pid: the process that has opened it, in the caller's PID namespace; 0: it is in none of that,
 *	has ended, or is none
 * @target_pid: with %PMCGRP_HOLDER_TASK the process that it counts, likewise; else 0
 * @target_tid: with %PMCGRP_HOLDER_TASK the thread that it counts, likewise; else 0
 * @type: perf_event_attr.type
 * @config: perf_event_attr.config
 * @config1: perf_event_attr.config1
 * @config2: perf_event_attr.config2
 * @config3: perf_event_attr.config3; 0 before Linux 6.3, which lacks it
 * @bits: perf_event_attr's 64 bits from disabled on, but disabled
 * @id: as PERF_FORMAT_ID gives it
 * @cgroup: with %PMCGRP_HOLDER_CGROUP the id of the cgroup, else 0
 * @comm: name of the process that has opened it; zero-terminated
 * @target_comm: with %PMCGRP_HOLDER_TASK name of the thread that it counts
 * @function: with %PMCGRP_HOLDER_KERNEL the function that it calls at overflows, and in brackets
 *	that function's module.  Empty: it has none of its own, or the kernel has no names
 *
 * With %PMCGRP_HOLDER_HIDDEN all but @flags and @counter is 0.
 */
struct pmcgrp_holder {
	__u32	flags;
	__s32	counter;
	__s32	pid;
	__s32	target_pid;
	__s32	target_tid;
	__u32	type;
	__u64	config;
	__u64	config1;
	__u64	config2;
	__u64	config3;
	__u64	bits;
	__u64	id;
	__u64	cgroup;
	char	comm[PMCGRP_COMM_SIZE];
	char	target_comm[PMCGRP_COMM_SIZE];
	char	function[PMCGRP_FUNCTION_SIZE];
};

/** PMCGRP_HOLDER_SIZE_VER0: size of its first published form */
#define PMCGRP_HOLDER_SIZE_VER0	208

/**
 * struct pmcgrp_holders - who has the counters of a PMU that are perf's (PMCGRP_IOC_HOLDERS)
 * @size: in: sizeof(struct pmcgrp_holders)
 * @flags: in: 0
 * @attr: in: user pointer to a struct perf_event_attr, of any event of the PMU
 * @holders: in: user pointer to room for perf events, or 0
 * @nr_holders: in: for how many there is room; out: how many there are
 * @holder_size: in: sizeof(struct pmcgrp_holder), the stride of @holders
 * @cpu: in: the CPU
 * @why: out: enum pmcgrp_why on failure
 *
 * PMCGRP_IOC_HOLDERS is an ioctl on the device.  It finds the perf events that are on the PMU, on
 * that CPU and at that instant.  Those of a task are on it while the task runs.  Counters of groups
 * are not among them.  What a KVM guest counts is: it is made by the kernel, and counts a thread of
 * the guest's process.
 *
 * CAP_SYS_ADMIN sees all.  CAP_PERFMON alone sees what processes of the caller's user have opened,
 * and what the kernel has made without a task of others.  The others are %PMCGRP_HOLDER_HIDDEN.
 */
struct pmcgrp_holders {
	__u32	size;
	__u32	flags;
	__u64	attr;
	__u64	holders;
	__u32	nr_holders;
	__u32	holder_size;
	__s32	cpu;
	__u32	why;
};

/** PMCGRP_HOLDERS_SIZE_VER0: size of the first published struct pmcgrp_holders */
#define PMCGRP_HOLDERS_SIZE_VER0	40

/**
 * DOC: The ring
 *
 * PMCGRP_IOC_RING gives a group a ring that can be mapped, as a descriptor of
 * perf_event_open(2) can: a struct perf_event_mmap_page, then 2^n pages of records.  A
 * group of one task has one ring, at offset 0, that follows the task.  A group of CPUs has
 * one for each CPU, at PMCGRP_RING_OFFSET(cpu).  So has a group of one CPU.
 *
 * data_head, data_tail and their barriers are those of perf_event_open(2).  So are poll(), and
 * PROT_READ alone for a ring that is never full.  A ring ends with its last mapping.  poll()
 * reports of all rings of the group.  POLLHUP says that the task, or all tasks, have exited.
 *
 * A group of several tasks (%PMCGRP_TARGET_PROCESS, %PMCGRP_CREATE_INHERIT) has a ring for each
 * CPU as well, whatever the number of tasks.  What is counted between two records of such a
 * ring is one task's.  The later record has the task's TID and PID.  Where one task of the group
 * follows another on a CPU, a record with %PMCGRP_RECORD_MISC_SWITCH has the counts of the first
 * one.  It is written when the other one is switched to, or as the group is disabled.  So sums by
 * task are exact, unless records are lost.
 *
 * Triggers of such a group also fire in threads and children that come later.  A task whose
 * creation is under way during PMCGRP_IOC_TRIGGER may be left out by that trigger, but is counted.
 * Such a group has no triggers of context-switches, of cgroup-switches, or of events of all threads
 * of a core (EOPNOTSUPP).  A sample may come before the group has counted the very event that
 * caused it.  The next record has that then.  A group that was reset before it was given its ring
 * shows there what it has counted since it was made.
 *
 * A member has the same id in the rings of all CPUs.  Tools of perf take differences by id.  Who
 * merges rings for them gives each ring ids of its own.  A trigger is no member, and has no
 * value in PERF_SAMPLE_READ.
 *
 * Records are perf's, with the sample_id of attr.sample_id_all behind all but samples:
 *
 *  PERF_RECORD_SAMPLE
 *	A sample of the group, all members at one instant.  PERF_SAMPLE_ID,
 *	PERF_SAMPLE_IDENTIFIER and PERF_SAMPLE_STREAM_ID give the id of the trigger that
 *	caused it, or of member 0 for a sample on request.  PERF_SAMPLE_READ is what read()
 *	gives for the group's read_format.  For a group of CPUs it is that of this CPU alone.
 *	PERF_SAMPLE_TID is -1 for a task that has been reaped, or has no number in the PID
 *	namespace that set up the rings.  perf has 0 there, which is the idle task's.
 *  PERF_RECORD_LOST
 *	So many samples found no room before this point.  Whose they were is not known: the
 *	id in it is that of the next one.  The same holds for LOST_SAMPLES.
 *	PERF_EVENT_IOC_DISABLE writes this record, where there is room, if no sample has come
 *	after a loss.  It has the id of member 0.  A reader of a full ring reads it and disables
 *	once more.  Then all losses are in records.
 *  PERF_RECORD_LOST_SAMPLES
 *	So many samples were not taken.  A trigger came while this CPU was in the midst of
 *	another sample or of moving counters, or a clock came late by whole periods.
 *  PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE
 *	perf core stopped a trigger that fires too often (perf_event_max_sample_rate)
 *	until its next tick.  UNTHROTTLE stands before the first sample after that.
 *  %PMCGRP_RECORD_COMPACT
 *	This replaces PERF_RECORD_SAMPLE with %PMCGRP_RING_COMPACT.
 */

/**
 * PMCGRP_RING_OFFSET: mmap() offset of a CPU's ring in a group of CPUs; a 32-bit program
 * needs an off_t of 64 bits (_FILE_OFFSET_BITS) for that
 */
#define PMCGRP_RING_OFFSET(cpu)	((__u64)(cpu) << 32)

/*
 * Flags of pmcgrp_ring_setup.flags.
 *
 * PMCGRP_RING_BACKWARD: as attr.write_backward: the newest record is at data_head.
 * PMCGRP_RING_WATERMARK: as attr.watermark: wakeup counts bytes, not samples.
 * PMCGRP_RING_COMPACT: records of struct pmcgrp_compact instead of samples.
 * PMCGRP_RING_USE_CLOCKID: as attr.use_clockid: PERF_SAMPLE_TIME, and all times in records, are of
 *	the clock pmcgrp_ring_setup.clockid.
 * PMCGRP_RING_BY_TASK: a record also where one task is switched to another, for a group of CPUs.
 *	A group of several tasks always has these, a group of one task needs none.
 */
#define PMCGRP_RING_BACKWARD	(1U << 0)
#define PMCGRP_RING_WATERMARK	(1U << 1)
#define PMCGRP_RING_COMPACT	(1U << 2)
#define PMCGRP_RING_BY_TASK	(1U << 3)
#define PMCGRP_RING_USE_CLOCKID	(1U << 4)

/*
 * PMCGRP_RECORD_MISC_SWITCH: in header.misc of a sample or compact record: it was written because
 * another task of the group runs now.  Its values are those at the end of the task that it names.
 * PERF_SAMPLE_IP is where that task goes on in user mode, or 0 for a thread of the kernel.
 */
#define PMCGRP_RECORD_MISC_SWITCH	(1U << 13)

/**
 * struct pmcgrp_ring_setup - give a group a ring to be mapped (PMCGRP_IOC_RING)
 * @size: in: sizeof(struct pmcgrp_ring_setup)
 * @flags: in: PMCGRP_RING_*
 * @sample_type: in: PERF_SAMPLE_* of IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU,
 *	PERIOD, READ, CALLCHAIN, RAW and CGROUP: what a sample has.  IP, CALLCHAIN and the
 *	addresses of page faults need CAP_SYSLOG: they show where the kernel is.  With
 *	%PMCGRP_RING_COMPACT it says what the sample_id of other records has, and has none of
 *	IP, ADDR, PERIOD, READ, CALLCHAIN, RAW, CGROUP.  RAW is for %PMCGRP_SPAN_RECORD.
 *
 * A call chain has PERF_MAX_STACK_DEPTH addresses at most, those of the kernel first.  In user
 * space it follows frame pointers.  It is empty where no trigger has caused the sample: with
 * %PMCGRP_IOC_SAMPLE and %PMCGRP_RECORD_MISC_SWITCH.
 *
 * CGROUP is the id of the cgroup of the task that runs, as %PMCGRP_KEY_CGROUP has it.  With
 * %PMCGRP_RECORD_MISC_SWITCH it is that of the task that the record names, as it left.
 * @wakeup: in: wake up poll() after so many samples or bytes; 0: at half of the ring.
 *	Samples also do at half of it, and all when a sample finds no room.
 * @why: out: enum pmcgrp_why
 * @clockid: in: with %PMCGRP_RING_USE_CLOCKID: CLOCK_MONOTONIC or CLOCK_MONOTONIC_RAW; else 0
 * @__reserved: in: 0
 *
 * Without %PMCGRP_RING_USE_CLOCKID times are of perf's own clock, which cannot be compared with
 * any other one.  Other clocks are refused (%PMCGRP_WHY_CLOCK): records are written in an NMI as
 * well.  perf allows the same two there (kernel/events/core.c: perf_event_set_clock()).
 * time_enabled and time_running are durations, of perf's own clock in any case.
 *
 * Once for a group; not for one with %PMCGRP_CREATE_LEADER.  Returns 0, or -1 with errno.
 */
struct pmcgrp_ring_setup {
	__u32	size;
	__u32	flags;
	__u64	sample_type;
	__u32	wakeup;
	__u32	why;
	__s32	clockid;
	__u32	__reserved;
};

/** PMCGRP_RING_SETUP_SIZE_VER0: size of the first published struct pmcgrp_ring_setup */
#define PMCGRP_RING_SETUP_SIZE_VER0	32

/** PMCGRP_TRIGGERS_MAX: the most triggers of a group */
#define PMCGRP_TRIGGERS_MAX	16

/**
 * struct pmcgrp_trigger_add - let an event cause samples (PMCGRP_IOC_TRIGGER)
 * @size: in: sizeof(struct pmcgrp_trigger_add)
 * @flags: in: 0
 * @attr: in: user pointer to a struct perf_event_attr: the fields of struct
 *	pmcgrp_member, sample_period, or sample_freq with freq, and exclude_callchain_kernel
 *	and _user.  Any event that perf
 *	can sample: clocks, hardware and software events, tracepoints, probes of the
 *	kprobe and uprobe PMUs; no breakpoints.
 * @id: out: what its records have as PERF_SAMPLE_ID; 0 on failure
 * @index: out: what its compact records have as trigger: 1, 2, ...
 * @why: out: enum pmcgrp_why
 * @fail_cpu: out: the CPU on which it failed, or -1
 * @__reserved: in: 0
 *
 * The trigger fires where the group's target runs, while the group is enabled, and goes
 * with the group.  A hardware event has a counter of its own for that, as a pinned event
 * has.  A probe by pointer (of the kprobe or uprobe PMU) does not come back to a CPU
 * that has been offline.  Returns 0, or -1 with errno.
 */
struct pmcgrp_trigger_add {
	__u32	size;
	__u32	flags;
	__u64	attr;
	__u64	id;
	__u32	index;
	__u32	why;
	__s32	fail_cpu;
	__u32	__reserved;
};

/** PMCGRP_TRIGGER_ADD_SIZE_VER0: size of the first published struct pmcgrp_trigger_add */
#define PMCGRP_TRIGGER_ADD_SIZE_VER0	40

/** PMCGRP_RECORD_COMPACT: perf_event_header.type of a struct pmcgrp_compact */
#define PMCGRP_RECORD_COMPACT	0x70630001

/*
 * PMCGRP_COMPACT_GAP: in pmcgrp_compact.flags: since the record before, the group was not on the
 * PMU all of the time.  So its members have not counted all.
 */
#define PMCGRP_COMPACT_GAP	(1U << 0)

/**
 * struct pmcgrp_compact - a sample in few bytes
 * @type: %PMCGRP_RECORD_COMPACT
 * @misc: PERF_RECORD_MISC_KERNEL or _USER; header.misc
 * @size: of the whole record; header.size
 * @time: as PERF_SAMPLE_TIME
 * @tid: the thread that ran
 * @trigger: pmcgrp_trigger_add.index of what caused it; 0: on request
 * @flags: PMCGRP_COMPACT_*
 * @value: the members' counts, in order
 */
struct pmcgrp_compact {
	__u32	type;
	__u16	misc;
	__u16	size;
	__u64	time;
	__u32	tid;
	__u16	trigger;
	__u16	flags;
	__u64	value[];
};

/**
 * DOC: Reading from user space
 *
 * The descriptor of a group with %PMCGRP_CREATE_USER_READ can be mapped at
 * %PMCGRP_USER_PAGE_OFFSET: one page, shared, to be read only.  It says which counters the
 * members have just now, and what is to be added to what they show.  So the task that is
 * counted, and no other, reads the group by a few instructions:
 *
 *  1. Take down seq, and then until, cycles, time_enabled and time_running.
 *  2. For each member read the register that index stands for, and add offset: that is its value.
 *     On arm64 31 is PMCCNTR_EL0, and n below that PMEVCNTR<n>_EL0.  On x86 it is what rdpmc
 *     takes in ECX.
 *  3. Take down the clock (CNTVCT_EL0; rdtsc): both times are greater by
 *     (clock - cycles) * time_mult >> 32 nanoseconds.
 *  4. Unless the clock is below until, and seq is still the same, none of this counts.  If it was
 *     seq, begin anew.  If it was until, call read(), which also moves until.
 *
 * Where it cannot be, until is 0, and all has to be read() anyway.  That is so while the group has
 * no counters, and always for a reason in why.  The PMU's driver opens the counters to the task, as
 * it does for events of perf_event_open(2) that user space reads.  So the administrator has to
 * allow it: sysctl kernel.perf_user_access, on x86 the file rdpmc of the PMU cpu.  If that is
 * withdrawn while tasks count, their next read of a register may end them by SIGILL, on x86 by
 * SIGSEGV, as with perf.  So does such a read by any other task.
 *
 * On x86 the mapping opens the counters: all of them, and to all threads that share the mapping's
 * memory.  That of an event of perf_event_open(2) does the same.  Before, until is 0.  There the
 * page also ends when perf events or other groups may move a counter.  The next read() renews it.
 */

/** PMCGRP_USER_PAGE_OFFSET: mmap() offset of a group's struct pmcgrp_user_page */
#define PMCGRP_USER_PAGE_OFFSET	(1UL << 30)

/**
 * struct pmcgrp_user_page_member - where a member counts
 * @offset: what its value is greater by than the counter shows
 * @id: what PERF_FORMAT_ID gives, always
 * @index: of the counter
 * @__reserved: 0
 *
 * The first two are in the order in which read() gives a value and its id, at a multiple of 16
 * bytes.  One vector instruction copies both and adds what the counter shows.
 */
struct pmcgrp_user_page_member {
	__u64	offset;
	__u64	id;
	__u64	index;
	__u64	__reserved;
};

/**
 * struct pmcgrp_user_page - how user space can read a group; written by the kernel
 * @seq: another one after each change; odd meanwhile
 * @why: enum pmcgrp_why: why it can never be read so, as far as is known
 * @nr: how many members there are
 * @__reserved: 0
 * @until: what the clock shows when all this is not true any more; 0: it is not now
 * @cycles: what the clock showed when the times were
 * @time_mult: nanoseconds for a tick of the clock, times 2^32
 * @__reserved2: 0
 * @time_enabled: nanoseconds; at a multiple of 16 bytes
 * @time_running: nanoseconds
 * @member: the members
 */
struct pmcgrp_user_page {
	__u32	seq;
	__u32	why;
	__u32	nr;
	__u32	__reserved;
	__u64	until;
	__u64	cycles;
	__u64	time_mult;
	__u64	__reserved2;
	__u64	time_enabled;
	__u64	time_running;
	struct pmcgrp_user_page_member member[PMCGRP_MEMBERS_MAX];
};

/**
 * PMCGRP_SWITCH_MAX: the most that a context switch visits one by one
 *
 * A switch to a task visits the groups that are on the PMU, and few of those that wait.  So groups
 * with hardware events have no limit, nor have those of the same events and tasks, which are
 * counted once.  Two things have this limit.
 *
 *  - Groups of the same process, inherited tasks or cgroup that are visited always.  These are
 *    groups of software events only, pinned ones, and those that execve() enables.  Groups with
 *    rings, a table of keys or spans are, too.
 *  - Ages of inherited groups of a task.  Two groups differ in age if a child lives that was
 *    created between them: only the older one counts it.
 *
 * A new task has no more of them than its parent: fork() never fails for that.
 */
#define PMCGRP_SWITCH_MAX		64

/** PMCGRP_SECTION_NAME_MAX: bytes of the name of a section, with its end */
#define PMCGRP_SECTION_NAME_MAX		64
/** PMCGRP_SECTION_BUCKETS: buckets of a histogram: n has values from 2^(n-1) to 2^n - 1, 0 the 0 */
#define PMCGRP_SECTION_BUCKETS		65

/** PMCGRP_SECTION_MEMBERS_MAX: the most members of a group that has sections or spans */
#define PMCGRP_SECTION_MEMBERS_MAX	8

/**
 * enum pmcgrp_missed - why a section was not counted
 * @PMCGRP_MISSED_BUSY: its beginning or end has interrupted a change of the counters, or another
 *	probe
 * @PMCGRP_MISSED_OFF: the group did not have its counters at the beginning, at the end, or between
 * @PMCGRP_MISSED_MOVED: its task ran on a CPU or in a cgroup that the group does not count.  Or its
 *	end was in another task or on another CPU.  Or a module's section was preempted, slept or
 *	moved to another CPU, and the group counts CPUs.
 * @PMCGRP_MISSED_LIMIT: of a span: as many were in flight as pmcgrp_span_add.max_active says
 * @PMCGRP_MISSED_AGAIN: of a span: another one of the same key began before it ended
 * @PMCGRP_MISSED_GONE: of a span of a program's function: its frame has gone without an exit, as by
 *	an exception, a panic or longjmp()
 */
enum pmcgrp_missed {
	PMCGRP_MISSED_BUSY	= 0,
	PMCGRP_MISSED_OFF	= 1,
	PMCGRP_MISSED_MOVED	= 2,
	PMCGRP_MISSED_LIMIT	= 3,
	PMCGRP_MISSED_AGAIN	= 4,
	PMCGRP_MISSED_GONE	= 5,
};

/** PMCGRP_MISSED_ROOM: places for reasons in struct pmcgrp_section_info */
#define PMCGRP_MISSED_ROOM	8

/**
 * enum pmcgrp_section_kind - what begins and ends a section
 * @PMCGRP_SECTION_MODULE: a kernel module does (<linux/pmcgrp.h>)
 * @PMCGRP_SECTION_FUNCTION: a span: a function of the kernel is called, and returns
 * @PMCGRP_SECTION_TRACEPOINTS: a span: a tracepoint is hit, and then another one, of the same key
 * @PMCGRP_SECTION_USER_FUNCTION: a span: a function of a file that is executed is called, and
 *	returns
 */
enum pmcgrp_section_kind {
	PMCGRP_SECTION_MODULE		= 0,
	PMCGRP_SECTION_FUNCTION		= 1,
	PMCGRP_SECTION_TRACEPOINTS	= 2,
	PMCGRP_SECTION_USER_FUNCTION	= 3,
};

/**
 * struct pmcgrp_section_stat - what one member has counted in all sections of a name, or their time
 * @type: attr.type of the member; 0 for the time
 * @__reserved: 0
 * @config: attr.config
 * @config1: attr.config1
 * @config2: attr.config2
 * @config3: attr.config3; 0 before Linux 6.3, which lacks it
 * @bits: as pmcgrp_info_member.bits
 * @sum: sum over the sections; of times in nanoseconds
 * @min: the least value of a section
 * @max: the greatest one
 * @bucket: number of sections by their value
 */
struct pmcgrp_section_stat {
	__u32	type;
	__u32	__reserved;
	__u64	config;
	__u64	config1;
	__u64	config2;
	__u64	config3;
	__u64	bits;
	__u64	sum;
	__u64	min;
	__u64	max;
	__u64	bucket[PMCGRP_SECTION_BUCKETS];
};

/** PMCGRP_SECTION_STAT_SIZE_VER0: size of its first published form */
#define PMCGRP_SECTION_STAT_SIZE_VER0	592

/**
 * struct pmcgrp_section_info - what sections of a name have counted (PMCGRP_IOC_SECTION_NEXT)
 * @size: in: sizeof(struct pmcgrp_section_info); out: the size the kernel knows
 * @flags: in: 0
 * @id: in: the least id that is looked for; out: the id that was found
 * @group: out: id of the group that counts, as PMCGRP_IOC_INFO_NEXT gives it
 * @stats: in: pointer to struct pmcgrp_section_stat: the time, then one for each member
 * @nr_stats: in: how many of these there is room for
 * @nr_members: out: number of members of the group
 * @stat_size: in: sizeof(struct pmcgrp_section_stat), the stride of @stats
 * @__reserved: in: 0
 * @count: out: number of sections that were counted
 * @missed: out: number of those that were not, by enum pmcgrp_missed; the rest is 0
 * @in_flight: out: of a span: number of those that have begun and not ended, among them calls that
 *	never return; 0 for the others
 * @kind: out: enum pmcgrp_section_kind
 * @is_gone: out: 1 for a span of a function that has gone with its module, else 0.  Nothing is
 *	counted any more, also when the module comes back.
 * @name: out: the name, zero-terminated
 *
 * Sums of one CPU are consistent; CPUs are read one after the other.
 */
struct pmcgrp_section_info {
	__u32	size;
	__u32	flags;
	__u64	id;
	__u64	group;
	__u64	stats;
	__u32	nr_stats;
	__u32	nr_members;
	__u32	stat_size;
	__u32	__reserved;
	__u64	count;
	__u64	missed[PMCGRP_MISSED_ROOM];
	__u64	in_flight;
	__u32	kind;
	__u32	is_gone;
	char	name[PMCGRP_SECTION_NAME_MAX];
};

/** PMCGRP_SECTION_INFO_SIZE_VER0: size of its first published form */
#define PMCGRP_SECTION_INFO_SIZE_VER0	200

/** PMCGRP_SPANS_MAX: the most spans of a group */
#define PMCGRP_SPANS_MAX	64
/** PMCGRP_SPAN_ACTIVE_MAX: the greatest pmcgrp_span_add.max_active */
#define PMCGRP_SPAN_ACTIVE_MAX	16384
/** PMCGRP_SPAN_POINT_MAX: bytes of the name of a function, a tracepoint or a file, with its end */
#define PMCGRP_SPAN_POINT_MAX	512
/** PMCGRP_SPAN_EXITS_MAX: the most exits of a function */
#define PMCGRP_SPAN_EXITS_MAX	1024
/** PMCGRP_SPAN_ARGS_MAX: so many arguments of a tracepoint can be a key, the first ones */
#define PMCGRP_SPAN_ARGS_MAX	5

/**
 * enum pmcgrp_span_key - which beginning of a pair of tracepoints an end is of
 * @PMCGRP_SPAN_KEY_TASK: the last one of the task that runs
 * @PMCGRP_SPAN_KEY_CPU: the last one on this CPU
 * @PMCGRP_SPAN_KEY_ARG: the last one with the same value of an argument
 */
enum pmcgrp_span_key {
	PMCGRP_SPAN_KEY_TASK	= 0,
	PMCGRP_SPAN_KEY_CPU	= 1,
	PMCGRP_SPAN_KEY_ARG	= 2,
};

/**
 * struct pmcgrp_span_add - count what happens between two points (PMCGRP_IOC_SPAN)
 * @size: in: sizeof(struct pmcgrp_span_add)
 * @flags: in: PMCGRP_SPAN_*
 * @kind: in: enum pmcgrp_section_kind; not %PMCGRP_SECTION_MODULE
 * @max_active: in: how many can be in flight at once, up to %PMCGRP_SPAN_ACTIVE_MAX; 0: the module
 *	chooses.  Out: how many there is room for, as many as asked for or more
 * @begin: in: user pointer to a zero-terminated name: of the kernel's function, of the tracepoint
 *	that begins it, or of the file that has the function.  A module's function is
 *	MODULE:FUNCTION.
 * @end: in: of %PMCGRP_SECTION_TRACEPOINTS: user pointer to the name of the tracepoint that ends
 *	it; else 0
 * @name: in: user pointer to the name that PMCGRP_IOC_SECTION_NEXT gives, cut after
 *	%PMCGRP_SECTION_NAME_MAX - 1 bytes; 0: that of @begin
 * @offset: in: of %PMCGRP_SECTION_USER_FUNCTION: where in the file the function begins, in bytes;
 *	else 0
 * @key: in: of %PMCGRP_SECTION_TRACEPOINTS: enum pmcgrp_span_key; else 0
 * @begin_arg: in: of %PMCGRP_SPAN_KEY_ARG: number of the argument of @begin, from 0 to
 *	%PMCGRP_SPAN_ARGS_MAX - 1, as the kernel's TP_PROTO() has them; else 0
 * @end_arg: in: the same of @end
 * @arg_size: in: of %PMCGRP_SPAN_KEY_ARG: bytes of the arguments, 4 or 8; else 0
 * @__reserved: in: 0
 * @__reserved2: in: 0
 * @why: out: enum pmcgrp_why
 * @id: out: id of the section; 0 on failure
 * @by: in: what spans are kept apart by, as PMCGRP_IOC_SECTION_KEYS shows it: 1 + enum
 *	pmcgrp_key_type; 0: nothing
 * @depth: in: with @by: as pmcgrp_keys.depth; else 0
 * @cgroups: in: with @by: as pmcgrp_keys.cgroups; else 0
 * @nr_cgroups: in: with @by: as pmcgrp_keys.nr_cgroups; else 0
 * @slots: in: with @by: so many keys have room on each CPU, up to %PMCGRP_SPAN_SLOTS_MAX; 0: the
 *	module chooses; else 0.  Out: for how many there is room, a power of two
 * @record_id: out: with %PMCGRP_SPAN_RECORD: what its records have as PERF_SAMPLE_ID; else 0
 * @exits: in: of %PMCGRP_SECTION_USER_FUNCTION: user pointer to the offsets in the file of all
 *	instructions that leave the function, __u64 each, in ascending order; else 0
 * @nr_exits: in: number of these, 1 to %PMCGRP_SPAN_EXITS_MAX; else 0
 * @__reserved3: in: 0
 *
 * A span goes from a call of the function to its return, or from one tracepoint to the other.  What
 * the group counts meanwhile is added to the section (PMCGRP_IOC_SECTION_NEXT).  Each span is
 * counted whole, or as missed.  A call that is made by another one of the same function is counted
 * as well; what it counts is in both.  The span goes with the group.
 *
 * A group of tasks counts their spans alone, and what interrupts them.  A group of CPUs counts
 * all that begin on one of them.  Those that begin while the group is disabled are neither
 * counted nor missed; one in which it is disabled is %PMCGRP_MISSED_OFF.
 *
 * Functions and %PMCGRP_SPAN_KEY_TASK: while the task of a span sleeps or is preempted, nothing is
 * counted for the span, but its time goes on.  Where the task goes on, its counts do, on any CPU.
 * %PMCGRP_MISSED_MOVED is one whose task has run on a CPU, or in a cgroup, that the group does not
 * count.  Of a task's way to and from another one a part is the span's, as the scheduler's
 * tracepoint is within.
 * %PMCGRP_SPAN_KEY_CPU and _ARG: what these groups count on the CPU meanwhile is the span's,
 * whoever runs there; %PMCGRP_MISSED_MOVED is one that ends on another CPU.
 *
 * Also not counted, nor missed, is what begins in the moment in which PERF_EVENT_IOC_RESET takes
 * the values of a group that shares its counters.  At sched_switch the task that comes
 * decides whether a begin concerns a group of tasks.  What is not of the one that leaves is missed.
 * A thread that is not the first of its process and calls execve() has another identity at its end:
 * that span stays in flight.
 *
 * A begin of %PMCGRP_SECTION_TRACEPOINTS ends one of the same key, which is %PMCGRP_MISSED_AGAIN.
 *
 * %PMCGRP_SECTION_USER_FUNCTION takes CAP_SYS_ADMIN in addition to CAP_PERFMON, as uprobes of perf
 * do.  Breakpoints replace the instructions at @offset and at each of @exits, and the kernel does
 * not know code from data.  It checks an instruction when a process has it mapped.  Until then any
 * offset in the file is accepted.  The file's file system cannot be unmounted.  With groups of
 * tasks other processes have no breakpoint, or one until they hit it first.
 *
 * The return address is not changed.  A uretprobe changes it, and programs that look at it crash:
 * Go's runtime and exceptions in C++ do.  So the caller says where the function ends.  These are
 * all returns, and all jumps to another function in place of a call and a return (tail calls).
 *
 * An exit ends the call of the same task that had the same stack pointer at @offset.  A hit with
 * another stack pointer ends nothing.  A call that leaves by an exit that is not in the list stays
 * in flight.  So does one that ends without an exit: by an exception, a panic or longjmp().  So
 * does one whose program moves its stack, or goes on in another thread.  It becomes
 * %PMCGRP_MISSED_GONE when its task begins or ends a call at that place of the stack, or further
 * up.  What a task does meanwhile on other stacks (coroutines, goroutines) is counted as the
 * call's, or the call is missed.
 *
 * Calls in flight of one task have room for @max_active.  With groups of several tasks, tasks share
 * rooms by their hash: one alone may have less room than @max_active in all.
 *
 * While there is no room for a kernel function, the kernel does not say whose calls are missed.
 * %PMCGRP_MISSED_LIMIT has those of all tasks.  It is the least that it can have been: calls that
 * are missed at once on several CPUs may count as one.  %PMCGRP_MISSED_BUSY has those of all tasks,
 * too, where a call has interrupted another probe.  For the other kinds the oldest in flight is
 * missed.
 * Returns 0, or -1 with errno.
 */
struct pmcgrp_span_add {
	__u32	size;
	__u32	flags;
	__u32	kind;
	__u32	max_active;
	__u64	begin;
	__u64	end;
	__u64	name;
	__u64	offset;
	__u32	key;
	__u8	begin_arg;
	__u8	end_arg;
	__u8	arg_size;
	__u8	__reserved;
	__u32	__reserved2;
	__u32	why;
	__u64	id;
	__u32	by;
	__u32	depth;
	__u64	cgroups;
	__u32	nr_cgroups;
	__u32	slots;
	__u64	record_id;
	__u64	exits;
	__u32	nr_exits;
	__u32	__reserved3;
};

/** PMCGRP_SPAN_ADD_SIZE_VER0: size of its first published form */
#define PMCGRP_SPAN_ADD_SIZE_VER0	120

/*
 * Flags of pmcgrp_span_add.flags.
 *
 * PMCGRP_SPAN_RECORD: each span that is counted is also a PERF_RECORD_SAMPLE in the group's ring,
 *	of the CPU, or task, where it ends.  The ring has PERF_SAMPLE_RAW: that is a struct
 *	pmcgrp_span_sample.  The members' values of PERF_SAMPLE_READ are those after its end.  A
 *	record without room is lost as any sample.
 *
 * PMCGRP_SPAN_HISTOGRAMS: with pmcgrp_span_add.by: each key has histograms as well, as the span has
 *	(pmcgrp_section_keys.buckets).  A slot has then 520 bytes more for the time and each event.
 */
#define PMCGRP_SPAN_RECORD	(1U << 0)
#define PMCGRP_SPAN_HISTOGRAMS	(1U << 1)

/**
 * struct pmcgrp_span_sample - the PERF_SAMPLE_RAW of a span's record, behind its size
 * @section: pmcgrp_span_add.id
 * @begin: when it began, by the clock of PERF_SAMPLE_TIME; that is when it ended
 * @duration: nanoseconds
 * @nr: number of members
 * @value_offset: where the values of the members begin, __u64 each, in bytes from here
 *
 * It lies at a multiple of 4 bytes, as any raw data, and four bytes of zero follow.  Samples that
 * are of no span have 4 bytes of zero as raw data, as those of perf.
 */
struct pmcgrp_span_sample {
	__u64	section;
	__u64	begin;
	__u64	duration;
	__u32	nr;
	__u32	value_offset;
};

/** PMCGRP_SPAN_SLOTS_MAX: the greatest pmcgrp_span_add.slots */
#define PMCGRP_SPAN_SLOTS_MAX	(1U << 14)

/**
 * enum pmcgrp_section_key_kind - what an entry of PMCGRP_IOC_SECTION_KEYS is of
 * @PMCGRP_SECTION_KEY_TOTAL: all that the section has counted on this CPU
 * @PMCGRP_SECTION_KEY_TASKS: the tasks of one key
 * @PMCGRP_SECTION_KEY_OVERFLOW: keys that found no slot
 */
enum pmcgrp_section_key_kind {
	PMCGRP_SECTION_KEY_TOTAL	= 0,
	PMCGRP_SECTION_KEY_TASKS	= 1,
	PMCGRP_SECTION_KEY_OVERFLOW	= 2,
};

/**
 * struct pmcgrp_section_key_stat - what a member has counted in the sections of a key, or the time
 * @sum: sum over the sections; of times in nanoseconds
 * @min: the least value of a section
 * @max: the greatest one
 */
struct pmcgrp_section_key_stat {
	__u64	sum;
	__u64	min;
	__u64	max;
};

/**
 * struct pmcgrp_section_key - what the sections of a key have counted on a CPU
 * @cpu: the CPU on which they ended
 * @kind: enum pmcgrp_section_key_kind
 * @key: the key, as pmcgrp_keys_slot.key; 0 of a total, and of an overflow
 * @comm: of a process or thread: name of the task as it ended a section last, of a process that of
 *	its first thread; else empty
 * @count: number of sections that were counted
 * @stat: the time, then each member; 0 behind the last one
 */
struct pmcgrp_section_key {
	__u32	cpu;
	__u32	kind;
	__u64	key[2];
	char	comm[PMCGRP_COMM_SIZE];
	__u64	count;
	struct pmcgrp_section_key_stat stat[PMCGRP_SECTION_MEMBERS_MAX + 1];
};

/** PMCGRP_SECTION_KEY_SIZE_VER0: size of its first published form */
#define PMCGRP_SECTION_KEY_SIZE_VER0	280

/**
 * struct pmcgrp_section_key_buckets - the histograms of an entry (pmcgrp_section_keys.buckets)
 * @bucket: number of sections by their value, as pmcgrp_section_stat.bucket.  The first is by the
 *	time, the others by each member.  All is 0 behind the last one, and of a key whose span has
 *	no %PMCGRP_SPAN_HISTOGRAMS.
 */
struct pmcgrp_section_key_buckets {
	__u64	bucket[PMCGRP_SECTION_MEMBERS_MAX + 1][PMCGRP_SECTION_BUCKETS];
};

/** PMCGRP_SECTION_KEY_BUCKETS_SIZE_VER0: size of its first published form */
#define PMCGRP_SECTION_KEY_BUCKETS_SIZE_VER0	4680

/** PMCGRP_SECTION_KEYS_END: pmcgrp_section_keys.cursor: there are no more entries */
#define PMCGRP_SECTION_KEYS_END	(~0ULL)

/**
 * struct pmcgrp_section_keys - what a section has counted by CPU and key (PMCGRP_IOC_SECTION_KEYS)
 * @size: in: sizeof(struct pmcgrp_section_keys)
 * @flags: in: 0
 * @id: in: id of the section
 * @cursor: in: 0 to begin; then what the call before has left here.  Out: where the next call goes
 *	on, or %PMCGRP_SECTION_KEYS_END
 * @entries: in: pointer to struct pmcgrp_section_key
 * @nr_entries: in: how many there is room for, one or more; out: how many were written
 * @entry_size: in: sizeof(struct pmcgrp_section_key), the stride of @entries
 * @by: out: as pmcgrp_span_add.by
 * @nr_members: out: number of members of the group
 * @buckets: in: pointer to a struct pmcgrp_section_key_buckets for each of @nr_entries; or 0
 * @bucket_size: in: with @buckets: sizeof(struct pmcgrp_section_key_buckets), the stride; else 0
 * @__reserved: in: 0
 *
 * A section is of the task that runs where it ends.  Each CPU has a total, and with
 * pmcgrp_span_add.by an entry for each key that has counted there; user space adds up those of one
 * key.  A key has its slot for good.  What came when all slots where it could be were in use is in
 * the entry of kind %PMCGRP_SECTION_KEY_OVERFLOW.  So all entries of a CPU, less its total, are the
 * total, if nothing has been counted meanwhile.
 *
 * Each entry is consistent in itself.  While sections are counted, entries are not with each other.
 * A call can write fewer entries than there is room for, or none, and more are left.
 * Returns 0, or -1 with errno.
 */
struct pmcgrp_section_keys {
	__u32	size;
	__u32	flags;
	__u64	id;
	__u64	cursor;
	__u64	entries;
	__u32	nr_entries;
	__u32	entry_size;
	__u32	by;
	__u32	nr_members;
	__u64	buckets;
	__u32	bucket_size;
	__u32	__reserved;
};

/** PMCGRP_SECTION_KEYS_SIZE_VER0: size of its first published form */
#define PMCGRP_SECTION_KEYS_SIZE_VER0	64

/**
 * DOC: Counts by key
 *
 * What a group counts on CPUs, or of several tasks, can be kept apart by cgroup, process, thread or
 * command.  That is the key of the task that runs.  At a context switch to a task of another key
 * the counters are read once, whatever the number of keys.  What has been counted since the last
 * time is added to the key that has run.  PMCGRP_IOC_KEYS gives the group a table for that, which
 * is mapped at %PMCGRP_KEYS_OFFSET: shared, to be read only.  It is an array of blocks of
 * pmcgrp_keys.block_size bytes, one for each of the group's CPUs, in the order of their numbers.  A
 * block is a struct pmcgrp_keys_block, then at slot_offset pmcgrp_keys.slots + 1 of struct
 * pmcgrp_keys_slot, each pmcgrp_keys.slot_size bytes.
 *
 * A reader
 *
 *  1. calls PMCGRP_IOC_KEYS_FLUSH, which adds what the tasks that run have counted so far, and then
 *     sets pmcgrp_keys_block.flushed and the totals;
 *  2.  copies each slot whose id is not 0: seq, then the rest, then seq again.  If seq was odd or
 *     has changed, it copies once more.  A read barrier stands after the first and before the last
 *     reading of seq.
 *
 * All slots of a block together are the totals, if nothing has been counted since and none has been
 * given to another key.  One key can have a slot in each block.
 *
 * The first slot of each block, slot 0, has what found no other one.  It is of keys that came while
 * all slots where they could be were in use.  pmcgrp_keys_block.overflows counts how often that
 * was.  To have it not happen, a reader passes %PMCGRP_KEYS_READ: it has read the table since its
 * last PMCGRP_IOC_KEYS_FLUSH.  A slot that has not changed since then can be given to another key.
 * Then its id changes and its counts start from 0.  The reader adds up the last values of an id
 * with those of the next one.  So nothing is lost of keys that have ended, however many come.  A
 * table has one such reader: what one has read, another may have not.
 *
 * The end of execve(), and a move to another cgroup, give a task that runs another key at once.
 * A task can change its name in other ways, too.  Then what it counts is of its old name up to the
 * next switch or PMCGRP_IOC_KEYS_FLUSH.
 *
 * PERF_EVENT_IOC_RESET changes nothing of the table.
 */

/** PMCGRP_KEYS_OFFSET: mmap() offset of a group's table of counts by key */
#define PMCGRP_KEYS_OFFSET	(1UL << 29)
/** PMCGRP_KEYS_SLOTS_MAX: the most slots for each CPU */
#define PMCGRP_KEYS_SLOTS_MAX	(1U << 16)
/** PMCGRP_KEYS_CGROUPS_MAX: the most cgroups that can be listed */
#define PMCGRP_KEYS_CGROUPS_MAX	(1U << 16)
/** PMCGRP_KEYS_LEAF: pmcgrp_keys.depth: the cgroup of the task itself, however deep */
#define PMCGRP_KEYS_LEAF	0U
/** PMCGRP_KEYS_ROOT: pmcgrp_keys.depth: all cgroups have one key, that of the root */
#define PMCGRP_KEYS_ROOT	(~0U)
/** PMCGRP_KEYS_READ: flag of PMCGRP_IOC_KEYS_FLUSH: all slots have been read since the last one */
#define PMCGRP_KEYS_READ	(1U << 0)
/**
 * PMCGRP_KEY_OTHER: pmcgrp_keys_slot.key[0] of what has no key, and of slot 0
 *
 * These are tasks in none of the cgroups that were listed, or outside of the caller's PID
 * namespace.  They have a slot as any key.
 */
#define PMCGRP_KEY_OTHER	(~0ULL)

/**
 * enum pmcgrp_key_type - what the key of a task is
 * @PMCGRP_KEY_CGROUP: the cgroup, of the hierarchy that perf events go by: of version 2, unless one
 *	of version 1 has the controller perf_event.  key[0] is its id, which is the inode number
 *	of its directory; key[1] is 0
 * @PMCGRP_KEY_PROCESS: key[0] is the PID, key[1] the time at which the process started, in ns since
 *	boot.  key[1] is 0 for what a thread has counted after it was reaped.
 * @PMCGRP_KEY_THREAD: the same of the thread
 * @PMCGRP_KEY_COMMAND: the name of the thread, its first 15 bytes, in both words of key.  The last
 *	byte is 0.  It is 1 for a name that would be taken for another key: an empty one, or one
 *	of bytes 0xff.
 *
 * A CPU that is idle has a key of its own of any type: 0, 0.
 */
enum pmcgrp_key_type {
	PMCGRP_KEY_CGROUP	= 0,
	PMCGRP_KEY_PROCESS	= 1,
	PMCGRP_KEY_THREAD	= 2,
	PMCGRP_KEY_COMMAND	= 3,
};

/**
 * struct pmcgrp_keys - have a group count by key (PMCGRP_IOC_KEYS)
 * @size: in: sizeof(struct pmcgrp_keys)
 * @flags: in: 0
 * @type: in: enum pmcgrp_key_type
 * @depth: in: for %PMCGRP_KEY_CGROUP without a list: the key of a deeper cgroup is that of its
 *	ancestor so many levels below the root.  %PMCGRP_KEYS_LEAF, which is 0: each cgroup has a
 *	key of its own.  %PMCGRP_KEYS_ROOT: all have one.  In all other cases 0
 * @cgroups: in: for %PMCGRP_KEY_CGROUP: pointer to a list of __u64, ids of cgroups; or 0.  The key
 * of a task is the nearest one of its cgroup and the ancestors of that
 * @nr_cgroups: in: how many, up to %PMCGRP_KEYS_CGROUPS_MAX
 * @slots: in: slots of each CPU, up to %PMCGRP_KEYS_SLOTS_MAX; out: the next power of two
 * @nr_cpus: out: number of blocks
 * @slot_size: out: size of a slot in bytes
 * @block_size: out: size of a block in bytes, a multiple of the page size
 * @map_size: out: size of the mapping in bytes; of tasks, with a block for each possible CPU
 * @why: out: enum pmcgrp_why, after an error; else 0
 * @value_offset: out: where the values of the members begin in a slot, in bytes
 *
 * The group has no ring (PMCGRP_IOC_RING) and no %PMCGRP_CREATE_LEADER.
 */
struct pmcgrp_keys {
	__u32	size;
	__u32	flags;
	__u32	type;
	__u32	depth;
	__u64	cgroups;
	__u32	nr_cgroups;
	__u32	slots;
	__u32	nr_cpus;
	__u32	slot_size;
	__u64	block_size;
	__u64	map_size;
	__u32	why;
	__u32	value_offset;
};

/** PMCGRP_KEYS_SIZE_VER0: size of its first published form */
#define PMCGRP_KEYS_SIZE_VER0	64

/**
 * struct pmcgrp_keys_slot - what a key has counted on a CPU; written by the kernel
 * @seq: another one after each change; odd meanwhile
 * @__reserved: 0
 * @id: another one for each key that has had the slot: increasing; 0: none has yet
 * @key: the key, by pmcgrp_keys.type
 * @stays: how often a task of the key was switched to from one of another key
 * @time_enabled: nanoseconds for which the group was enabled
 * @time_running: nanoseconds of these for which it had its counters
 * @comm: name of the task that has come last; of a process that of its first thread
 *
 * At pmcgrp_keys.value_offset is a __u64 for each member: what it has counted, in the order in
 * which read() gives them.
 */
struct pmcgrp_keys_slot {
	__u32	seq;
	__u32	__reserved;
	__u64	id;
	__u64	key[2];
	__u64	stays;
	__u64	time_enabled;
	__u64	time_running;
	char	comm[PMCGRP_COMM_SIZE];
};

/**
 * struct pmcgrp_keys_block - counts by key of a CPU; written by the kernel
 * @cpu: the CPU
 * @type: enum pmcgrp_key_type
 * @nr_members: number of members
 * @slots: number of slots, without slot 0
 * @slot_offset: where slot 0 is, in bytes from here
 * @slot_size: size of a slot in bytes
 * @value_offset: as pmcgrp_keys.value_offset
 * @__reserved: 0
 * @block_size: where the next block is, in bytes from here
 * @flushed: greater by 1 after each PMCGRP_IOC_KEYS_FLUSH
 * @used: number of slots with an id, without slot 0
 * @reused: how often a slot that had been read was given to another key
 * @overflows: how often a key found no slot and was counted in slot 0
 * @time_enabled: nanoseconds for which the group was enabled, since PMCGRP_IOC_KEYS
 * @time_running: nanoseconds of these for which it had its counters
 * @value: what each member has counted since then
 *
 * @flushed and what follows are up to date after PMCGRP_IOC_KEYS_FLUSH, for a reader who
 * calls nobody else's meanwhile.
 */
struct pmcgrp_keys_block {
	__u32	cpu;
	__u32	type;
	__u32	nr_members;
	__u32	slots;
	__u32	slot_offset;
	__u32	slot_size;
	__u32	value_offset;
	__u32	__reserved;
	__u64	block_size;
	__u64	flushed;
	__u64	used;
	__u64	reused;
	__u64	overflows;
	__u64	time_enabled;
	__u64	time_running;
	__u64	value[PMCGRP_MEMBERS_MAX];
};

#endif /* _UAPI_LINUX_PMCGRP_H */
