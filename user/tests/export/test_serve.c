// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Serving: what comes by HTTP, from a machine that is made up.
 *
 * test_serve --serve WHERE CONFIG CGROUPS: serve such a machine until a signal comes, for readers
 * (selftests/vm/export-test). One step of it is a second: cgroups come and go.
 */
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "sim.h"
#include "export/address.h"
#include "export/http.h"
#include "export/sockets.h"
#include "export/textfile.h"

static struct sim sim;
static volatile sig_atomic_t stop;
static unsigned int step, nr_cgroups = 3, scrapes;
static double cpu_used; /* s, for scrapes */

/* ---- The machine ---- */

static void cgroup_path(char *path, unsigned int i, unsigned int life)
{
	snprintf(path, 64, "/s%u-%u.service", i, life);
}

/* In the one row of a group that counts the machine. */
static void count_machine(struct export_source *s, uint64_t value)
{
	uint64_t values[PMCGRP_MEMBERS_MAX];
	const struct row_counts more = { 1000, 1000, values };
	struct row *row = rows_find(&s->by.rows, 0);
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		values[i] = (i + 1) * value;
	if (!row)
		row = rows_new(&s->by.rows, 0, "", NULL, SIM_BEGIN);
	assert_non_null(row);
	row_add(row, &more, s->nr);
}

static void count_all(enum pmcgrp_key_kind kind, uint64_t id, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < sim.x.nr; i++) {
		if (export_by_cgroup(sim.x.config.groups[i].kind))
			sim_count_kind(&sim, i, kind, id, 1000, 1000, value);
		else
			count_machine(&sim.x.sources[i], value);
	}
}

/* Every tenth one is made anew in each step, and counts from its beginning. */
static void step_machine(void)
{
	static uint64_t *id;
	static unsigned int *life;
	char path[64];
	unsigned int i;

	if (!id) {
		id = calloc(nr_cgroups, sizeof(*id));
		life = calloc(nr_cgroups, sizeof(*life));
	}
	for (i = 0; i < nr_cgroups; i++) {
		bool again = id[i] && i % 10 == step % 10;

		cgroup_path(path, i, life[i]);
		if (again)
			sim_remove(&sim, path);
		life[i] += again;
		cgroup_path(path, i, life[i]);
		if (!id[i] || again)
			id[i] = sim_make(&sim, path);
		count_all(PMCGRP_KEY_KIND_KEY, id[i], 1000 + i);
	}
	count_all(PMCGRP_KEY_KIND_IDLE, 0, 5);
	for (i = 0; i < 10; i++)
		count_all(PMCGRP_KEY_KIND_KEY, (UINT64_C(1) << 40) + 10ULL * step + i, 7);
	step++;
}

static double cpu_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static const struct exposition *text(void *arg, enum exposition_format format)
{
	double begin = cpu_now();

	(void)arg;
	scrapes++;
	assert_int_equal(exporter_collect(&sim.x, exporter_now()), 0);
	assert_int_equal(exporter_write(&sim.x, format), 0);
	cpu_used += cpu_now() - begin;
	return &sim.x.text;
}

static void on_signal(int nr)
{
	(void)nr;
	stop = 1;
}

/* @still: the machine takes no step by itself. */
static void serve(const char *where, bool still)
{
	struct address address;
	struct pollfd pollfd = { .events = POLLIN };
	struct http *http;
	uint64_t next = exporter_now() + 1000;
	int fd;

	signal(SIGTERM, on_signal);
	assert_int_equal(address_parse(&address, where), 0);
	fd = address_listen(&address);
	assert_true(fd >= 0);
	assert_int_equal(http_open(&http, &fd, 1, text, NULL), 0);
	pollfd.fd = http_fd(http);
	step_machine();
	while (!stop) {
		poll(&pollfd, 1, 100);
		http_run(http);
		if (still || exporter_now() < next)
			continue;
		next += 1000;
		step_machine();
		assert_int_equal(exporter_collect(&sim.x, exporter_now()), 0);
	}
	http_close(http);
}

static void serve_file(const char *at, const char *path)
{
	char error[EXPORT_ERROR_SIZE];

	export_config_init(&sim.x.config);
	if (export_config_read(&sim.x.config, path, error) < 0) {
		fprintf(stderr, "%s: %s\n", path, error);
		exit(1);
	}
	sim_begin(&sim);
	serve(at, false);
	sim_close(&sim);
	fprintf(stderr, "%u scrapes, %.3f ms of CPU each without packing\n", scrapes,
		scrapes ? 1e3 * cpu_used / scrapes : 0.0);
}

/* ---- Tests ---- */

static char where[SIM_DIR_SIZE + 16];
static pid_t server;

static int setup(void **state)
{
	struct address address;
	int fd, tries;

	(void)state;
	sim_open(&sim, "[g]\nevents = cycles, instructions\ncount = cgroup\n");
	snprintf(where, sizeof(where), "unix:%s/socket", sim.dir);
	server = fork();
	if (!server) {
		serve(where, true);
		_exit(0);
	}
	assert_int_equal(address_parse(&address, where), 0);
	for (tries = 0; tries < 2000; tries++) {
		fd = address_connect(&address);
		if (fd >= 0)
			return close(fd);
		usleep(5000);
	}
	return -1;
}

static int teardown(void **state)
{
	int status;

	(void)state;
	kill(server, SIGTERM);
	waitpid(server, &status, 0);
	assert_int_equal(status, 0);
	sim_close(&sim);
	return 0;
}

/* Bytes of the last answer. */
static size_t asked;

