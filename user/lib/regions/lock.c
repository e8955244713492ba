// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What threads and those who look at them share: the lock, and how to find a thread at rest. */
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "regions/process.h"

/* How long a report waits for a thread to come out of a begin or end. */
#define REST_MS 1000

int pmcgrp_regions_on;

struct regions regions = { .lock = PTHREAD_MUTEX_INITIALIZER, .nr_regions = 1 };
__thread struct region_thread *region_self;

/* Whether this thread has the lock, or takes it. */
static __thread bool busy __attribute__((tls_model("initial-exec")));

bool regions_lock(int *state)
{
	if (busy)
		return false;
	busy = true;
	region_barrier();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, state);
	pthread_mutex_lock(&regions.lock);
	return true;
}

void regions_unlock(int state)
{
	pthread_mutex_unlock(&regions.lock);
	region_barrier();
	busy = false;
	pthread_setcancelstate(state, NULL);
}

/* Has the process's threads pass a barrier. False: the kernel cannot. */
static bool barrier_all(void)
{
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		return true;
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) &&
	       !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

bool regions_lock_in_call(struct region_thread *t, int *state)
{
	bool locked;

	__atomic_store_n(&t->waiting, 1, __ATOMIC_RELEASE);
	locked = regions_lock(state);
	region_barrier();
	REGION_WRITE_ONCE(t->waiting, 0);
	if (!locked)
		region_refuse(REGION_REFUSED_INTERRUPTED);
	return locked;
}

/* Without a barrier nothing is known of threads that go on. Under the lock. */
static bool no_barrier;

bool region_thread_rests(const struct region_thread *t)
{
	if (t->ended || t == region_self)
		return true;
	return !no_barrier && (!(__atomic_load_n(&t->seq, __ATOMIC_ACQUIRE) & 1) ||
			       __atomic_load_n(&t->waiting, __ATOMIC_ACQUIRE));
}

/* None that a session has. */
#define HOLD (1U << 31)

void region_threads_hold(void)
{
	REGION_WRITE_ONCE(regions.generation, regions.generation ^ HOLD);
}

void region_threads_release(void)
{
	REGION_WRITE_ONCE(regions.generation, regions.generation ^ HOLD);
}

bool region_threads_rest(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	const struct region_thread *t;
	unsigned int i;

	no_barrier = !barrier_all();
	for (i = 0; i < REST_MS && !no_barrier; i++) {
		for (t = regions.threads; t && region_thread_rests(t); t = t->next)
			;
		if (!t)
			return true;
		nanosleep(&ms, NULL);
	}
	return false;
}
