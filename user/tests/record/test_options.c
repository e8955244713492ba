// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of record: what is taken, what does not go together, what is refused. */
#include "test.h"

#include "hear.h"

#include <unistd.h>

#include "args/cli.h"
#include "record/record_options.h"
#include "record/refused.h"
#include "record/user.h"

/* Splits at blanks, and parses, with stderr going to @said. */
static int parse(struct record_options *o, const char *line, char *said, size_t size)
{
	static struct words w;

	split_words(&w, "record", line);
	return hear(record_options_parse(o, w.argc, w.argv), said, size);
}

static void bad_lines(void **state)
{
	static const struct {
		const char *line;
		const char *says;
	} rows[] = {
		{ "", "nothing to record" },
		{ "--every 1ms", "nothing to record" },
		{ "--every 1ms -p 1 -t 1", "exclude each other" },
		{ "--every 1ms -p 1 -a", "exclude -a and -C" },
		{ "--every 1ms -p 1,x", "'x' is none\n  1,x\n    ^\n" },
		{ "--every 1ms -t 1,", "'' is none\n  1,\n    ^\n" },
		{ "--every 1ms -i -a", "--no-inherit is about threads" },
		{ "--every 1ms --by-task true", "--by-task goes with -a or -C" },
		{ "--every 1ms -D x true", "-D wants milliseconds" },
		{ "--every 1ms -D -2 true", "-D wants milliseconds, 0 or more, or -1" },
		{ "--every 1ms -C x true", "0-3,7\n  x\n  ^\n" },
		{ "--every 1ms --format x true", "perf, csv or jsonl" },
		{ "--every 1ms -m 3 true", "power of two" },
		{ "--every 1ms -z0 true", "-z wants a level from 1, the fastest, to 22" },
		{ "--every 1ms --compression-level=23 true", "not '23'" },
		{ "--every 1ms -zx true", "not 'x'" },
		{ "--every 1ms -z --format csv true", "-z compresses the records of a file" },
		{ "--every 1ms --bogus true", "there is no option --bogus\n  --bogus\n    ^\n" },
		{ "--every 1ms --switch-output=x true",
		  "--switch-output wants signal, a size (100M; B, K, M, G) or a time (30s; s, m, h, d), "
		  "not 'x'" },
		{ "--every 1ms --switch-output=100 true", "not '100'" },
		{ "--every 1ms --switch-output=0s true", "not '0s'" },
		{ "--every 1ms --switch-output=-1s true", "not '-1s'" },
		{ "--every 1ms --switch-output=1MB true", "not '1MB'" },
		{ "--every 1ms --switch-output=99999999999G true", "not '9999" },
		{ "--every 1ms --switch-output=99999999999999999999s true", "not '9999" },
		{ "--every 1ms --switch-output= true", "not ''" },
		{ "--every 1ms --switch-output --switch-max-files 0 true", "1 or more" },
		{ "--every 1ms --switch-max-files 3 true", "files of --switch-output" },
		{ "--every 1ms --switch-output --format csv -o - true", "name them with -o" },
		{ "--every 1ms --control x true", "--control wants fd:CTL[,ACK]" },
		{ "--every 1ms --control fd:x true", "the number of a descriptor" },
		{ "-c 0 true", "-c wants a number of events, 1 or more, not '0'" },
		{ "-F x true", "-F wants a number of samples a second" },
		{ "-F maximum true", "or max, not 'maximum'" },
		{ "-F 100001 true", "so 100000 samples a second at most, not '100001'" },
		{ "-z -o - true", "such as zstd" },
		{ "--every 1ms --max-size 0M true", "--max-size wants a size" },
		{ "--every 1ms --max-size 100 true", "not '100'" },
		{ "--every 1ms -r 0 true", "-r wants a priority" },
		{ "--every 1ms -q -v true", "-q and -v exclude" },
		{ "--every 1ms --all-user --all-kernel true", "--all-user and --all-kernel exclude" },
		{ "--every 1ms --tail-synthesize true", "--tail-synthesize goes with --overwrite" },
		{ "--every 1ms --overwrite --no-buffering true", "choose one" },
		{ "--every 1ms --overwrite --switch-events true", "--by-task has a record" },
		{ "--every 1ms --namespaces --format csv true", "for a file of perf's" },
		{ "--every 1ms --switch-events --format jsonl true", "for a file of perf's" },
		{ "--every 1ms --timestamp-filename --format csv -o - true", "name them with -o" },
		{ "--every 1ms --timestamp-filename --switch-max-files 2 true",
		  "about the files of --switch-output" },
		{ "--every 1ms --switch-output-event cs --format csv -o - true", "rename files" },
		{ "--every 1ms -u 0 -p 1", "-p, -t and -u exclude each other" },
		{ "--every 1ms -u 0 -a", "exclude -a and -C" },
		{ "--every 1ms --per-thread -a", "--no-inherit is about threads" },
		{ "--every 1ms --call-graph dwarf true", "--call-graph dwarf: the chains" },
		{ "--every 1ms --call-graph fp,8192 true", "follow frame pointers" },
		{ "--every 1ms -g --format csv true", "no room for call chains" },
		{ "--every 1ms --user-callchains true", "go with -g" },
		{ "--every 1ms -g --user-callchains --kernel-callchains true", "exclude each other" },
		{ "--every 1ms -G a true", "-G goes with -a or -C, as in perf" },
		{ "--every 1ms --cgroup a -p 1", "-G goes with -a or -C" },
	};
	struct record_options o;
	char said[1024];
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_row(i, parse(&o, rows[i].line, said, sizeof(said)) == -EXIT_TOOL);
		if (!strstr(said, rows[i].says))
			fail_msg("'%s': %s", rows[i].line, said);
		record_options_free(&o);
	}
}

