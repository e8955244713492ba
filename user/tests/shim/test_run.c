// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * pmcgrp run, and the library that it loads: this program runs itself by it, and makes system calls there.
 * Whether there is a module, and perf events, is all the same to it.
 */
#include "test.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tool.h"

static char self[4096];

#define CHECK(condition)                                              \
	do {                                                          \
		if (!(condition)) {                                   \
			printf("line %d: %s\n", __LINE__, #condition); \
			exit(1);                                      \
		}                                                     \
	} while (0)

/* All arguments arrive, and so do results and errnos. */
static void other_calls(void)
{
	char name[16] = "", text[8] = "";
	int ends[2];
	void *mem;

	errno = 77;
	CHECK(syscall(SYS_getpid) == getpid() && errno == 77);
	CHECK(syscall(9999) == -1 && errno == ENOSYS);
	CHECK(syscall(SYS_close, -1) == -1 && errno == EBADF);
	mem = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	CHECK(mem != MAP_FAILED);
	CHECK((void *)syscall(SYS_mremap, mem, 4096, 8192, MREMAP_MAYMOVE, 0) != MAP_FAILED);
	CHECK(!pipe(ends) && syscall(SYS_write, ends[1], "abc", 3) == 3 &&
	      syscall(SYS_pread64, ends[0], text, 3, 0) == -1 && errno == ESPIPE &&
	      syscall(SYS_read, ends[0], text, 8) == 3 && !strcmp(text, "abc"));
	CHECK(!prctl(PR_SET_NAME, "a name") && !prctl(PR_GET_NAME, name) && !strcmp(name, "a name"));
	CHECK(prctl(-5, 1, 2, 3, 4) == -1 && errno == EINVAL);
	CHECK(!prctl(PR_TASK_PERF_EVENTS_DISABLE) && !prctl(PR_TASK_PERF_EVENTS_ENABLE));
}

static long open_event(struct perf_event_attr *attr)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void *in_thread(void *arg)
{
	pid_t pid = fork();

	/* A child of one thread of many: it has the descriptors, and no lock is left taken. */
	if (!pid)
		_exit(syscall(SYS_getpid) != getpid());
	waitpid(pid, arg, 0);
	return NULL;
}

static int child(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_kernel = 1,
					.exclude_hv = 1 };
	pthread_t thread;
	int status = -1;
	long fd;

	other_calls();
	fd = open_event(&attr);
	printf("%s\n", fd >= 0 ? "open" : strerror(errno));
	attr.size = 3;
	CHECK(open_event(&attr) == -1 && (errno == E2BIG || errno == EACCES || errno == ENOSYS));
	CHECK(!pthread_create(&thread, NULL, in_thread, &status) && !pthread_join(thread, NULL));
	CHECK(!status);
	return 0;
}

static const char *in_shell(const char *line)
{
	static char text[8192];

	setenv("SELF", self, 1);
	snprintf(text, sizeof(text), "%s", line);
	return text;
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		nr++;
	}
	return nr;
}

static void test_program(void **state)
{
	struct result r = run(in_shell("cd /tmp && f=$(mktemp) && \"$T\" run -v --log \"$f\" -- \"$SELF\" child; "
				       "s=$?; cat \"$f\"; rm \"$f\"; exit $s"));

	(void)state;
	assert_int_equal(r.status, 0);
	/* One that is open, or refused, and one that is refused. */
	assert_int_equal(count(r.out, "{\"process\":"), 2);
	assert_true(count(r.out, "\"by\":\"none\"") >= 1);
	if (!strncmp(r.out, "open", 4))
		assert_int_equal(count(r.err, "pmcgrp: descriptor "), 1);
	/* Who counts is said once where it is not the module. */
	assert_int_equal(count(r.err, "perf_event_open(2) counts its events"),
			 access("/dev/pmcgrp", R_OK | W_OK) ? 1 : 0);
}

static void test_strict(void **state)
{
	struct result r = run(in_shell("\"$T\" run --strict -- \"$SELF\" child"));

	(void)state;
	assert_int_equal(r.status, 0);
	if (access("/dev/pmcgrp", R_OK | W_OK))
		assert_int_equal(strncmp(r.out, "open", 4) ? 0 : 1, 0);
}

static void test_environment(void **state)
{
	struct result r = run(in_shell("LD_PRELOAD=/lib/other.so \"$T\" run -- env 2>/dev/null"));

	(void)state;
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "/libpmcgrp-preload.so:/lib/other.so\n"));
	assert_null(strstr(r.out, "PMCGRP_PRELOAD"));
}

static void test_wrong(void **state)
{
	struct result r = run("\"$T\" run");

	(void)state;
	assert_int_equal(r.status, 125);
	assert_non_null(strstr(r.err, "which command?"));
	r = run("\"$T\" run -- /nonexistent/command");
	assert_int_equal(r.status, 127);
	assert_non_null(strstr(r.err, "/nonexistent/command"));
	r = run("\"$T\" run -- /tmp");
	assert_int_equal(r.status, 126);
	r = run("\"$T\" run --log /nonexistent/log -- true");
	assert_int_equal(r.status, 125);
	r = run("\"$T\" run -- sh -c 'exit 7'");
	assert_int_equal(r.status, 7);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_wrong),
	};
	ssize_t len;

	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return 1;
	tool = getenv("TOOL");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
