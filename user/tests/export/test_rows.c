// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Rows by cgroup: nothing is lost, nothing goes back, and nothing grows. */
#include "test.h"

#include <search.h>

#include "sim.h"

#ifdef __SANITIZE_ADDRESS__
#define HOURS 1 /* its memory is not the exporter's */
#else
#define HOURS 24
#endif

static struct sim sim;

static int teardown(void **state)
{
	(void)state;
	sim_close(&sim);
	return 0;
}

static void begin(const char *config)
{
	sim_open(&sim, config);
	sim_scrape(&sim, 0);
}

static void has(const char *line)
{
	if (!strstr(sim.x.text.text, line))
		fail_msg("no %s in\n%s", line, sim.x.text.text);
}

static void has_not(const char *line)
{
	if (strstr(sim.x.text.text, line))
		fail_msg("%s in\n%s", line, sim.x.text.text);
}

/* A family's samples of all labels. */
static uint64_t sum_of(const char *family)
{
	char start[128];
	const char *at = sim.x.text.text;
	size_t len = (size_t)snprintf(start, sizeof(start), "\n%s_total", family);
	uint64_t sum = 0;

	while ((at = strstr(at, start))) {
		at += len;
		if (*at != '{' && *at != ' ')
			continue;
		while (*at != '\n' && (at[0] != ' ' || at[-1] == '\\'))
			at++;
		sum += strtoull(at, NULL, 10);
	}
	return sum;
}

static void adds_up(uint64_t total)
{
	uint64_t rows = sum_of("pmcgrp_g_a"), removed = sum_of("pmcgrp_g_removed_a");

	assert_int_equal(rows + removed, total);
	assert_int_equal(sum_of("pmcgrp_g_all_a"), total);
	assert_int_equal(sum_of("pmcgrp_g_all_b"), 2 * total);
}

#define G "[exporter]\nlinger = 60\n[g]\nevents = a,b\ncount = "

static void rows(void **state)
{
	uint64_t web, db;
	char line[200];

	(void)state;
	begin(G "cgroup\n");
	web = sim_make(&sim, "/web.service");
	db = sim_make(&sim, "/d\"b");
	sim.now += 500;
	sim_count(&sim, web, 100);
	sim_count(&sim, db, 7);
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_IDLE, 0, 100, 100, 30);
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_OVERFLOW, PMCGRP_KEY_OTHER, 100, 50, 5);
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_OTHER, PMCGRP_KEY_OTHER, 100, 50, 1);
	sim_scrape(&sim, 1);
	snprintf(line, sizeof(line), "\npmcgrp_g_a_total{cgroup=\"/web.service\",id=\"%llu\","
				     "unit=\"web.service\"} 100\npmcgrp_g_a_created{cgroup=\"/web.service\",id=\"%llu\","
				     "unit=\"web.service\"} 1700000000.000\n",
		 (unsigned long long)web,
		 (unsigned long long)web);
	has(line);
	snprintf(line, sizeof(line), "\npmcgrp_g_b_total{cgroup=\"/d\\\"b\",id=\"%llu\"} 14\n",
		 (unsigned long long)db);
	has(line);
	has("\npmcgrp_g_a_total{cgroup=\"idle\"} 30\n");
	has("\npmcgrp_g_a_total{cgroup=\"other\"} 6\n");
	has("\npmcgrp_g_counted_ratio{cgroup=\"other\"} 0.5\n");
	has("\npmcgrp_exporter_up{group=\"g\"} 1\n");
	adds_up(143);
}

