// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pmcgrp record`: how many samples there are, what is in them, and what is left when
 * something goes wrong. This program is also what is recorded (tool_record_work.h).
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_mark.h"
#include "pmcgrp_rate.h"
#include <limits.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include "tool_json.h"
#include "tool_record_work.h"
#include "kselftest_harness.h"

#define FOLDER		"/tmp/tool_record"
#define OUT		FOLDER "/out"
#define ROWS_MAX	8192

/* The system call that this program makes, as tracepoint and function of the kernel. */
#define TRACEPOINT	"syscalls:sys_enter_getpgid"
#ifdef __x86_64__
#define GETPGID		"__x64_sys_getpgid"
#else
#define GETPGID		"__arm64_sys_getpgid"
#endif

/* ---- The tool ---- */

static struct {
	int status;
	char said[16384];
} run;

static void say_slurp(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t len = file ? fread(run.said, 1, sizeof(run.said) - 1, file) : 0;

	run.said[len] = '\0';
	if (file)
		fclose(file);
}

/*
 * A shell line; what it says on stderr in run.said. $W is this program, $R the beginning of a
 * recording of page faults, $U its function as a uprobe.
 */
static __printf(1, 2) void sh(const char *format, ...)
{
	char line[2048] = "exec 2>" FOLDER "/err; ";
	size_t len = strlen(line);
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(line + len, sizeof(line) - len, format, args);
	va_end(args);
	status = system(line);
	run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	say_slurp(FOLDER "/err");
}

static bool says(const char *text)
{
	return strstr(run.said, text);
}

/* ---- Recordings ---- */

/* A line of CSV with up to three events; -1 for what is empty. */
struct row {
	long long time, cpu, pid, tid;
	char trigger[48];
	long long interval, running, lost, value[3];
};

static struct row rows[ROWS_MAX];
static int nr_rows;
static int nr_switches;	/* rows where one task follows another, which are left out */

static long long cell(char **at)
{
	const char *text = strsep(at, ",\n");

	return text && *text ? atoll(text) : -1;
}

/* Returns whether it is a recording of these events. */
static bool read_csv(const char *events)
{
	static const char columns[] = "time_ns,cpu,pid,tid,trigger,interval_ns,running_ns,lost,";
	FILE *file = fopen(OUT, "r");
	char line[512], *at;
	struct row *r;
	bool good;

	nr_rows = 0;
	nr_switches = 0;
	good = file && fgets(line, sizeof(line), file) &&
	       !strncmp(line, columns, strlen(columns)) &&
	       !strncmp(line + strlen(columns), events, strlen(events)) &&
	       line[strlen(columns) + strlen(events)] == '\n';
	while (good && nr_rows < ROWS_MAX && fgets(line, sizeof(line), file)) {
		r = &rows[nr_rows++];
		at = line;
		r->time = cell(&at);
		r->cpu = cell(&at);
		r->pid = cell(&at);
		r->tid = cell(&at);
		snprintf(r->trigger, sizeof(r->trigger), "%s", strsep(&at, ","));
		r->interval = cell(&at);
		r->running = cell(&at);
		r->lost = cell(&at);
		r->value[0] = cell(&at);
		r->value[1] = cell(&at);
		r->value[2] = cell(&at);
		if (!strcmp(r->trigger, "switch")) {
			nr_switches++;
			nr_rows--;
		}
	}
	if (file)
		fclose(file);
	return good;
}

/* Rows of a trigger; NULL: of any. */
static int rows_of(const char *trigger)
{
	int i, nr = 0;

	for (i = 0; i < nr_rows; i++)
		nr += !trigger || !strcmp(rows[i].trigger, trigger);
	return nr;
}

/* Samples in a perf file, as its header says where they end; -1: it is no such file. */
static long samples_of(const char *path)
{
	uint64_t head[13], at, end;
	struct perf_event_header record;
	long nr = -1;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	if (pread(fd, head, sizeof(head), 0) == sizeof(head) && !memcmp(head, "PERFILE2", 8)) {
		nr = 0;
		end = head[5] + head[6];
		for (at = head[5]; at < end; at += record.size) {
			if (pread(fd, &record, sizeof(record), at) != sizeof(record) ||
			    record.size < sizeof(record) || record.size > end - at) {
				nr = -1;
				break;
			}
			nr += record.type == PERF_RECORD_SAMPLE &&
			      !(record.misc & PMCGRP_RECORD_MISC_SWITCH);
		}
	}
	close(fd);
	return nr;
}

