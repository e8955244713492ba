// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every kind of target, with every operation on a group of it.
 *
 * Three actors, a thread, another one of its process and its child, hit the mark on up
 * to three CPUs, each of them on each CPU another power of two times: the bits of a
 * count say whose and where the marks are that it has.
 */
#include "pmcgrp_mark.h"
#include "pmcgrp_after.h"
#include <pthread.h>
#include "kselftest_harness.h"

#define PLACES	3
#define NR	2	/* members */

enum actor {
	FIRST,		/* the target, where it is a task */
	SECOND,		/* another thread of its process */
	CHILD,		/* of the first, born when there is a group */
	ACTORS,
};

/* What an actor is told to do. */
struct order {
	int cpu;	/* to go there, or LEAVE or BEAR */
	unsigned int marks;
};

#define LEAVE	(-1)
#define BEAR	(-2)

static int orders[ACTORS][2], answers[2];
static bool marks;

__attribute__((constructor)) static void hold(void)
{
	marks = mark_hold();
}

struct stage {
	int dev;
	int place[PLACES];	/* CPUs: the target's, another one, one more */
	int places;
	pid_t pid;
	long refs;
	bool child;
	struct perf_event_attr attr[NR];
};

FIXTURE(target_matrix)
{
	struct stage stage;
};

struct target {
	uint32_t type;
	uint64_t flags;
	unsigned int actors;	/* bits: the actors that it counts */
	unsigned int places;	/* bits: the CPUs where it counts */
};

FIXTURE_VARIANT(target_matrix)
{
	struct target target;
};

#define ALL	7

FIXTURE_VARIANT_ADD(target_matrix, task)
{
	.target.type = PMCGRP_TARGET_TASK,
	.target.actors = 1 << FIRST,
	.target.places = ALL,
};

FIXTURE_VARIANT_ADD(target_matrix, task_inherit)
{
	.target.type = PMCGRP_TARGET_TASK,
	.target.flags = PMCGRP_CREATE_INHERIT,
	.target.actors = 1 << FIRST | 1 << CHILD,
	.target.places = ALL,
};

FIXTURE_VARIANT_ADD(target_matrix, process)
{
	.target.type = PMCGRP_TARGET_PROCESS,
	.target.actors = 1 << FIRST | 1 << SECOND,
	.target.places = ALL,
};

FIXTURE_VARIANT_ADD(target_matrix, process_inherit)
{
	.target.type = PMCGRP_TARGET_PROCESS,
	.target.flags = PMCGRP_CREATE_INHERIT,
	.target.actors = ALL,
	.target.places = ALL,
};

FIXTURE_VARIANT_ADD(target_matrix, cpu)
{
	.target.type = PMCGRP_TARGET_CPU,
	.target.actors = ALL,
	.target.places = 1,
};

FIXTURE_VARIANT_ADD(target_matrix, cpus)
{
	.target.type = PMCGRP_TARGET_CPUS,
	.target.actors = ALL,
	.target.places = 3,
};

FIXTURE_VARIANT_ADD(target_matrix, all_cpus)
{
	.target.type = PMCGRP_TARGET_ALL_CPUS,
	.target.actors = ALL,
	.target.places = ALL,
};

/* ---- The actors ---- */

static void act(enum actor who);

static pid_t bear(enum actor who)
{
	pid_t pid = fork();

	if (!pid)
		act(who);
	return pid;
}

/* Does what it is told until it is to leave; answers each time. */
static void act(enum actor who)
{
	struct order order;
	pid_t child = 0;

	while (read(orders[who][0], &order, sizeof(order)) == sizeof(order)) {
		if (order.cpu == LEAVE)
			break;
		if (order.cpu == BEAR)
			child = bear(CHILD);
		else if (!run_on(order.cpu))
			order.marks = 0;
		mark(order.marks);
		if (write(answers[1], "x", 1) != 1)
			_exit(1);
	}
	if (who == SECOND)
		return;
	if (child)
		waitpid(child, NULL, 0);
	_exit(0);
}

static void *second(void *unused)
{
	char c = 'x';

	act(SECOND);
	if (write(answers[1], &c, 1) != 1)
		_exit(1);
	return NULL;
}

static pid_t process(void)
{
	pid_t pid = fork();
	pthread_t thread;

	if (pid)
		return pid;
	if (pthread_create(&thread, NULL, second, NULL) || write(answers[1], "x", 1) != 1)
		_exit(1);
	act(FIRST);
	_exit(0);
}

static bool tell(enum actor who, int cpu, unsigned int marks)
{
	struct order order = { .cpu = cpu, .marks = marks };
	char c;

	return write(orders[who][1], &order, sizeof(order)) == sizeof(order) &&
	       ((cpu == LEAVE && who != SECOND) || read(answers[0], &c, 1) == 1);
}

