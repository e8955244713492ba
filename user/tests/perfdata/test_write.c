// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Recordings as files: made from synthetic rings, and read by the machine's perf(1), which
 * must print the very differences that were put in.
 */
#include "test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "fake_ring.h"
#include "perfdata/head.h"
#include "record/drain.h"

#define SIZE 65536
#define RINGS 2
#define MEMBERS 2
#define OUTPUT_MAX (1 << 20)

#define MEMBER_ID(i) (0x100000000ULL + (i))
#define TRIGGER_ID(i) (0x200000000ULL + (i))

/* Of rings that are not of one group. */
#define APART(ring) ((uint64_t)(ring) << 40)

/* Apart from the kernel's in every way: perf must not mind. */
static const struct record_event members[] = {
	{
		.name = "cycles:u",
		.attr.type = PERF_TYPE_HARDWARE,
		.attr.config = PERF_COUNT_HW_CPU_CYCLES,
		.attr.exclude_kernel = 1,
	},
	{
		.name = "page-faults",
		.attr.type = PERF_TYPE_SOFTWARE,
		.attr.config = PERF_COUNT_SW_PAGE_FAULTS,
	},
};

static const struct record_event triggers[] = {
	{
		.name = "every 100us",
		.attr.type = PERF_TYPE_SOFTWARE,
		.attr.sample_period = 100000,
	},
	{
		.name = "sched:sched_switch",
		.attr.type = PERF_TYPE_TRACEPOINT,
		.attr.config = 300,
		.attr.sample_period = 1,
	},
	{
		.name = "kprobe:vfs_read",
		.attr.type = 8,
		.attr.config1 = 0x7f00dead0000,
		.attr.sample_period = 1,
		.name_only = true,
	},
};

static char *words[] = { (char *)"pmcgrp", (char *)"record", (char *)"true" };

#define IDS(ring) TRIGGER_ID(0) + APART(ring), TRIGGER_ID(1) + APART(ring), \
		  TRIGGER_ID(2) + APART(ring), MEMBER_ID(0) + APART(ring),  \
		  MEMBER_ID(1) + APART(ring)

static const uint64_t ids[] = { IDS(0), IDS(1) };

static const struct record_desc desc = {
	.ids = ids,
	.nr_groups = 1,
	.triggers = triggers,
	.nr_triggers = ARRAY_SIZE(triggers),
	.members = members,
	.nr_members = MEMBERS,
	.format = { RECORD_SAMPLE_TYPE, RECORD_READ_FORMAT, true },
	.nr_rings = RINGS,
	.argc = 3,
	.argv = words,
};

struct fixture {
	struct fake_ring fakes[RINGS];
	struct pmcgrp_rings *rings;
	struct record_sink *sink;
	struct record_counts counts;
	uint64_t values[RINGS][MEMBERS];
	bool apart;		/* each ring is of a group of its own */
	bool chains;
	char path[64];
	int fd;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct pmcgrp_ring *ring;
	unsigned int i;

	*state = x;
	assert_int_equal(pmcgrp_rings_new(&x->rings, &desc.format), 0);
	for (i = 0; i < RINGS; i++) {
		fake_ring_init(&x->fakes[i], SIZE);
		assert_int_equal(pmcgrp_ring_open(&ring, x->fakes[i].page, x->fakes[i].len, 0), 0);
		pmcgrp_rings_add(x->rings, ring, (int)i);
	}
	strcpy(x->path, "/tmp/pmcgrp-test-XXXXXX");
	x->fd = mkostemp(x->path, O_CLOEXEC);
	return x->fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;
	unsigned int i;

	pmcgrp_rings_free(x->rings);
	for (i = 0; i < RINGS; i++)
		fake_ring_free(&x->fakes[i]);
	unlink(x->path);
	free(x);
	return 0;
}

