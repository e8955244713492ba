// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Rows: from records to sums per task, their order, and what is shown of them. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "fake_ring.h"
#include "top/output.h"
#include "top/rings.h"
#include "top/top_screen.h"

static struct counter counters[] = {
	{ .name = "cpu-clock", .unit = "", .scale = 1.0, .sum = 0, .nr_boxes = 1,
	  .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK } },
	{ .name = "cycles", .unit = "", .scale = 1.0, .sum = 1, .nr_boxes = 1,
	  .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES } },
	{ .name = "instructions", .unit = "", .scale = 1.0, .sum = 2, .nr_boxes = 1,
	  .supported = true,
	  .attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS } },
};

#define NR ARRAY_SIZE(counters)

static struct counter_group group = { .nr = NR, .counter_of = { 0, 1, 2 } };
static struct aggr aggr = { .mode = AGGR_GLOBAL, .nr = 1 };
static struct counter_set set = { .counters = counters, .nr = NR, .groups = &group,
				  .nr_groups = 1, .aggr = &aggr };

static const struct pmcgrp_record_format format = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
		       PERF_FORMAT_TOTAL_TIME_RUNNING,
	.sample_id_all = true,
};

struct fixture {
	char proc[64];
	struct top_wanted wanted;
	struct top_tasks tasks;
	struct top_rings rings;
	struct pmcgrp_delta cpu[2];
	uint64_t time;
	struct top_columns columns;
	struct top_table table;
	struct report report;
	struct top_view view;
	struct top_content content;
	struct top_screen screen;
};

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* What /proc has of a thread. */
static void proc_add(const struct fixture *x, int tid, const char *name, const char *cgroup)
{
	char folder[100];

	snprintf(folder, sizeof(folder), "%s/%d", x->proc, tid);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_file(folder, "comm", name);
	write_file(folder, "cgroup", cgroup);
}

static void begin(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	strcpy(x->proc, "/tmp/test_rows.XXXXXX");
	assert_non_null(mkdtemp(x->proc));
	x->rings.set = &set;
	x->cpu[0].from_zero = x->cpu[1].from_zero = true;
	assert_int_equal(top_tasks_init(&x->tasks, NR, &x->wanted, x->proc), 0);
	assert_int_equal(top_columns_init(&x->columns, &set), 0);
	x->report = (struct report){ .set = &set, .subject = "all CPUs", .runs = 1 };
	stats_update(&x->report.elapsed, 1.0);
	x->content = (struct top_content){ .report = &x->report, .columns = &x->columns,
					   .table = &x->table, .view = &x->view,
					   .clock = "12:00:00", .width = 80, .room = 21 };
}

static void end(struct fixture *x)
{
	char line[100];

	top_screen_free(&x->screen);
	top_table_free(&x->table);
	top_columns_free(&x->columns);
	top_tasks_free(&x->tasks);
	top_wanted_free(&x->wanted);
	snprintf(line, sizeof(line), "rm -r %s", x->proc);
	assert_int_equal(system(line), 0);
}

/* A record of a CPU: what it has counted since the beginning; every ms is 1000 of everything. */
static void record(struct fixture *x, int cpu, int pid, int tid, uint64_t ms, uint64_t running)
{
	struct pmcgrp_record decoded;
	struct fake_record r;
	unsigned int i;

	fake_begin(&r, PERF_RECORD_SAMPLE, PMCGRP_RECORD_MISC_SWITCH);
	fake_add_two(&r, (uint32_t)pid, (uint32_t)tid);
	fake_add(&r, ++x->time);
	fake_add(&r, NR);
	fake_add(&r, ms * 1000000);
	fake_add(&r, running * 1000000);
	for (i = 0; i < NR; i++) {
		fake_add(&r, i ? ms * 1000 * i : ms * 1000000);
		fake_add(&r, 100 + i);
	}
	assert_int_equal(pmcgrp_record_decode(&decoded, &r.header, r.len, &format), 0);
	assert_int_equal(top_rings_take(&x->rings, 0, &x->cpu[cpu], &decoded, &x->tasks), 0);
}

static void side(struct fixture *x, uint32_t type, int a, int b, int c, int d)
{
	struct fake_record r;

	fake_begin(&r, type, 0);
	fake_add_two(&r, (uint32_t)a, (uint32_t)b);
	fake_add_two(&r, (uint32_t)c, (uint32_t)d);
	fake_add(&r, 0);
	assert_int_equal(top_tasks_put(&x->tasks, &r.header), 0);
}