/* -G is --all-cgroups and --by-task, of some cgroups alone. */
static void by_cgroup(void **state)
{
	struct record_options o;
	char said[1024];

	(void)state;
	assert_int_equal(parse(&o, "--every 1ms --all-cgroups true", said, sizeof(said)), 1);
	assert_true(o.all_cgroups && !o.by_task && !o.nr_cgroups);
	record_options_free(&o);
	assert_int_equal(parse(&o, "--every 1ms -a -G a,b/c --cgroup d", said, sizeof(said)), 1);
	assert_true(o.all_cgroups && o.by_task);
	assert_int_equal(o.nr_cgroups, 2);
	assert_string_equal(o.cgroups[0], "a,b/c");
	assert_string_equal(o.cgroups[1], "d");
	record_options_free(&o);
}

/* -c is about an event that -e may name later, -F is a time. */
static void when(void **state)
{
	static const struct {
		const char *line;
		const char *text;
		int count;
	} rows[] = {
		{ "-c 5 true", NULL, 5 },
		{ "--count=2147483647 true", NULL, 2147483647 },
		{ "-F 1 true", "1000ms", 0 },
		{ "-F 1000 true", "1ms", 0 },
		{ "--freq 4000 true", "250us", 0 },
		{ "-F 3 true", "333333333ns", 0 },
		{ "-F 100000 --strict-freq true", "10us", 0 },
		{ "--every 7ms true", "7ms", 0 },
	};
	struct record_options o;
	char said[1024];
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct record_trigger *t = &o.triggers[0];

		assert_row(i, parse(&o, rows[i].line, said, sizeof(said)) == 1);
		assert_row(i, o.nr_triggers == 1 && t->every && t->count == rows[i].count);
		assert_row(i, !t->text == !rows[i].text);
		assert_row(i, !t->text || !strcmp(t->text, rows[i].text));
		record_options_free(&o);
	}
}

/* As often as perf, or as the kernel allows: 100,000 times where it does not say. */
static void when_the_kernel_says(void **state)
{
	static const struct {
		const char *rate;
		const char *line;
		const char *text;
	} rows[] = {
		{ "100000\n", "true", "250us" },
		{ "4000\n", "true", "250us" },
		{ "1000\n", "true", "1ms" },
		{ "8000\n", "-F max true", "125us" },
		{ "100001\n", "-F max true", "10us" },
		{ "0\n", "-F max true", "10us" },
		{ "", "-F max true", "10us" },
		{ "", "true", "250us" },
	};
	const char *before = record_rate_file;
	char path[] = "/tmp/pmcgrp-rate-XXXXXX", said[1024];
	struct record_options o;
	unsigned int i;
	FILE *file;

	(void)state;
	close(mkstemp(path));
	record_rate_file = path;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(rows[i].rate, file);
		fclose(file);
		assert_row(i, parse(&o, rows[i].line, said, sizeof(said)) == 1);
		assert_row(i, o.nr_triggers == 1 && o.triggers[0].every);
		assert_row(i, !strcmp(o.triggers[0].text, rows[i].text));
		record_options_free(&o);
	}
	unlink(path);
	assert_int_equal(parse(&o, "-F max true", said, sizeof(said)), 1);
	assert_string_equal(o.triggers[0].text, "10us");
	record_options_free(&o);
	record_rate_file = before;
}

