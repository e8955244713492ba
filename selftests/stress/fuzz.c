// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the device: processes and threads make groups from good and broken
 * arguments, read, control, pass on and close them while their targets come and go
 * and perf events compete, and check all the while what must be true of any of it.
 *
 *	fuzz [-s SEED] [-t SECONDS] [-n OPERATIONS] [-j WORKERS] [-f FIRST] [-c]
 *
 * Operation k of worker j is made from (SEED, j, k) alone: the same seed tries the
 * same inputs. -f starts each worker at operation FIRST; -c takes CPUs offline.
 */
#include "fuzz/create.h"
#include "fuzz/info.h"
#include "fuzz/life.h"
#include "fuzz/ops.h"
#include "fuzz/reader.h"
#include "fuzz/ring.h"
#include "fuzz/span.h"
#include "pmcgrp_after.h"
#include "pmcgrp_keys.h"
#include <getopt.h>
#include <pthread.h>
#include <sys/prctl.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include "kselftest.h"

#define PATIENCE	60	/* seconds over its time after which a worker hangs */

static const struct {
	const char *name;
	void (*run)(struct worker *w);
	unsigned int weight;
} ops[] = {
	{ "create", op_create, 22 },
	{ "create with one fault", op_create_faulty, 14 },
	{ "create at random", op_create_random, 14 },
	{ "create from memory that changes", op_create_racing, 3 },
	{ "add", op_add, 14 },
	{ "read", op_read, 34 },
	{ "control", op_control, 14 },
	{ "ioctl", op_ioctl, 8 },
	{ "query", op_query, 3 },
	{ "info", op_info, 5 },
	{ "another call", op_other_call, 8 },
	{ "ring", op_ring, 6 },
	{ "trigger", op_trigger, 6 },
	{ "map", op_map, 10 },
	{ "sample", op_sample, 6 },
	{ "reader", op_reader, 4 },
	{ "close", op_close, 7 },
	{ "dup", op_dup, 3 },
	{ "pass on", op_pass_on, 3 },
	{ "rival", op_rival, 6 },
	{ "target", op_target, 5 },
	{ "affinity", op_affinity, 3 },
	{ "time", op_time, 5 },
	{ "hotplug", op_hotplug, 1 },
	{ "span", op_span, 2 },
	{ "keys of a section", op_section_keys, 2 },
};

static void worker_step(struct worker *w)
{
	unsigned int sum = 0, pick, i;

	rng_start(&w->rng, config.seed, w->index, w->op);
	for (i = 0; i < COUNT(ops); i++)
		sum += ops[i].weight;
	pick = below(&w->rng, sum);
	for (i = 0; pick >= ops[i].weight; i++)
		pick -= ops[i].weight;
	__atomic_store_n(&shared->worker[w->index].doing, ops[i].name, __ATOMIC_RELAXED);
	ops[i].run(w);
	__atomic_store_n(&shared->worker[w->index].ops, ++w->op - config.first, __ATOMIC_RELAXED);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	uint64_t most = (config.ops + config.workers - 1) / config.workers;
	int i;

	shared->worker[w->index].tid = syscall(SYS_gettid);
	w->op = config.first;
	for (i = 0; i < RIVALS; i++)
		w->rival[i] = -1;
	w->socket[0] = -1;
	w->socket[1] = -1;
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED) &&
	       (!most || w->op - config.first < most))
		worker_step(w);

	for (i = 0; i < MAPS; i++)
		unmap(i);
	shared->worker[w->index].doing = NULL;
	for (i = 0; i < RIVALS; i++)
		close(w->rival[i]);
	close(w->socket[0]);
	close(w->socket[1]);
	for (i = 0; i < TARGETS; i++)
		target_end(w, i);
	return NULL;
}

static struct worker *worker_new(unsigned int index, int dev, bool alone)
{
	struct worker *w = calloc(1, sizeof(*w));
	int i;

	if (!w || !zones_make(&w->zones))
		return NULL;
	w->index = index;
	w->alone = alone;
	w->dev = dev;
	w->seat = shared->seat;
	if (alone) {
		w->seat = calloc(SEATS, sizeof(*w->seat));
		for (i = 0; w->seat && i < SEATS; i++)
			w->seat[i].fd = -1;
	}
	return w->seat ? w : NULL;
}

static void seats_close(struct worker *w, int before)
{
	int i, after;

	for (i = 0; i < SEATS; i++)
		close(w->seat[i].fd);
	after = nr_descriptors();
	if (after != before)
		found(w, "%d descriptors are open at the end, not %d", after, before);
}