static const struct record_desc *desc_of(const struct fixture *x)
{
	static struct record_desc other;

	other = desc;
	if (x->apart) {
		other.nr_groups = RINGS;
		other.group_rings = 1;
	}
	if (x->chains)
		other.format.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return &other;
}

/* A process that there is not. */
static uint32_t who = 2000000001;

/* In the ring of a CPU, of a thread that there is not, and this much since the last one. */
static void snapshot(struct fixture *x, unsigned int cpu, uint64_t time, uint64_t id,
		     uint64_t cycles, uint64_t faults)
{
	static struct fake_record r;
	uint64_t apart = x->apart ? APART(cpu) : 0;
	unsigned int i;

	x->values[cpu][0] += cycles;
	x->values[cpu][1] += faults;
	fake_begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	fake_add(&r, id + apart);
	fake_add_two(&r, who, who + cpu);
	fake_add(&r, time);
	fake_add_two(&r, cpu, 0);
	fake_add(&r, MEMBERS);
	fake_add(&r, time);
	fake_add(&r, time);
	for (i = 0; i < MEMBERS; i++) {
		fake_add(&r, x->values[cpu][i]);
		fake_add(&r, MEMBER_ID(i) + apart);
	}
	if (x->chains) {
		fake_add(&r, 3);
		fake_add(&r, PERF_CONTEXT_USER);
		fake_add(&r, 0x1000 + cycles);
		fake_add(&r, 0x2000 + faults);
	}
	assert_true(fake_ring_write(&x->fakes[cpu], r.bytes, r.len));
}

static void add_sample_id(struct fake_record *r, unsigned int cpu, uint64_t time, uint64_t id)
{
	fake_add_two(r, 2000000001, 2000000001);
	fake_add(r, time);
	fake_add_two(r, cpu, 0);
	fake_add(r, id);
}

static void lost(struct fixture *x, unsigned int cpu, uint64_t time, uint64_t nr)
{
	static struct fake_record r;
	uint64_t id = MEMBER_ID(0) + (x->apart ? APART(cpu) : 0);

	fake_begin(&r, PERF_RECORD_LOST, 0);
	fake_add(&r, id);
	fake_add(&r, nr);
	add_sample_id(&r, cpu, time, id);
	assert_true(fake_ring_write(&x->fakes[cpu], r.bytes, r.len));
}

static void throttle(struct fixture *x, unsigned int cpu, uint64_t time)
{
	uint64_t id = TRIGGER_ID(0) + (x->apart ? APART(cpu) : 0);
	static struct fake_record r;

	fake_begin(&r, PERF_RECORD_THROTTLE, 0);
	fake_add(&r, time);
	fake_add(&r, id);
	fake_add(&r, id);
	add_sample_id(&r, cpu, time, id);
	assert_true(fake_ring_write(&x->fakes[cpu], r.bytes, r.len));
}

static int drain(struct fixture *x)
{
	return record_drain(x->rings, desc_of(x), x->sink, &x->counts);
}

/* Two rounds, of which the second ring is behind the first. */
static void fill(struct fixture *x)
{
	snapshot(x, 0, 1000000000, TRIGGER_ID(0), 1000, 1);
	snapshot(x, 0, 1000200000, TRIGGER_ID(0), 2000, 0);
	snapshot(x, 1, 1000100000, TRIGGER_ID(1), 50, 7);
	assert_int_equal(drain(x), 0);
	snapshot(x, 1, 1000300000, TRIGGER_ID(2), 60, 0);
	lost(x, 1, 1000350000, 9);
	throttle(x, 0, 1000360000);
	snapshot(x, 0, 1000400000, MEMBER_ID(0), 3000, 5);
	assert_int_equal(drain(x), 0);
}

static char *slurp(FILE *file)
{
	static char text[OUTPUT_MAX];
	size_t len = fread(text, 1, sizeof(text) - 1, file);

	text[len] = '\0';
	return text;
}

