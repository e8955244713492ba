// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A program to be measured from outside, by the commands of user/doc/cookbook.md: three threads
 * with names, which share a lock. index walks through memory, and so misses caches.
 */
#include <err.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 60
#define WORK 20000
#define HELD 3000
#define MEMORY (8 << 20)
#define LINE 64

struct part {
	const char *name;
	size_t step, work;
};

static const struct part parts[] = {
	{ "parse", 1, WORK },
	{ "index", LINE, 4 * WORK },
	{ "log", 1, WORK / 4 },
};

#define NR_PARTS (sizeof(parts) / sizeof(parts[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile char *memory;

/* Touches so many bytes of the memory, one each step. */
static void walk(size_t nr, size_t step)
{
	size_t i;

	for (i = 0; i < nr; i++)
		memory[i * step % MEMORY]++;
}

/* What is done with the lock held. Not inline: it has a name for pmcgrp span. */
static __attribute__((noinline)) void update_total(void)
{
	pthread_mutex_lock(&lock);
	walk(HELD, 1);
	pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
	const struct part *part = arg;
	int i;

	pthread_setname_np(pthread_self(), part->name);
	for (i = 0; i < ROUNDS; i++) {
		walk(part->work, part->step);
		update_total();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[NR_PARTS];
	size_t i;

	memory = malloc(MEMORY);
	if (!memory)
		err(1, "malloc");
	memset((void *)memory, 0, MEMORY);
	for (i = 0; i < NR_PARTS; i++) {
		if (pthread_create(&threads[i], NULL, run, (void *)&parts[i]))
			errx(1, "cannot make a thread");
	}
	for (i = 0; i < NR_PARTS; i++)
		pthread_join(threads[i], NULL);
	free((void *)memory);
	return 0;
}
