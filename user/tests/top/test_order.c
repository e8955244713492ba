// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Records of several rings in the order of their time, and who has ended. */
#include "test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_ring.h"
#include "top/order.h"
#include "top/proc.h"

struct taken {
	uint64_t word[64];
	size_t nr;
	int ret;			/* for the caller, from fail_at on */
	size_t fail_at;
};

static int take(void *arg, const struct perf_event_header *header)
{
	struct taken *taken = arg;

	assert_true(taken->nr < ARRAY_SIZE(taken->word));
	memcpy(&taken->word[taken->nr++], header + 1, sizeof(uint64_t));
	return taken->ret && taken->nr > taken->fail_at ? taken->ret : 0;
}

static void put(struct top_order *order, uint64_t word, uint64_t time)
{
	struct fake_record r;

	fake_begin(&r, PERF_RECORD_FORK, 0);
	fake_add(&r, word);
	fake_add(&r, time);
	assert_int_equal(top_order_put(order, &r.header), 0);
}

/* A ring of a CPU after that of another: the second one's first record is the oldest. */
static void by_time(void **state)
{
	struct top_order order = { 0 };
	struct taken taken = { .nr = 0 };

	(void)state;
	put(&order, 2, 20);
	put(&order, 4, 40);
	put(&order, 1, 10);
	put(&order, 3, 20);
	put(&order, 5, 50);
	assert_int_equal(top_order_flush(&order, 40, take, &taken), 0);
	assert_int_equal(taken.nr, 3);
	/* What was not old enough comes before what is put now. */
	put(&order, 6, 50);
	assert_int_equal(top_order_flush(&order, UINT64_MAX, take, &taken), 0);
	assert_int_equal(taken.nr, 6);
	for (size_t i = 0; i < taken.nr; i++)
		assert_int_equal(taken.word[i], i + 1);
	assert_int_equal(top_order_flush(&order, UINT64_MAX, take, &taken), 0);
	assert_int_equal(taken.nr, 6);
	top_order_free(&order);
}

static void many(void **state)
{
	struct top_order order = { 0 };
	struct taken taken = { .nr = 0 };
	uint64_t i;

	(void)state;
	/* 7919 is a prime: each time once. */
	for (i = 0; i < 10000; i++)
		put(&order, i * 7919 % 10000, i * 7919 % 10000);
	for (i = 0; i < 10000; i += 50) {
		taken.nr = 0;
		assert_int_equal(top_order_flush(&order, i + 50, take, &taken), 0);
		assert_int_equal(taken.nr, 50);
		assert_int_equal(taken.word[0], i);
		assert_int_equal(taken.word[49], i + 49);
	}
	assert_int_equal(order.nr, 0);
	put(&order, 1, 1);
	top_order_free(&order);
}

static void refused(void **state)
{
	struct taken taken = { .ret = -ENOMEM, .fail_at = 1 };
	struct top_order order = { 0 };
	struct fake_record r;

	(void)state;
	/* Without a time. */
	fake_begin(&r, PERF_RECORD_FORK, 0);
	assert_int_equal(top_order_put(&order, &r.header), 0);
	assert_int_equal(order.nr, 0);
	put(&order, 1, 1);
	put(&order, 2, 2);
	put(&order, 3, 3);
	put(&order, 9, 9);
	assert_int_equal(top_order_flush(&order, 5, take, &taken), -ENOMEM);
	assert_int_equal(taken.nr, 2);
	/* What was not its turn is still there. */
	taken = (struct taken){ .nr = 0 };
	assert_int_equal(top_order_flush(&order, 10, take, &taken), 0);
	assert_int_equal(taken.nr, 1);
	assert_int_equal(taken.word[0], 9);
	top_order_free(&order);
}

/* A zombie is no member of its cgroup any more, and still has a file. */
static void ended(void **state)
{
	static const struct {
		const char *stat;
		bool ended;
	} rows[] = {
		{ "7 (a) R 1", false }, { "7 (a) S 1", false }, { "7 (a) Z 1", true },
		{ "7 (a) X 1", true }, { "7 (Z) Z) R 1", false }, { "7 (R) R 1) Z 1", true },
		{ "", true }, { "7 (a)", true }, { "7 (a) ", true },
	};
	char proc[] = "/tmp/test_order.XXXXXX", path[64], line[64];
	size_t i;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(proc));
	snprintf(path, sizeof(path), "%s/7", proc);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/7/stat", proc);
	assert_true(proc_ended(proc, 7));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fputs(rows[i].stat, file);
		fclose(file);
		assert_row(i, proc_ended(proc, 7) == rows[i].ended);
	}
	snprintf(line, sizeof(line), "rm -r %s", proc);
	assert_int_equal(system(line), 0);

	assert_false(proc_ended(PROC_FOLDER, getpid()));
	pid = fork();
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	assert_true(proc_ended(PROC_FOLDER, pid));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(proc_ended(PROC_FOLDER, pid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time),
		cmocka_unit_test(many),
		cmocka_unit_test(refused),
		cmocka_unit_test(ended),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