static void named(struct fixture *x, int pid, int tid, const char *name)
{
	struct fake_record r;
	uint64_t words[2] = { 0 };

	fake_begin(&r, PERF_RECORD_COMM, 0);
	fake_add_two(&r, (uint32_t)pid, (uint32_t)tid);
	memcpy(words, name, strlen(name));
	fake_add(&r, words[0]);
	fake_add(&r, words[1]);
	assert_int_equal(top_tasks_put(&x->tasks, &r.header), 0);
}

static void interval(struct fixture *x, enum top_by by)
{
	assert_int_equal(top_tasks_end(&x->tasks, by == TOP_BY_CGROUP), 0);
	x->view.by = by;
	assert_int_equal(top_table_tasks(&x->table, by, &x->tasks), 0);
	top_table_sort(&x->table, &x->view, &x->columns, &x->report);
}

static void check_row(const struct fixture *x, size_t i, const char *name, int pid, int tid, int ms)
{
	const struct top_row *row;

	assert_row(i, i < x->table.nr_shown);
	row = x->table.order[i];
	assert_string_equal(row->name, name);
	assert_int_equal(row->pid, pid);
	assert_int_equal(row->tid, tid);
	assert_int_equal(row->counts[0].now.value, ms * 1000000);
	assert_int_equal(row->counts[1].now.value, ms * 1000);
	assert_int_equal(row->counts[2].now.value, ms * 2000);
}

/* A machine of two CPUs: two threads of a process, one that comes and goes, an idle CPU. */
static void machine(struct fixture *x)
{
	proc_add(x, 10, "server\n", "4:memory:/old\n0::/a.slice\n");
	proc_add(x, 11, "worker\n", "0::/a.slice\n");
	proc_add(x, 20, "sh\el\n", "0::/b.slice\n");
	record(x, 0, 10, 10, 100, 100);
	record(x, 0, 10, 11, 150, 150);
	record(x, 0, 0, 0, 400, 400);
	record(x, 0, 10, 10, 450, 450);
	record(x, 1, 20, 20, 300, 300);
	side(x, PERF_RECORD_FORK, 30, 20, 30, 20);
	named(x, 30, 30, "brief");
	side(x, PERF_RECORD_EXIT, 30, 20, 30, 20);
	record(x, 1, 30, 30, 307, 307);
	record(x, 1, 10, 10, 308, 308);
}

static void threads(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	machine(&x);
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 5);
	check_row(&x, 0, "sh\\x1bl", 20, 20, 300);
	check_row(&x, 1, "idle", 0, 0, 250);
	check_row(&x, 2, "server", 10, 10, 151);
	check_row(&x, 3, "worker", 10, 11, 50);
	check_row(&x, 4, "brief", 30, 30, 7);
	/* The next interval begins at 0, with those that run in it. */
	top_tasks_next(&x.tasks);
	record(&x, 0, 10, 11, 460, 460);
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 1);
	check_row(&x, 0, "worker", 10, 11, 10);
	end(&x);
}

static void processes_and_cgroups(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	machine(&x);
	interval(&x, TOP_BY_PROCESS);
	assert_int_equal(x.table.nr_shown, 4);
	check_row(&x, 2, "server", 10, -1, 201);
	assert_int_equal(x.table.order[2]->nr, 2);
	interval(&x, TOP_BY_CGROUP);
	assert_int_equal(x.table.nr_shown, 4);
	check_row(&x, 0, "/b.slice", -1, -1, 300);
	check_row(&x, 1, "(idle)", -1, -1, 250);
	check_row(&x, 2, "/a.slice", -1, -1, 201);
	check_row(&x, 3, "(ended)", -1, -1, 7);
	end(&x);
}

