// SPDX-License-Identifier: GPL-2.0-only
/* jump CALLS: every second call of risky() does not return. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;

__attribute__((noipa)) long risky(long n)
{
	char room[100];

	snprintf(room, sizeof(room), "%ld", n);
	if (n % 2 == 0)
		longjmp(back, 1);
	return atol(room);
}

int main(int argc, char **argv)
{
	volatile long i, left = 0;

	for (i = 0; argc > 1 && i < atol(argv[1]); i++) {
		if (!setjmp(back))
			risky(i);
		else
			left++;
	}
	printf("%ld left\n", left);
	return 0;
}