/* What a command says of the file $F, with its errors. */
static const char *said(const struct fixture *x, const char *command, int *status)
{
	char line[512];
	FILE *pipe;
	char *text;

	setenv("F", x->path, 1);
	snprintf(line, sizeof(line), "exec 2>&1 </dev/null; %s", command);
	pipe = popen(line, "re");
	assert_non_null(pipe);
	text = slurp(pipe);
	*status = pclose(pipe);
	return text;
}

static void need_perf_tool(void)
{
	int status = system("perf --version >/dev/null 2>&1");

	if (status) {
		print_message("# skipped: there is no perf(1) here (Debian: linux-perf)\n");
		skip();
	}
}

#define FIELDS "-F comm,tid,cpu,time,period,event --ns"
#define SCRIPT "perf script -i $F " FIELDS

/* Line by line, blanks squeezed. */
static void assert_lines(const char *text, const char *const *lines)
{
	const char *at = text;
	char line[256];
	size_t used;

	for (; *lines; lines++) {
		at += strspn(at, " \n");
		for (used = 0; *at && *at != '\n'; at++) {
			if (*at == ' ' && (at[1] == ' ' || at[1] == '\n' || !at[1]))
				continue;
			if (used < sizeof(line) - 1)
				line[used++] = *at;
		}
		line[used] = '\0';
		if (strcmp(line, *lines))
			fail_msg("'%s' is not '%s' in:\n%s", line, *lines, text);
	}
	assert_int_equal(at[strspn(at, " \n")], '\0');
}

#define COMM0 ":2000000001 2000000001"
#define COMM1 ":2000000002 2000000002"

/* Sorted over the rings; each thread by its name, each difference by its event's. */
static const char *const script_lines[] = {
	COMM0 " [000] 1.000000000: 1000 cycles:u:",
	COMM0 " [000] 1.000000000: 1 page-faults:",
	COMM0 " [000] 1.000000000: 100000 every 100us:",
	COMM1 " [001] 1.000100000: 50 cycles:u:",
	COMM1 " [001] 1.000100000: 7 page-faults:",
	COMM1 " [001] 1.000100000: 1 sched:sched_switch:",
	COMM0 " [000] 1.000200000: 2000 cycles:u:",
	COMM0 " [000] 1.000200000: 100000 every 100us:",
	COMM1 " [001] 1.000300000: 60 cycles:u:",
	COMM1 " [001] 1.000300000: 1 kprobe:vfs_read:",
	COMM0 " [000] 1.000400000: 3000 cycles:u:",
	COMM0 " [000] 1.000400000: 5 page-faults:",
	NULL,
};

static void perf_script(void **state)
{
	struct fixture *x = *state;
	int status;

	need_perf_tool();
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	assert_int_equal(x->counts.samples, 5);
	assert_int_equal(x->counts.lost, 9);
	assert_int_equal(x->counts.throttled, 1);
	assert_int_equal(x->counts.broken, 0);
	assert_lines(said(x, SCRIPT " 2>/dev/null", &status), script_lines);
	assert_int_equal(status, 0);
	/* With what it prints of itself, too. */
	assert_non_null(strstr(said(x, "perf script -i $F", &status), " cycles:u: "));
	assert_int_equal(status, 0);
}

static void assert_says(const struct fixture *x, const char *command, const char *text)
{
	const char *all;
	int status;

	all = said(x, command, &status);
	if (status || !strstr(all, text))
		fail_msg("%s: status %d, no '%s' in:\n%s", command, status, text, all);
}