/* So as to have its last value seen by all. */
static void removed(void **state)
{
	uint64_t first, second;
	char line[200];

	(void)state;
	begin(G "cgroup\n");
	first = sim_make(&sim, "/a");
	sim_count(&sim, first, 100);
	sim_scrape(&sim, 10);
	sim_count(&sim, first, 50);
	sim_remove(&sim, "/a");
	second = sim_make(&sim, "/a");
	assert_int_not_equal(first, second);
	sim_count(&sim, second, 400);
	sim_scrape(&sim, 10);
	snprintf(line, sizeof(line), "\npmcgrp_g_a_total{cgroup=\"/a\",id=\"%llu\"} 150\n",
		 (unsigned long long)first);
	has(line);
	/* What comes of it late is its own as well. */
	sim_count(&sim, first, 1);
	sim_scrape(&sim, 50);
	snprintf(line, sizeof(line), "\npmcgrp_g_a_total{cgroup=\"/a\",id=\"%llu\"} 151\n",
		 (unsigned long long)first);
	has(line);
	snprintf(line, sizeof(line), "\npmcgrp_g_a_total{cgroup=\"/a\",id=\"%llu\"} 400\n",
		 (unsigned long long)second);
	has(line);
	has("\npmcgrp_g_removed_a_total 0\n");
	adds_up(551);
	sim_scrape(&sim, 11);
	has(line);
	has("\npmcgrp_g_removed_a_total 151\n");
	adds_up(551);
	sim_count(&sim, first, 9);
	sim_scrape(&sim, 15);
	has("\npmcgrp_g_a_total{cgroup=\"other\"} 9\n");
	adds_up(560);
}

static void bound(void **state)
{
	uint64_t id[4];
	char path[16];
	int i;

	(void)state;
	begin(G "cgroup\nseries = 2\n");
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/c%d", i);
		id[i] = sim_make(&sim, path);
		sim_count(&sim, id[i], 10);
	}
	sim_scrape(&sim, 1);
	has("\npmcgrp_g_a_total{cgroup=\"other\"} 20\n");
	has("{cgroup=\"/c1\"");
	has_not("/c2");
	adds_up(40);
	sim_remove(&sim, "/c0");
	sim_scrape(&sim, 10);
	sim_scrape(&sim, 61);
	has_not("/c0");
	/* There is room for one now; what it had before stays where it is. */
	sim_scrape(&sim, 10);
	sim_count(&sim, id[2], 5);
	sim_count(&sim, id[3], 3);
	sim_scrape(&sim, 10);
	has("{cgroup=\"/c2\"");
	has_not("/c3");
	has("\npmcgrp_g_a_total{cgroup=\"other\"} 23\n");
	has("\npmcgrp_g_removed_a_total 10\n");
	adds_up(48);
}

/* Those that nobody has seen. */
static void short_lived(void **state)
{
	uint64_t id, i;

	(void)state;
	begin(G "cgroup\n");
	id = sim_make(&sim, "/a");
	for (i = 0; i < 10000; i++) {
		sim_count(&sim, 1000000 + i, i);
		sim_count(&sim, id, 1);
	}
	sim_scrape(&sim, 15);
	has("\npmcgrp_g_a_total{cgroup=\"other\"} 49995000\n");
	adds_up(49995000 + 10000);
	assert_int_equal(sim.x.sources[0].by.nr, 1);
}

/* Where to list cgroups takes long, it is done less often: until then new ones are in no sum. */
static void listed_later(void **state)
{
	uint64_t first, second;
	unsigned int i;

	(void)state;
	begin(G "cgroup\n");
	first = sim_make(&sim, "/a");
	sim_count(&sim, first, 5);
	sim_scrape(&sim, 1);
	adds_up(5);
	second = sim_make(&sim, "/b");
	sim_count(&sim, first, 1);
	sim_count(&sim, second, 7);
	sim.x.not_before = sim.now + 20000;
	sim_scrape(&sim, 15);
	has_not("/b");
	adds_up(6);
	sim_scrape(&sim, 6);
	has("{cgroup=\"/b\"");
	adds_up(13);
	/* Unless there are too many of them. */
	sim.x.not_before = sim.now + 20000;
	for (i = 0; i < 70000; i++)
		sim_count(&sim, (UINT64_C(1) << 40) + i, 1);
	sim_scrape(&sim, 1);
	adds_up(70013);
	/* Or the clock is set back, or nothing comes any more. */
	sim_count(&sim, UINT64_C(1) << 41, 1);
	sim.now -= 3600000;
	sim_scrape(&sim, 0);
	adds_up(70014);
	sim_count(&sim, UINT64_C(1) << 41, 1);
	sim.x.not_before = sim.now + 20000;
	exporter_stop(&sim.x);
	sim_scrape(&sim, 0);
	adds_up(70015);
}