/* What comes back for a request. */
static char *ask(const char *request)
{
	struct address address;
	static char answer[1 << 16];
	size_t len = 0;
	ssize_t got;
	int fd;

	assert_int_equal(address_parse(&address, where), 0);
	fd = address_connect(&address);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	while ((got = read(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	answer[len] = '\0';
	asked = len;
	return answer;
}

static void formats(void **state)
{
	char *answer;

	(void)state;
	answer = ask("GET /metrics HTTP/1.0\r\n\r\n");
	assert_non_null(strstr(answer, " 200 "));
	assert_non_null(strstr(answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	assert_non_null(strstr(answer, "# TYPE pmcgrp_g_cycles_total counter\n"));
	assert_null(strstr(answer, "# EOF"));
	answer = ask("GET /metrics HTTP/1.0\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n");
	assert_non_null(strstr(answer, "Content-Type: application/openmetrics-text; version=1.0.0; "
				       "charset=utf-8\r\n"));
	assert_non_null(strstr(answer, "unit=\"s0-0.service\"} 1000\n"));
	assert_non_null(strstr(answer, "\n# EOF\n"));
}

/* Unpacked by the program that everybody has. */
static void packed(void **state)
{
	char path[SIM_DIR_SIZE + 32], command[SIM_DIR_SIZE + 160];
	const char *answer, *body;
	FILE *file;

	(void)state;
	answer = ask("GET /metrics HTTP/1.0\r\nAccept-Encoding: br, gzip\r\n\r\n");
	body = strstr(answer, "\r\n\r\n") + 4;
	assert_non_null(strstr(answer, "Content-Encoding: gzip\r\n"));
	snprintf(path, sizeof(path), "%s/packed", sim.dir);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(body, 1, asked - (size_t)(body - answer), file),
			 asked - (size_t)(body - answer));
	fclose(file);
	snprintf(command, sizeof(command), "gzip -d <%s | grep -q '^pmcgrp_g_cycles_total{'", path);
	assert_int_equal(system(command), 0);
	answer = ask("GET /metrics HTTP/1.0\r\nAccept-Encoding: gzip;q=0\r\n\r\n");
	assert_null(strstr(answer, "Content-Encoding"));
	assert_non_null(strstr(answer, "pmcgrp_g_cycles_total{"));
}

static void others(void **state)
{
	char *answer;

	(void)state;
	answer = ask("HEAD /metrics HTTP/1.0\r\n\r\n");
	assert_non_null(strstr(answer, " 200 "));
	assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
	answer = ask("GET / HTTP/1.0\r\n\r\n");
	assert_non_null(strstr(answer, " 200 "));
	assert_non_null(strstr(answer, "/metrics"));
	assert_non_null(strstr(ask("GET /x HTTP/1.0\r\n\r\n"), " 404 "));
	answer = ask("POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc");
	assert_non_null(strstr(answer, " 405 "));
}

/* One that is in use is not taken away from whoever listens there. */
static void in_use(void **state)
{
	struct address address;

	(void)state;
	assert_int_equal(address_parse(&address, where), 0);
	assert_int_equal(address_listen(&address), -EADDRINUSE);
}

/* As systemd.socket(5) hands them over; in a process of its own, whose descriptors 3 and 4 they are. */
static void of_systemd(void **state)
{
	char path[SIM_DIR_SIZE + 32], text[16];
	struct address address;
	int fds[SOCKETS_MAX], status, fd;
	pid_t pid;

	(void)state;
	snprintf(path, sizeof(path), "unix:%s/systemd", sim.dir);
	assert_int_equal(address_parse(&address, path), 0);
	fd = address_listen(&address);
	assert_true(fd >= 0);
	pid = fork();
	if (!pid) {
		snprintf(text, sizeof(text), "%d", (int)getpid());
		setenv("LISTEN_PID", text, 1);
		setenv("LISTEN_FDS", "2", 1);
		if (dup2(fd, 10) != 10 || dup2(10, 3) != 3 || dup2(10, 4) != 4)
			_exit(2);
		/* What the file says is not looked at. */
		if (sockets_open(fds, "nonsense") != 2 || fds[0] != 3 || fds[1] != 4)
			_exit(3);
		setenv("LISTEN_PID", "1", 1);
		snprintf(path, sizeof(path), "unix:%s/own", sim.dir);
		_exit(sockets_open(fds, path) != 1 || access(path + 5, F_OK));
	}
	close(fd);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void as_file(void **state)
{
	char path[SIM_DIR_SIZE + 32], text_read[64] = "";
	struct exposition e = { .text = (char *)"a_total 1\n", .len = 10 };
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/x.prom", sim.dir);
	assert_int_equal(textfile_write(path, &e), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text_read, 1, sizeof(text_read), file), 10);
	fclose(file);
	assert_string_equal(text_read, "a_total 1\n");
	assert_int_equal(textfile_write("/nonexistent/x", &e), -ENOENT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(formats, setup, teardown),
		cmocka_unit_test_setup_teardown(packed, setup, teardown),
		cmocka_unit_test_setup_teardown(others, setup, teardown),
		cmocka_unit_test_setup_teardown(in_use, setup, teardown),
		cmocka_unit_test_setup_teardown(of_systemd, setup, teardown),
		cmocka_unit_test_setup_teardown(as_file, setup, teardown),
	};

	if (argc == 5 && !strcmp(argv[1], "--serve")) {
		nr_cgroups = (unsigned int)atoi(argv[4]);
		serve_file(argv[2], argv[3]);
		return 0;
	}
	return cmocka_run_group_tests_name("serve", tests, NULL, NULL);
}