/* As a stream, in which nothing is written twice: what "perf script -i -" reads. */
static void perf_pipe(void **state)
{
	struct fixture *x = *state;
	struct record_desc piped = desc;
	int ends[2], status;
	pid_t reader;

	need_perf_tool();
	piped.pipe = true;
	assert_int_equal(pipe(ends), 0);
	reader = fork();
	if (!reader) {
		dup2(ends[0], 0);
		dup2(x->fd, 1);
		close(ends[0]);
		close(ends[1]);
		execlp("cat", "cat", NULL);
		_exit(99);
	}
	close(ends[0]);
	assert_int_equal(perfdata_open(&x->sink, ends[1], &piped), 0);
	fill(x);
	assert_true(x->sink->size(x->sink) > 0);
	assert_int_equal(x->sink->end(x->sink), 0);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	assert_lines(said(x, "cat $F | perf script -i - " FIELDS " 2>/dev/null", &status), script_lines);
	assert_int_equal(status, 0);
	assert_says(x, "cat $F | perf script -i - --header 2>/dev/null", "pmcgrp record true");
	/* Whoever reads has gone. */
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(perfdata_open(&x->sink, ends[1], &piped), -EPIPE);
	signal(SIGPIPE, SIG_DFL);
}

static void perf_report(void **state)
{
	struct fixture *x = *state;

	need_perf_tool();
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	assert_says(x, "perf report -i $F --stdio --header", "# cmdline : pmcgrp record true");
	assert_says(x, "perf report -i $F --stdio --header",
		    "# event : name = sched:sched_switch, ");
	assert_says(x, "perf report -i $F --stdio --header",
		    "# time of last sample : 1.000400\n");
	assert_says(x, "perf report -i $F --stdio -s comm", "# Samples: 5  of event 'cycles:u'");
	assert_says(x, "perf report -i $F --stdio -s comm", "# Event count (approx.): 6110");
	assert_says(x, "perf report -i $F --stdio -s comm", "98.20%  :2000000001");
	assert_says(x, "perf report -i $F --stdio --stats", "LOST events:          1");
	assert_says(x, "perf report -i $F --stdio --stats", "THROTTLE events:          1");
	assert_says(x, "perf evlist -i $F", "kprobe:vfs_read\n");
}

/* Whether the rings are of one group or of several is not to be seen in the file. */
/* The trigger's own value is put before the chain, and perf finds both. */
static void with_chains(void **state)
{
	static const char script[] = "perf script -i $F -F time,period,event,ip --ns | tr -s ' \t\n' ' '";
	struct fixture *x = *state;
	const char *text;
	int status;

	need_perf_tool();
	x->chains = true;
	assert_int_equal(perfdata_open(&x->sink, x->fd, desc_of(x)), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, script, &status);
	assert_int_equal(status, 0);
	/* 1000 cycles and a page fault; 3000 and five. */
	assert_non_null(strstr(text, "1.000000000: 1000 cycles:u: 13e8 2001 "));
	assert_non_null(strstr(text, "1.000000000: 1 page-faults: 13e8 2001 "));
	assert_non_null(strstr(text, "1.000100000: 1 sched:sched_switch: 1032 2007 "));
	assert_non_null(strstr(text, "1.000400000: 3000 cycles:u: 1bb8 2005"));
	text = said(x, "perf report -i $F --stdio --no-children -F sample,sym 2>&1", &status);
	assert_int_equal(status, 0);
}

static void groups_apart(void **state)
{
	static char together[OUTPUT_MAX];
	struct fixture *x = *state;
	const char *text;
	size_t len;
	int status;

	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, "od -A d -t x8 $F", &status);
	len = strlen(text);
	memcpy(together, text, len + 1);
	assert_true(len > 5000);

	assert_int_equal(teardown(state), 0);
	assert_int_equal(setup(state), 0);
	x = *state;
	x->apart = true;
	assert_int_equal(perfdata_open(&x->sink, x->fd, desc_of(x)), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	assert_string_equal(said(x, "od -A d -t x8 $F", &status), together);
}

static void perf_convert_ctf(void **state)
{
	struct fixture *x = *state;
	const char *text;
	int status;

	need_perf_tool();
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, "perf data convert --to-ctf $F.ctf -i $F; rm -rf $F.ctf", &status);
	if (strstr(text, "No conversion support") || strstr(text, "support is not compiled in")) {
		print_message("# skipped: this perf(1) was built without CTF\n");
		skip();
	}
	if (!strstr(text, "Converted and wrote") || !strstr(text, "(12 samples)"))
		fail_msg("no CTF: %s", text);
}

