// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sequences of calls made up at random, with one seed: each call by perf_event_open(2) and by
 * pmcgrp_perf_event_open() of libpmcgrp, and all that they return compared: errnos, sizes, values, what is
 * written into attr.  Events of page faults have to have the same values, whoever counts them.
 *
 * SHIM_SEQUENCES=number: as many as that (vm/shim-test has a million).
 *
 * needs: timeout=600
 */
#include "pmcgrp_shim.h"
#include <poll.h>
#include "kselftest_harness.h"

#define STEPS_MAX 10
#define SLOTS 6
#define FAULTS 3

/* Both sides of an event: natively, and through the library. */
struct slot {
	int fd[2];
	struct slot *leader; /* itself, if it leads; NULL: it has lost its leader */
	uint64_t format;
	void *map[2];
	size_t map_size;
	/* Of a leader: */
	bool exact; /* all of its group have values that are known to be equal */
	bool begun; /* the group may have counted */
	bool copied; /* or mapped */
	bool apart;		/* members may be on or off otherwise than as they were opened */
	unsigned int nr_hardware;
};

static struct slot slots[SLOTS];
static struct rng rng = { .state = 0x5eed };
static unsigned long sequence, differing, opened, by_module, split, results;
static int a_file, a_pipe[2];
static pid_t child;
static char *pages;

static void compare(const char *what, const struct slot *s, long native, long shim)
{
	results++;
	if (native == shim)
		return;
	if (differing++ < 20)
		printf("# sequence %lu: %s, slot %ld: %ld, through the library %ld\n", sequence, what,
		       s ? (long)(s - slots) : -1, native, shim);
}

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* ---- What is opened ---- */

struct request {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd[2];
	struct slot *group; /* NULL: group_fd is no event of these */
	unsigned long flags;
	bool odd; /* there may be what only perf has */
};

static void take_event(struct request *r)
{
	static const uint64_t software[] = { PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
					     PERF_COUNT_SW_PAGE_FAULTS_MAJ, PERF_COUNT_SW_DUMMY };
	struct perf_event_attr *attr = &r->attr;

	*attr = sw(software[below(&rng, COUNT(software))]);
	if (chance(&rng, 10) && (!r->group || r->group->nr_hardware < 2)) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = chance(&rng, 50) ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
	}
	attr->read_format = below(&rng, 32);
	attr->disabled = chance(&rng, r->group ? 40 : 70);
	attr->inherit = chance(&rng, 15);
	attr->pinned = attr->type == PERF_TYPE_SOFTWARE && chance(&rng, 10);
	attr->exclude_user = chance(&rng, 5);
	attr->exclude_kernel = chance(&rng, 10);
	attr->enable_on_exec = chance(&rng, 5) && !(r->group && r->group->apart);
}

/* Bits at random, a size that is none, samples. */
static void spoil(struct request *r)
{
	static const unsigned int sizes[] = { 0, 8, 63, 64, 71, 72, 80, 96, 112, 120, 5000 };
	unsigned char *bytes = (unsigned char *)&r->attr;
	unsigned int i, bit;

	r->odd = true;
	if (chance(&rng, 20))
		r->attr.size = sizes[below(&rng, COUNT(sizes))];
	if (chance(&rng, 30))
		r->attr.sample_period = 1000000 + below(&rng, 1000);
	for (i = below(&rng, 3); i; i--) {
		bit = below(&rng, 8 * sizeof(r->attr));
		bytes[bit / 8] ^= 1 << bit % 8;
	}
	/* What would stop the guest, the test or, beside a twin, the other one. */
	if (r->attr.sample_period && r->attr.sample_period < 1000000)
		r->attr.sample_period += 1000000;
	if (r->attr.freq && r->attr.sample_freq > 1000)
		r->attr.freq = 0;
	r->attr.sigtrap = 0;
	if (r->attr.type != PERF_TYPE_SOFTWARE) {
		r->attr.pinned = 0;
		r->attr.exclusive = 0;
	}
	if (r->attr.type != PERF_TYPE_SOFTWARE && r->attr.type != PERF_TYPE_HARDWARE)
		r->attr.disabled = 1;
}

