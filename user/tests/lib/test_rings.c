// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Several rings in the order of time; rings of perf_event_open(2). */
#include "test.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fake_ring.h"
#include "internal.h"

#define SIZE 4096
#define RINGS 3

static const struct pmcgrp_record_format with_time = {
	.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
	.sample_id_all = true,
};

struct fixture {
	struct fake_ring fakes[RINGS];
	struct pmcgrp_rings *rings;
};

static void begin(struct fixture *x, unsigned int nr, unsigned int flags)
{
	struct pmcgrp_ring *ring;
	unsigned int i;

	assert_int_equal(pmcgrp_rings_new(&x->rings, &with_time), 0);
	for (i = 0; i < RINGS; i++) {
		fake_ring_init(&x->fakes[i], SIZE);
		if (i >= nr)
			continue;
		assert_int_equal(pmcgrp_ring_open(&ring, x->fakes[i].page, x->fakes[i].len, flags),
				 0);
		assert_int_equal(pmcgrp_rings_add(x->rings, ring, 10 * (int)i), i);
	}
	assert_int_equal(pmcgrp_rings_nr(x->rings), nr);
}

static void end(struct fixture *x)
{
	unsigned int i;

	pmcgrp_rings_free(x->rings);
	for (i = 0; i < RINGS; i++)
		fake_ring_free(&x->fakes[i]);
}

/* A sample at a time, with the time as its count as well. */
static struct fake_record *sample(uint64_t time)
{
	static struct fake_record r;

	fake_begin(&r, PERF_RECORD_SAMPLE, 0);
	fake_add(&r, time);
	fake_add(&r, time);
	return &r;
}

static bool put(struct fixture *x, unsigned int i, uint64_t time)
{
	struct fake_record *r = sample(time);

	return fake_ring_write(&x->fakes[i], r->bytes, r->len);
}

static void put_lost(struct fixture *x, unsigned int i, uint64_t time, uint64_t lost)
{
	static struct fake_record r;

	fake_begin(&r, PERF_RECORD_LOST, 0);
	fake_add(&r, 0);
	fake_add(&r, lost);
	fake_add(&r, time);
	assert_true(fake_ring_write(&x->fakes[i], r.bytes, r.len));
}

static void next_is(struct fixture *x, uint64_t time, unsigned int ring)
{
	struct pmcgrp_record record;

	assert_int_equal(pmcgrp_rings_next(x->rings, &record), 1);
	assert_int_equal(record.time, time);
	assert_int_equal(record.ring, ring);
	assert_int_equal(record.cpu, 10 * ring);
}

static void nothing(struct fixture *x)
{
	struct pmcgrp_record record;

	assert_int_equal(pmcgrp_rings_next(x->rings, &record), 0);
}

/* What the round before has seen; of what is newer nothing, until nothing more comes. */
static void rounds(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, 3, 0);
	put(&x, 0, 100);
	put(&x, 1, 90);
	put(&x, 1, 110);
	nothing(&x);			/* 110 is the newest that was seen */
	put(&x, 2, 95);			/* was on its way */
	put(&x, 2, 120);
	next_is(&x, 90, 1);
	next_is(&x, 95, 2);
	next_is(&x, 100, 0);
	put(&x, 0, 101);		/* not of this round */
	next_is(&x, 110, 1);
	nothing(&x);
	pmcgrp_rings_consume(x.rings);
	assert_int_equal(x.fakes[2].page->data_tail, 24);
	next_is(&x, 101, 0);
	next_is(&x, 120, 2);
	nothing(&x);
	put(&x, 0, 200);
	put(&x, 1, 150);
	pmcgrp_rings_flush(x.rings);
	next_is(&x, 150, 1);
	next_is(&x, 200, 0);
	nothing(&x);
	pmcgrp_rings_consume(x.rings);
	assert_int_equal(x.fakes[0].page->data_tail, x.fakes[0].page->data_head);
	end(&x);
}