static void perf_convert(void **state)
{
	struct fixture *x = *state;
	json_t *all, *samples;
	const char *text;
	int status;

	need_perf_tool();
	if (system("perf data convert --help 2>&1 | grep -q -- --to-json")) {
		print_message("# skipped: this perf(1) has no --to-json\n");
		skip();
	}
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, "perf data convert --to-json $F.json -i $F >/dev/null 2>&1 && cat $F.json; "
		    "rm -f $F.json", &status);
	assert_int_equal(status, 0);
	all = json_loads(text, 0, NULL);
	if (!all)
		fail_msg("no JSON: %s", text);
	samples = json_object_get(all, "samples");
	assert_int_equal(json_array_size(samples), ARRAY_SIZE(script_lines) - 1);
	json_decref(all);
}

/* ---- At any moment ---- */

static void assert_readable(const struct fixture *x, const char *path, size_t nr)
{
	struct fixture copy = *x;
	const char *text;
	size_t lines = 0;
	int status;

	strcpy(copy.path, path);
	text = said(&copy, SCRIPT " 2>/dev/null", &status);
	for (; *text; text++)
		lines += *text == '\n';
	if (status || lines != nr)
		fail_msg("%s: status %d, %zu lines, not %zu", path, status, lines, nr);
}

/*
 * The file as each of the writer's calls leaves it: what has been flushed is there, and not
 * more. A child does the writing, and is killed between two of them.
 */
static void killed(void **state)
{
	struct fixture *x = *state;
	int status, ends[2];
	pid_t pid;

	need_perf_tool();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		perfdata_open(&x->sink, x->fd, &desc);
		fill(x);
		snapshot(x, 0, 1000500000, TRIGGER_ID(0), 1, 1);
		/* Not flushed. */
		x->sink->put(x->sink, &(struct pmcgrp_record){ .type = PERF_RECORD_LOST, .size = 8 },
			     &(uint64_t[5]){ 0 }, NULL);
		write(ends[1], "x", 1);
		pause();
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &status, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(ends[0]);
	close(x->fd);
	assert_readable(x, x->path, ARRAY_SIZE(script_lines) - 1);
}

/* The steps of a flush at which the features are missing, and what comes before them. */
static void between_the_steps(void **state)
{
	const struct perf_event_header pad = { .type = PERFDATA_EVENT_TYPE, .size = 176 };
	unsigned char zero[176] = { 0 };
	struct fixture *x = *state;
	uint64_t header[13];
	off_t end;

	need_perf_tool();
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(pread(x->fd, header, sizeof(header), 0), sizeof(header));
	end = (off_t)(header[5] + header[6]);
	assert_int_equal(lseek(x->fd, 0, SEEK_END), end + (off_t)sizeof(zero));
	assert_int_equal(PERFDATA_SIZE_AT, 6 * 8);
	/* Data without a header that counts them. */
	assert_int_equal(pwrite(x->fd, zero, sizeof(zero), end + (off_t)sizeof(zero)),
			 sizeof(zero));
	assert_readable(x, x->path, ARRAY_SIZE(script_lines) - 1);
	/* No features any more. */
	assert_int_equal(PERFDATA_FEATURES_AT, 9 * 8);
	assert_int_equal(pwrite(x->fd, (uint64_t[4]){ 0 }, 4 * 8, PERFDATA_FEATURES_AT), 4 * 8);
	assert_readable(x, x->path, ARRAY_SIZE(script_lines) - 1);
	/* And a pad over the table. */
	memcpy(zero, &pad, sizeof(pad));
	assert_int_equal(pwrite(x->fd, zero, sizeof(zero), end), sizeof(zero));
	assert_readable(x, x->path, ARRAY_SIZE(script_lines) - 1);
	x->sink->end(x->sink);
}

