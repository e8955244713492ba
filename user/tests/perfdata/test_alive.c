// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What another file begins with: the tasks that the records so far add up to. */
#include "test.h"

#include <string.h>
#include <unistd.h>

#include "perfdata/alive_set.h"
#include "perfdata/tasks.h"

#define TELL_MAX 65536

struct fixture {
	struct perfdata_alive alive;
	struct perfdata_tasks tasks;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	x->alive.known = &x->tasks;
	x->alive.has_ends = true;
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	perfdata_alive_free(&x->alive);
	perfdata_tasks_free(&x->tasks);
	free(x);
	return 0;
}

/* ---- Records ---- */

struct made {
	union {
		struct perf_event_header header;
		uint64_t words[64];
	};
	size_t nr;
};

static uint64_t two(uint32_t a, uint32_t b)
{
	return (uint64_t)b << 32 | a;
}

static void begin(struct made *m, uint32_t type, uint16_t misc)
{
	memset(m, 0, sizeof(*m));
	m->header = (struct perf_event_header){ .type = type, .misc = misc };
	m->nr = 1;
}

static void end(struct fixture *x, struct made *m, uint64_t time)
{
	const uint64_t id[] = { 0, time, 0, 1 };

	memcpy(m->words + m->nr, id, sizeof(id));
	m->header.size = (uint16_t)(8 * (m->nr + 4));
	assert_int_equal(perfdata_alive_note(&x->alive, &m->header), 0);
}