/* Many records in many rounds: each once, in order over all, deltas by ring. */
static void merged(void **state)
{
	uint64_t clock = 1, last = 0, written = 0, read = 0;
	const struct pmcgrp_delta *delta;
	struct pmcgrp_record record;
	struct fixture x;
	unsigned int round, i;

	(void)state;
	srand(1);
	begin(&x, 3, 0);
	for (round = 0; round < 2000; round++) {
		for (i = rand() % 100; i > 0; i--)
			written += put(&x, rand() % RINGS, clock += 1 + rand() % 3);
		if (round == 1999)
			pmcgrp_rings_flush(x.rings);
		while (pmcgrp_rings_next(x.rings, &record) > 0) {
			assert_true(record.time > last);
			assert_int_equal(pmcgrp_view_value(&record.read, 0), record.time);
			delta = pmcgrp_rings_delta(x.rings, record.ring);
			assert_true(delta->value[0] == (delta->valid ? delta->time : 0));
			last = record.time;
			read++;
		}
		pmcgrp_rings_consume(x.rings);
	}
	assert_int_equal(read, written);
	assert_true(read > 10000);
	end(&x);
}

static void lost_in_order(void **state)
{
	struct pmcgrp_record record;
	struct fixture x;

	(void)state;
	begin(&x, 2, 0);
	put(&x, 0, 10);
	put_lost(&x, 0, 20, 7);
	put(&x, 1, 15);
	put(&x, 0, 30);
	pmcgrp_rings_flush(x.rings);
	next_is(&x, 10, 0);
	next_is(&x, 15, 1);
	assert_int_equal(pmcgrp_rings_next(x.rings, &record), 1);
	assert_int_equal(record.type, PERF_RECORD_LOST);
	assert_int_equal(record.lost, 7);
	next_is(&x, 30, 0);
	assert_int_equal(pmcgrp_rings_delta(x.rings, 0)->lost, 7);
	assert_int_equal(pmcgrp_rings_delta(x.rings, 1)->lost, 0);
	assert_null(pmcgrp_rings_delta(x.rings, 2));
	end(&x);
}

/* Nothing is held back of a ring that is alone. */
static void one_ring(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, 1, 0);
	nothing(&x);
	put(&x, 0, 5);
	next_is(&x, 5, 0);
	put(&x, 0, 6);
	nothing(&x);
	next_is(&x, 6, 0);
	end(&x);
}

static void backward(void **state)
{
	struct fixture x;
	uint64_t time;

	(void)state;
	begin(&x, 3, PMCGRP_MAP_BACKWARD);
	for (time = 1; time <= 3000; time++)
		fake_ring_write_backward(&x.fakes[time % 3], sample(time)->bytes, 24);
	/* 170 of 24 bytes are whole in each. */
	for (time = 3000 - 3 * 170 + 1; time <= 3000; time++)
		next_is(&x, time, time % 3);
	nothing(&x);
	nothing(&x);
	pmcgrp_rings_consume(x.rings);
	nothing(&x);
	end(&x);
}

static void broken(void **state)
{
	struct pmcgrp_record record;
	struct fixture x;

	(void)state;
	begin(&x, 2, 0);
	put(&x, 0, 1);
	put(&x, 0, 2);
	put(&x, 1, 3);
	((struct perf_event_header *)(x.fakes[0].data + 24))->size = 3;
	pmcgrp_rings_flush(x.rings);
	next_is(&x, 1, 0);
	assert_int_equal(pmcgrp_rings_next(x.rings, &record), -EBADMSG);
	assert_int_equal(pmcgrp_rings_next(x.rings, &record), -EBADMSG);
	pmcgrp_rings_consume(x.rings);
	put(&x, 0, 4);
	next_is(&x, 3, 1);
	next_is(&x, 4, 0);
	/* A size that can be, of a record that cannot. */
	put(&x, 0, 5);
	((struct perf_event_header *)(x.fakes[0].data + 72))->size = 16;
	x.fakes[0].page->data_head -= 8;
	nothing(&x);
	assert_int_equal(pmcgrp_rings_next(x.rings, &record), -EBADMSG);
	end(&x);
}