static void order_and_filter(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x);
	machine(&x);
	x.view.reverse = true;
	interval(&x, TOP_BY_THREAD);
	check_row(&x, 0, "brief", 30, 30, 7);
	x.view.reverse = false;
	x.view.sort = COLUMN_NAME;
	interval(&x, TOP_BY_THREAD);
	check_row(&x, 0, "brief", 30, 30, 7);
	check_row(&x, 4, "worker", 10, 11, 50);
	strcpy(x.view.filter, "WORK");
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 1);
	check_row(&x, 0, "worker", 10, 11, 50);
	strcpy(x.view.filter, "20");
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 1);
	check_row(&x, 0, "sh\\x1bl", 20, 20, 300);
	assert_int_equal(top_columns_find(&x.columns, "instructions/cycles"), 3);
	assert_int_equal(top_columns_find(&x.columns, "insn per cycle"), 3);
	assert_int_equal(top_columns_find(&x.columns, "name"), COLUMN_NAME);
	assert_int_equal(top_columns_find(&x.columns, "nothing"), -2);
	end(&x);
}

static int *list(int id)
{
	int *ids = malloc(sizeof(*ids));

	ids[0] = id;
	return ids;
}

/* What a listed process creates is its own, also after it has slept for long. */
static void wanted(void **state)
{
	struct fixture x;
	int self = getpid();

	(void)state;
	begin(&x);
	x.wanted.tids = (struct args_ids){ list(11), 1 };
	machine(&x);
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 1);
	check_row(&x, 0, "worker", 10, 11, 50);
	end(&x);

	begin(&x);
	x.wanted.pids = (struct args_ids){ list(20), 1 };
	machine(&x);
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 1);
	x.wanted.inherit = true;
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 2);
	check_row(&x, 1, "brief", 30, 30, 7);
	side(&x, PERF_RECORD_FORK, self, 20, self, 20);
	for (int i = 0; i < 100; i++)
		top_tasks_next(&x.tasks);
	assert_int_equal(x.tasks.nr, 1);
	record(&x, 1, self, self, 400, 400);
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 1);
	end(&x);
}

static void of_cgroup(void **state)
{
	struct fixture x;
	char folder[100];

	(void)state;
	begin(&x);
	snprintf(folder, sizeof(folder), "%s/c/below", x.proc);
	write_file(x.proc, "cgroup.procs", "");
	x.wanted.cgroup = proc_cgroup_folder(x.proc, "/");
	assert_non_null(x.wanted.cgroup);
	assert_null(proc_cgroup_folder(x.proc, "/none"));
	snprintf(folder, sizeof(folder), "%s/below", x.proc);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_file(folder, "cgroup.procs", "4711\n20\n");
	assert_int_equal(top_tasks_begin(&x.tasks), 0);
	assert_int_equal(x.wanted.members.nr, 2);
	machine(&x);
	/* It has left, but was there at the beginning. */
	write_file(folder, "cgroup.procs", "4711\n");
	interval(&x, TOP_BY_PROCESS);
	assert_int_equal(x.table.nr_shown, 2);
	check_row(&x, 0, "sh\\x1bl", 20, -1, 300);
	check_row(&x, 1, "brief", 30, -1, 7);
	top_tasks_next(&x.tasks);
	record(&x, 1, 20, 20, 400, 400);
	interval(&x, TOP_BY_PROCESS);
	assert_int_equal(x.table.nr_shown, 0);
	end(&x);
}

/* Thousands of them, and numbers that come back as another process. */
static void many(void **state)
{
	struct fixture x;
	int i;

	(void)state;
	begin(&x);
	for (i = 1; i <= 5000; i++)
		record(&x, 0, i, i, (uint64_t)i, (uint64_t)i);
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(x.table.nr_shown, 5000);
	for (i = 0; i < 5000; i++)
		assert_row(i, x.table.rows[i].counts[1].now.value == 1000);
	named(&x, 42, 42, "first");
	record(&x, 0, 43, 42, 5001, 5001);
	interval(&x, TOP_BY_THREAD);
	assert_string_equal(x.table.rows[41].name, "(ended)");
	for (i = 0; i < 16; i++)
		top_tasks_next(&x.tasks);
	assert_int_equal(x.tasks.nr, 5000);
	top_tasks_next(&x.tasks);
	assert_int_equal(x.tasks.nr, 0);
	end(&x);
}

