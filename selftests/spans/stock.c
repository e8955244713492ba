// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stock tools see sections: the trace event pmcgrp:pmcgrp_section by perf_event_open(), ftrace and
 * BPF programs. What each of them adds up is what PMCGRP_IOC_SECTION_NEXT shows.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_bpf.h"
#include "pmcgrp_span_kernel.h"
#include "pmcgrp_tracefs.h"
#include <sys/mman.h>

#define PAGES	256	/* for the records of a thousand sections */

/* What is told of a section: names of the event's fields. */
enum fields {
	ID,
	GROUP,
	NS,
	VALUE0,
	VALUE1,
	VALUE7,
	FIELDS
};

static const char *const field_name[FIELDS] = { "id", "group", "ns", "value0", "value1",
						"value7" };

/* What records add up to. */
struct sums {
	uint64_t count, ns, value[2], last;
};

/* Where the event's fields are in a record, as perf and ftrace say. */
static bool find_fields(unsigned int *offset)
{
	unsigned int size, i;

	for (i = 0; i < FIELDS; i++)
		if (!event_field(field_name[i], &offset[i], &size) || size != 8)
			return false;
	return true;
}

/* An event on the tracepoint: on this CPU, of all tasks; a record each time if it samples. */
static int open_event(bool samples)
{
	long id = file_number(SECTION_EVENT "id", "");
	struct perf_event_attr attr = event(PERF_TYPE_TRACEPOINT, id);

	if (samples) {
		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_RAW;
		attr.wakeup_events = 1 << 20;
	}
	return perf_open(&attr, -1, 0, -1);
}

static int set_filter(int fd, const char *format, uint64_t number)
{
	char text[256];

	snprintf(text, sizeof(text), format, (unsigned long long)number);
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) ? -errno : 0;
}

/* What perf's ring has; false if a record was lost or is not a sample. */
static bool add_records(const struct perf_event_mmap_page *page, const unsigned int *offset,
			struct sums *sums)
{
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = 0;
	const char *data = (const char *)page + page->data_offset;
	const struct perf_event_header *header;
	const char *raw;

	for (; at < head; at += header->size) {
		if (at >= page->data_size)
			return false;
		header = (const void *)(data + at);
		if (header->type != PERF_RECORD_SAMPLE)
			return false;
		raw = (const char *)(header + 1) + sizeof(uint32_t);
		sums->count++;
		sums->ns += record_u64(raw, offset[NS]);
		sums->value[0] += record_u64(raw, offset[VALUE0]);
		sums->value[1] += record_u64(raw, offset[VALUE1]);
		sums->last += record_u64(raw, offset[VALUE7]);
	}
	return true;
}

static bool same(const struct section *section, const struct sums *sums)
{
	bool is = sums->count == section->info.count && sums->ns == section->stat[0].sum &&
		  sums->value[0] == section->stat[1].sum &&
		  sums->value[1] == section->stat[2].sum && !sums->last;

	if (!is)
		fprintf(stderr, "# counted, sent: %llu %llu; ns %llu %llu; %llu %llu; %llu %llu\n",
			(unsigned long long)section->info.count, (unsigned long long)sums->count,
			(unsigned long long)section->stat[0].sum, (unsigned long long)sums->ns,
			(unsigned long long)section->stat[1].sum,
			(unsigned long long)sums->value[0],
			(unsigned long long)section->stat[2].sum,
			(unsigned long long)sums->value[1]);
	return is;
}