static void bad_arguments(void **state)
{
	const struct pmcgrp_record_format no_time = { .sample_type = PERF_SAMPLE_TID };
	struct pmcgrp_record record;
	struct pmcgrp_rings *rings;
	struct pmcgrp_ring *ring;
	struct fake_ring fake;
	struct fixture x;

	(void)state;
	assert_int_equal(pmcgrp_rings_new(NULL, &no_time), -EINVAL);
	assert_int_equal(pmcgrp_rings_new(&rings, NULL), -EINVAL);
	assert_int_equal(pmcgrp_rings_map(&rings, NULL, 1), -EINVAL);
	assert_int_equal(pmcgrp_rings_new(&rings, &no_time), 0);
	assert_int_equal(pmcgrp_rings_next(rings, &record), -EINVAL);
	assert_int_equal(pmcgrp_rings_wait(rings, 0), -EINVAL);
	assert_int_equal(pmcgrp_rings_update(rings), -EINVAL);
	assert_int_equal(pmcgrp_rings_add(rings, NULL, 0), -EINVAL);
	assert_null(pmcgrp_rings_ring(rings, 0));
	assert_int_equal(pmcgrp_rings_cpu(rings, 0), -1);
	fake_ring_init(&fake, SIZE);
	assert_int_equal(pmcgrp_ring_open(&ring, fake.page, fake.len, 0), 0);
	assert_int_equal(pmcgrp_rings_add(rings, ring, 0), 0);
	assert_ptr_equal(pmcgrp_rings_ring(rings, 0), ring);
	assert_int_equal(pmcgrp_rings_next(rings, &record), 0);
	assert_int_equal(pmcgrp_ring_open(&ring, fake.page, fake.len, 0), 0);
	assert_int_equal(pmcgrp_rings_add(rings, ring, 1), 1);
	assert_int_equal(pmcgrp_rings_next(rings, &record), -EINVAL);
	pmcgrp_rings_free(rings);
	pmcgrp_rings_free(NULL);
	fake_ring_free(&fake);
	begin(&x, 1, 0);
	assert_int_equal(pmcgrp_rings_next(x.rings, NULL), -EINVAL);
	end(&x);
}

/* ---- Rings of perf's ---- */

#define FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
		PERF_FORMAT_TOTAL_TIME_RUNNING)
#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	      PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)

/* As many of 104 bytes as a page has room for. */
#define PAGE_RECORDS 39

static const struct pmcgrp_record_format of_perf = {
	.sample_type = TYPE,
	.read_format = FORMAT,
	.sample_id_all = true,
};

/* A group of two that samples every 100 us of its own time. Skips where that is not allowed. */
static int sampling(bool is_backward, int *faults)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 100000,
		.sample_type = TYPE,
		.read_format = FORMAT,
		.sample_id_all = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.write_backward = is_backward,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		print_message("# skipped: perf_event_open: %s\n", strerror(errno));
		skip();
	}
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 0;
	attr.disabled = 0;
	*faults = (int)syscall(SYS_perf_event_open, &attr, 0, -1, fd, PERF_FLAG_FD_CLOEXEC);
	assert_true(*faults >= 0);
	return fd;
}

/* In user mode, for so long of this thread's time. */
static void work(long ms)
{
	struct timespec ts, now;
	volatile int i;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	do {
		for (i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - ts.tv_sec) * 1000 + (now.tv_nsec - ts.tv_nsec) / 1000000 < ms);
}

/* Reads what there is, and returns how many samples; each is sound by itself. */
static unsigned int read_all(struct pmcgrp_rings *rings, uint64_t *lost)
{
	const struct pmcgrp_delta *delta = pmcgrp_rings_delta(rings, 0);
	struct pmcgrp_record record;
	unsigned int nr = 0;
	int ret;

	while ((ret = pmcgrp_rings_next(rings, &record)) > 0) {
		*lost += record.lost;
		if (!pmcgrp_record_is_sample(&record))
			continue;
		nr++;
		assert_int_equal(record.pid, getpid());
		assert_int_equal(pmcgrp_view_nr(&record.read), 2);
		assert_int_equal(pmcgrp_view_id(&record.read, 0), record.id);
		assert_int_equal(record.body_size, 0);
		if (delta->valid)
			assert_true(delta->time > 0 && delta->value[0] > 0);
	}
	assert_int_equal(ret, 0);
	return nr;
}

