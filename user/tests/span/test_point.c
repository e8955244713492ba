// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Pairs of tracepoints, and what tracefs has of them, in a file that is written by hand. */
#include "test.h"

#include "hear.h"

#include <stdlib.h>
#include <unistd.h>

#include <linux/pmcgrp.h>

#include "args/cli.h"
#include "event/near.h"
#include "span/point_pair.h"

static const char events[] =
	"raw_syscalls:sys_enter\nraw_syscalls:sys_exit\nirq:irq_handler_entry\n"
	"irq:irq_handler_exit\nsyscalls:sys_enter_read\nsyscalls:sys_exit_read\n"
	"ftrace:function\nsched:sched_switch\nblock:block_rq_issue\nnonsense\n";

static char list[] = "/tmp/pmcgrp-point-XXXXXX";

static int make_list(void **state)
{
	int fd = mkstemp(list);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, events, sizeof(events) - 1), sizeof(events) - 1);
	return close(fd);
}

static int remove_list(void **state)
{
	(void)state;
	return unlink(list);
}

static void pairs(void **state)
{
	static const struct {
		const char *word, *begin, *end, *begin_system, *end_system;
		unsigned int key, begin_arg, end_arg, size;
	} rows[] = {
		{ "sys_enter/sys_exit", "sys_enter", "sys_exit", "", "", PMCGRP_SPAN_KEY_TASK, 0, 0, 0 },
		{ "raw_syscalls:sys_enter/sys_exit", "sys_enter", "sys_exit", "raw_syscalls", "",
		  PMCGRP_SPAN_KEY_TASK, 0, 0, 0 },
		{ "irq:irq_handler_entry/irq:irq_handler_exit", "irq_handler_entry",
		  "irq_handler_exit", "irq", "irq", PMCGRP_SPAN_KEY_CPU, 0, 0, 0 },
		{ "block_rq_issue/block_rq_complete", "block_rq_issue", "block_rq_complete", "", "",
		  PMCGRP_SPAN_KEY_ARG, 0, 0, 8 },
		{ "sched_waking/sched_switch", "sched_waking", "sched_switch", "", "",
		  PMCGRP_SPAN_KEY_ARG, 0, 2, 8 },
		{ "mm_compaction_begin/mm_compaction_end", "mm_compaction_begin",
		  "mm_compaction_end", "", "", PMCGRP_SPAN_KEY_TASK, 0, 0, 0 },
		/* what is asked for comes before what is known */
		{ "sys_enter/sys_exit@cpu", "sys_enter", "sys_exit", "", "", PMCGRP_SPAN_KEY_CPU, 0, 0, 0 },
		{ "a/b@task", "a", "b", "", "", PMCGRP_SPAN_KEY_TASK, 0, 0, 0 },
		{ "a/a@arg4", "a", "a", "", "", PMCGRP_SPAN_KEY_ARG, 4, 4, 8 },
		{ "x:a/b@arg1,arg3", "a", "b", "x", "", PMCGRP_SPAN_KEY_ARG, 1, 3, 8 },
		{ "x:a/y:b@arg0:4", "a", "b", "x", "y", PMCGRP_SPAN_KEY_ARG, 0, 0, 4 },
		{ "a/y:b@arg0,arg2:8", "a", "b", "", "y", PMCGRP_SPAN_KEY_ARG, 0, 2, 8 },
	};
	struct point_pair pair;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&pair, 0xff, sizeof(pair));
		assert_row(i, point_is_pair(rows[i].word) && !point_parse(&pair, rows[i].word));
		assert_row(i, !strcmp(pair.begin.name, rows[i].begin));
		assert_row(i, !strcmp(pair.end.name, rows[i].end));
		assert_row(i, !strcmp(pair.begin.system, rows[i].begin_system));
		assert_row(i, !strcmp(pair.end.system, rows[i].end_system));
		assert_row(i, pair.key == rows[i].key && pair.arg_size == rows[i].size);
		assert_row(i, pair.begin_arg == rows[i].begin_arg);
		assert_row(i, pair.end_arg == rows[i].end_arg);
	}
}