/* perf record: each section of a module, with a filter for one of two. */
TEST_F(span, perf_records_sections)
{
	size_t size = (PAGES + 1) * sysconf(_SC_PAGESIZE);
	struct sums sums = { .count = 0 };
	struct perf_event_mmap_page *page;
	unsigned int offset[FIELDS];
	int fd = open_event(true);

	ASSERT_TRUE(find_fields(offset));
	ASSERT_GE(fd, 0);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	ASSERT_EQ(0, set_filter(fd, "name == \"outer\" && id == %llu", self->section.info.id));
	ASSERT_EQ(0, api("loop irqsoff 900 100"));
	ASSERT_EQ(0, api("nested 100 10"));
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	EXPECT_EQ(1000, self->section.info.count + missed(&self->section));
	EXPECT_TRUE(add_records(page, offset, &sums));
	EXPECT_TRUE(same(&self->section, &sums));
	munmap(page, size);
	close(fd);
}

/* The same of spans: of a function's calls. */
TEST_F(span, perf_records_spans)
{
	size_t size = (PAGES + 1) * sysconf(_SC_PAGESIZE);
	struct sums sums = { .count = 0 };
	struct perf_event_mmap_page *page;
	unsigned int offset[FIELDS];
	int fd = open_event(true), group;

	ASSERT_TRUE(find_fields(offset));
	ASSERT_GE(fd, 0);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	group = group_of(self->dev, 2, self->attr, 0);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, WORK));
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	ASSERT_EQ(0, set_filter(fd, "kind == 1 && nr == 2 && group == %llu",
				self->section.info.group));
	ASSERT_EQ(0, api("call irqsoff 1000 100"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	EXPECT_EQ(1000, self->section.info.count);
	EXPECT_TRUE(add_records(page, offset, &sums));
	EXPECT_TRUE(same(&self->section, &sums));
	munmap(page, size);
	close(group);
	close(fd);
}

/* perf stat: those that took more than so much of what the group counts. */
TEST_F(span, perf_counts_by_filter)
{
	int all = open_event(false), some = open_event(false);
	uint64_t count, limit;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	ASSERT_GE(all, 0);
	ASSERT_GE(some, 0);
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("loop irqsoff 50 100"));
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	limit = self->section.stat[1].max;
	EXPECT_EQ(-EINVAL, set_filter(some, "valu > %llu", 1));
	ASSERT_EQ(0, set_filter(some, "value0 > %llu", limit));
	ASSERT_EQ(0, ioctl(some, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, api("loop irqsoff 30 10000"));
	ASSERT_EQ(0, api("loop irqsoff 20 100"));
	EXPECT_EQ(8, read(all, &count, 8));
	EXPECT_EQ(100, count);
	EXPECT_EQ(8, read(some, &count, 8));
	EXPECT_EQ(30, count);
	close(some);
	close(all);
}

/* trace-cmd: the event is switched on for all, and a pipe read. */
TEST_F(span, ftrace_tells_each)
{
	unsigned long long ns, value[2];
	struct sums sums = { .count = 0 };
	char *text, *rest, *line, *at;

	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_TRUE(file_write(TRACING "trace", "\n"));
	ASSERT_TRUE(file_write(EVENTS "enable", "1"));
	EXPECT_EQ(0, api("loop irqsoff 500 100"));
	ASSERT_TRUE(file_write(EVENTS "enable", "0"));
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	text = file_text(TRACING "trace_pipe");
	ASSERT_NE(NULL, text);
	for (rest = text; (line = strsep(&rest, "\n"));) {
		at = strstr(line, "pmcgrp_section: outer id=");
		if (!at || sscanf(strstr(at, " ns="), " ns=%llu nr=2 values=%llu,%llu", &ns,
				  &value[0], &value[1]) != 3)
			continue;
		sums.count++;
		sums.ns += ns;
		sums.value[0] += value[0];
		sums.value[1] += value[1];
	}
	free(text);
	EXPECT_EQ(500, self->section.info.count);
	EXPECT_TRUE(same(&self->section, &sums));
}

/* The kernel's own histograms: sums of two fields, by name, without a record for each. */
TEST_F(span, ftrace_histogram)
{
	static const char hist[] = "hist:keys=name:vals=value0,value1";
	int nr;
	unsigned long long count, value[2];
	struct sums sums;
	char off[sizeof(hist) + 1], *text, *at;

	if (access(SECTION_EVENT "hist", F_OK))
		SKIP(return, "the kernel has no histograms of events");
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_TRUE(file_write(SECTION_EVENT "trigger", hist));
	ASSERT_EQ(0, api("loop irqsoff 3000 100"));
	text = file_text(SECTION_EVENT "hist");
	snprintf(off, sizeof(off), "!%s", hist);
	EXPECT_TRUE(file_write(SECTION_EVENT "trigger", off));
	ASSERT_NE(NULL, text);
	at = strstr(text, "{ name: outer");
	ASSERT_NE(NULL, at);
	at = strstr(at, "hitcount:");
	ASSERT_NE(NULL, at);
	nr = sscanf(at, "hitcount: %llu value0: %llu value1: %llu", &count, &value[0], &value[1]);
	ASSERT_EQ(3, nr);
	free(text);
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	sums = (struct sums){ .count = count, .ns = self->section.stat[0].sum,
			      .value = { value[0], value[1] } };
	EXPECT_EQ(3000, self->section.info.count);
	EXPECT_TRUE(same(&self->section, &sums));
}

/* What the BPF programs below add up, in their map. */
#define ADD_TO(o, field)	LOAD(1, 0, o), LOAD(2, 6, field), ADD(1, 2), STORE(0, o, 1)

/* A BPF program on the event reads the record's fields where `format` says that they are. */
TEST_F(span, bpf_on_the_event)
{
	int map = bpf_map(sizeof(struct sums)), event, prog;
	unsigned int offset[FIELDS];
	struct sums sums;

	ASSERT_TRUE(find_fields(offset));
	ASSERT_GE(map, 0);
	const struct bpf_insn insn[] = {
		MOV(6, 1),
		STORE_IMM(10, -8, 0),
		MAP(1, map),
		MOV(2, 10),
		ADD_IMM(2, -8),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, 15),
		LOAD(1, 0, 0),
		ADD_IMM(1, 1),
		STORE(0, 0, 1),
		ADD_TO(8, offset[NS]),
		ADD_TO(16, offset[VALUE0]),
		ADD_TO(24, offset[VALUE1]),
		MOV_IMM(0, 0),
		EXIT,
	};

	prog = bpf_load(BPF_PROG_TYPE_TRACEPOINT, insn, COUNT(insn));
	ASSERT_GE(prog, 0);
	event = open_event(false);
	ASSERT_GE(event, 0);
	ASSERT_EQ(0, ioctl(event, PERF_EVENT_IOC_SET_BPF, prog));
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("loop irqsoff 3000 100"));
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	ASSERT_EQ(0, bpf_map_read(map, &sums));
	EXPECT_EQ(3000, self->section.info.count);
	EXPECT_TRUE(same(&self->section, &sums));
	close(event);
	close(prog);
	close(map);
}