FIXTURE(tool_record)
{
	int cpus;
	bool exact;
	bool hardware;
	struct rates rates;
};

FIXTURE_SETUP(tool_record)
{
	char self_path[PATH_MAX] = "", probe[PATH_MAX + 32];

	self->rates.rate = -1;
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	/* with -icount a CPU's timers are late while another CPU runs */
	self->exact = deterministic() && sysconf(_SC_NPROCESSORS_ONLN) == 1;
	self->hardware = have_instructions();
	if (system("command -v pmcgrp >/dev/null"))
		SKIP(return, "no pmcgrp in PATH");
	mkdir(FOLDER, 0700);
	ASSERT_LT(0, readlink("/proc/self/exe", self_path, sizeof(self_path) - 1));
	setenv("W", self_path, 1);
	setenv("R", "pmcgrp record -o " OUT " -e page-faults", 1);
	snprintf(probe, sizeof(probe), "%s:%#llx", self_path, (unsigned long long)own_offset());
	setenv("U", probe, 1);
}

FIXTURE_TEARDOWN(tool_record)
{
	rates_restore(&self->rates);
	(void)!system("rm -rf " FOLDER);
}

/* ---- How many, and what is in them ---- */

/* Of a thread the time for which it runs is meant, of a CPU that on the wall. */
TEST_F_TIMEOUT(tool_record, a_clock, 60)
{
	long long time = 0, running = 0, lost = 0, gap = 0;
	int i;

	sh("WORK=spin $R,task-clock -i --every 100us --format csv -- $W");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,task-clock"));
	ASSERT_LT(1, nr_rows);
	EXPECT_EQ(0, nr_switches);
	EXPECT_EQ(nr_rows, rows_of("every:100us"));
	/* from its execve(2) on */
	EXPECT_LE(0, rows[0].interval);
	for (i = 1; i < nr_rows; i++) {
		EXPECT_EQ(rows[i].time - rows[i - 1].time, rows[i].interval);
		EXPECT_EQ(rows[0].tid, rows[i].tid);
		/* where the host stops the guest a clock comes late, which is lost, too */
		if (self->exact)
			EXPECT_EQ(0, rows[i].lost);
		running += rows[i].running;
	}
	TH_LOG("a thread: %d samples in %lld us", nr_rows, running / 1000);
	if (self->exact)
		EXPECT_GE(1, llabs(nr_rows - 1 - (running + 50000) / 100000));

	self->rates = rates_allow(400000);
	ASSERT_LT(0, self->rates.rate);
	sh("$R,cpu-clock --every 100us --format csv -C 0 --timeout 100");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,cpu-clock"));
	ASSERT_LT(1, nr_rows);
	time = rows[nr_rows - 1].time - rows[0].time;
	for (i = 1; i < nr_rows; i++) {
		lost += rows[i].lost;
		gap = rows[i].interval > gap ? rows[i].interval : gap;
	}
	TH_LOG("a CPU: %d samples in %lld us, %lld lost, %lld us without one",
	       nr_rows, time / 1000, lost, gap / 1000);
	if (!self->exact)
		return;
	EXPECT_EQ(0, lost);
	EXPECT_GE(1, llabs(nr_rows - 1 - (time + 50000) / 100000));
	/* and a bit, from when it is enabled until it is stopped */
	EXPECT_GE(10, llabs(nr_rows - 1000));
}

/* All members at one instant: there, an instruction is two cycles. */
TEST_F_TIMEOUT(tool_record, a_number_of_events, 60)
{
	long long periods = 0;
	int i;

	if (!self->hardware)
		SKIP(return, "no counters");
	sh("WORK=spin $R,cycles,instructions --every 1000000:cycles --format csv -- $W");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,cycles,instructions"));
	ASSERT_LT(10, nr_rows);
	EXPECT_EQ(nr_rows, rows_of("every:1000000:cycles"));
	if (!self->exact)
		return;
	for (i = 1; i < nr_rows; i++) {
		EXPECT_TRUE(counts_together(rows[i].value[1], 2 * rows[i].value[2],
					    rows[i].interval, 0));
		periods += rows[i].value[1];
	}
	TH_LOG("%d samples in %lld cycles", nr_rows, periods);
	EXPECT_GE(1, llabs(nr_rows - 1 - (periods + 500000) / 1000000));
}