static void take_target(struct request *r)
{
	static const pid_t pids[] = { -1, -1, 1, -5, 0x3ffffff };

	r->pid = chance(&rng, 30) ? gettid() : 0;
	r->cpu = -1;
	if (chance(&rng, 15)) {
		r->pid = chance(&rng, 30) ? child : pids[below(&rng, COUNT(pids))];
		if (r->pid == -1 || chance(&rng, 5))
			r->cpu = chance(&rng, 80) ? 0 : below(&rng, 2) ? 99999 :
									 -2;
	}
	r->flags = chance(&rng, 50) ? PERF_FLAG_FD_CLOEXEC : 0;
	if (chance(&rng, 3)) {
		r->flags |= 1UL << below(&rng, 6);
		r->odd = true;
	}
}

static void take_group(struct request *r)
{
	const int others[] = { -7, a_file, a_pipe[0], 9999, 0 };
	struct slot *s = &slots[below(&rng, SLOTS)];

	r->group = NULL;
	r->group_fd[0] = -1;
	r->group_fd[1] = -1;
	if (chance(&rng, 4)) {
		r->group_fd[0] = others[below(&rng, COUNT(others))];
		r->group_fd[1] = r->group_fd[0];
	} else if (chance(&rng, 60) && s->fd[0] >= 0 && s->leader) {
		r->group = s->leader;
		r->group_fd[0] = s->fd[0];
		r->group_fd[1] = s->fd[1];
	}
}

/* Those values that are known to be equal on both sides. */
static bool is_exact(const struct request *r)
{
	return r->attr.type == PERF_TYPE_SOFTWARE && (r->pid == 0 || r->pid == gettid()) && r->cpu == -1 &&
	       (r->attr.config == PERF_COUNT_SW_PAGE_FAULTS ||
		r->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		r->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ || r->attr.config == PERF_COUNT_SW_DUMMY);
}

/* An event that only perf has cannot join a group that has counted (user/doc/perf-programs.md). */
static bool is_split(const struct request *r, const int *fd)
{
	return fd[0] >= 0 && fd[1] == -EINVAL && r->odd && r->group && (r->group->begun || r->group->copied);
}

static void put_slot(struct slot *s, const struct request *r, const int *fd)
{
	bool joins = r->group && !(r->flags & PERF_FLAG_FD_NO_GROUP);

	s->fd[0] = fd[0];
	s->fd[1] = fd[1];
	s->leader = joins ? r->group : s;
	s->format = r->attr.read_format;
	if (!joins) {
		s->exact = true;
		s->begun = false;
		s->copied = false;
		s->apart = false;
		s->nr_hardware = 0;
	}
	s->leader->exact &= is_exact(r);
	/* perf may have taken it over, and then begins at 0. */
	if (joins && r->odd && s->leader->begun)
		s->leader->exact = false;
	s->leader->begun |= !r->attr.disabled;
	s->leader->nr_hardware += r->attr.type != PERF_TYPE_SOFTWARE;
}

static bool is_of_module(int fd)
{
	char path[64], text[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, text, sizeof(text) - 1) > 0 && strstr(text, "pmcgrp");
}

/* What was asked for: the words of the attr that are not 0, by their offsets. */
static void say_request(const struct request *r)
{
	uint64_t word;
	size_t i;

	printf("# pid %d, cpu %d, group %d and %d, flags 0x%lx, attr", r->pid, r->cpu, r->group_fd[0],
	       r->group_fd[1], r->flags);
	for (i = 0; i < sizeof(r->attr); i += sizeof(word)) {
		memcpy(&word, (const char *)&r->attr + i, sizeof(word));
		if (word)
			printf(" %zu: 0x%llx", i, (unsigned long long)word);
	}
	printf("\n");
}

