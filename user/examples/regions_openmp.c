// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Regions of a program with OpenMP: each thread of a parallel block counts its part.
 *
 *	cc -fopenmp regions_openmp.c $(pkg-config --cflags --libs libpmcgrp)
 *	pmcgrp stat --regions --per-thread -e cycles,instructions -- ./a.out
 */
#include <stdio.h>
#include <stdlib.h>

#include <pmcgrp_regions.h>

#define STEPS 100
#define CELLS 100000

int main(void)
{
	double *cells = calloc(CELLS, sizeof(*cells)), sum = 0;
	int step, i;

	if (!cells)
		return 1;
	for (step = 0; step < STEPS; step++) {
#pragma omp parallel
		{
			pmcgrp_region_begin("update");
#pragma omp for nowait
			for (i = 0; i < CELLS; i++)
				cells[i] = cells[i] * 0.5 + i;
			/* What a thread waits for others is no part of the region. */
			pmcgrp_region_end("update");
		}
	}
	pmcgrp_region_begin("sum");
	for (i = 0; i < CELLS; i++)
		sum += cells[i];
	pmcgrp_region_end("sum");
	printf("%.0f\n", sum);
	free(cells);
	return 0;
}
