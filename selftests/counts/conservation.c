// SPDX-License-Identifier: GPL-2.0-only
/*
 * No count is lost between tasks and CPUs: while tasks migrate, fork and wake each other,
 * the CPUs' counts equal the sum of all tasks, except for idle and the switch path.
 *
 * Each thread of the system has a group that inherits.  A task of SCHED_IDLE that spins
 * on each CPU keeps idle from running.  The CPUs' group is read before and after the
 * groups of the tasks, at both ends of a window.  Its longer window includes all that the
 * tasks counted, its shorter window nothing more.
 */
#include "pmcgrp_mark.h"
#include <dirent.h>
#include <sys/ioctl.h>
#include "kselftest_harness.h"

#define SEED		20260101
#define TASKS_MAX	1024
#define CPUS_MAX	64
#define WORKERS		4	/* pass tokens round a ring */
#define ROUNDS		1000	/* of each worker */
#define PAGES		4	/* touched in each round at most */

/*
 * Instructions between letting go of one task and taking up the next, and of an exit
 * after perf core has let go (newer kernels do before they take the address space
 * apart): twice what was measured on the kernel where it was most.
 */
#define SWITCH_MOST	5000
#define EXIT_MOST	220000

FIXTURE(conservation)
{
	int dev;
	int cpus;
};

static bool marks;

__attribute__((constructor)) static void hold(void)
{
	marks = mark_hold();
}

static uint64_t *done;	/* marks made by the workers */
static int ring[WORKERS][2], spin[2], ready[2], end[2], let_go[2];

static bool wait_for(int pipe[2], int times)
{
	char c;

	while (times && read(pipe[0], &c, 1) == 1)
		times--;
	return !times;
}

/* Spins on one CPU whenever no other task runs there, so that idle never runs. */
static pid_t stand_in(int cpu)
{
	struct sched_param param = {};
	pid_t pid = fork();

	if (pid)
		return pid;
	if (sched_setscheduler(0, SCHED_IDLE, &param) || !run_on(cpu) || !wait_for(spin, 1) ||
	    write(ready[1], "x", 1) != 1)
		_exit(1);
	for (;;)
		loop(100000);
}

/* Not as one of SCHED_IDLE, whose last switch may come when the next window is open. */
static bool end_stand_in(pid_t pid)
{
	struct sched_param param = {};

	return !sched_setscheduler(pid, SCHED_OTHER, &param) && end_child(pid);
}