/* A process of one worker that shares nothing, so that it sees each descriptor come. */
static void lone_process(int dev)
{
	struct worker *w = worker_new(0, dev, true);
	int before = nr_descriptors();

	if (!w)
		_exit(1);
	worker_main(w);
	seats_close(w, before);
	_exit(0);
}

/* Workers that use the same descriptors: a process that shares the table, and threads. */
static void crowd_process(int dev)
{
	struct worker *w[WORKERS_MAX] = {};
	pthread_t thread[WORKERS_MAX];
	unsigned int i, threads = 0;
	int before = nr_descriptors();
	pid_t pid = 0;

	for (i = 1; i < config.workers; i++) {
		w[i] = worker_new(i, dev, false);
		if (!w[i])
			_exit(1);
	}
	if (config.workers > 2) {
		pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			worker_main(w[config.workers - 1]);
			_exit(0);
		}
	}
	for (i = 1; i < config.workers - (pid > 0); i++)
		threads += !pthread_create(&thread[threads], NULL, worker_main, w[i]);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	seats_close(w[1], before);
	_exit(0);
}

static pid_t start(void (*process)(int dev), int dev, pid_t group)
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, group);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		process(dev);
	}
	setpgid(pid, group);
	return pid;
}

static void read_words(const char *path, const char *format, uint32_t *list, unsigned int *nr,
		       unsigned int most)
{
	FILE *f = fopen(path, "r");

	if (f && *nr < most && fscanf(f, format, &list[*nr]) == 1)
		++*nr;
	if (f)
		fclose(f);
}

/* Of what random_event() would try, what there is. */
static void learn_event(uint32_t type, uint64_t number)
{
	struct perf_event_attr attr = event(type, number);
	int fd;

	if (config.nr_events == COUNT(config.event))
		return;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd >= 0)
		config.event[config.nr_events++] = attr;
	close(fd);
}

static void learn_events(void)
{
	unsigned int i;

	for (i = 0; i < PERF_COUNT_HW_MAX; i++)
		learn_event(PERF_TYPE_HARDWARE, i);
	for (i = 0; i < 7 * 3 * 2; i++)
		learn_event(PERF_TYPE_HW_CACHE, i % 7 | i / 7 % 3 << 8 | i / 21 << 16);
	for (i = 0; i < 12; i++)
		learn_event(PERF_TYPE_RAW, cycles_copy(i).config);
}

static bool emulated_x86(void)
{
#ifdef __x86_64__
	unsigned int most, id[3];

	__cpuid(0x40000000, most, id[0], id[1], id[2]);
	return !memcmp(id, "TCGTCGTCGTCG", sizeof(id));
#else
	return false;
#endif
}

static void learn_machine(void)
{
	static const char *const traces[] = { "sched/sched_switch", "sched/sched_wakeup",
					      "irq/irq_handler_entry", "timer/hrtimer_start",
					      "raw_syscalls/sys_enter", "kmem/kmalloc" };
	const char *pmus = "/sys/bus/event_source/devices";
	DIR *dir = opendir(pmus);
	unsigned int functions = 0;
	struct dirent *entry;
	char path[512];
	size_t i;

	config.cpus = sysconf(_SC_NPROCESSORS_CONF);
	config.cgroup = cgroups_mount() ? open(CGROUPS, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	learn_events();
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/type", pmus, entry->d_name);
		read_words(path, "%u", config.type, &config.nr_types, COUNT(config.type));
	}
	if (dir)
		closedir(dir);
	for (i = 0; i < COUNT(traces); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", traces[i]);
		read_words(path, "%u", config.trace, &config.nr_traces, COUNT(config.trace));
	}
	if (emulated_x86())
		read_words("/sys/kernel/tracing/events/ftrace/function/id", "%u",
			   &config.function, &functions, 1);
}

/* All that there is to say about it, as comments. */
static uint64_t report(void)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < config.workers; i++)
		total += shared->worker[i].ops;
	for (i = 0; i < ERRNOS; i++)
		if (shared->refused[i])
			ksft_print_msg("refused %llu: %s\n", (unsigned long long)shared->refused[i],
				       strerror(i));
	ksft_print_msg("%llu groups made, %llu members added, %llu read\n",
		       (unsigned long long)shared->groups, (unsigned long long)shared->members,
		       (unsigned long long)shared->reads);
	ksft_print_msg("fuzz: %llu executions, seed %llu\n", (unsigned long long)total,
		       (unsigned long long)config.seed);
	for (i = 0; i < shared->nr_found && i < FOUND_MAX; i++)
		ksft_print_msg("%s\n", shared->found[i]);
	return total;
}