/* One sample for each, in which it is counted already. */
TEST_F_TIMEOUT(tool_record, page_faults, 60)
{
	static const int pages[] = { 0, PAGES };
	long nr[2];
	int i, k;

	/* the stack begins where it began, and has as many pages */
	ASSERT_LE(0, personality(ADDR_NO_RANDOMIZE));
	for (k = 0; k < 4; k++) {
		/* the first rounds bring the files into memory */
		sh("PAGES=%03d WORK=touch $R,minor-faults -i --on page-faults --format csv -- $W",
		   pages[k % 2]);
		EXPECT_EQ(0, run.status);
		ASSERT_TRUE(read_csv("page-faults,minor-faults"));
		nr[k % 2] = nr_rows;
		EXPECT_EQ(nr_rows, rows_of("on:page-faults"));
		for (i = 1; i < nr_rows; i++)
			EXPECT_EQ(1, rows[i].value[0]);
	}
	TH_LOG("%ld samples with %d pages, %ld without", nr[1], PAGES, nr[0]);
	/* What else is touched on the way may be on a page more, as the program is laid out. */
	EXPECT_GE(self->exact ? 1 : 8, labs(nr[1] - nr[0] - PAGES));
}

/* Each call and each return, alternately, and nothing else. */
TEST_F_TIMEOUT(tool_record, probes, 60)
{
	int i;

	sh("WORK=calls $R,context-switches --on kprobe:%s --on kretprobe:%s --format csv -- $W",
	   GETPGID, GETPGID);
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	EXPECT_EQ(CALLS, rows_of("kprobe:" GETPGID));
	EXPECT_EQ(CALLS, rows_of("kretprobe:" GETPGID));
	EXPECT_EQ(2 * CALLS, nr_rows);

	/* a function of this program, by its offset in the file */
	sh("WORK=calls $R,context-switches --on uprobe:$U --on uretprobe:$U --format csv -- $W");
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	EXPECT_EQ(2 * CALLS, nr_rows);
	for (i = 0; i < nr_rows; i++)
		EXPECT_EQ(i % 2, !strncmp(rows[i].trigger, "uretprobe:", 10));
	sh("$R --on kprobe:no_such_function -- $W");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("kprobe:no_such_function: there is no such kernel function"));
}

/* Every CPU has its samples, and the lines are in the order of time. */
TEST_F_TIMEOUT(tool_record, all_cpus, 60)
{
	int i, cpu, nr[64] = {};

	sh("WORK=cpus $R,context-switches --on " TRACEPOINT " --format csv -a -- $W");
	if (says("no tracepoint"))
		SKIP(return, "no tracepoints of system calls");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	for (i = 0; i < nr_rows; i++) {
		ASSERT_GT(64, rows[i].cpu);
		nr[rows[i].cpu]++;
		if (i)
			EXPECT_LE(rows[i - 1].time, rows[i].time);
	}
	for (cpu = 0; cpu < self->cpus; cpu++)
		EXPECT_EQ((cpu + 1) * CALLS, nr[cpu]);
	/* one of them, in a perf file */
	sh("WORK=cpus $R --on " TRACEPOINT " -C %d -- $W", self->cpus - 1);
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(self->cpus * CALLS, samples_of(OUT));
}

/* ---- JSON ---- */

TEST_F_TIMEOUT(tool_record, json_lines, 60)
{
	char line[1024];
	int nr = 0;
	FILE *file;

	sh("WORK=calls $R,context-switches --on uprobe:$U --format jsonl -- $W");
	EXPECT_EQ(0, run.status);
	file = fopen(OUT, "r");
	ASSERT_NE(NULL, file);
	while (fgets(line, sizeof(line), file)) {
		EXPECT_TRUE(is(line, "record", "sample"));
		if (is(line, "trigger", "switch"))
			continue;
		EXPECT_EQ('"', *json(line, "trigger"));
		EXPECT_LT(0, number(line, "time"));
		EXPECT_EQ(0, strncmp(json(line, "ip"), "\"0x", 3));
		EXPECT_LE(0, number(line, "totals.page-faults"));
		EXPECT_LE(0, number(line, "counts.page-faults"));
		EXPECT_EQ(number(line, "enabled"), number(line, "running"));
		EXPECT_LE(0, number(line, "interval"));
		nr++;
	}
	fclose(file);
	EXPECT_EQ(CALLS, nr);
}