/* All of them; their counts are final then. */
static bool leave(pid_t pid, bool child)
{
	return (!child || tell(CHILD, LEAVE, 0)) && tell(SECOND, LEAVE, 0) &&
	       tell(FIRST, LEAVE, 0) && waitpid(pid, NULL, 0) == pid;
}

/* ---- The fixture ---- */

FIXTURE_SETUP(target_matrix)
{
	struct stage *s = &self->stage;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	char c;

	if (!marks)
		SKIP(return, MARK_MISSING);
	s->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(s->dev, 0);
	s->refs = module_refs();
	s->places = cpus < PLACES ? cpus : PLACES;
	s->place[0] = cpus - 1;
	s->place[1] = 0;
	s->place[2] = 1;
	s->attr[0] = tracepoint(MARK);
	s->attr[1] = sw(PERF_COUNT_SW_TASK_CLOCK);
	ASSERT_EQ(0, pipe(answers));
	for (i = 0; i < ACTORS; i++)
		ASSERT_EQ(0, pipe(orders[i]));
	s->pid = process();
	ASSERT_GT(s->pid, 0);
	ASSERT_EQ(1, read(answers[0], &c, 1));
}

FIXTURE_TEARDOWN(target_matrix)
{
	struct stage *s = &self->stage;

	set_online(s->place[0], true);
	if (s->pid)
		EXPECT_TRUE(leave(s->pid, s->child));
	close(s->dev);
}

/* The marks of one actor in one place are one bit. */
static unsigned int bit(int actor, int place)
{
	return 1U << (actor * PLACES + place);
}

/* Those of a round in this place that a group of the target has. */
static uint64_t expected_in(const struct target *target, int place)
{
	uint64_t sum = 0;
	int actor;

	for (actor = 0; actor < ACTORS; actor++)
		if (target->actors >> actor & 1 && target->places >> place & 1)
			sum += bit(actor, place);
	return sum;
}

static uint64_t expected(const struct stage *s, const struct target *target, int from)
{
	uint64_t sum = 0;
	int place;

	for (place = from; place < s->places; place++)
		sum += expected_in(target, place);
	return sum;
}

/* Everyone makes marks everywhere, from this place on. */
static bool go_round(const struct stage *s, int from)
{
	int actor, place;

	for (actor = 0; actor < ACTORS; actor++)
		for (place = from; place < s->places; place++)
			if (!tell(actor, s->place[place], bit(actor, place)))
				return false;
	return true;
}

static bool is_task(const struct target *target)
{
	return target->type == PMCGRP_TARGET_TASK || target->type == PMCGRP_TARGET_PROCESS;
}

static int make(const struct stage *s, const struct target *target, uint64_t flags)
{
	struct ask ask = { .target_type = target->type, .flags = target->flags | flags,
			   .nr = NR, .attr = s->attr };

	if (is_task(target))
		ask.target_id = s->pid;
	else if (target->type == PMCGRP_TARGET_CPU)
		ask.target_id = s->place[0];
	else if (target->type == PMCGRP_TARGET_CPUS)
		ask.cpus = 1ULL << s->place[0] | 1ULL << s->place[1];
	return ask_group(s->dev, &ask);
}

/* A group, and then the child. */
static int begin(struct stage *s, const struct target *target, uint64_t flags)
{
	int fd = make(s, target, flags);

	s->child = tell(FIRST, BEAR, 0);
	return s->child ? fd : -1;
}

/* ---- The operations ---- */

static void expect_count(struct __test_metadata *_metadata, int fd, uint64_t nr,
			 struct group_values *v)
{
	ASSERT_TRUE(group_values(fd, NR, v));
	EXPECT_EQ(nr, v->m[0].value);
}

/* And all the time. */
static void expect_marks(struct __test_metadata *_metadata, int fd, uint64_t nr,
			 struct group_values *v)
{
	expect_count(_metadata, fd, nr, v);
	EXPECT_EQ(v->enabled, v->running);
}

TEST_F(target_matrix, enable)
{
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, PMCGRP_CREATE_DISABLED);
	struct group_values v;

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, 0, &v);
	EXPECT_EQ(0, v.enabled);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, all, &v);
	EXPECT_GT(v.enabled, 0);
	/* once more is no more */
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, 2 * all, &v);
	close(fd);
}

TEST_F(target_matrix, disable)
{
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, 0);
	struct group_values v, w;

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(go_round(&self->stage, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	expect_marks(_metadata, fd, all, &v);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, all, &w);
	EXPECT_TRUE(group_same(&v, &w, NR));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, 2 * all, &v);
	close(fd);
}