static void lost(void **state)
{
	struct fixture x;
	struct pmcgrp_record decoded;
	struct fake_record r;

	(void)state;
	begin(&x);
	fake_begin(&r, PERF_RECORD_LOST, 0);
	fake_add(&r, 100);
	fake_add(&r, 12);
	fake_add_two(&r, 1, 1);
	fake_add(&r, 0);
	assert_int_equal(pmcgrp_record_decode(&decoded, &r.header, r.len, &format), 0);
	assert_int_equal(top_rings_take(&x.rings, 0, x.cpu, &decoded, &x.tasks), 0);
	assert_int_equal(x.rings.lost, 12);
	interval(&x, TOP_BY_THREAD);
	x.content.lost = x.rings.lost;
	assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
	assert_string_equal(x.screen.foot.text, "LOST 12 records: sums are not exact");
	assert_int_equal(x.screen.foot.style[0], TOP_LOST);
	end(&x);
}

/* ---- Screens ---- */

static void table_screen(void **state)
{
	static const char * const rows[] = {
		"     20      20 sh\\x1bl             30.0%      300K         600K           2.00",
		"      0       0 idle                25.0%      250K         500K           2.00",
		"     10      10 server              15.1%      151K         302K           2.00",
		"     11      10 worker              ~5.0%     ~100K        ~200K          ~2.00",
	};
	struct fixture x;
	size_t i;

	(void)state;
	begin(&x);
	machine(&x);
	/* Half of its time. */
	x.tasks.sums[NR + 0].running = x.tasks.sums[NR + 1].running =
		x.tasks.sums[NR + 2].running = 25000000;
	x.tasks.sums[NR + 0].value /= 2;
	x.content.room = 4;
	x.content.keys = true;
	interval(&x, TOP_BY_THREAD);
	assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
	assert_string_equal(x.screen.title.text,
			    "pmcgrp top: all CPUs by thread, the last 1.000 s"
			    "                        12:00:00");
	assert_string_equal(x.screen.columns.text,
			    "    TID     PID NAME           >cpu-clock    cycles instructions insn per "
			    "cycle");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(x.screen.rows[i].text, rows[i]);
	assert_string_equal(x.screen.foot.text,
			    "q: quit  ?: help  rows 1 to 4 of 5, arrow keys scroll");
	/* Hot: half of the highest; an idle CPU's are no matter. */
	assert_int_equal(x.screen.rows[0].style[38], TOP_HOT);
	assert_int_equal(x.screen.rows[1].style[38], TOP_PLAIN);
	assert_int_equal(x.screen.rows[2].style[38], TOP_HOT);
	assert_int_equal(x.screen.rows[3].style[38], TOP_PARTIAL);
	/* The column that is sorted by is shown, however narrow the screen. */
	x.content.width = 44;
	x.view.sort = 3;
	x.view.offset = 99;
	assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
	assert_non_null(strstr(x.screen.columns.text, "insn per"));
	assert_int_equal(x.screen.first, 1);
	end(&x);
}

static void matrix(void **state)
{
	static const struct {
		unsigned int cpus;
		size_t lines;
		const char *first;
	} rows[] = {
		{ 8, 1, "CPU0        0   14   29   43   57   71   86  100" },
		{ 64, 8, "CPU0        0    2    3    5    6    8   10   11" },
		{ 256, 16, "CPU0       0   0   1   1   2   2   2   3   3   4   4   4   5   5   5   6" },
		{ 1024, 16, "CPU0    0000000000000000000000000000000000000000000000000000000000000000" },
	};
	struct fixture x;
	static struct aggr_line lines[1024];
	static unsigned int order[1024];
	static struct aggr apart = { .mode = AGGR_NONE, .lines = lines, .order = order };
	unsigned int row, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		lines[i].id.cpu = (int)i;
		order[i] = i;
	}
	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		struct counter_set cpus = set;

		begin(&x);
		cpus.nr_lines = apart.nr = rows[row].cpus;
		cpus.aggr = &apart;
		cpus.counts = calloc((size_t)rows[row].cpus * NR, sizeof(*cpus.counts));
		for (i = 0; i < rows[row].cpus; i++)
			counts_update(counter_counts(&cpus, i, 1), (struct reading){ i, 1, 1 });
		assert_int_equal(top_table_cpus(&x.table, &cpus), 0);
		x.view.by = TOP_BY_CPU;
		x.view.matrix = true;
		x.view.sort = 1;
		assert_int_equal(top_screen_make(&x.screen, &x.content), 0);
		assert_row(row, x.screen.nr == rows[row].lines && x.screen.all == rows[row].lines);
		assert_string_equal(x.screen.rows[0].text, rows[row].first);
		assert_int_equal(x.screen.rows[0].style[11], TOP_HEAT);
		i = (unsigned int)x.screen.rows[rows[row].lines - 1].len - 1;
		assert_int_equal(x.screen.rows[rows[row].lines - 1].style[i],
				 TOP_HEAT + TOP_HEATS - 1);
		free(cpus.counts);
		end(&x);
	}
}