static void open_one(struct slot *s)
{
	/* What attr.size says may be more than there is of it. */
	static union {
		struct perf_event_attr attr;
		char room[2 * 4096];
	} asked[2];
	struct request r = {};
	unsigned long before;
	unsigned int i;
	int fd[2];

	if (s->fd[0] >= 0)
		return;
	take_group(&r);
	take_event(&r);
	take_target(&r);
	/* A member that waits for execve() is perf's. */
	r.odd |= r.group && r.attr.disabled && r.attr.enable_on_exec;
	/* perf takes no copies over, and members as they were opened. */
	if (chance(&rng, 25) && !(r.group && (r.group->copied || r.group->apart)))
		spoil(&r);
	for (i = 0; i < 2; i++) {
		asked[i].attr = r.attr;
		fd[i] = open_quietly(&sides[i], &asked[i].attr, r.pid, r.cpu, r.group_fd[i],
				     r.flags);
	}
	if (is_split(&r, fd)) {
		split++;
		close(fd[0]);
		return;
	}
	compare("attr.size", s, asked[0].attr.size, asked[1].attr.size);
	before = differing;
	compare("open", s, fd[0] < 0 ? fd[0] : 0, fd[1] < 0 ? fd[1] : 0);
	if (differing != before)
		say_request(&r);
	if (fd[0] < 0 || fd[1] < 0) {
		close_them(fd, 2);
		return;
	}
	compare("F_GETFD", s, fcntl(fd[0], F_GETFD), fcntl(fd[1], F_GETFD));
	opened++;
	by_module += is_of_module(fd[1]);
	put_slot(s, &r, fd);
}

/* ---- What is done with it ---- */

static void read_one(struct slot *s)
{
	static const unsigned int sizes[] = { 0, 4, 8, 16, 24, 512, 512, 512 };
	uint64_t buf[2][64] = {}, *a = buf[0], *b = buf[1], nr = 1, i;
	unsigned int size = sizes[below(&rng, COUNT(sizes))];
	long ret[2];

	for (i = 0; i < 2; i++)
		ret[i] = result(read(s->fd[i], buf[i], size));
	compare("read", s, ret[0], ret[1]);
	if (ret[0] <= 0 || ret[0] != ret[1] || !s->leader || !s->leader->exact)
		return;
	if (s->format & PERF_FORMAT_GROUP) {
		nr = *a++;
		compare("number", s, nr, *b++);
	}
	for (i = 0; i < 2 * (s->format & PERF_FORMAT_GROUP ? 1 : 0); i++) {
		if (!(s->format & (i ? PERF_FORMAT_TOTAL_TIME_RUNNING : PERF_FORMAT_TOTAL_TIME_ENABLED)))
			continue;
		compare(i ? "running" : "enabled", s, !!*a++, !!*b++);
	}
	for (i = 0; i < nr && i < SLOTS; i++) {
		compare("value", s, *a++, *b++);
		if (!(s->format & PERF_FORMAT_GROUP))
			break;
		a += !!(s->format & PERF_FORMAT_ID) + !!(s->format & PERF_FORMAT_LOST);
		b += !!(s->format & PERF_FORMAT_ID) + !!(s->format & PERF_FORMAT_LOST);
	}
}

static void control_one(struct slot *s)
{
	static const unsigned long requests[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
						  PERF_EVENT_IOC_RESET };
	unsigned long request = requests[below(&rng, COUNT(requests))], whole = below(&rng, 2);

	if (s->leader) {
		s->leader->begun = true;
		s->leader->apart |= request != PERF_EVENT_IOC_RESET && (whole || s->leader != s);
	}
	compare("ioctl", s, result(ioctl(s->fd[0], request, whole)),
		result(ioctl(s->fd[1], request, whole)));
}

/* Its count page, and what perf has as a ring behind it. */
static void map_one(struct slot *s)
{
	size_t size = sysconf(_SC_PAGESIZE) * (1 + below(&rng, 4));
	int flags = chance(&rng, 90) ? MAP_SHARED : MAP_PRIVATE, errors[2], i;
	bool keep = chance(&rng, 50);
	void *mem;

	for (i = 0; i < 2; i++) {
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, s->fd[i], 0);
		errors[i] = mem == MAP_FAILED ? errno : 0;
		if (!errors[i] && keep && !s->map[i]) {
			s->map[i] = mem;
			s->map_size = size;
		} else if (!errors[i]) {
			munmap(mem, size);
		}
	}
	compare("mmap", s, errors[0], errors[1]);
	/* perf takes over no group with a mapping. */
	if (s->map[0] && s->leader)
		s->leader->copied = true;
}

static void unmap_one(struct slot *s)
{
	int i;

	for (i = 0; i < 2; i++)
		if (s->map[i])
			munmap(s->map[i], s->map_size);
	s->map[0] = NULL;
	s->map[1] = NULL;
}