/* ---- When something goes wrong ---- */

/* All calls are there: as samples, or as lost, behind the last of them, too. */
TEST_F_TIMEOUT(tool_record, lost_is_told, 60)
{
	unsigned long long lost = 0, all = 0;
	const char *at;

	sh("WORK=stop $R,context-switches -m 1 --on uprobe:$U --format csv -- $W");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	at = strstr(run.said, "samples were lost");
	ASSERT_NE(NULL, at) {
		TH_LOG("%d of %d calls; %s", nr_rows, CALLS, run.said);
	}
	for (at = run.said; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (sscanf(at, "pmcgrp record: %llu of %llu samples were lost", &lost, &all) == 2)
			break;
	TH_LOG("%d samples, %llu lost of %llu", nr_rows, lost, all);
	/* that of its end may be lost, too */
	EXPECT_EQ(nr_rows + lost, all);
	EXPECT_LE(CALLS, all);
	EXPECT_GE(CALLS + 1, all);
}

/* Without any of the default events there are others. */
TEST_F_TIMEOUT(tool_record, default_events, 60)
{
	bool pmu = have_cycles();

	sh("WORK=spin pmcgrp record -o " OUT " --every 1ms --on page-faults --format csv -- $W");
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	EXPECT_EQ(!pmu, says("recording software events instead"));
	EXPECT_EQ(!pmu, read_csv("task-clock,context-switches,page-faults"));
	EXPECT_TRUE(pmu || rows_of("every:1ms") > 1);
	/* the trigger has another name than the member */
	EXPECT_TRUE(pmu || rows_of("on:page-faults") > 0);
	/* what was asked for by name is not replaced */
	sh("pmcgrp record -o " OUT " -e cycles --every 1ms -- true");
	EXPECT_EQ(pmu ? 0 : 125, run.status);
	EXPECT_EQ(!pmu, says("supports none of the events"));
}

/* A recording of nothing says so, and why. */
TEST_F_TIMEOUT(tool_record, of_nothing, 60)
{
	sh("WORK=exit $R --every 10s -- $W");
	EXPECT_EQ(7, run.status);
	EXPECT_EQ(0, samples_of(OUT));
	EXPECT_TRUE(says("there was no sample: the target ran for "));
	EXPECT_TRUE(says("--every 10s is longer than that"));
	sh("WORK=exit $R --on uprobe:$U -- $W");
	EXPECT_EQ(7, run.status);
	EXPECT_TRUE(says("--on uprobe:"));
	EXPECT_TRUE(says("it did not happen"));
	EXPECT_FALSE(says("had no counter"));
	sh("sleep 100 & w=$!; sleep 0.5; $R --every 1ms -t $w --timeout 200; s=$?; kill $w;"
	   "exit $s");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says("the target has not run while it was recorded")) {
		TH_LOG("%s", run.said);
	}
	sh("WORK=calls $R --on uprobe:$U -- $W");
	EXPECT_EQ(0, run.status);
	EXPECT_FALSE(says("there was no sample"));
}

#define END(signal)	"kill -" signal " $t; wait $t; s=$?; kill $w; exit $s"

/* Until hundreds of samples are in the file, however long that takes. */
#define BEGUN(file)	"until [ $(wc -c <" file ") -gt 65536 ]; do sleep 0.1; done 2>/dev/null; "