static void comm(struct fixture *x, uint64_t time, uint32_t pid, uint32_t tid, const char *name,
		 bool exec)
{
	struct made m;

	begin(&m, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	m.words[m.nr++] = two(pid, tid);
	strncpy((char *)(m.words + m.nr), name, 15);
	m.nr += 2;
	end(x, &m, time);
}

static void map(struct fixture *x, uint64_t time, uint32_t pid, uint64_t start, uint64_t len)
{
	struct made m;

	begin(&m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	m.words[m.nr++] = two(pid, pid);
	m.words[m.nr++] = start;
	m.words[m.nr++] = len;
	m.nr += 5;
	strcpy((char *)(m.words + m.nr++), "/lib/x");
	end(x, &m, time);
}

/* With one namespace in place of seven. */
static void namespaces(struct fixture *x, uint64_t time, uint32_t pid, uint32_t tid, uint64_t ino)
{
	struct made m;

	begin(&m, PERF_RECORD_NAMESPACES, 0);
	m.words[m.nr++] = two(pid, tid);
	m.words[m.nr++] = 1;
	m.words[m.nr++] = 4;
	m.words[m.nr++] = ino;
	end(x, &m, time);
}

static void task(struct fixture *x, uint64_t time, uint32_t type, uint32_t pid, uint32_t ppid,
		 uint32_t tid, uint32_t ptid)
{
	struct made m;

	begin(&m, type, 0);
	m.words[m.nr++] = two(pid, ppid);
	m.words[m.nr++] = two(tid, ptid);
	m.words[m.nr++] = time;
	end(x, &m, time);
}

#define FORK(time, pid, ppid) task(x, time, PERF_RECORD_FORK, pid, ppid, pid, ppid)
#define THREAD(time, pid, tid) task(x, time, PERF_RECORD_FORK, pid, pid, tid, pid)
#define EXIT(time, pid, tid) task(x, time, PERF_RECORD_EXIT, pid, 1, tid, 1)

/* What a file would begin with, a word for each record. */
static const char *told(struct fixture *x)
{
	static char text[TELL_MAX];
	char *bytes = NULL, *at = text;
	size_t len = 0, i;
	FILE *out = open_memstream(&bytes, &len);

	assert_non_null(out);
	perfdata_alive_tell(&x->alive, out, 7);
	assert_int_equal(fclose(out), 0);
	*at = '\0';
	for (i = 0; i < len;) {
		struct perf_event_header h;
		uint64_t w[64];

		memcpy(&h, bytes + i, sizeof(h));
		assert_true(h.size >= 48 && h.size <= len - i && h.size <= sizeof(w) && h.size % 8 == 0);
		memcpy(w, bytes + i, h.size);
		/* Before all samples, with the id that was said. */
		assert_true(w[h.size / 8 - 1] == 7 && !w[h.size / 8 - 3]);
		assert_true(w[h.size / 8 - 4] == w[1]);
		if (h.type == PERF_RECORD_COMM)
			at += sprintf(at, "%u/%u=%s ", (uint32_t)w[1], (uint32_t)(w[1] >> 32),
				      (char *)&w[2]);
		else if (h.type == PERF_RECORD_NAMESPACES)
			at += sprintf(at, "%u/%u@%llu ", (uint32_t)w[1], (uint32_t)(w[1] >> 32),
				      (long long)w[4]);
		else
			at += sprintf(at, "%u:%llx+%llx%s ", (uint32_t)w[1], (long long)w[2],
				      (long long)w[3], (char *)&w[9]);
		i += h.size;
	}
	free(bytes);
	return text;
}

static void round_ends(struct fixture *x)
{
	assert_int_equal(perfdata_alive_settle(&x->alive), 0);
}

/* ---- Tests ---- */

static void what_lives(void **state)
{
	struct fixture *x = *state;

	assert_string_equal(told(x), "");
	comm(x, 1, 10, 10, "sh", true);
	map(x, 2, 10, 0x1000, 0x100);
	map(x, 3, 10, 0x5000, 0x200);
	THREAD(4, 10, 11);
	round_ends(x);
	assert_string_equal(told(x), "10/10=sh 10/11=sh 10:1000+100/lib/x 10:5000+200/lib/x ");
	/* Once more the same. */
	assert_string_equal(told(x), "10/10=sh 10/11=sh 10:1000+100/lib/x 10:5000+200/lib/x ");
	/* A new program has none of the old one's maps; a map none of those below it. */
	comm(x, 5, 10, 10, "cat", true);
	map(x, 6, 10, 0x2000, 0x100);
	map(x, 7, 10, 0x2080, 0x100);
	map(x, 8, 10, 0x2000, 0x180);
	comm(x, 9, 10, 11, "worker", false);
	round_ends(x);
	assert_string_equal(told(x), "10/10=cat 10/11=worker 10:2000+180/lib/x ");
}

/* The latest of each thread; a thread that ends takes its own along. */
static void of_namespaces(void **state)
{
	struct fixture *x = *state;
	struct made m;

	comm(x, 1, 10, 10, "sh", true);
	namespaces(x, 2, 10, 10, 5);
	THREAD(3, 10, 11);
	namespaces(x, 4, 10, 11, 5);
	round_ends(x);
	assert_string_equal(told(x), "10/10=sh 10/10@5 10/11=sh 10/11@5 ");
	/* setns(2), and a new program in the same. */
	namespaces(x, 5, 10, 10, 6);
	comm(x, 6, 10, 10, "cat", true);
	round_ends(x);
	assert_string_equal(told(x), "10/10=cat 10/10@6 10/11=sh 10/11@5 ");
	EXIT(7, 10, 10);
	round_ends(x);
	round_ends(x);
	round_ends(x);
	assert_string_equal(told(x), "10/11=sh 10/11@5 ");
	/* One that is cut short says nothing. */
	begin(&m, PERF_RECORD_NAMESPACES, 0);
	m.words[m.nr++] = two(12, 12);
	end(x, &m, 8);
	round_ends(x);
	assert_string_equal(told(x), "10/11=sh 10/11@5 ");
}

static void forks(void **state)
{
	struct fixture *x = *state;

	comm(x, 1, 10, 10, "sh", true);
	map(x, 2, 10, 0x1000, 0x100);
	FORK(3, 20, 10);
	round_ends(x);
	assert_string_equal(told(x), "10/10=sh 10:1000+100/lib/x 20/20=sh 20:1000+100/lib/x ");
	/* In the order of time, whichever ring is read first. */
	comm(x, 6, 30, 30, "ls", true);
	map(x, 7, 30, 0x3000, 0x100);
	EXIT(8, 20, 20);
	FORK(5, 30, 10);
	round_ends(x);
	assert_string_equal(told(x), "10/10=sh 10:1000+100/lib/x 20/20=sh 20:1000+100/lib/x "
				     "30/30=ls 30:3000+100/lib/x ");
	/* Also where the fork is read a round later. */
	comm(x, 16, 40, 40, "wc", true);
	round_ends(x);
	FORK(15, 40, 10);
	round_ends(x);
	assert_non_null(strstr(told(x), " 40/40=wc "));
	/* A number again: 20 ended long ago. */
	FORK(20, 20, 30);
	round_ends(x);
	assert_non_null(strstr(told(x), " 20/20=ls 20:3000+100/lib/x "));
}

static void ends(void **state)
{
	struct fixture *x = *state;

	perfdata_tasks_learn(&x->tasks, 11);
	comm(x, 1, 10, 10, "sh", true);
	THREAD(2, 10, 11);
	EXIT(3, 10, 11);
	round_ends(x);
	/* Its last samples may still be in the rings. */
	assert_string_equal(told(x), "10/10=sh 10/11=sh ");
	assert_true(perfdata_tasks_know(&x->tasks, &(struct pmcgrp_record){
			.has = PERF_SAMPLE_TID, .pid = 10, .tid = 11 }));
	round_ends(x);
	assert_string_equal(told(x), "10/10=sh 10/11=sh ");
	round_ends(x);
	assert_string_equal(told(x), "10/10=sh ");
	/* Another one with its number has to be told of anew. */
	assert_false(perfdata_tasks_know(&x->tasks, &(struct pmcgrp_record){
			.has = PERF_SAMPLE_TID, .pid = 10, .tid = 11 }));
	EXIT(9, 10, 10);
	EXIT(9, 77, 77);
	round_ends(x);
	round_ends(x);
	round_ends(x);
	assert_string_equal(told(x), "");
}

/* However many come and go, no more than some of them are remembered. */
static void bounded(void **state)
{
	struct fixture *x = *state;
	const char *at;
	uint32_t i, nr = 0;

	x->alive.keep_ended = true;
	for (i = 1; i <= 3 * PERFDATA_ALIVE_ENDED; i++) {
		comm(x, 2 * i, 100000 + i, 100000 + i, "x", true);
		EXIT(2 * i + 1, 100000 + i, 100000 + i);
		round_ends(x);
	}
	for (i = 0; i < PERFDATA_ALIVE_BUCKETS; i++)
		nr += !!x->alive.processes[i];
	assert_int_equal(nr, PERFDATA_ALIVE_BUCKETS);
	assert_int_equal(x->alive.nr_ended, PERFDATA_ALIVE_ENDED);
	for (nr = 0, at = told(x); (at = strchr(at, ' ')); at++)
		nr++;
	assert_int_equal(nr, PERFDATA_ALIVE_ENDED);
	assert_null(strstr(told(x), "102048/"));
	assert_non_null(strstr(told(x), "102049/"));
}

/* Where the kernel does not tell of ends: one that is not in /proc is told of for the last time. */
static void without_ends(void **state)
{
	struct fixture *x = *state;
	char name[64];

	x->alive.has_ends = false;
	comm(x, 1, 2000000001, 2000000001, "gone", false);
	comm(x, 2, (uint32_t)getpid(), (uint32_t)getpid(), "here", false);
	round_ends(x);
	assert_non_null(strstr(told(x), "=gone "));
	round_ends(x);
	round_ends(x);
	told(x);
	snprintf(name, sizeof(name), "%d/%d=here ", getpid(), getpid());
	assert_string_equal(told(x), name);
}

/* What is too short for its kind, or of another, is nothing. */
static void other_records(void **state)
{
	struct fixture *x = *state;
	struct made m;
	uint32_t type;

	for (type = 1; type < 20; type++) {
		begin(&m, type, 0);
		m.nr = type == PERF_RECORD_COMM ? 1 : 2;
		end(x, &m, 1);
	}
	round_ends(x);
	assert_string_equal(told(x), "");
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(what_lives),
		with_fixture(of_namespaces),
		with_fixture(forks),
		with_fixture(ends),
		with_fixture(bounded),
		with_fixture(without_ends),
		with_fixture(other_records),
	};

	return cmocka_run_group_tests_name("perfdata_alive", tests, NULL, NULL);
}
