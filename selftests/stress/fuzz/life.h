/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes on around the groups: rivals for the PMU, targets, CPUs, time. */
#ifndef FUZZ_LIFE_H
#define FUZZ_LIFE_H

#include "form.h"
#include <signal.h>
#include <stdnoreturn.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define TARGET_ARGUMENT	"--target"

/* Opens perf events: pinned, flexible, exclusive, of tasks and CPUs. */
static void op_rival(struct worker *w)
{
	unsigned int i = below(&w->rng, RIVALS);
	struct perf_event_attr attr = random_event(&w->rng, chance(&w->rng, 20));
	int32_t tid = chance(&w->rng, 30) ? 0 : random_tid(w);
	int cpu = chance(&w->rng, 40) ? (int)below(&w->rng, config.cpus) : -1;
	int leader = chance(&w->rng, 30) ? w->rival[below(&w->rng, RIVALS)] : -1;
	uint64_t bits = rng_next(&w->rng);
	char bytes[512];

	if (w->rival[i] >= 0 && chance(&w->rng, 40)) {
		if (read(w->rival[i], bytes, sizeof(bytes)) < 0 || bits & 1)
			ioctl(w->rival[i], _IO('$', (bits >> 8) % 4), bits >> 16 & 1);
		return;
	}
	attr.pinned = leader < 0 && (bits & 3) == 1;
	attr.exclusive = leader < 0 && (bits & 12) == 4;
	attr.inherit = cpu < 0 && (bits & 48) == 16;
	attr.disabled = (bits & 192) == 64;
	if ((bits & 768) == 256) {
		attr.freq = 1;
		attr.sample_freq = 100 + below(&w->rng, 900);
	}
	close(w->rival[i]);
	w->rival[i] = perf_open(&attr, cpu >= 0 && (bits & 1024) ? -1 : tid, cpu, leader);
}

/* ---- Targets ---- */

static noreturn void target_main(struct worker *w, unsigned int kind, bool keep)
{
	static char *const argv[] = { "fuzz", TARGET_ARGUMENT, "20", NULL };
	unsigned int round = 0;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Some of them never sleep: the workers must get on nevertheless. */
	setpriority(PRIO_PROCESS, 0, 15);
	if (!keep)
		syscall(SYS_close_range, 3, ~0U, 0);
	for (;; round++) {
		switch (kind) {
		case 0:
			loop(10000);
			break;
		case 1:
			pause();
			break;
		case 2:
			loop(1000);
			sleep_ns(NSEC_PER_MSEC);
			break;
		case 3:
			CPU_ZERO(&set);
			CPU_SET(round % config.cpus, &set);
			sched_setaffinity(0, sizeof(set), &set);
			loop(1000);
			break;
		case 4:
			if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
				_exit(0);
			wait(NULL);
			break;
		case 5:
			execv("/proc/self/exe", argv);
			_exit(1);
		default:
			_exit(0);
		}
	}
}

/* A target that executes itself again and again, each time with a while to live. */
static noreturn void target_exec_main(int argc, char **argv)
{
	int left = argc > 2 ? atoi(argv[2]) - 1 : 0;
	char number[16];

	loop(100000);
	sleep_ns(2 * NSEC_PER_MSEC);
	snprintf(number, sizeof(number), "%d", left);
	if (left > 0)
		execv("/proc/self/exe", (char *[]){ argv[0], argv[1], number, NULL });
	_exit(0);
}

static void target_end(struct worker *w, unsigned int i)
{
	if (w->target[i] <= 0)
		return;
	kill(w->target[i], SIGKILL);
	waitpid(w->target[i], NULL, 0);
	w->target[i] = 0;
}

/*
 * All workers know a target's number, also after its exit. Only its worker signals it,
 * and only until it is waited for: another process may get the number then.
 */
static void op_target(struct worker *w)
{
	unsigned int i = below(&w->rng, TARGETS), kind = below(&w->rng, 7);
	bool keep = chance(&w->rng, 30), zombie = chance(&w->rng, 30);

	if (w->target[i] > 0 && zombie) {
		kill(w->target[i], SIGKILL);
		return;
	}
	target_end(w, i);
	w->target[i] = fork();
	if (!w->target[i])
		target_main(w, kind, keep);
	if (w->target[i] > 0)
		shared->worker[w->index].target[i] = w->target[i];
}

static void op_affinity(struct worker *w)
{
	unsigned int i = below(&w->rng, TARGETS), cpu;
	uint64_t mask = chance(&w->rng, 30) ? ~0ULL : rng_next(&w->rng);
	bool self = chance(&w->rng, 40);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < config.cpus && cpu < CPU_SETSIZE; cpu++)
		if (mask >> cpu % 64 & 1)
			CPU_SET(cpu, &set);
	if (self || w->target[i] > 0)
		sched_setaffinity(self ? 0 : w->target[i], sizeof(set), &set);
}

/* Let the counters go on. */
static void op_time(struct worker *w)
{
	uint64_t us = 1 + below(&w->rng, 1000);
	volatile char *mem;

	switch (below(&w->rng, 4)) {
	case 0:
		spin_ns(us * 1000);
		break;
	case 1:
		sleep_ns(us * 1000);
		break;
	case 2:
		sched_yield();
		break;
	case 3:
		mem = fresh_pages(4);
		if (mem)
			munmap((void *)mem, 4 * page_size());
		break;
	}
}

static void op_hotplug(struct worker *w)
{
	unsigned int cpu = below(&w->rng, config.cpus);
	bool online = chance(&w->rng, 60);

	if (config.hotplug && w->alone && cpu)
		set_online(cpu, online);
}

#endif /* FUZZ_LIFE_H */