/* What was flushed is in the file, whichever process dies; Ctrl-C loses nothing. */
TEST_F_TIMEOUT(tool_record, killed, 120)
{
	bool in_time = self->exact;	/* a second is long enough to begin in */
	long nr;

	unlink(OUT);
	unlink(OUT ".old");
	sh("WORK=forever $W & w=$!; $R --every 1ms -t $w & t=$!; %s" END("KILL"),
	   in_time ? "sleep 1; " : BEGUN(OUT));
	EXPECT_EQ(137, run.status);
	nr = samples_of(OUT);
	TH_LOG("killed: %ld samples", nr);
	EXPECT_LT(in_time ? 700 : 10, nr);
	sh("WORK=forever $W & w=$!; $R --every 1ms -t $w & t=$!; %s" END("INT"),
	   in_time ? "sleep 1; " : "until [ -e " OUT ".old ]; do sleep 0.1; done; " BEGUN(OUT));
	EXPECT_EQ(0, run.status);
	nr = samples_of(OUT);
	TH_LOG("interrupted: %ld samples", nr);
	EXPECT_LT(in_time ? 800 : 10, nr);
	/* the one of before has another name now; and the thread's end is an end, too */
	EXPECT_LT(0, samples_of(OUT ".old"));
	unlink(OUT);
	sh("WORK=forever $W & w=$!; $R --every 1ms -p $w & t=$!; " BEGUN(OUT) "kill $w; wait $t");
	EXPECT_EQ(0, run.status);
	EXPECT_LT(0, samples_of(OUT));
}

/* The recording ends, the command does not, and the file has all up to there. */
TEST_F_TIMEOUT(tool_record, disk_full, 60)
{
	long nr;

	ASSERT_EQ(0, mkdir(FOLDER "/small", 0700));
	ASSERT_EQ(0, mount("small", FOLDER "/small", "tmpfs", 0, "size=64k"));
	sh("WORK=many $R --on uprobe:$U -o " FOLDER "/small/out -- $W");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("No space left on device")) {
		TH_LOG("%s", run.said);
	}
	EXPECT_TRUE(says("the recording ends here; what was written before is intact"));
	nr = samples_of(FOLDER "/small/out");
	TH_LOG("%ld samples in 64 KB", nr);
	EXPECT_LT(0, nr);
	EXPECT_EQ(0, access(FOLDER "/ended", F_OK));
	umount2(FOLDER "/small", MNT_DETACH);
	sh("WORK=calls $R --every 1ms -o /dev/full -- $W");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("/dev/full: No space left on device"));
}

/* Each thread of a process is told apart. */
TEST_F_TIMEOUT(tool_record, threads, 300)
{
	long long tid[CROWD] = {};
	int i, k, nr[CROWD] = {};

	sh("rm -f " FOLDER "/go; WORK=crowd $W & w=$!; "
	   "until [ $(ls /proc/$w/task | wc -l) = %d ]; do sleep 0.05; done; "
	   "$R,context-switches --on uprobe:$U --format csv -p $w & r=$!; "
	   "until [ -s " OUT " ]; do sleep 0.05; done; touch " FOLDER "/go; wait $r", CROWD + 1);
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	ASSERT_LT(0, nr_rows);
	for (i = 0; i < nr_rows; i++) {
		for (k = 0; k < CROWD && tid[k] && tid[k] != rows[i].tid; k++)
			;
		ASSERT_GT(CROWD, k);
		tid[k] = rows[i].tid;
		nr[k]++;
		/* the main thread only waits */
		ASSERT_NE(rows[i].pid, rows[i].tid);
		EXPECT_EQ(rows[0].pid, rows[i].pid);
		if (i)
			EXPECT_LE(rows[i - 1].time, rows[i].time);
	}
	/* each made CALLS more than the one before; they began in any order */
	EXPECT_EQ((1 + 2 + 3) * CALLS, nr_rows);
	for (k = 0; k < CROWD; k++)
		for (i = 0; i < k; i++)
			EXPECT_NE(nr[k], nr[i]);
	for (k = 0; k < CROWD; k++)
		EXPECT_TRUE(nr[k] == CALLS || nr[k] == 2 * CALLS || nr[k] == 3 * CALLS);
}

/* How many rows each of several tasks has; returns how many tasks there are. */
static int rows_by_tid(int *nr, int max)
{
	long long tid[64];
	int i, k, tasks = 0;

	for (i = 0; i < nr_rows; i++) {
		for (k = 0; k < tasks && tid[k] != rows[i].tid; k++)
			;
		if (k == tasks) {
			if (tasks == max)
				return -1;
			tid[tasks] = rows[i].tid;
			nr[tasks++] = 0;
		}
		nr[k]++;
	}
	return tasks;
}

