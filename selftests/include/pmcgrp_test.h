/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of /dev/pmcgrp share: making, reading and comparing groups. */
#ifndef PMCGRP_TEST_H
#define PMCGRP_TEST_H

#include "pmcgrp_machine.h"	/* before any other header */
#include <fcntl.h>
#include <linux/types.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/pmcgrp.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST	(1U << 4)	/* Linux 6.0 */
#endif

#define DEVICE		"/dev/pmcgrp"
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/* A read() with FORMAT. */
struct group_values {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	struct {
		uint64_t value;
		uint64_t id;
	} m[PMCGRP_MEMBERS_MAX];
};

/* A group as asked for; fields not set are the common case: this task, enabled. */
struct ask {
	uint32_t target_type;
	int32_t target_id;
	uint64_t flags;
	uint64_t read_format;	/* 0: FORMAT */
	uint64_t cpus;		/* of PMCGRP_TARGET_CPUS */
	unsigned int nr;
	const struct perf_event_attr *attr;
	/* out */
	struct pmcgrp_create create;
	struct pmcgrp_member member[PMCGRP_MEMBERS_MAX];
};

/* Returns the descriptor, or -errno. */
static inline int ask_group(int dev, struct ask *ask)
{
	unsigned int i;
	int fd;

	memset(ask->member, 0, sizeof(ask->member));
	for (i = 0; i < ask->nr && i < PMCGRP_MEMBERS_MAX; i++)
		ask->member[i].attr = (uintptr_t)&ask->attr[i];
	ask->create = (struct pmcgrp_create){
		.size = sizeof(ask->create),
		.target_type = ask->target_type,
		.target_id = ask->target_id,
		.nr_members = ask->nr,
		.flags = ask->flags,
		.read_format = ask->read_format ? ask->read_format : FORMAT,
		.members = (uintptr_t)ask->member,
		.member_size = sizeof(ask->member[0]),
		.cpus = ask->cpus ? (uintptr_t)&ask->cpus : 0,
		.cpus_size = ask->cpus ? sizeof(ask->cpus) : 0,
	};
	fd = ioctl(dev, PMCGRP_IOC_CREATE, &ask->create);
	return fd < 0 ? -errno : fd;
}

static inline int group_of(int dev, unsigned int nr, const struct perf_event_attr *attr,
			   uint64_t flags)
{
	struct ask ask = { .nr = nr, .attr = attr, .flags = flags };

	return ask_group(dev, &ask);
}

static inline int group_of_cpu(int dev, int cpu, unsigned int nr,
			       const struct perf_event_attr *attr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = cpu,
			   .nr = nr, .attr = attr };

	return ask_group(dev, &ask);
}

static inline int group_of_task(int dev, pid_t tid, unsigned int nr,
				const struct perf_event_attr *attr, uint64_t flags)
{
	struct ask ask = { .target_id = tid, .nr = nr, .attr = attr, .flags = flags };

	return ask_group(dev, &ask);
}

/* Whether a read() gave a whole group of nr members. */
static inline bool group_values(int fd, unsigned int nr, struct group_values *v)
{
	size_t size = 3 * sizeof(uint64_t) + nr * sizeof(v->m[0]);

	return read(fd, v, sizeof(*v)) == (ssize_t)size && v->nr == nr;
}

static inline bool group_same(const struct group_values *v, const struct group_values *w,
			      unsigned int nr)
{
	return v->enabled == w->enabled && v->running == w->running &&
	       !memcmp(v->m, w->m, nr * sizeof(v->m[0]));
}

/* PMCGRP_IOC_INFO of a group, or PMCGRP_IOC_INFO_NEXT from an id on: of a task with nr members. */
static inline int group_info(int fd, uint64_t id, struct pmcgrp_info *info,
			     struct pmcgrp_info_cpu *cpu, unsigned int nr)
{
	struct pmcgrp_info_member member[PMCGRP_MEMBERS_MAX];

	*info = (struct pmcgrp_info){
		.size = sizeof(*info),
		.id = id,
		.members = (uintptr_t)member,
		.nr_members = nr,
		.member_size = sizeof(member[0]),
		.cpus = (uintptr_t)cpu,
		.nr_cpus = nr,
		.cpu_size = sizeof(*cpu),
	};
	return ioctl(fd, id ? PMCGRP_IOC_INFO_NEXT : PMCGRP_IOC_INFO, info) ? -errno : 0;
}

/* What PMCGRP_IOC_READ_CPUS gives for each CPU, with FORMAT and these members. */
#define CPU_RECORD(members)		\
	struct {			\
		uint64_t cpu;		\
		uint64_t nr;		\
		uint64_t enabled;	\
		uint64_t running;	\
		struct {		\
			uint64_t value;	\
			uint64_t id;	\
		} m[members];		\
	}

static inline int read_cpus(int fd, void *records, uint64_t size, struct pmcgrp_read_cpus *arg)
{
	*arg = (struct pmcgrp_read_cpus){
		.size = sizeof(*arg), .buf = (uintptr_t)records, .buf_size = size,
	};
	return ioctl(fd, PMCGRP_IOC_READ_CPUS, arg) ? -errno : 0;
}