TEST_F(target_matrix, reset)
{
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, 0);
	struct group_values v, w;

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, all, &v);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	expect_marks(_metadata, fd, 0, &w);
	EXPECT_GE(w.enabled, v.enabled);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, all, &v);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES));
	expect_marks(_metadata, fd, 0, &v);
	EXPECT_EQ(0, v.m[1].value);
	EXPECT_EQ(0, v.enabled);
	close(fd);
}

/* From anywhere, as often as one likes, and for CPUs in parts. */
TEST_F(target_matrix, read)
{
	CPU_RECORD(NR) r[CPU_SETSIZE];
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, 0), place, i, err;
	struct pmcgrp_read_cpus arg;
	struct group_values v;

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(go_round(&self->stage, 0));
	for (place = 0; place < self->stage.places; place++) {
		ASSERT_TRUE(run_on(self->stage.place[place]));
		expect_marks(_metadata, fd, all, &v);
		ASSERT_EQ(-1, read(fd, &v, sizeof(v.nr)));
		EXPECT_EQ(ENOSPC, errno);
		expect_marks(_metadata, fd, all, &v);
	}
	err = read_cpus(fd, r, sizeof(r), &arg);
	if (is_task(&variant->target)) {
		EXPECT_EQ(-EINVAL, err);
		return;
	}
	ASSERT_EQ(0, err);
	for (i = 0; i < (int)arg.nr_cpus; i++) {
		for (place = 0; place < self->stage.places; place++)
			if (self->stage.place[place] == (int)r[i].cpu)
				break;
		EXPECT_EQ(place < self->stage.places ? expected_in(&variant->target, place) : 0,
			  r[i].m[0].value);
		all -= r[i].m[0].value;
	}
	EXPECT_EQ(0, all);
	close(fd);
}

/* Closed while its target runs; another group of the same target stays. */
TEST_F(target_matrix, close)
{
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int other = make(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, 0);
	struct group_values v;

	ASSERT_GE(fd, 0);
	ASSERT_GE(other, 0);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, other, all, &v);
	expect_marks(_metadata, fd, all, &v);
	ASSERT_EQ(0, close(other));
	EXPECT_EQ(-1, read(other, &v, sizeof(v)));
	EXPECT_EQ(EBADF, errno);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_marks(_metadata, fd, 2 * all, &v);
	ASSERT_EQ(0, close(fd));
	EXPECT_TRUE(refs_return_to(self->stage.refs));
	ASSERT_TRUE(go_round(&self->stage, 0));
}

/* A task's count is final then; a CPU's goes on with other tasks. */
TEST_F(target_matrix, exit)
{
	bool cpu = !is_task(&variant->target);
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, 0);
	struct group_values v, w;

	ASSERT_GE(fd, 0);
	ASSERT_TRUE(go_round(&self->stage, 0));
	ASSERT_TRUE(leave(self->stage.pid, self->stage.child));
	self->stage.pid = 0;
	expect_marks(_metadata, fd, all, &v);
	ASSERT_TRUE(run_on(self->stage.place[0]));
	mark(1);
	expect_marks(_metadata, fd, all + cpu, &w);
	EXPECT_EQ(!cpu, group_same(&v, &w, NR));
	close(fd);
}

/*
 * Nothing is lost of what was before; it goes on by itself, and then again exactly.  A CPU
 * that is going is enabled for a moment longer than it counts.
 */
TEST_F_TIMEOUT(target_matrix, offline, 120)
{
	uint64_t rest = expected(&self->stage, &variant->target, 1), end;
	uint64_t all = expected(&self->stage, &variant->target, 0);
	int fd = begin(&self->stage, &variant->target, 0), lost = 0;
	struct group_values v, w;

	ASSERT_GE(fd, 0);
	if (self->stage.places < 2)
		SKIP(return, "needs a second CPU that can be taken offline");
	ASSERT_TRUE(go_round(&self->stage, 0));
	ASSERT_TRUE(set_online(self->stage.place[0], false));
	expect_count(_metadata, fd, all, &v);
	ASSERT_TRUE(go_round(&self->stage, 1));
	expect_count(_metadata, fd, all + rest, &v);
	ASSERT_TRUE(set_online(self->stage.place[0], true));
	end = now_ns() + 20 * NSEC_PER_SEC;
	do {
		ASSERT_TRUE(tell(FIRST, self->stage.place[0], 1));
		ASSERT_TRUE(group_values(fd, NR, &w));
		lost++;
	} while (w.m[0].value == v.m[0].value && now_ns() < end);
	EXPECT_EQ(v.m[0].value + 1, w.m[0].value);
	TH_LOG("counts there from mark %d on", lost);
	ASSERT_TRUE(go_round(&self->stage, 0));
	expect_count(_metadata, fd, w.m[0].value + all, &v);
	close(fd);
}

TEST_HARNESS_MAIN