static int up(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * All threads and children of a command, each with all of its calls.  The rings have room for all:
 * with one CPU the reader may have to wait until the command ends.
 */
TEST_F_TIMEOUT(tool_record, a_whole_command, 300)
{
	int nr[64], k, tasks;

	sh("WORK=family $R,context-switches -m 256 --on uprobe:$U --format csv -- $W");
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	tasks = rows_by_tid(nr, 64);
	ASSERT_EQ(THREADS + CHILDREN, tasks);
	qsort(nr, tasks, sizeof(*nr), up);
	for (k = 0; k < tasks; k++)
		EXPECT_EQ((k + 1) * CALLS, nr[k]);
	EXPECT_LE(tasks, nr_switches);

	/* two processes of which one has children */
	sh("rm -f " FOLDER "/go " OUT "; WORK=crowd $W & w=$!; WORK=crowd $W & x=$!; "
	   "until [ $(ls /proc/$w/task /proc/$x/task | grep -c '[0-9]$') = %d ]; do sleep 0.05; "
	   "done; $R,context-switches -m 256 --on uprobe:$U --format csv -p $w,$x & r=$!; "
	   "until [ -s " OUT " ]; do sleep 0.05; done; touch " FOLDER "/go; wait $r",
	   2 * (CROWD + 1));
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	EXPECT_EQ(2 * CROWD, rows_by_tid(nr, 64));
	EXPECT_EQ(2 * (1 + 2 + 3) * CALLS, nr_rows);

	/* the first thread alone, as it waits for the others, calls nothing */
	sh("WORK=family $R,context-switches -i --on uprobe:$U --format csv -- $W");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults,context-switches"));
	EXPECT_EQ(0, nr_rows);
}

/* One short child after another: none is missing. */
TEST_F_TIMEOUT(tool_record, short_children, 300)
{
	const char *nr = getenv("CHILDREN_NR") ?: "1000";

	sh("CHILDREN_NR=%s WORK=short $R --on uprobe:$U -- $W", nr);
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	EXPECT_EQ(atol(nr), samples_of(OUT));
	tell_count("short-children", atol(nr), "children");
}

/* What is counted before the delay is over is in no record. */
TEST_F_TIMEOUT(tool_record, delay, 60)
{
	sh("WORK=calls $R --on uprobe:$U --format csv -D 200 -- sh -c '$W; sleep 1; $W'");
	EXPECT_EQ(0, run.status) {
		TH_LOG("%s", run.said);
	}
	ASSERT_TRUE(read_csv("page-faults"));
	EXPECT_LE(CALLS, nr_rows);
	/* elsewhere the first of them may take longer than the delay */
	if (self->exact)
		EXPECT_EQ(CALLS, nr_rows);
}

TEST_F_TIMEOUT(tool_record, whom, 300)
{
	int i, others = 0;

	sh("WORK=threads $W & w=$!; sleep 0.2; $R --every 1ms --format csv -t $w --timeout 200 %s",
	   "; s=$?; kill $w; exit $s");
	EXPECT_EQ(0, run.status);
	ASSERT_TRUE(read_csv("page-faults"));
	EXPECT_LT(0, nr_rows);
	for (i = 0; i < nr_rows; i++)
		others += rows[i].pid != rows[i].tid;
	EXPECT_EQ(0, others);
	sh("$R --every 1ms -p 4194303");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("-p: there is no such process"));
	sh("$R --every 1ms -p 1,x");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("'x' is none"));
	sh("$R --every 1ms --by-task -p 1");
	EXPECT_EQ(125, run.status);
	sh("$R --every 1ms -p 1 -a");
	EXPECT_EQ(125, run.status);
	sh("$R --every 1ms -C 4000");
	EXPECT_EQ(125, run.status);
	EXPECT_TRUE(says("no CPU 4000"));
	sh("WORK=exit $R --every 1ms -- $W");
	EXPECT_EQ(7, run.status);
	sh("WORK=forever $R --every 1ms --timeout 50 -- $W");
	EXPECT_EQ(0, run.status);
}

TEST_HARNESS_MAIN
