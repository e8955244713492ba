// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Commands by a descriptor: their argument, their words, their ends, and the answers. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/control.h"

static char folder[] = "/tmp/pmcgrp-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void arguments(void **state)
{
	static const char *const good[] = {
		"fd:0", "fd:3,4", "fifo:a", "fifo:/tmp/a,/tmp/b", "fifo:a:b",
	};
	static const char *const bad[] = {
		"", "fd", "fd:", "fd:x", "fd:1,", "fd:,1", "fd:1,x", "fd:-1", "fd:1,2,3", "fifo:",
		"fifo:a,", "fifo:,a", "pipe:1", "3", "fd:99999999999",
	};
	const char *argument;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++)
		assert_row(i, control_take(&argument, good[i]) == 1);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_row(i, control_take(&argument, bad[i]) == -EXIT_TOOL);
}

/* What there is none of is refused, and nothing is left open. */
static void not_there(void **state)
{
	struct control control;
	char text[256], path[128];
	int next;

	(void)state;
	next = dup(0);
	close(next);
	assert_int_equal(control_open(&control, "fd:999"), EXIT_TOOL);
	assert_int_equal(control_open(&control, "fd:0,999"), EXIT_TOOL);
	assert_int_equal(control_open(&control, "fifo:/nonexistent/x"), EXIT_TOOL);
	assert_int_equal(control_open(&control, "fifo:/dev/null"), EXIT_TOOL);
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(text, sizeof(text), "fifo:%s,/dev/null", path);
	assert_int_equal(control_open(&control, text), EXIT_TOOL);
	assert_int_equal(control_fd(&control), -1);
	assert_int_equal(control_read(&control), CONTROL_NONE);
	control_close(&control);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(dup(0), next);
	close(next);
}

struct ends {
	int command[2];
	int ack[2];
	struct control control;
};

static void ends_open(struct ends *x)
{
	char text[64];

	assert_int_equal(pipe(x->command), 0);
	assert_int_equal(pipe(x->ack), 0);
	snprintf(text, sizeof(text), "fd:%d,%d", x->command[0], x->ack[1]);
	assert_int_equal(control_open(&x->control, text), 0);
	assert_int_equal(control_fd(&x->control), x->command[0]);
}

/* Descriptors that were there before stay open. */
static void ends_close(struct ends *x)
{
	control_close(&x->control);
	assert_int_equal(close(x->command[0]), 0);
	close(x->command[1]);
	close(x->ack[0]);
	close(x->ack[1]);
}

static void say(const struct ends *x, const char *text, size_t size)
{
	assert_int_equal(write(x->command[1], text, size), size);
}

static void commands(void **state)
{
	static const struct {
		enum control_command command;
		const char *argument;
	} rows[] = {
		{ CONTROL_ENABLE, "" },
		{ CONTROL_DISABLE, "cycles:u" },
		{ CONTROL_EVLIST, "-g" },
		{ CONTROL_SNAPSHOT, "" },
		{ CONTROL_PING, "" },
		{ CONTROL_UNKNOWN, "x" },
		{ CONTROL_UNKNOWN, "" },
		{ CONTROL_UNKNOWN, "" },
		{ CONTROL_STOP, "" },
	};
	static const char text[] = "enable\n\ndisable \t cycles:u\nevlist -g\0snapshot\nping\nbogus x\n"
				   "enabled\nenabl\nstop";
	struct ends x;
	size_t i;

	(void)state;
	ends_open(&x);
	assert_int_equal(control_read(&x.control), CONTROL_NONE);
	say(&x, text, sizeof(text) - 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, control_read(&x.control) == rows[i].command);
		assert_row(i, !strcmp(x.control.argument, rows[i].argument));
	}
	assert_int_equal(control_read(&x.control), CONTROL_NONE);
	/* A writer that goes is no command, and there is nothing to poll any more. */
	close(x.command[1]);
	assert_int_equal(control_read(&x.control), CONTROL_NONE);
	assert_int_equal(control_fd(&x.control), -1);
	ends_close(&x);
}

/* A line without end is cut, and what follows it is understood. */
static void long_lines(void **state)
{
	char text[3 * CONTROL_LINE_MAX];
	struct ends x;
	unsigned int nr = 0;
	int command;

	(void)state;
	ends_open(&x);
	memset(text, 'e', sizeof(text));
	say(&x, text, sizeof(text));
	say(&x, "\nping\n", 6);
	while ((command = control_read(&x.control)) == CONTROL_UNKNOWN)
		nr++;
	assert_int_equal(command, CONTROL_PING);
	assert_in_range(nr, 3, 4);
	ends_close(&x);
}

static void answers(void **state)
{
	char text[16] = "";
	struct ends x;

	(void)state;
	ends_open(&x);
	control_ack(&x.control);
	assert_int_equal(read(x.ack[0], text, sizeof(text)), 4);
	assert_string_equal(text, "ack\n");
	/* Without a reader: no signal, now or later. */
	close(x.ack[0]);
	control_ack(&x.control);
	control_ack(&x.control);
	ends_close(&x);
	/* Nobody asked for one. */
	x.control = (struct control){ 0 };
	control_ack(&x.control);
}

/* Writers may come and go. */
static void fifo(void **state)
{
	char path[128], text[256];
	struct control control;
	int fd, times;

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(text, sizeof(text), "fifo:%s", path);
	assert_int_equal(control_open(&control, text), 0);
	for (times = 0; times < 2; times++) {
		fd = open(path, O_WRONLY | O_NONBLOCK);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, "ping", 4), 4);
		close(fd);
		assert_int_equal(control_read(&control), CONTROL_PING);
		assert_int_equal(control_read(&control), CONTROL_NONE);
		assert_true(control_fd(&control) >= 0);
	}
	control_close(&control);
	assert_int_equal(open(path, O_WRONLY | O_NONBLOCK), -1);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(not_there),
		cmocka_unit_test(commands),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(answers),
		cmocka_unit_test(fifo),
	};

	return cmocka_run_group_tests_name("control", tests, setup, teardown);
}