static void switches(void **state)
{
	static const char all[] =
		"--every 1ms -q --timestamp-filename --max-size 3K --all-user -B -r 7 --no-buffering "
		"--namespaces --switch-events --dry-run --per-thread -u daemon";
	static const char always[] =
		"-TPN --timestamp --timestamp-boundary --period --running-time --sample-cpu "
		"--sample-identifier --group --strict-freq --buildid-all --buildid-mmap "
		"--no-buildid-cache --no-bpf-event --every 1ms true";
	static const char event[] = "--every 1ms --switch-output-event cs --switch-max-files 2 true";
	static const char event_and_time[] =
		"--every 1ms --switch-output-event cs --switch-output=3s true";
	static const char chains[] = "--every 1ms -g --kernel-callchains --format jsonl true";
	static const char dumps[] = "--on cs --overwrite --tail-synthesize --all-kernel true";
	struct record_options o;
	char said[1024];

	(void)state;
	assert_int_equal(parse(&o, "--every 1ms true", said, sizeof(said)), 1);
	assert_false(o.quiet || o.stamp || o.max_size || o.all_user || o.all_kernel ||
		     o.no_buffering || o.realtime || o.namespaces || o.switch_events ||
		     o.no_buildid || o.dry_run || o.tail_synthesize || o.no_inherit || o.user);
	record_options_free(&o);
	assert_int_equal(parse(&o, all, said, sizeof(said)), 1);
	assert_true(o.quiet && o.stamp && o.max_size == 3072 && o.all_user && !o.all_kernel &&
		    o.no_buffering && o.realtime == 7 && o.namespaces && o.switch_events &&
		    o.no_buildid && o.dry_run && o.no_inherit);
	assert_string_equal(o.user, "daemon");
	assert_true(record_names_files(&o) && !record_turns_files(&o) && record_of_tasks(&o));
	record_options_free(&o);
	assert_int_equal(parse(&o, dumps, said, sizeof(said)), 1);
	assert_true(o.tail_synthesize && o.overwrite && o.all_kernel);
	record_options_free(&o);
	assert_int_equal(parse(&o, event, said, sizeof(said)), 1);
	assert_true(o.turn.by == TURN_SIGNAL && !strcmp(o.turn.event, "cs"));
	record_options_free(&o);
	assert_int_equal(parse(&o, event_and_time, said, sizeof(said)), 1);
	assert_int_equal(o.turn.by, TURN_TIME);
	record_options_free(&o);
	assert_int_equal(parse(&o, chains, said, sizeof(said)), 1);
	assert_true(o.chains && o.kernel_chains && !o.user_chains);
	record_options_free(&o);
	assert_int_equal(parse(&o, "--every 1ms --call-graph fp true", said, sizeof(said)), 1);
	assert_true(o.chains && !o.kernel_chains);
	record_options_free(&o);
	/* What is so in any case. */
	assert_int_equal(parse(&o, always, said, sizeof(said)), 1);
	assert_string_equal(said, "");
	assert_string_equal(o.command[0], "true");
	record_options_free(&o);
}

