// SPDX-License-Identifier: GPL-2.0-only
/* What a whole tool costs: the instructions that this CPU executes while a command runs. */
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
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);
	uint64_t before, after;
	int fd, status;
	pid_t pid;

	fd = perf_open(&attr, -1, 0, -1);
	if (fd < 0)
		return cannot("perf_event_open(): %s", strerror(-fd));
	if (read(fd, &before, sizeof(before)) != sizeof(before))
		return cannot("read(): %s", strerror(errno));
	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (read(fd, &after, sizeof(after)) != sizeof(after))
		return cannot("read(): %s", strerror(errno));
	close(fd);
	if (status)
		return cannot("%s: status %#x", argv[0], status);
	printf("\ncounted %llu\n", (unsigned long long)(after - before));
	return true;
}