static void json(void **state)
{
	static const char expected[] =
		"{\"time\":5.5,\"interval\":1.0,\"by\":\"thread\",\"target\":\"all CPUs\",\"lost\":3,"
		"\"lost-names\":4,\"rows\":[{\"tid\":20,\"pid\":20,\"name\":\"sh\\\\x1bl\",\"counters\":["
		"{\"event\":\"cpu-clock\",\"value\":300000000,\"enabled\":300000000,"
		"\"running\":300000000},"
		"{\"event\":\"cycles\",\"value\":300000,\"enabled\":300000000,\"running\":300000000},"
		"{\"event\":\"instructions\",\"value\":600000,\"enabled\":300000000,"
		"\"running\":300000000}],\"ratios\":{\"instructions/cycles\":2.0}}]}\n";
	struct fixture x;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	begin(&x);
	machine(&x);
	interval(&x, TOP_BY_THREAD);
	x.content.lost = 3;
	x.content.lost_names = 4;
	assert_int_equal(top_output_json(file, &x.content, 5.5, 1), 0);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
	end(&x);
}

/* ---- Keys ---- */

static void keys(void **state)
{
	struct top_limits limits = { .nr_columns = 2, .room = 10 };
	struct top_view v = { .delay = 1000, .by = TOP_BY_THREAD };
	int i;

	(void)state;
	limits.refuse[TOP_BY_CPU] = "not here";
	assert_int_equal(top_view_key(&v, 'g', &limits), TOP_ACT_SOURCE);
	assert_int_equal(v.by, TOP_BY_CGROUP);
	assert_int_equal(top_view_key(&v, 'm', &limits), TOP_ACT_DRAW);
	assert_true(v.by == TOP_BY_CGROUP && !v.matrix && !strcmp(v.note, "not here"));
	assert_int_equal(top_view_key(&v, '>', &limits), TOP_ACT_DRAW);
	assert_int_equal(top_view_key(&v, '>', &limits), TOP_ACT_NONE);
	assert_true(v.sort == 1 && !v.note[0]);
	for (i = 0; i < 5; i++)
		top_view_key(&v, '<', &limits);
	assert_int_equal(v.sort, COLUMN_NAME);
	for (i = 0; i < 40; i++)
		assert_int_equal(top_view_key(&v, '+', &limits), TOP_ACT_DELAY);
	assert_int_equal(v.delay, TOP_DELAY_MAX);
	for (i = 0; i < 40; i++)
		top_view_key(&v, '-', &limits);
	assert_int_equal(v.delay, TOP_DELAY_MIN);
	top_view_key(&v, TOP_KEY_PAGE_DOWN, &limits);
	top_view_key(&v, TOP_KEY_UP, &limits);
	assert_int_equal(v.offset, 9);
	top_view_key(&v, TOP_KEY_PAGE_UP, &limits);
	assert_int_equal(v.offset, 0);
	/* What is typed is text, q as well, and never more than there is room for. */
	top_view_key(&v, '/', &limits);
	for (i = 0; i < 100; i++)
		top_view_key(&v, 'q', &limits);
	assert_int_equal(strlen(v.filter), TOP_FILTER_SIZE - 1);
	top_view_key(&v, TOP_KEY_ESCAPE, &limits);
	assert_true(!v.typing && !v.filter[0]);
	top_view_key(&v, '?', &limits);
	assert_true(v.help);
	assert_int_equal(top_view_key(&v, 'q', &limits), TOP_ACT_DRAW);
	assert_int_equal(top_view_key(&v, 'q', &limits), TOP_ACT_QUIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(processes_and_cgroups),
		cmocka_unit_test(order_and_filter),
		cmocka_unit_test(wanted),
		cmocka_unit_test(of_cgroup),
		cmocka_unit_test(many),
		cmocka_unit_test(lost),
		cmocka_unit_test(table_screen),
		cmocka_unit_test(matrix),
		cmocka_unit_test(json),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