/* No room on the disk: an error, once and for all, and what was flushed is readable. */
static void disk_full(void **state)
{
	struct rlimit limit, old;
	struct fixture *x = *state;
	unsigned int i;
	struct stat st;
	int ret = 0;

	need_perf_tool();
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	fstat(x->fd, &st);
	limit = old;
	limit.rlim_cur = (rlim_t)st.st_size + 4000;
	setrlimit(RLIMIT_FSIZE, &limit);
	for (i = 0; i < 60; i++)
		snapshot(x, 0, 1000500000 + i, TRIGGER_ID(0), 1, 1);
	ret = drain(x);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, -EFBIG);
	snapshot(x, 1, 2000000000, TRIGGER_ID(0), 1, 1);
	assert_int_equal(drain(x), -EFBIG);
	assert_int_equal(x->sink->size(x->sink), st.st_size);
	assert_int_equal(x->sink->end(x->sink), -EFBIG);
	stat(x->path, &st);
	assert_readable(x, x->path, ARRAY_SIZE(script_lines) - 1);
}

/* By what it is called now, also if that is not what it was called first. */
static void names(void **state)
{
	struct fixture *x = *state;
	const char *text;
	int status;

	need_perf_tool();
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	who = (uint32_t)getpid();
	prctl(PR_SET_NAME, "before");
	snapshot(x, 0, 1000, TRIGGER_ID(0), 1, 0);
	assert_int_equal(drain(x), 0);
	prctl(PR_SET_NAME, "after");
	usleep(1100000);
	snapshot(x, 0, 2000, TRIGGER_ID(0), 2, 0);
	assert_int_equal(drain(x), 0);
	snapshot(x, 0, 3000, TRIGGER_ID(0), 3, 0);
	who = 0;
	snapshot(x, 0, 4000, TRIGGER_ID(0), 4, 0);
	assert_int_equal(drain(x), 0);
	who = 2000000001;
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, "perf script -i $F -F comm,period,event 2>/dev/null | grep cycles |"
		    "tr -s ' '", &status);
	assert_string_equal(text, " before 1 cycles:u: \n before 2 cycles:u: \n"
			    " after 3 cycles:u: \n swapper 4 cycles:u: \n");
	assert_says(x, "perf script -i $F --show-mmap-events 2>/dev/null", "/libcmocka.so");
}

/* ---- Several files ---- */

/* The first half of fill(), then another file. */
static void fill_two(struct fixture *x, int fd)
{
	snapshot(x, 0, 1000000000, TRIGGER_ID(0), 1000, 1);
	snapshot(x, 0, 1000200000, TRIGGER_ID(0), 2000, 0);
	snapshot(x, 1, 1000100000, TRIGGER_ID(1), 50, 7);
	assert_int_equal(drain(x), 0);
	assert_int_equal(x->sink->finish(x->sink), 0);
	assert_int_equal(x->sink->begin(x->sink, fd), 0);
	snapshot(x, 1, 1000300000, TRIGGER_ID(2), 60, 0);
	lost(x, 1, 1000350000, 9);
	throttle(x, 0, 1000360000);
	snapshot(x, 0, 1000400000, MEMBER_ID(0), 3000, 5);
	pmcgrp_rings_flush(x->rings);
	assert_int_equal(drain(x), 0);
	assert_int_equal(x->sink->end(x->sink), 0);
}