/* What was not counted is left out, and comes back. */
static void not_counted(void **state)
{
	uint64_t id;

	(void)state;
	begin(G "cgroup\n");
	id = sim_make(&sim, "/a");
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_KEY, id, 1000, 0, 0);
	sim_scrape(&sim, 1);
	has_not("pmcgrp_g_a_total{");
	has("counted_ratio{cgroup=\"/a\",");
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_KEY, id, 1000, 1000, 5);
	sim_scrape(&sim, 1);
	has("pmcgrp_g_a_total{cgroup=\"/a\",");
	has("} 0.5\n");
	/* A piece without a counter that may be chance, and one that may not. */
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_KEY, id, ROW_UNCOUNTED_NS - 1, 0, 0);
	sim_scrape(&sim, 1);
	has("pmcgrp_g_a_total{cgroup=\"/a\",");
	sim_count_kind(&sim, 0, PMCGRP_KEY_KIND_KEY, id, 1, 0, 0);
	sim_scrape(&sim, 1);
	has_not("pmcgrp_g_a_total{");
	has("counted_ratio{cgroup=\"/a\",");
	sim_count(&sim, id, 5);
	sim_scrape(&sim, 1);
	has("pmcgrp_g_a_total{cgroup=\"/a\",");
	adds_up(10);
}

static void units(void **state)
{
	uint64_t s, sub, log;

	(void)state;
	begin(G "unit\n");
	s = sim_make(&sim, "/s.service");
	sub = sim_make(&sim, "/s.service/sub");
	log = sim_make(&sim, "/log");
	sim_count(&sim, s, 1);
	sim_count(&sim, sub, 10);
	sim_count(&sim, log, 100);
	sim_scrape(&sim, 1);
	has(",unit=\"s.service\"} 11\n");
	has("\npmcgrp_g_a_total{cgroup=\"/\",");
	has_not("/log");
	has_not("/sub");
	adds_up(111);
	/* The unit lives on, and has what came from below it. */
	sim_count(&sim, sub, 10);
	sim_remove(&sim, "/s.service/sub");
	sim_scrape(&sim, 100);
	has(",unit=\"s.service\"} 21\n");
	sim_scrape(&sim, 100);
	assert_int_equal(sim.x.sources[0].by.nr, 2);
	has(",unit=\"s.service\"} 21\n");
	adds_up(121);
}

static void ids(void **state)
{
	uint64_t id;
	char line[200];

	(void)state;
	begin(G "cgroup\nlabels = id\n");
	id = sim_make(&sim, "/a.service");
	sim_count(&sim, id, 1);
	sim_count(&sim, 99999999, 2);
	sim_scrape(&sim, 1);
	snprintf(line, sizeof(line), "\npmcgrp_g_a_total{id=\"%llu\"} 1\n", (unsigned long long)id);
	has(line);
	has("\npmcgrp_g_a_total{id=\"other\"} 2\n");
	snprintf(line, sizeof(line), "\npmcgrp_g_cgroup_info{cgroup=\"/a.service\",id=\"%llu\","
				     "unit=\"a.service\"} 1\n",
		 (unsigned long long)id);
	has(line);
	sim_scrape_as(&sim, 1, EXPOSITION_PLAIN);
	has("# TYPE pmcgrp_g_cgroup_info gauge\n");
	has("# TYPE pmcgrp_g_a_total counter\n");
	has_not("# EOF");
	has_not("_created");
}

/* ---- A day ---- */

