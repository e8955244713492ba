/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The tool as a process: what the tests that run it share. */
#ifndef TOOL_H
#define TOOL_H

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX 16384
/* Who does not end by then never will: no machine is so busy. */
#define WAIT_MS 200000

struct result {
	int status;		/* as a shell shows it */
	char out[OUTPUT_MAX];
	char err[OUTPUT_MAX];
};

static const char *tool;

static inline void slurp(FILE *file, char *text, size_t size)
{
	size_t len;

	rewind(file);
	len = fread(text, 1, size - 1, file);
	text[len] = '\0';
	fclose(file);
}

static inline int shell_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A shell line in which $T is the tool; a process group of its own. */
static inline pid_t start(const char *line, FILE *out, FILE *err)
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		setenv("T", tool, 1);
		dup2(fileno(out), 1);
		dup2(fileno(err), 2);
		execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(99);
	}
	assert_true(pid > 0);
	return pid;
}

static inline void nap(long ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* Its status, or -1 if it had to be killed, with all that it started. */
static inline int wait_for(pid_t pid)
{
	int status, ms;

	for (ms = 0; ms < WAIT_MS; ms += 5) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return shell_status(status);
		nap(5);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

static inline struct result run(const char *line)
{
	static struct result r;
	FILE *out = tmpfile(), *err = tmpfile();

	r.status = wait_for(start(line, out, err));
	slurp(out, r.out, sizeof(r.out));
	slurp(err, r.err, sizeof(r.err));
	return r;
}

static inline void expect(const char *line, int status, const char *err)
{
	struct result r = run(line);

	if (r.status != status || !strstr(r.err, err))
		fail_msg("%s: status %d, stderr: %s", line, r.status, r.err);
}

/* Skips the test if a line fails, which is asked once: what it was is in @asked. */
static inline void need(const char *line, const struct result **asked)
{
	static struct result answers[4];
	static unsigned int nr;

	if (!*asked) {
		assert_true(nr < ARRAY_SIZE(answers));
		answers[nr] = run(line);
		*asked = &answers[nr++];
	}
	if ((*asked)->status) {
		print_message("# skipped: %s\n", (*asked)->err);
		skip();
	}
}

/* Whether perf_event_open(2) lets us count here at all. */
static inline void need_perf(void)
{
	static const struct result *asked;

	need("$T stat --perf -e page-faults:u -- true", &asked);
}

/* What is said of bogus:bogus, of a system of tracepoints that there is not. */
static inline const char *bogus_system(void)
{
	bool readable = !access("/sys/kernel/tracing/events", R_OK | X_OK) ||
			!access("/sys/kernel/debug/tracing/events", R_OK | X_OK);

	return readable ? "'bogus' is neither a system of tracepoints" : "cannot be looked up";
}

static inline void tool_init(void)
{
	tool = getenv("TOOL");
	if (!tool) {
		fprintf(stderr, "TOOL must name the pmcgrp to test\n");
		exit(1);
	}
}

#endif
