// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp selftest: whether the module counts right on this machine; TAP, and a page for a report. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "check.h"

static const char selftest_help[] =
	"usage: pmcgrp selftest [options]\n"
	"\n"
	"Counts known work on this machine, and says whether the counts are right: read_format, a\n"
	"loop, sums over CPUs and children, groups beside perf's events, room on the PMU, samples\n"
	"and spans. It takes some seconds, needs the module and root or CAP_PERFMON, and changes\n"
	"nothing. No group lives for longer than a second; others may wait for counters so long.\n"
	"What it prints is TAP, with \"pmcgrp doctor\" behind it: one page for a report.\n"
	"\n"
	"      --no-doctor       leave out what \"pmcgrp doctor\" says\n"
	"  -h, --help            this text\n"
	"\n"
	"Not tried, as it would disturb others: CPUs that go offline, suspend, groups that are\n"
	"pinned, sampling by NMIs, cgroups, uncore PMUs, and the module's removal\n"
	"(\"make check-here\" loads it and removes it).\n"
	"\n"
	"Examples:\n"
	"  sudo pmcgrp selftest\n"
	"  sudo pmcgrp selftest >report.txt\n"
	"\n"
	"Exit status: 0 if no check failed; 1 if one did; 125 if pmcgrp itself failed.\n";

struct selftest_options {
	bool no_doctor;
};

static const struct option_line lines[] = {
	OPTION_SWITCH("no-doctor", 0, struct selftest_options, no_doctor),
	OPTION_HELP(selftest_help),
	{ .kind = OPTION_END },
};

static const struct {
	const char *name;
	void (*run)(struct check *c);
} checks[] = {
	{ "formats: read() gives perf's read_format", check_formats },
	{ "exact: instructions of a known loop", check_exact },
	{ "conserved: CPUs and children add up", check_conserved },
	{ "beside perf: all get their turn", check_beside_perf },
	{ "room: the largest group that is accepted counts", check_room },
	{ "samples: one for each page fault", check_samples },
	{ "spans: each call of a kernel function", check_spans },
	{ "let go: a closed group does not hold the module", check_let_go },
};

#define NR_CHECKS (sizeof(checks) / sizeof(checks[0]))

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print_lines(const char *text)
{
	const char *end;

	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		printf("# %.*s\n", (int)(end - text), text);
	}
}

/* True unless it failed. */
static bool run_check(struct pmcgrp *h, size_t i)
{
	double start = seconds_now();
	struct check c = { .h = h };
	const char *skip = "";

	checks[i].run(&c);
	if (!*c.failed && *c.skipped)
		skip = " # SKIP ";
	printf("%s %zu %s%s%s\n", *c.failed ? "not ok" : "ok", i + 1, checks[i].name, skip,
	       *skip ? c.skipped : "");
	print_lines(c.notes);
	if (*c.failed)
		printf("# %s\n", c.failed);
	printf("# %.2f s\n", seconds_now() - start);
	fflush(stdout);
	return !*c.failed;
}

/* In the child: the tool itself, with the capabilities that it has. */
static void become_doctor(int out)
{
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		execl("/proc/self/exe", "pmcgrp", "doctor", NULL);
	_exit(EXIT_TOOL);
}

/* What "pmcgrp doctor" says, each line a comment. */
static void print_doctor(void)
{
	char line[1024];
	int ends[2];
	FILE *from;
	pid_t pid;

	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid)
		become_doctor(ends[1]);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	puts("#\n# pmcgrp doctor:");
	while (pid > 0 && from && fgets(line, sizeof(line), from))
		printf("# %s", line);
	if (from)
		fclose(from);
	else
		close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int run_all(struct pmcgrp *h, const struct utsname *name)
{
	struct pmcgrp_query query = { .size = sizeof(query) };
	size_t i, failed = 0;

	pmcgrp_query(h, &query);
	puts("TAP version 13");
	printf("# pmcgrp %s, module %.*s, Linux %s %s, %s\n", pmcgrp_version(), (int)sizeof(query.release),
	       query.release, name->release, name->version, name->machine);
	printf("1..%zu\n", NR_CHECKS);
	for (i = 0; i < NR_CHECKS; i++)
		failed += !run_check(h, i);
	printf("# %zu of %zu checks failed\n", failed, NR_CHECKS);
	return failed ? EXIT_FAILURE : 0;
}

int selftest_main(int argc, char **argv)
{
	struct selftest_options options = { 0 };
	struct utsname name;
	struct pmcgrp *h;
	int ret;

	cli_begin("selftest");
	ret = option_parse_alone(&options, lines, "tests the module on this machine", argc, argv);
	if (ret <= 0)
		return -ret;
	if (uname(&name))
		return cli_say_errno("uname()", errno);
	if (pmcgrp_open(&h, 0)) {
		cli_say("%s", pmcgrp_strerror(NULL));
		return EXIT_TOOL;
	}
	ret = run_all(h, &name);
	pmcgrp_close(h);
	if (!options.no_doctor)
		print_doctor();
	if (fflush(stdout) || ferror(stdout))
		return cli_say_errno("stdout", errno);
	return ret;
}