static int second_file(const struct fixture *x, char *path)
{
	int fd;

	sprintf(path, "%s.2", x->path);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

static struct record_desc many_files(void)
{
	struct record_desc many = desc;

	many.many_files = true;
	return many;
}

/* Each file has its part of what one file has, by the same names. */
static void two_files(void **state)
{
	const struct record_desc many = many_files();
	struct fixture *x = *state;
	char path[80];
	int status, fd;

	need_perf_tool();
	fd = second_file(x, path);
	assert_int_equal(perfdata_open(&x->sink, x->fd, &many), 0);
	fill_two(x, fd);
	assert_lines(said(x, SCRIPT " 2>/dev/null; perf script -i $F.2 " FIELDS " 2>/dev/null", &status),
		     script_lines);
	assert_says(x, "perf report -i $F.2 --stdio --stats", "SAMPLE events:          2");
	assert_says(x, "perf report -i $F.2 --stdio --stats", "COMM events:          2");
	assert_says(x, "perf report -i $F.2 --stdio --stats", "LOST events:          1");
	assert_says(x, "perf report -i $F --stdio --header", "# time of last sample : 1.000200\n");
	assert_says(x, "perf report -i $F.2 --stdio --header",
		    "# time of first sample : 1.000300\n");
	unlink(path);
}

static void two_csv_files(void **state)
{
	struct fixture *x = *state;
	const char *text;
	char path[80];
	int status, fd;

	fd = second_file(x, path);
	assert_int_equal(record_csv_open(&x->sink, x->fd, &desc), 0);
	fill_two(x, fd);
	text = said(x, "grep -c ^time_ $F $F.2 | cut -d : -f 2; cat $F $F.2 | grep -v ^time_", &status);
	assert_string_equal(text,
		"1\n1\n"
		"1000000000,0,2000000001,2000000001,every 100us,,,0,,\n"
		"1000100000,1,2000000001,2000000002,sched:sched_switch,,,0,,\n"
		"1000200000,0,2000000001,2000000001,every 100us,200000,200000,0,2000,0\n"
		"1000300000,1,2000000001,2000000002,kprobe:vfs_read,200000,200000,0,60,0\n"
		"1000400000,0,2000000001,2000000001,,200000,200000,0,3000,5\n");
	unlink(path);
}

/* A file that takes nothing: the one before is whole. */
static void second_file_full(void **state)
{
	const struct record_desc many = many_files();
	struct fixture *x = *state;
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(perfdata_open(&x->sink, x->fd, &many), 0);
	snapshot(x, 0, 1000000000, TRIGGER_ID(0), 1000, 1);
	assert_int_equal(drain(x), 0);
	assert_int_equal(x->sink->finish(x->sink), 0);
	assert_int_equal(x->sink->begin(x->sink, fd), -ENOSPC);
	snapshot(x, 0, 1000200000, TRIGGER_ID(0), 2000, 0);
	assert_int_equal(drain(x), -ENOSPC);
	assert_int_equal(x->sink->end(x->sink), -ENOSPC);
	need_perf_tool();
	assert_readable(x, x->path, 3);
}

/* More than the buffer holds, and more threads than the table begins with. */
static void many(void **state)
{
	struct fixture *x = *state;
	uint64_t time = 1000, cycles = 0;
	const char *text;
	char count[64];
	unsigned int i;
	int status;

	need_perf_tool();
	assert_int_equal(perfdata_open(&x->sink, x->fd, &desc), 0);
	for (i = 0; i < 30000; i++) {
		time += 1000;
		cycles += 1 + i % 7;
		snapshot(x, i % 2, time, TRIGGER_ID(0), 1 + i % 7, 0);
		if (i % 500 == 499)
			assert_int_equal(drain(x), 0);
	}
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, "perf script -i $F -F event,period 2>/dev/null | tr -s ' ' | sort | uniq -c",
		    &status);
	assert_int_equal(status, 0);
	assert_non_null(strstr(text, "30000 "));
	assert_non_null(strstr(text, "100000 every 100us"));
	text = said(x, "perf report -i $F --stdio -s cpu 2>/dev/null", &status);
	snprintf(count, sizeof(count), "# Event count (approx.): %" PRIu64 "\n", cycles);
	assert_non_null(strstr(text, count));
}

/* ---- Text ---- */