static long idle_ticks(void)
{
	unsigned long idle, iowait;
	char line[512];
	long sum = 0;
	FILE *f = fopen("/proc/stat", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%*d %*u %*u %*u %lu %lu", &idle, &iowait) == 2)
			sum += idle + iowait;
	if (f)
		fclose(f);
	return sum;
}

FIXTURE_SETUP(conservation)
{
	int i;

	if (!marks)
		SKIP(return, MARK_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LE(self->cpus, CPUS_MAX);
	done = shared_memory(sizeof(*done));
	ASSERT_NE(NULL, done);
	ASSERT_EQ(0, pipe(spin));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(end));
	ASSERT_EQ(0, pipe(let_go));
	for (i = 0; i < WORKERS; i++)
		ASSERT_EQ(0, pipe(ring[i]));
}

FIXTURE_TEARDOWN(conservation)
{
	close(self->dev);
}

/* ---- Switches that no task counts ---- */

/*
 * A task's last one, long after its exit if it is of SCHED_IDLE, and those of idle, which may
 * run for less than the clock of idle_ticks() tells.
 */
#define NOBODYS	"prev_pid == 0 || prev_state & 48"	/* EXIT_ZOMBIE, EXIT_DEAD */

struct witness {
	int nr;
	int fd[CPUS_MAX];
};

static bool witness_open(struct witness *w, int cpus)
{
	struct perf_event_attr attr = tracepoint("sched/sched_switch");

	for (w->nr = 0; w->nr < cpus; w->nr++) {
		w->fd[w->nr] = perf_open(&attr, -1, w->nr, -1);
		if (w->fd[w->nr] < 0 || ioctl(w->fd[w->nr], PERF_EVENT_IOC_SET_FILTER, NOBODYS))
			return false;
	}
	return true;
}

static bool witness_read(const struct witness *w, uint64_t *seen)
{
	uint64_t value;
	int i;

	*seen = 0;
	for (i = 0; i < w->nr; i++) {
		if (read(w->fd[i], &value, sizeof(value)) != sizeof(value))
			return false;
		*seen += value;
	}
	return true;
}

static void witness_close(struct witness *w)
{
	while (w->nr)
		close(w->fd[--w->nr]);
}

/* ---- The workload ---- */

#define NR	4

struct plan {
	unsigned int nr;
	struct perf_event_attr task[NR], cpu[NR];
	int rounds;		/* of each worker */
	int fork_every;		/* so many rounds */
	bool exits;		/* the children end in the window */
	const struct witness *witness;	/* or NULL */
};

static void some_work(struct rng *r, int cpus)
{
	unsigned int times = below(r, 8), pages = below(r, PAGES + 1), i;
	long size = sysconf(_SC_PAGESIZE);
	volatile char *mem;

	run_on(below(r, cpus));
	mark(times);
	__atomic_fetch_add(done, times, __ATOMIC_RELAXED);
	mem = fresh_pages(PAGES);
	for (i = 0; mem && i < pages; i++)
		mem[i * size] = 1;
	munmap((void *)mem, PAGES * size);
	loop(1 + below(r, 1000));
}

/* A child that works and exits, or waits for the window's end; returns its ID. */
static pid_t child(struct rng *r, int cpus, bool exits)
{
	struct rng own = { .state = mix(rng_next(r)) };
	pid_t pid = fork();

	if (pid)
		return pid;
	some_work(&own, cpus);
	if (!exits && (write(end[1], "x", 1) != 1 || !wait_for(let_go, 1)))
		_exit(1);
	_exit(0);
}

/* Waits for a token, works, passes it on; forks now and then. */
static pid_t worker(int index, int cpus, const struct plan *plan)
{
	struct rng r = { .state = mix(SEED + index) };
	int *to = ring[(index + 1) % WORKERS], i;
	pid_t pid = fork(), born;

	if (pid)
		return pid;
	for (i = 1; i <= plan->rounds; i++) {
		if (!wait_for(ring[index], 1))
			_exit(1);
		some_work(&r, cpus);
		if (i % plan->fork_every == 0) {
			born = child(&r, cpus, plan->exits);
			if (born < 0 || (plan->exits && waitpid(born, NULL, 0) != born))
				_exit(1);
		}
		if (write(to[1], "x", 1) != 1)
			_exit(1);
	}
	if (write(end[1], "x", 1) != 1 || !wait_for(let_go, 1))
		_exit(1);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* ---- Groups of everyone ---- */

struct census {
	int nr;
	pid_t tid[TASKS_MAX];
	int fd[TASKS_MAX];
};

static int list_threads(pid_t *tid)
{
	DIR *dir = opendir("/proc"), *threads;
	struct dirent *entry;
	char path[64];
	int nr = 0;

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task", atoi(entry->d_name));
		threads = atoi(entry->d_name) ? opendir(path) : NULL;
		while (threads && (entry = readdir(threads)))
			if (atoi(entry->d_name) && nr < TASKS_MAX)
				tid[nr++] = atoi(entry->d_name);
		if (threads)
			closedir(threads);
	}
	if (dir)
		closedir(dir);
	return nr;
}

static void census_close(struct census *c)
{
	while (c->nr)
		close(c->fd[--c->nr]);
}

/* Whether the same threads exist: none was created and none has exited. */
static bool census_holds(const struct census *c)
{
	pid_t tid[TASKS_MAX];
	int nr = list_threads(tid);

	return nr == c->nr && !memcmp(tid, c->tid, nr * sizeof(tid[0]));
}

static bool census_take(struct census *c, int dev, unsigned int nr,
			const struct perf_event_attr *attr)
{
	int tries, i;

	for (tries = 0; tries < 20; tries++) {
		int all = list_threads(c->tid);

		for (i = 0; i < all && i < TASKS_MAX; i++) {
			c->fd[i] = group_of_task(dev, c->tid[i], nr, attr, PMCGRP_CREATE_INHERIT);
			if (c->fd[i] < 0)
				break;
		}
		c->nr = i;
		if (i == all && census_holds(c))
			return true;
		census_close(c);
	}
	return false;
}

static bool census_read(struct census *c, unsigned int nr, uint64_t *sum)
{
	struct group_values v;
	unsigned int k;
	int i;

	memset(sum, 0, nr * sizeof(*sum));
	for (i = 0; i < c->nr; i++) {
		if (!group_values(c->fd[i], nr, &v) || v.running != v.enabled)
			return false;
		for (k = 0; k < nr; k++)
			sum[k] += v.m[k].value;
	}
	return true;
}

/* ---- The balance ---- */

/* What was counted of each event in one window. */
struct balance {
	uint64_t least[NR], tasks[NR], most[NR];
	uint64_t nobodys;	/* what a witness has seen */
};

static void window(struct __test_metadata *_metadata, int dev, int cpus, const struct plan *plan,
		   struct balance *b)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = plan->nr,
			   .attr = plan->cpu };
	struct group_values first, second, third, fourth;
	unsigned int k, nr = plan->nr;
	uint64_t before[NR], after[NR], seen = 0;
	static struct census census;
	pid_t pid[WORKERS], spinner[CPUS_MAX];
	int tokens = cpus < WORKERS ? cpus : WORKERS - 1;
	int forks = WORKERS * (plan->rounds / plan->fork_every);
	int stay = plan->exits ? 0 : forks, fd, i;
	long idle;

	*done = 0;
	for (i = 0; i < WORKERS; i++) {
		pid[i] = worker(i, cpus, plan);
		ASSERT_GT(pid[i], 0);
	}
	for (i = 0; i < cpus; i++) {
		spinner[i] = stand_in(i);
		ASSERT_GT(spinner[i], 0);
	}
	fd = ask_group(dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(census_take(&census, dev, nr, plan->task));
	memset(&fourth, 0, sizeof(fourth));	/* touched before it is counted */
	for (i = 0; i < cpus; i++)
		ASSERT_EQ(1, write(spin[1], "x", 1));
	ASSERT_TRUE(wait_for(ready, cpus));
	if (plan->witness)
		ASSERT_TRUE(witness_read(plan->witness, &seen));
	idle = idle_ticks();
	ASSERT_TRUE(group_values(fd, nr, &first));
	ASSERT_TRUE(census_read(&census, nr, before));
	ASSERT_TRUE(group_values(fd, nr, &second));

	for (i = 0; i < tokens; i++)
		ASSERT_EQ(1, write(ring[0][1], "x", 1));
	ASSERT_TRUE(wait_for(end, WORKERS + stay));

	ASSERT_TRUE(group_values(fd, nr, &third));
	ASSERT_TRUE(census_read(&census, nr, after));
	ASSERT_TRUE(group_values(fd, nr, &fourth));
	/* No CPU was ever idle: there was always one task more than CPUs. */
	EXPECT_EQ(idle, idle_ticks());
	for (k = 0; k < nr; k++) {
		b->least[k] = third.m[k].value - second.m[k].value;
		b->tasks[k] = after[k] - before[k];
		b->most[k] = fourth.m[k].value - first.m[k].value;
	}
	b->nobodys = 0;
	if (plan->witness)
		ASSERT_TRUE(witness_read(plan->witness, &b->nobodys));
	b->nobodys -= seen;
	for (i = 0; i < cpus; i++)
		ASSERT_TRUE(end_stand_in(spinner[i]));
	EXPECT_EQ(fourth.enabled, fourth.running);
	for (i = 0; i < WORKERS + stay; i++)
		ASSERT_EQ(1, write(let_go[1], "x", 1));
	for (i = 0; i < WORKERS; i++)
		ASSERT_EQ(pid[i], waitpid(pid[i], NULL, 0));
	ASSERT_TRUE(wait_for(ring[0], tokens));
	TH_LOG("%d groups of tasks, %llu marks, %d forks", census.nr,
	       (unsigned long long)*done, forks);
	tell_count("conservation", census.nr, "groups");
	census_close(&census);
	close(fd);
}