#define STEP_S 15
#define LIVE 100
#define NEW 20 /* in each step, in place of as many old ones */
#define UNSEEN 50

static size_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What each series had in the scrape before. */
struct before {
	size_t nr;
	char **series;
	uint64_t *value;
};

/* Values do not go back while their series is there. Series are in the same order each time. */
static void check_before(struct before *b)
{
	struct before now = { .series = calloc(4096, sizeof(char *)), .value = calloc(4096, 8) };
	char *text = strdup(sim.x.text.text), *next, *line, *blank;
	size_t i;

	for (line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		if (line[0] == '#' || !strstr(line, "_total"))
			continue;
		blank = strrchr(line, ' ');
		*blank = '\0';
		now.series[now.nr] = strdup(line);
		now.value[now.nr++] = strtoull(blank + 1, NULL, 10);
		assert_true(now.nr < 4096);
	}
	hcreate(2 * now.nr + 1);
	for (i = 0; i < now.nr; i++) {
		ENTRY entry = { now.series[i], &now.value[i] };

		/* No series is there twice. */
		assert_null(hsearch(entry, FIND));
		assert_non_null(hsearch(entry, ENTER));
	}
	for (i = 0; i < b->nr; i++) {
		ENTRY entry = { b->series[i], NULL };
		const ENTRY *found = hsearch(entry, FIND);

		if (found)
			assert_true(*(uint64_t *)found->data >= b->value[i]);
		free(b->series[i]);
	}
	hdestroy();
	free(b->series);
	free(b->value);
	free(text);
	*b = now;
}

static void day(void **state)
{
	uint64_t id[LIVE], total = 0, unseen = UINT64_C(1) << 40;
	unsigned int step, steps = HOURS * 3600 / STEP_S, i, made = 0, first = 0;
	size_t before = 0, after;
	struct before b = { 0 };
	char path[32];

	(void)state;
	begin("[exporter]\nlinger = 45\n[g]\nevents = a,b\ncount = cgroup\nseries = 200\n");
	for (; made < LIVE; made++) {
		snprintf(path, sizeof(path), "/c%u", made);
		id[made] = sim_make(&sim, path);
	}
	for (step = 0; step < steps; step++) {
		for (i = 0; i < LIVE; i++) {
			sim_count(&sim, id[i], step + i);
			total += step + i;
		}
		for (i = 0; i < UNSEEN; i++)
			sim_count(&sim, unseen++, 3);
		total += 3 * UNSEEN;
		for (i = 0; i < NEW; i++, made++, first++) {
			snprintf(path, sizeof(path), "/c%u", first);
			sim_remove(&sim, path);
			snprintf(path, sizeof(path), "/c%u", made);
			id[first % LIVE] = sim_make(&sim, path);
		}
		sim_scrape(&sim, STEP_S);
		if (step % 16 == 0)
			check_before(&b);
		if (step == steps / HOURS - 1)
			before = resident();
	}
	after = resident();
	adds_up(total);
	assert_true(sim.x.sources[0].by.rows.nr <= 200);
	assert_true(sim.x.sources[0].by.nr <= 4 * LIVE);
	print_message("# %u scrapes, %u cgroups made: %zu kB resident after an hour, %zu kB at the end\n",
		      steps, made, before / 1024, after / 1024);
#ifndef __SANITIZE_ADDRESS__
	assert_true(after <= before + 256 * 1024);
#endif
	while (b.nr)
		free(b.series[--b.nr]);
	free(b.series);
	free(b.value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(rows, teardown),
		cmocka_unit_test_teardown(removed, teardown),
		cmocka_unit_test_teardown(bound, teardown),
		cmocka_unit_test_teardown(short_lived, teardown),
		cmocka_unit_test_teardown(listed_later, teardown),
		cmocka_unit_test_teardown(not_counted, teardown),
		cmocka_unit_test_teardown(units, teardown),
		cmocka_unit_test_teardown(ids, teardown),
		cmocka_unit_test_teardown(day, teardown),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