static void csv(void **state)
{
	struct fixture *x = *state;
	const char *text;
	int status;

	assert_int_equal(record_csv_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	pmcgrp_rings_flush(x->rings);
	assert_int_equal(drain(x), 0);
	assert_int_equal(x->sink->end(x->sink), 0);
	text = said(x, "cat $F", &status);
	assert_string_equal(text,
		"time_ns,cpu,pid,tid,trigger,interval_ns,running_ns,lost,cycles:u,page-faults\n"
		"1000000000,0,2000000001,2000000001,every 100us,,,0,,\n"
		"1000100000,1,2000000001,2000000002,sched:sched_switch,,,0,,\n"
		"1000200000,0,2000000001,2000000001,every 100us,200000,200000,0,2000,0\n"
		"1000300000,1,2000000001,2000000002,kprobe:vfs_read,200000,200000,0,60,0\n"
		"1000400000,0,2000000001,2000000001,,200000,200000,0,3000,5\n");
}

static void jsonl(void **state)
{
	struct fixture *x = *state;
	json_t *line, *counts, *totals;
	const char *text;
	int status, nr = 0;

	assert_int_equal(record_jsonl_open(&x->sink, x->fd, &desc), 0);
	fill(x);
	pmcgrp_rings_flush(x->rings);
	assert_int_equal(drain(x), 0);
	assert_int_equal(x->counts.lost, 9);
	assert_int_equal(x->sink->end(x->sink), 0);
	for (text = said(x, "cat $F", &status); *text; text = strchr(text, '\n') + 1, nr++) {
		line = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
		assert_non_null(line);
		counts = json_object_get(line, "counts");
		totals = json_object_get(line, "totals");
		if (nr == 2) {
			assert_int_equal(json_integer_value(json_object_get(counts, "cycles:u")),
					 2000);
			assert_int_equal(json_integer_value(json_object_get(totals, "cycles:u")),
					 3000);
			assert_string_equal(json_string_value(json_object_get(line, "trigger")),
					    "every 100us");
			assert_string_equal(json_string_value(json_object_get(line, "record")),
					    "sample");
		}
		if (nr == 4) {
			assert_string_equal(json_string_value(json_object_get(line, "record")),
					    "lost");
			assert_int_equal(json_integer_value(json_object_get(line, "lost")), 9);
		}
		json_decref(line);
	}
	assert_int_equal(nr, 7);
}

/* A line is there whole or not at all. */
static void text_on_a_full_disk(void **state)
{
	struct rlimit limit = { 300, RLIM_INFINITY }, old;
	struct fixture *x = *state;
	const char *text;
	int status, ret;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(record_csv_open(&x->sink, x->fd, &desc), 0);
	snapshot(x, 0, 1000, TRIGGER_ID(0), 1, 1);
	drain(x);
	assert_int_equal(drain(x), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (ret = 0; ret < 10; ret++)
		snapshot(x, 0, 2000 + ret, TRIGGER_ID(0), 1, 1);
	drain(x);
	ret = drain(x);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(x->sink->end(x->sink), -EFBIG);
	text = said(x, "cat $F", &status);
	assert_string_equal(text + strlen(text) - 4, "0,,\n");
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(perf_script),
		with_fixture(perf_pipe),
		with_fixture(perf_report),
		with_fixture(perf_convert),
		with_fixture(perf_convert_ctf),
		with_fixture(with_chains),
		with_fixture(groups_apart),
		with_fixture(killed),
		with_fixture(between_the_steps),
		with_fixture(disk_full),
		with_fixture(names),
		with_fixture(two_files),
		with_fixture(two_csv_files),
		with_fixture(second_file_full),
		with_fixture(many),
		with_fixture(csv),
		with_fixture(jsonl),
		with_fixture(text_on_a_full_disk),
	};

	return cmocka_run_group_tests_name("perfdata", tests, NULL, NULL);
}
