// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Regions of a program: two within a third, in each of four threads.
 *
 *	cc regions.c $(pkg-config --cflags --libs libpmcgrp) -pthread
 *	pmcgrp stat --regions -e cycles,instructions -- ./a.out
 *
 * Without a tool it does its work and counts nothing.
 */
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include <pmcgrp_regions.h>

#define THREADS 4
#define STEPS 1000
#define CELLS 256

struct part {
	pthread_t thread;
	uint64_t cells[CELLS];
	uint64_t sum;
};

static void fill(struct part *part, uint64_t step)
{
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		part->cells[i] = step * i;
}

static void add(struct part *part)
{
	unsigned int i;

	for (i = 0; i < CELLS; i++)
		part->sum += part->cells[i];
}

static void *work(void *arg)
{
	/* A handle saves the search for the name, each time. */
	struct pmcgrp_region *adding = pmcgrp_region_find("add");
	struct part *part = arg;
	uint64_t step;

	pmcgrp_region_begin("work");
	for (step = 0; step < STEPS; step++) {
		pmcgrp_region_begin("fill");
		fill(part, step);
		pmcgrp_region_end("fill");
		pmcgrp_region_enter(adding);
		add(part);
		pmcgrp_region_leave(adding);
	}
	pmcgrp_region_end("work");
	return NULL;
}

int main(void)
{
	static struct part parts[THREADS];
	uint64_t sum = 0;
	int i;

	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&parts[i].thread, NULL, work, &parts[i]))
			errx(1, "cannot create a thread");
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(parts[i].thread, NULL);
		sum += parts[i].sum;
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