/*
 * A program on the raw tracepoint calls a helper that a span counts: a section that ends in a probe
 * of the event. It is counted and sent as well, and the program is not entered by itself.
 */
TEST_F(span, bpf_that_ends_a_section)
{
	int map = bpf_map(8), group, prog, link;
	unsigned long long inner = 0, outer = 0;
	char *text, *at;
	uint64_t runs;

	ASSERT_GE(map, 0);
	const struct bpf_insn insn[] = {
		STORE_IMM(10, -8, 0),
		MAP(1, map),
		MOV(2, 10),
		ADD_IMM(2, -8),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_ZERO(0, 7),
		LOAD(1, 0, 0),
		ADD_IMM(1, 1),
		STORE(0, 0, 1),
		MOV(1, 10),
		ADD_IMM(1, -16),
		MOV_IMM(2, 16),
		CALL(BPF_FUNC_get_current_comm),
		MOV_IMM(0, 0),
		EXIT,
	};

	prog = bpf_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insn, COUNT(insn));
	ASSERT_GE(prog, 0);
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	group = group_of_cpu(self->dev, 0, 2, self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, "bpf_get_current_comm"));
	link = bpf_raw_tracepoint(prog, "pmcgrp_section");
	ASSERT_GE(link, 0);
	ASSERT_TRUE(file_write(TRACING "trace", "\n"));
	ASSERT_TRUE(file_write(EVENTS "enable", "1"));
	EXPECT_EQ(0, api("loop irqsoff 200 10"));
	ASSERT_TRUE(file_write(EVENTS "enable", "0"));
	close(link);
	text = file_text(TRACING "trace_pipe");
	ASSERT_NE(NULL, text);
	for (at = text; (at = strstr(at, "pmcgrp_section: ")); at++) {
		outer += !strncmp(at + 16, "outer ", 6);
		inner += !strncmp(at + 16, "bpf_get_current_comm ", 21);
	}
	free(text);
	ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
	EXPECT_EQ(200, self->section.info.count);
	EXPECT_EQ(200, outer);
	ASSERT_TRUE(find_span(self->dev, group, "bpf_get_current_comm", &self->section));
	EXPECT_EQ(200, self->section.info.count + missed(&self->section));
	EXPECT_EQ(self->section.info.count, inner);
	EXPECT_EQ(200, inner);
	ASSERT_EQ(0, bpf_map_read(map, &runs));
	EXPECT_EQ(200, runs);
	close(group);
	close(prog);
	close(map);
}