/*
 * Whether a count that went back from one read to the next did because the host stopped QEMU
 * in between, for longer than half of a counter's 32 bits last at QEMU's 1 GHz. It sees an
 * overflow by the upper half's having become the lower one: none if it is the upper one again,
 * and the guest has lost 32 bits, as perf would.
 */
static inline bool host_stopped(const struct group_values *v, const struct group_values *w, int i)
{
	return host_can_stop() && w->running - v->running >= 1ULL << 31 &&
	       v->m[i].value - w->m[i].value < 1ULL << 32;
}

/* Whether w, read after v, is right by itself and after that: nothing goes back. */
static inline bool group_follows(const struct group_values *v, const struct group_values *w,
				 unsigned int nr)
{
	unsigned int i;

	host_can_stop();	/* found out while there are counters left */
	if (w->running > w->enabled || w->running < v->running || w->enabled < v->enabled)
		return false;
	for (i = 0; i < nr; i++)
		if (w->m[i].value < v->m[i].value && !host_stopped(v, w, i))
			return false;
	return true;
}

/* Whether two reads in a row are right, by themselves and one after the other. */
static inline bool group_sane(int fd, unsigned int nr)
{
	struct group_values v, w;

	return group_values(fd, nr, &v) && group_values(fd, nr, &w) && v.running <= v.enabled &&
	       group_follows(&v, &w, nr);
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static inline void spin_ns(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/* How often the calling thread was switched from. */
static inline uint64_t switches_so_far(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static inline void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

	nanosleep(&t, NULL);
}

/* Whether a group that should be counting is: work items may have to run first. */
static inline bool group_goes_on(int fd, unsigned int nr, const struct group_values *since)
{
	uint64_t end = now_ns() + 20 * NSEC_PER_SEC;
	struct group_values v;

	do {
		if (!group_values(fd, nr, &v))
			return false;
		if (v.running > since->running && v.m[0].value > since->m[0].value)
			return true;
		sleep_ns(10 * NSEC_PER_MSEC);
	} while (now_ns() < end);
	return false;
}

/* A child that spins until end_child(), on one CPU or, if that is -1, on any. */
static inline pid_t spinner(int cpu)
{
	pid_t pid = fork();

	if (!pid) {
		if (cpu >= 0)
			run_on(cpu);
		for (;;)
			loop(100000);
	}
	return pid;
}

/* A child that waits until end_child(). */
static inline pid_t waiter(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			pause();
	}
	return pid;
}

/* A child that calls execve() once exec_go() lets it; *go is for that. */
static inline pid_t exec_child(int *go)
{
	int fd[2];
	pid_t pid;
	char c;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		if (read(fd[0], &c, 1) == 1)
			execl("/bin/true", "true", NULL);
		_exit(9);
	}
	close(fd[0]);
	*go = fd[1];
	return pid;
}

/* Whether it has come to a good end. */
static inline bool exec_go(pid_t pid, int go)
{
	bool gone = write(go, "x", 1) == 1;
	int status;

	close(go);
	return waitpid(pid, &status, 0) == pid && gone && !status;
}

static inline bool end_child(pid_t pid)
{
	return !kill(pid, SIGKILL) && waitpid(pid, NULL, 0) == pid;
}

/* Wait until a child waits for something. */
static inline bool wait_until_asleep(pid_t pid)
{
	char path[64], state = 0;
	int tries;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (tries = 0; tries < 10000 && state != 'S'; tries++) {
		sleep_ns(NSEC_PER_MSEC);
		f = fopen(path, "r");
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		if (f)
			fclose(f);
	}
	return state == 'S';
}

/* `# hotplug: 60 cycles`: how much of something was done, for vm/report to add up. */
static inline void tell_count(const char *of, unsigned long nr, const char *what)
{
	printf("# %s: %lu %s\n", of, nr, what);
}

/* Random numbers: the same from the same seed. */
struct rng {
	uint64_t state;
};

static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline uint64_t rng_next(struct rng *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dULL;
}

static inline uint64_t below(struct rng *r, uint64_t n)
{
	return (rng_next(r) >> 11) % n;
}

static inline bool chance(struct rng *r, unsigned int percent)
{
	return below(r, 100) < percent;
}

/* Zeroed memory that children write to as well; NULL if there is none. */
static inline void *shared_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

/*
 * Untouched pages, each of which costs one page fault to touch: no huge pages,
 * where the kernel has such.
 */
static inline volatile char *fresh_pages(unsigned int nr)
{
	size_t size = nr * sysconf(_SC_PAGESIZE);
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED || (madvise(mem, size, MADV_NOHUGEPAGE) && errno != EINVAL))
		return NULL;
	return mem;
}

/* The first number after a word at the start of a line of a file, or -1. */
static inline long file_number(const char *path, const char *word)
{
	char line[512];
	long number = -1;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)) &&
		    sscanf(line + strlen(word), " %ld", &number) == 1)
			break;
	fclose(f);
	return number;
}

static inline bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

static inline bool write_number(const char *path, long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	return file_write(path, text);
}

static inline bool set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return file_write(path, online ? "1" : "0");
}

#endif /* PMCGRP_TEST_H */