static void others(void **state)
{
	(void)state;
	assert_false(point_is_pair("vfs_read"));
	assert_false(point_is_pair("ext4:ext4_readdir"));
	assert_false(point_is_pair("/usr/bin/true:main"));
	assert_false(point_is_pair("./a.out:main"));
	assert_false(point_is_pair("../a.out:main"));
	assert_false(point_is_pair(""));
}

static int parse(const char *word)
{
	struct point_pair pair;

	return point_parse(&pair, word);
}

static int check(const char *word)
{
	struct point_pair pair;

	assert_int_equal(point_parse(&pair, word), 0);
	return point_check(list, &pair);
}

static void refused(void **state)
{
	static const struct {
		int (*call)(const char *word);
		const char *word, *says;
	} rows[] = {
		{ parse, "a/b", "takes a key" },
		{ parse, "sys_exit/sys_enter", "takes a key" },
		{ parse, "mm_a_begin/mm_b_end", "takes a key" },
		{ parse, "mm__begin/mm__end", "takes a key" },
		{ parse, "a/b@", "none of" },
		{ parse, "a/b@arg", "none of" },
		{ parse, "a/b@arg5", "none of" },
		{ parse, "a/b@arg10", "none of" },
		{ parse, "a/b@arg0,", "none of" },
		{ parse, "a/b@arg0,task", "none of" },
		{ parse, "a/b@arg0:3", "none of" },
		{ parse, "a/b@arg0:", "none of" },
		{ parse, "a/b@task:4", "none of" },
		{ parse, "a/b@cpu@task", "none of" },
		{ parse, "a/", "BEGIN/END" },
		{ parse, "a/@task", "BEGIN/END" },
		{ parse, "a@x/b", "BEGIN/END" },
		{ parse, "a/b/c@task", "BEGIN/END" },
		{ parse, ":a/b@task", "BEGIN/END" },
		{ parse, "x:/b@task", "BEGIN/END" },
		{ parse, "x:y:a/b@task", "BEGIN/END" },
		{ parse, "a b/c@task", "BEGIN/END" },
		{ parse, "sched_*/b@task", "BEGIN/END" },
		{ check, "irq:irq_handler_enrty/irq_handler_exit@cpu",
		  "no tracepoint 'irq:irq_handler_enrty': did you mean 'irq:irq_handler_entry'" },
		{ check, "irq_handler_entry/sched:irq_handler_exit@cpu", "no tracepoint 'sched:irq" },
		{ check, "sys_enter_read/sys_exit_read@task", "use 'sys_enter/sys_exit'" },
		{ check, "sys_enter/ftrace:function@task", "no tracepoint, but a record" },
	};
	char text[4096];
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = hear(rows[i].call(rows[i].word), text, sizeof(text));
		assert_row(i, ret == EXIT_TOOL && strstr(text, rows[i].says));
	}
}

static void known(void **state)
{
	char text[NEAR_TEXT];
	struct point_pair pair;

	(void)state;
	assert_int_equal(check("irq:irq_handler_entry/irq:irq_handler_exit"), 0);
	assert_int_equal(check("sys_enter/raw_syscalls:sys_exit"), 0);
	/* tracefs does not have all of them */
	assert_int_equal(check("pelt_cfs_tp/sched_switch@task"), 0);
	assert_int_equal(point_parse(&pair, "x:y/z@task"), 0);
	assert_int_equal(point_check("/nosuch", &pair), 0);
	assert_int_equal(point_parse(&pair, "sys_enter/sys_exti@task"), 0);
	assert_string_equal(point_near(list, &pair, text, sizeof(text)), ": did you mean 'sys_exit'?");
	assert_int_equal(point_parse(&pair, "sys_enter/sys_exit"), 0);
	assert_string_equal(point_near(list, &pair, text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs),
		cmocka_unit_test(others),
		cmocka_unit_test(refused),
		cmocka_unit_test(known),
	};

	return cmocka_run_group_tests_name("span_point", tests, make_list, remove_list);
}