/*
 * With -icount QEMU runs one CPU until it is idle, which none is here, or a timer is due:
 * what one asks of another takes until then.  And each counts the instructions of all.
 */
static bool cpus_alternate(void)
{
	return have_instructions() && sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/*
 * Fewer where each costs more: CPUs that are all busy get little of the host's.  Or as many as the
 * environment says, by hand: CONSERVATION_TIMES=25 is 100,000 rounds of the workers.
 */
static int rounds(int nr)
{
	bool several = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	const char *times = getenv("CONSERVATION_TIMES");

	if (times)
		return nr * atoi(times);
	return cpus_alternate() ? nr / 50 : several ? nr / 20 : rounds_of(nr, nr / 20);
}

static void say(struct __test_metadata *_metadata, const char *what, const struct balance *b, int k)
{
	TH_LOG("%s: tasks %llu, CPUs %llu to %llu", what, (unsigned long long)b->tasks[k],
	       (unsigned long long)b->least[k], (unsigned long long)b->most[k]);
	EXPECT_GE(b->tasks[k], b->least[k]);
	EXPECT_LE(b->tasks[k], b->most[k]);
}

static void software(struct perf_event_attr *attr)
{
	attr[0] = tracepoint(MARK);
	attr[1] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	attr[2] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	attr[3] = sw(PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* Children are created and exit all the time, and no count is lost with them. */
TEST_F_TIMEOUT(conservation, calls_and_faults, 300)
{
	struct plan plan = { .nr = 2, .rounds = rounds(ROUNDS), .fork_every = 5,
			     .exits = true };
	struct balance b;

	software(plan.task);
	software(plan.cpu);
	window(_metadata, self->dev, self->cpus, &plan, &b);
	EXPECT_EQ(*done, b.tasks[0]);
	say(_metadata, "marks", &b, 0);
	EXPECT_EQ(b.least[0], b.most[0]);
	say(_metadata, "page faults", &b, 1);
}

/* The children live until all groups are read. */
TEST_F_TIMEOUT(conservation, switches_and_migrations, 300)
{
	struct witness witness;
	struct plan plan = { .nr = 4, .rounds = rounds(ROUNDS), .fork_every = 20,
			     .witness = &witness };
	struct balance b;
	int tries = 0;

	software(plan.task);
	software(plan.cpu);
	ASSERT_TRUE(witness_open(&witness, self->cpus));
	do {
		window(_metadata, self->dev, self->cpus, &plan, &b);
		TH_LOG("%llu switches are no task's", (unsigned long long)b.nobodys);
	} while (b.nobodys && ++tries < 5);
	witness_close(&witness);
	EXPECT_EQ(0, b.nobodys);
	EXPECT_EQ(*done, b.tasks[0]);
	say(_metadata, "marks", &b, 0);
	say(_metadata, "page faults", &b, 1);
	say(_metadata, "context switches", &b, 2);
	say(_metadata, "migrations", &b, 3);
	EXPECT_GT(b.tasks[2], plan.rounds);
	if (self->cpus > 1)
		EXPECT_GT(b.tasks[3], plan.rounds);
}

/* Only the switch path, and tasks after their exit, are counted by no task. */
TEST_F_TIMEOUT(conservation, instructions, 300)
{
	struct plan plan = { .nr = 2, .rounds = rounds(5 * ROUNDS), .fork_every = 20 };
	uint64_t least, most, forks;
	int64_t rest;
	struct balance b;

	if (!deterministic())
		SKIP(return, "needs a PMU that counts instructions");
	/* two counters of the hardware: what one loses the other has */
	plan.task[0] = instructions_copy(0);
	plan.cpu[0] = instructions_copy(1);
	plan.task[1] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	plan.cpu[1] = plan.task[1];
	window(_metadata, self->dev, self->cpus, &plan, &b);
	ASSERT_LE(b.tasks[0], b.most[0]);
	most = b.most[0] - b.tasks[0];
	least = b.least[0] > b.tasks[0] ? b.least[0] - b.tasks[0] : 0;
	TH_LOG("%llu instructions, %llu switches: %llu to %llu of each switch are no task's",
	       (unsigned long long)b.most[0], (unsigned long long)b.most[1],
	       (unsigned long long)(least / b.most[1]), (unsigned long long)(most / b.least[1]));
	if (cpus_alternate()) {
		/* among them what other CPUs do while one is on the switch path */
		EXPECT_LE(most, b.most[0] / 20);
		return;
	}
	EXPECT_LE(most, b.least[1] * SWITCH_MOST);
	least /= b.most[1];

	plan.rounds = ROUNDS / 2;
	plan.fork_every = 1;
	plan.exits = true;
	forks = WORKERS * plan.rounds;
	window(_metadata, self->dev, self->cpus, &plan, &b);
	ASSERT_LE(b.tasks[0], b.most[0]);
	rest = b.most[0] - b.tasks[0] - least * b.least[1];
	/* Below 0 if the switches of an exit are shorter than others. */
	TH_LOG("nor are %lld of each exit", (long long)(rest / (int64_t)forks));
	EXPECT_LE(llabs(rest), forks * EXIT_MOST);
}

TEST_HARNESS_MAIN