/* In every context: what ends in an NMI as well. */
TEST_F(span, in_every_context)
{
	static const char *const contexts[] = { "task", "irqsoff", "hardirq", "softirq",
						"overflow" };
	unsigned int c, nr = COUNT(contexts) - !have_cycles();
	int fd = open_event(false);
	uint64_t count;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, api("group 0 %s", self->events));
	ASSERT_EQ(0, api("section"));
	for (c = 0; c < nr; c++) {
		ASSERT_EQ(0, api("loop %s 1000 10", contexts[c]));
		ASSERT_TRUE(find_section(self->dev, "outer", &self->section));
		ASSERT_EQ(8, read(fd, &count, 8));
		EXPECT_EQ(1000 * (c + 1), self->section.info.count + missed(&self->section));
		EXPECT_EQ(self->section.info.count, count) {
			TH_LOG("%s", contexts[c]);
		}
	}
	close(fd);
}

/* A kfunc of a module that has a group by pmcgrp's API: a BPF program reads the group. */
TEST_F(span, bpf_reads_a_group)
{
	int map = bpf_map(5 * 8), prog, fds[2], i;
	struct btf kernel, module;
	uint64_t value[2][5], local[4];
	unsigned int function;

	ASSERT_GE(map, 0);
	if (!btf_get(&kernel, "vmlinux"))
		SKIP(return, "the kernel has no BTF");
	btf_find(&kernel, NULL, NULL);
	if (!btf_get(&module, "pmcgrp_testapi"))
		SKIP(return, "the module was built without BTF: no pahole, or no vmlinux");
	function = btf_find(&module, &kernel, "pmcgrp_testapi_read");
	ASSERT_NE(0, function);
	fds[0] = module.fd;
	fds[1] = module.fd;
	const struct bpf_insn insn[] = {
		STORE_IMM(10, -8, 0),
		STORE_IMM(10, -16, 0),
		STORE_IMM(10, -24, 0),
		STORE_IMM(10, -32, 0),
		MOV(1, 10),
		ADD_IMM(1, -32),
		MOV_IMM(2, 32),
		INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 1, function),
		STORE(10, -40, 0),
		STORE_IMM(10, -48, 0),
		MAP(1, map),
		MOV(2, 10),
		ADD_IMM(2, -48),
		MOV(3, 10),
		ADD_IMM(3, -40),
		MOV_IMM(4, 0),
		CALL(BPF_FUNC_map_update_elem),
		MOV_IMM(0, 0),
		EXIT,
	};
	union bpf_attr load = { .prog_type = BPF_PROG_TYPE_SYSCALL, .insns = (uintptr_t)insn,
				.insn_cnt = COUNT(insn), .license = (uintptr_t)"GPL",
				.prog_flags = BPF_F_SLEEPABLE, .fd_array = (uintptr_t)fds };
	union bpf_attr run = { .test = { .retval = 0 } };

	prog = bpf(BPF_PROG_LOAD, &load);
	ASSERT_GE(prog, 0);
	run.test.prog_fd = prog;
	ASSERT_EQ(0, bpf(BPF_PROG_TEST_RUN, &run));
	ASSERT_EQ(0, bpf_map_read(map, value[0]));
	EXPECT_EQ(-ENOENT, (int)value[0][0]);
	ASSERT_EQ(0, api("group all %s", self->events));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, bpf(BPF_PROG_TEST_RUN, &run));
		ASSERT_EQ(0, bpf_map_read(map, value[i]));
		EXPECT_EQ(0, (int)value[i][0]);
		if (i)
			break;
		spin_ns(NSEC_PER_MSEC);
		ASSERT_EQ(0, api("local task"));
		ASSERT_EQ(4, answer(local, 4));
	}
	/* the values follow the error; what the API gives is between the two */
	for (i = 0; i < 4; i++) {
		EXPECT_LE(value[0][1 + i], local[i]);
		EXPECT_LE(local[i], value[1][1 + i]);
	}
	EXPECT_LT(value[0][1], value[1][1]);
	EXPECT_LE(value[0][3] + NSEC_PER_MSEC, value[1][3]);
	/* a program keeps the module */
	EXPECT_EQ(-EWOULDBLOCK, module_unload_name("pmcgrp_testapi"));
	close(prog);
	/* until the kernel has freed it */
	for (i = 0; i < 100 && file_number("/sys/module/pmcgrp_testapi/refcnt", ""); i++)
		sleep_ns(20 * NSEC_PER_MSEC);
	EXPECT_GT(100, i);
	close(map);
	close(module.fd);
	close(kernel.fd);
	free(module.data);
	free(kernel.data);
}

