// SPDX-License-Identifier: GPL-2.0-only
/* A client of shim-test that counts nothing: it allocates, calculates and makes system calls, by syscall(2) too. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS	10000
#define SIZE	1000

static int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

static unsigned long one_round(unsigned int *seed)
{
	unsigned int *numbers = malloc(SIZE * sizeof(*numbers));
	unsigned long middle;
	size_t i;

	if (!numbers)
		exit(2);
	for (i = 0; i < SIZE; i++) {
		*seed = *seed * 1103515245 + 12345;
		numbers[i] = *seed >> 8;
	}
	if (!(*seed >> 28))
		qsort(numbers, SIZE, sizeof(*numbers), compare);
	middle = numbers[SIZE / 2];
	free(numbers);
	return middle;
}

int main(void)
{
	unsigned long sum = 0;
	unsigned int seed = 1;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		sum += one_round(&seed);
		sum += syscall(SYS_getpid) == getpid();
		sum += prctl(PR_GET_DUMPABLE) == 1;
	}
	printf("%s\n", sum ? "done" : "nothing");
	return 0;
}
