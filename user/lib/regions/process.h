/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * What the files of regions share: the process's listener, its threads, and how a thread counts.
 *
 * Who writes what: a thread alone writes its struct region_thread, and takes no lock for that while
 * everything is there that it needs. What it lacks (a group, the counts of a region that is new to
 * it) it makes under regions.lock, waiting for which it says so in @waiting.
 *
 * Who reads threads' counts (a report) or closes their groups (pmcgrp_regions_stop()) holds that
 * lock, and changes the generation, which makes each thread take the lock at its next begin or end.
 * Then it waits for those that are in one, where seq is odd. A begin has no barrier but one to the
 * compiler; membarrier(2) makes every thread of the process that runs pass one:
 *
 *	thread					reader
 *	seq = odd				generation = another one
 *	reads generation			membarrier()
 *	changes counts, if it is the same	waits until seq is even
 *	seq = even				reads counts
 *
 * A thread that has read the old generation had stored the odd seq before the membarrier(). The
 * even one is stored with release, and read with acquire, so that the counts are not older; so is
 * @waiting.
 */
#ifndef PMCGRP_LIB_REGIONS_H
#define PMCGRP_LIB_REGIONS_H

#include <pthread.h>

#include "regions/set.h"

#define region_barrier() __asm__ volatile("" ::: "memory")
#define REGION_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define REGION_WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define region_unlikely(x) __builtin_expect(!!(x), 0)

#define REGION_HASH 256
#define REGION_NAMES 64		/* names that a thread remembers by their address */

struct pmcgrp_region {
	struct pmcgrp_region *next;	/* of the same hash; set before it is published */
	unsigned int id;		/* 0: the empty region */
	char name[PMCGRP_REGION_NAME_MAX];
};

/* A value of a region in a thread. */
struct region_count {
	struct region_value value;
	uint64_t pending;	/* of self, until the outermost call ends */
};

/* A region in a thread. */
struct region_stats {
	struct pmcgrp_region *region;
	unsigned int depth;	/* how often it is among the open frames */
	bool recursed;		/* and was more than once: pending is in use */
	bool pending_bad;	/* something that is pending has no self */
	uint64_t calls;
	uint64_t counted;
	uint64_t renewed;
	uint64_t self_missed;
	uint64_t enabled;
	uint64_t running;
	uint64_t missed[PMCGRP_REGION_REASONS];
	struct region_count counts[];	/* the time, then the members */
};

/* An open region. */
struct region_frame {
	struct region_stats *stats;
	unsigned int level;	/* calls directly within each other */
	unsigned char drop;	/* 1 + why it is not counted, or 0 */
	bool self_bad;		/* something within it was not counted */
	uint64_t words[];	/* what was read at its beginning; then what is counted within */
};

struct region_thread {
	unsigned int seq;		/* odd: in a begin or end */
	unsigned int waiting;		/* for regions.lock, with nothing half done */
	unsigned int generation;	/* the session that all of this is of */
	unsigned int depth;		/* open frames */
	unsigned int beyond;		/* open regions that have no frame */
	uintptr_t beyond_xor;		/* of these: 0 if as many ended as began of each */
	struct pmcgrp_group *group;	/* or NULL */
	const struct pmcgrp_user_page *page;	/* of the group, if it is read directly; or NULL */
	ssize_t read_size;
	unsigned int nr_members;
	size_t stride;			/* of frames, in bytes */
	char *frames;
	uint64_t *end_words;		/* what was read at an end */
	bool read_ok;			/* and that it could be */
	bool renewed;			/* but by a system call, as the page had expired */
	struct region_stats **stats;	/* by region->id; NULL: none yet */
	unsigned int nr_stats;
	unsigned int interrupted;	/* calls in handlers that were refused */
	struct {
		const char *at;
		struct pmcgrp_region *region;
	} names[REGION_NAMES];
	/* Below: regions.lock. */
	struct region_thread *next;
	pid_t tid;
	bool ended;
	bool direct;
	char why[256];
	unsigned int nr_forked;		/* of a child, until its first region */
	struct {
		struct pmcgrp_region *region;
		unsigned int level;
	} *forked;			/* what was open when it was forked */
};

/* The process. All is protected by @lock but what says otherwise. */
struct regions {
	pthread_mutex_t lock;
	unsigned int generation;	/* of sessions; read by all threads */
	bool by_environment;		/* there will be a report at the end */
	bool started;			/* there was a session */
	bool stopping;			/* it is over, but for the groups of threads in a call */
	bool announced;
	pid_t pid;			/* of the session */
	char *events;			/* or NULL */
	unsigned int flags;		/* PMCGRP_OPEN_* */
	char *file;			/* of the report, or NULL */
	struct pmcgrp *h;		/* of the session, once it is set up */
	struct pmcgrp_spec *spec;
	char **names;			/* of the members */
	unsigned int nr_members;
	bool ready;			/* the four above are set up, or @failure says why not */
	char failure[384];
	size_t column;			/* of @events, that is to blame; 0 if it is all right */
	uint64_t refused[REGION_REFUSED_REASONS];	/* atomic */
	struct region_thread *threads;
	unsigned int nr_ended;		/* of these */
	struct region_set others;	/* of those not kept apart; or without values */
	unsigned int nr_regions;
	struct pmcgrp_region *hash[REGION_HASH];	/* atomic; only ever added to */
};