static uint64_t section_cost(void)
{
	uint64_t instructions = 0;

	if (api("cost section 1000") || answer(&instructions, 1) != 1)
		return 0;
	return instructions;
}

/* Off it costs an instruction (pmcgrp(4)); on, what the listener does. Then as before. */
TEST_F(span, cost)
{
	static const char hist[] = "hist:keys=name:vals=value0";
	uint64_t off, counted, traced, added;
	int fd;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	/* the first ones find the least and the greatest value */
	ASSERT_NE(0, section_cost());
	off = section_cost();
	fd = open_event(false);
	ASSERT_GE(fd, 0);
	counted = section_cost();
	close(fd);
	EXPECT_EQ(off / 1000, section_cost() / 1000);
	ASSERT_TRUE(file_write(EVENTS "enable", "1"));
	traced = section_cost();
	ASSERT_TRUE(file_write(EVENTS "enable", "0"));
	EXPECT_EQ(off / 1000, section_cost() / 1000);
	ASSERT_TRUE(file_write(SECTION_EVENT "trigger", hist));
	added = section_cost();
	ASSERT_TRUE(file_write(SECTION_EVENT "trigger", "!hist:keys=name:vals=value0"));
	EXPECT_EQ(off / 1000, section_cost() / 1000);
	TH_LOG("instructions: off %llu, perf counts %llu, ftrace's buffer %llu, histogram %llu",
	       (unsigned long long)off / 1000, (unsigned long long)counted / 1000,
	       (unsigned long long)traced / 1000, (unsigned long long)added / 1000);
	EXPECT_LT(off, counted);
	EXPECT_LT(off, traced);
	EXPECT_LT(off, added);
}

TEST_HARNESS_MAIN