static void ring_of_perf(void **state)
{
	struct pmcgrp_rings *rings;
	struct pmcgrp_ring *ring;
	unsigned int nr = 0, i;
	uint64_t lost = 0;
	int fd, faults;

	(void)state;
	fd = sampling(false, &faults);
	assert_int_equal(pmcgrp_ring_map(&ring, fd, 0, 1, 0), 0);
	assert_int_equal(pmcgrp_rings_new(&rings, &of_perf), 0);
	assert_int_equal(pmcgrp_rings_add(rings, ring, -1), 0);
	assert_int_equal(pmcgrp_ring_fd(ring), fd);
	assert_int_equal(pmcgrp_rings_wait(rings, 0), 0);
	/* Many rounds of the ring. */
	for (i = 0; i < 20; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work(2);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		nr += read_all(rings, &lost);
		pmcgrp_rings_consume(rings);
	}
	print_message("# %u samples, %llu lost\n", nr, (unsigned long long)lost);
	assert_true(nr > 100);
	/* And one that is full: what is lost is said with the first that fits again. */
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(10);
	assert_true(pmcgrp_rings_wait(rings, 1000) & POLLIN);
	nr = read_all(rings, &lost);
	assert_true(nr > 20 && nr <= PAGE_RECORDS);
	pmcgrp_rings_consume(rings);
	lost = 0;
	work(2);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read_all(rings, &lost);
	assert_true(lost > 0);
	pmcgrp_rings_free(rings);
	close(faults);
	close(fd);
}

static void backward_ring_of_perf(void **state)
{
	struct pmcgrp_rings *rings;
	struct pmcgrp_ring *ring;
	uint64_t lost = 0;
	unsigned int nr;
	int fd, faults;

	(void)state;
	fd = sampling(true, &faults);
	assert_int_equal(pmcgrp_ring_map(&ring, fd, 0, 1, PMCGRP_MAP_BACKWARD), 0);
	assert_int_equal(pmcgrp_rings_new(&rings, &of_perf), 0);
	pmcgrp_rings_add(rings, ring, -1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(20);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	nr = read_all(rings, &lost);
	print_message("# %u samples in a page\n", nr);
	assert_true(nr > 25 && nr <= PAGE_RECORDS);
	pmcgrp_rings_consume(rings);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
	work(1);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	/* The new ones alone. */
	nr = read_all(rings, &lost);
	assert_true(nr > 0 && nr < PAGE_RECORDS);
	pmcgrp_rings_free(rings);
	close(faults);
	close(fd);
}

/* A clock of every CPU, merged while they write: none that is given is older than the last. */
static void rings_of_cpus(void **state)
{
	const struct pmcgrp_record_format format = { .sample_type = PERF_SAMPLE_TIME |
								    PERF_SAMPLE_CPU };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
		.sample_type = format.sample_type,
	};
	int fds[64], cpu, nr = 0, round;
	struct pmcgrp_record record;
	struct pmcgrp_rings *rings;
	struct pmcgrp_ring *ring;
	struct pmcgrp_cpus cpus;
	uint64_t last = 0, seen = 0;

	(void)state;
	assert_int_equal(pmcgrp_cpus_online(&cpus), 0);
	assert_int_equal(pmcgrp_rings_new(&rings, &format), 0);
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0 && nr < 64;
	     cpu = pmcgrp_cpus_next(&cpus, cpu + 1)) {
		fds[nr] = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
				       PERF_FLAG_FD_CLOEXEC);
		if (fds[nr] < 0) {
			print_message("# skipped: perf_event_open: %s\n", strerror(errno));
			skip();
		}
		assert_int_equal(pmcgrp_ring_map(&ring, fds[nr++], 0, 16, 0), 0);
		pmcgrp_rings_add(rings, ring, cpu);
	}
	for (round = 0; round < 20; round++) {
		assert_true(pmcgrp_rings_wait(rings, 10) >= 0);
		if (round == 19)
			pmcgrp_rings_flush(rings);
		while (pmcgrp_rings_next(rings, &record) > 0) {
			assert_true(record.type != PERF_RECORD_SAMPLE || record.time >= last);
			if (record.type == PERF_RECORD_SAMPLE)
				last = record.time;
			seen++;
		}
		pmcgrp_rings_consume(rings);
	}
	print_message("# %llu records of %d CPUs\n", (unsigned long long)seen, nr);
	assert_true(seen > 0);
	pmcgrp_rings_free(rings);
	while (nr > 0)
		close(fds[--nr]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds),
		cmocka_unit_test(merged),
		cmocka_unit_test(lost_in_order),
		cmocka_unit_test(one_ring),
		cmocka_unit_test(backward),
		cmocka_unit_test(broken),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(ring_of_perf),
		cmocka_unit_test(backward_ring_of_perf),
		cmocka_unit_test(rings_of_cpus),
	};

	return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