extern struct regions regions;
extern struct pmcgrp_region region_empty;
extern __thread struct region_thread *region_self __attribute__((tls_model("initial-exec")));

/* Memory was short, or a call was refused for another reason. */
static inline void region_refuse(enum region_refused reason)
{
	__atomic_fetch_add(&regions.refused[reason], 1, __ATOMIC_RELAXED);
}

/*
 * regions_lock - take regions.lock, and put off the thread's cancellation
 * @state: for regions_unlock()
 *
 * Returns false in a signal handler that has interrupted who takes it or has it: it would wait for
 * ever.
 */
bool regions_lock(int *state);
void regions_unlock(int state);

/* The same within a begin or end: a report need not wait for who waits. */
bool regions_lock_in_call(struct region_thread *t, int *state);

/*
 * Under the lock:
 *
 * region_session_prepare - open what threads make their groups with
 * region_session_forget - close it
 *
 * The first returns 0, or a negative errno, for which regions.failure has the sentence.
 */
int region_session_prepare(void);
void region_session_forget(void);

enum region_renewed {
	REGION_RENEWED_NOT,	/* it cannot count now */
	REGION_RENEWED_WAITED,	/* somebody has read it meanwhile */
	REGION_RENEWED_ALL,	/* it begins anew */
};

/*
 * region_thread_new - the struct of the calling thread; NULL: no memory, or it is being made
 * region_thread_renew - what another generation wants of it
 *
 * The second is called in a begin or end, and leaves seq odd.
 */
struct region_thread *region_thread_new(void);
enum region_renewed region_thread_renew(struct region_thread *t);

/*
 * region_stats_of - a region's counts in a thread, which are made if there are none; in a call
 * region_stats_make - the same under the lock
 * region_stats_copy - what a thread has counted as rows of a set, consistent if it was at rest
 *
 * The first two return NULL without memory, the first also if the session is over; the last
 * -ENOMEM.
 */
struct region_stats *region_stats_of(struct region_thread *t, struct pmcgrp_region *region);
struct region_stats *region_stats_make(struct region_thread *t, struct pmcgrp_region *region);
int region_stats_copy(const struct region_thread *t, struct region_set *set);

/* Whether a begin or end of the calling thread is being interrupted. */
static inline bool region_thread_is_in_call(const struct region_thread *t)
{
	return t->seq & 1;
}

/* In the child of a fork(): the calling thread starts anew, or is left as it is. Under the lock. */
void region_thread_forked(struct region_thread *t);
void region_thread_abandon(struct region_thread *t);

/* pmcgrp_region_find(), by a thread in a call, or NULL. */
struct pmcgrp_region *region_find(const char *name, struct region_thread *t);

/* Closes the group, and forgets all counts. Under the lock, with the thread at rest or ended. */
void region_thread_close(struct region_thread *t);
void region_thread_forget(struct region_thread *t);

/*
 * Under the lock:
 *
 * region_thread_rests - whether the thread is in no begin or end, or waits for the lock in one
 * region_threads_hold - make threads wait at their next begin or end; until the release
 * region_threads_release - let them go on
 * region_threads_rest - wait until all threads rest, but not for ever; returns whether they do
 */
bool region_thread_rests(const struct region_thread *t);
void region_threads_hold(void);
void region_threads_release(void);
bool region_threads_rest(void);

/*
 * How a thread counts, within a begin and an end, where seq is odd:
 *
 * region_count_begin - the region begins
 * region_count_read - some region ends here
 * region_count_end - it was this one
 */
void region_count_begin(struct region_thread *t, struct region_stats *stats);
void region_count_read(struct region_thread *t);
void region_count_end(struct region_thread *t, struct pmcgrp_region *region);

/* Frames that are still open end without a count. */
void region_count_drop(struct region_thread *t, enum pmcgrp_region_missed reason);

static inline struct region_frame *region_frame(const struct region_thread *t, unsigned int i)
{
	return (struct region_frame *)(t->frames + i * t->stride);
}

/* Words of a frame: a read of the group in the full format, then a sum for each value. */
static inline unsigned int region_read_words(unsigned int nr_members)
{
	return 3 + 2 * nr_members;
}

static inline uint64_t *region_frame_inner(const struct region_thread *t,
					   struct region_frame *frame)
{
	return frame->words + region_read_words(t->nr_members);
}

/* The values' names, and the number of these. Under the lock. */
int region_set_name_values(struct region_set *set);

/*
 * region_append - write to the end of the file of "pmcgrp stat --regions"
 * region_append_start - tell there that this process counts, once. Under the lock.
 *
 * Nothing can be said of a failure: the tool says that there is no report.
 */
void region_append(const char *text, size_t len);
void region_append_start(void);

/*
 * region_report_collect - all that was counted so far, by thread. Under the lock.
 * region_report_exit - the report at the end
 *
 * The first returns 0 or -ENOMEM.
 */
int region_report_collect(struct region_set *set);
void region_report_exit(void);

#endif