/* Each with an argument where it has one, and by its letter. */
static const struct {
	const char *line;
	const char *says;
} refusals[] = {
	{ "--branch-any", "stacks of branches" },
	{ "-b", "--branch-any wants" },
	{ "--branch-filter any", "stacks of branches" },
	{ "-j any", "--branch-filter wants" },
	{ "--intr-regs", "wants registers" },
	{ "--intr-regs=ax", "wants registers" },
	{ "-I", "--intr-regs wants" },
	{ "-Iax", "--intr-regs wants" },
	{ "--user-regs=ax", "wants registers" },
	{ "--data-mmap", "perf mem record" },
	{ "--data-page-size", "perf mem record" },
	{ "--data", "perf mem record" },
	{ "-d", "--data is about" },
	{ "--phys-data", "perf mem record" },
	{ "--sample-mem-info", "perf mem record" },
	{ "--code-page-size", "sizes of pages" },
	{ "--weight", "wants weights" },
	{ "-W", "--weight wants" },
	{ "--transaction", "RTM_RETIRED" },
	{ "--perf", "perf_event_open(2), whose rings" },
	{ "--fallback", "'{cycles,instructions}:S'" },
	{ "--raw-samples", "fields of a tracepoint" },
	{ "-R", "--raw-samples wants" },
	{ "--latency", "pmcgrp report" },
	{ "--filter x", "sets a filter" },
	{ "--exclude-perf", "pmcgrp report -s comm" },
	{ "--clockid mono", "chooses the clock" },
	{ "-k mono", "--clockid chooses" },
	{ "--no-samples", "pmcgrp stat" },
	{ "-n", "--no-samples leaves" },
	{ "--aux-sample=1", "AUX areas" },
	{ "--snapshot", "--overwrite keeps" },
	{ "-S", "--snapshot is about" },
	{ "--kcore", "build-id" },
	{ "--vmlinux x", "--on kprobe:FUNCTION" },
	{ "--debuginfod", "DEBUGINFOD_URLS" },
	{ "--clang-path x", "BPF" },
	{ "--clang-opt x", "BPF" },
	{ "--setup-filter x", "BPF" },
	{ "--off-cpu-thresh 1", "--on sched:sched_switch" },
	{ "--off-cpu", "--on sched:sched_switch" },
	{ "--affinity cpu", "taskset" },
	{ "--threads=cpu", "several readers" },
	{ "--num-thread-synthesize 2", "several readers" },
	{ "--aio=2", "beside the reading" },
	{ "--mmap-flush 1", "--no-buffering" },
	{ "--synth no", "leave it out" },
	{ "--proc-map-timeout 1", "leave it out" },
};

/* What perf record has and this cannot have: by name, with something to do instead. */
static void refused_by_name(void **state)
{
	struct record_options o;
	char line[64], said[1024];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		snprintf(line, sizeof(line), "%s --every 1ms true", refusals[i].line);
		assert_row(i, parse(&o, line, said, sizeof(said)) == -EXIT_TOOL);
		if (!strstr(said, refusals[i].says) || !strstr(said, "; instead: "))
			fail_msg("'%s': %s", line, said);
		record_options_free(&o);
	}
	/* And all of them are here. */
	for (i = 0; i < record_refused.nr; i++) {
		const char *name = record_refused.options[i].name;
		size_t len = strlen(name);

		for (k = 0; k < ARRAY_SIZE(refusals); k++) {
			if (!strncmp(refusals[k].line + 2, name, len) &&
			    strchr(" =", refusals[k].line[2 + len]))
				break;
		}
		assert_row(i, k < ARRAY_SIZE(refusals));
	}
}

static void users(void **state)
{
	struct args_ids by_name = { 0 }, by_number = { 0 };
	unsigned int i, init = 0, own = 0;
	struct hear h;
	char said[1024];

	(void)state;
	h = hear_begin();
	assert_int_equal(user_processes(&by_name, "nobody-of-this-name"), EXIT_TOOL);
	assert_int_equal(user_processes(&by_name, "99999999999999999999"), EXIT_TOOL);
	assert_int_equal(user_processes(&by_name, "4294967295"), EXIT_TOOL);
	assert_int_equal(user_processes(&by_name, "4294967294"), EXIT_TOOL);
	assert_int_equal(user_processes(&by_name, ""), EXIT_TOOL);
	assert_int_equal(by_name.nr, 0);
	hear_end(&h, said, sizeof(said));
	assert_non_null(strstr(said, "nobody-of-this-name"));
	assert_int_equal(user_processes(&by_name, "root"), 0);
	assert_int_equal(user_processes(&by_number, "0"), 0);
	for (i = 0; i < by_name.nr; i++) {
		init += by_name.id[i] == 1;
		own += by_name.id[i] == getpid();
	}
	assert_int_equal(init, 1);
	assert_int_equal(own, 0);
	assert_true(by_number.nr);
	free(by_name.id);
	free(by_number.id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(by_cgroup),
		cmocka_unit_test(when),
		cmocka_unit_test(when_the_kernel_says),
		cmocka_unit_test(switches),
		cmocka_unit_test(refused_by_name),
		cmocka_unit_test(users),
	};

	return cmocka_run_group_tests_name("record options", tests, NULL, NULL);
}