/* Waits for both processes; whether they came to their ends by themselves. */
/* Where in the kernel a task is. */
static void show_stack(const char *what, pid_t tid)
{
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stack", tid);
	f = fopen(path, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		ksft_print_msg("%s %d: %s", what, tid, line);
	fclose(f);
}

static void show_stacks(unsigned int worker)
{
	unsigned int k;

	show_stack("worker", shared->worker[worker].tid);
	for (k = 0; k < TARGETS; k++)
		if (shared->worker[worker].target[k] > 0)
			show_stack("its target", shared->worker[worker].target[k]);
}

static bool supervise(pid_t lone, pid_t crowd)
{
	uint64_t stop = now_ns() + config.seconds * NSEC_PER_SEC;
	uint64_t end = stop + PATIENCE * NSEC_PER_SEC;
	int status, left = 1 + (crowd > 0);
	bool good = true;
	unsigned int i;
	pid_t pid;

	while (left && now_ns() < end) {
		if (now_ns() >= stop)
			__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
		pid = waitpid(-1, &status, WNOHANG);
		if (pid == lone || (pid > 0 && pid == crowd)) {
			left--;
			good &= !status;
			if (status)
				ksft_print_msg("a process of workers ended with status %#x\n",
					       status);
		} else if (!pid) {
			sleep_ns(20 * NSEC_PER_MSEC);
		}
	}
	for (i = 0; left && i < config.workers; i++) {
		if (!shared->worker[i].doing)
			continue;
		ksft_print_msg("worker %u hangs in operation %llu: %s\n", i,
			       (unsigned long long)(config.first + shared->worker[i].ops),
			       shared->worker[i].doing);
		show_stacks(i);
	}
	return good && !left;
}

static bool fuzz(int dev)
{
	bool good = zones_make(&racing_zones);
	pid_t lone, crowd = 0;
	uint64_t total;
	unsigned int i;

	for (i = 0; i < SEATS; i++)
		shared->seat[i].fd = -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	lone = start(lone_process, dev, 0);
	if (config.workers > 1)
		crowd = start(crowd_process, dev, lone);
	good &= lone > 0 && supervise(lone, crowd);
	/* Whatever is left: targets, and what they may have left in turn. */
	kill(-lone, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (i = 1; config.hotplug && i < config.cpus; i++)
		set_online(i, true);
	total = report();
	return good && total && !shared->nr_found;
}

static void options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:t:n:j:f:c")) != -1) {
		switch (option) {
		case 's':
			config.seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			config.seconds = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			config.ops = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			config.workers = strtoul(optarg, NULL, 0);
			break;
		case 'f':
			config.first = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			config.hotplug = true;
			break;
		default:
			exit(2);
		}
	}
	if (!config.seconds)
		config.seconds = only_core() ? 3 : 10;
	if (!config.workers || config.workers > WORKERS_MAX)
		ksft_exit_fail_msg("-j takes 1 to %d\n", WORKERS_MAX);
}

int main(int argc, char **argv)
{
	long refs;
	int dev;

	if (argc > 1 && !strcmp(argv[1], TARGET_ARGUMENT))
		target_exec_main(argc, argv);
	ksft_print_header();
	options(argc, argv);
	ksft_set_plan(4);
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (dev < 0)
		ksft_exit_fail_msg("%s: %s\n", DEVICE, strerror(errno));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		ksft_exit_fail_msg("no memory\n");
	learn_machine();
	if (truncate(SPAN_FILE, 0) && close(creat(SPAN_FILE, 0644)))
		ksft_exit_fail_msg("%s: %s\n", SPAN_FILE, strerror(errno));
	refs = module_refs();
	ksft_test_result(fuzz(dev), "nothing that must not be\n");
	ksft_test_result(refs_return_to(refs), "no group is left\n");
	ksft_test_result(usable(dev, sw(PERF_COUNT_SW_CPU_CLOCK)), "a group can be used\n");
	if (have_cycles())
		ksft_test_result(usable(dev, hw(PERF_COUNT_HW_CPU_CYCLES)),
				 "so can one of hardware\n");
	else
		ksft_test_result_skip("no hardware PMU\n");
	close(dev);
	unlink(SPAN_FILE);
	ksft_finished();
}
