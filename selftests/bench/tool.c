// SPDX-License-Identifier: GPL-2.0-only
/* What a whole tool costs: the instructions that all CPUs execute while a command runs. */
#include "bench.h"

/* A command that is worth so many instructions, to be watched by a tool. */
void work(uint64_t instructions)
{
	if (instructions > 1)
		loop(instructions / 2);
}

/* What a tool with so many intervals of 1 ms cannot be below: it wakes up, and that is all. */
void sleep_each_ms(long times)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (; times > 0; times--) {
		next.tv_nsec += NSEC_PER_MSEC;
		if (next.tv_nsec >= NSEC_PER_SEC) {
			next.tv_nsec -= NSEC_PER_SEC;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

bool count_command(char **argv)
{
	struct stamp start = stamp_now();
	struct cost cost;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	cost = cost_executed(&start);
	if (status)
		return cannot("%s: status %#x", argv[0], status);
	if (!measured(cost))
		return false;
	printf("\ncounted %.0f %.0f %.0f\n", cost.insns, cost.reads, cost.writes);
	return true;
}