static void copy_one(struct slot *s)
{
	int fd[2] = { dup(s->fd[0]), dup(s->fd[1]) };

	compare("dup", s, fd[0] < 0, fd[1] < 0);
	close_them(s->fd, 2);
	s->fd[0] = fd[0];
	s->fd[1] = fd[1];
	if (s->leader)
		s->leader->copied = true;
}

static void close_one(struct slot *s)
{
	unsigned int i;

	unmap_one(s);
	compare("close", s, result(close(s->fd[0])), result(close(s->fd[1])));
	for (i = 0; i < SLOTS; i++)
		if (slots[i].leader == s)
			slots[i].leader = NULL;
	s->fd[0] = -1;
	s->fd[1] = -1;
	s->leader = NULL;
}

static void poll_one(struct slot *s)
{
	struct pollfd p[2] = { { .fd = s->fd[0], .events = POLLIN }, { .fd = s->fd[1], .events = POLLIN } };
	uint64_t id[2];

	poll(&p[0], 1, 0);
	poll(&p[1], 1, 0);
	compare("poll", s, p[0].revents, p[1].revents);
	compare("id", s, result(ioctl(s->fd[0], PERF_EVENT_IOC_ID, &id[0])),
		result(ioctl(s->fd[1], PERF_EVENT_IOC_ID, &id[1])));
}

static void touch_some(void)
{
	long size = sysconf(_SC_PAGESIZE);
	unsigned int i;

	madvise(pages, FAULTS * size, MADV_DONTNEED);
	for (i = 0; i < FAULTS; i++)
		*(volatile char *)(pages + i * size) = 1;
}

static void step(void)
{
	struct slot *s = &slots[below(&rng, SLOTS)];
	unsigned int what = below(&rng, 100);

	if (what < 45)
		open_one(s);
	else if (what < 55)
		touch_some();
	else if (s->fd[0] < 0)
		return;
	else if (what < 70)
		read_one(s);
	else if (what < 85)
		control_one(s);
	else if (what < 87)
		copy_one(s);
	else if (what < 89)
		map_one(s);
	else if (what < 90)
		unmap_one(s);
	else if (what < 94)
		poll_one(s);
	else
		close_one(s);
}

static void run_one(void)
{
	unsigned int i;

	for (i = 2 + below(&rng, STEPS_MAX - 1); i; i--)
		step();
	for (i = 0; i < SLOTS; i++)
		if (slots[i].fd[0] >= 0)
			read_one(&slots[i]);
	for (i = 0; i < SLOTS; i++)
		if (slots[i].fd[0] >= 0)
			close_one(&slots[i]);
}

/* No page faults but those of touch_some(), whoever runs in between. */
static void no_faults(void)
{
	volatile char room[65536];
	unsigned int i;

	for (i = 0; i < sizeof(room); i += 512)
		room[i] = 0;
	pages = mmap(NULL, FAULTS * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	munlock(pages, FAULTS * sysconf(_SC_PAGESIZE));
}

static unsigned long nr_sequences(void)
{
	const char *text = getenv("SHIM_SEQUENCES");

	if (text)
		return strtoul(text, NULL, 0);
	return rounds_of(20000, 200);
}

FIXTURE(fuzz)
{
	unsigned int before;	/* descriptors */
};

FIXTURE_SETUP(fuzz)
{
	unsigned int i;

	unsetenv("PMCGRP_PRELOAD_LOG");
	child = waiter();
	a_file = open("/proc/self/exe", O_RDONLY);
	ASSERT_GE(a_file, 0);
	ASSERT_EQ(pipe(a_pipe), 0);
	no_faults();
	for (i = 0; i < SLOTS; i++) {
		slots[i].fd[0] = -1;
		slots[i].fd[1] = -1;
	}
	self->before = descriptors();
}

FIXTURE_TEARDOWN(fuzz)
{
	EXPECT_EQ(descriptors(), self->before);
	end_child(child);
}

TEST_F_TIMEOUT(fuzz, none_differs, 100000)
{
	unsigned long nr = nr_sequences();

	for (sequence = 0; sequence < nr; sequence++)
		run_one();
	printf("# %lu sequences, %lu results: %lu differ; of %lu events pmcgrp had %lu, %lu could not join\n", nr,
	       results, differing, opened, by_module, split);
	EXPECT_EQ(differing, 0);
	EXPECT_GE(by_module * 10, opened * 6);
	EXPECT_LE(split * 20, opened);
}

TEST_HARNESS_MAIN
