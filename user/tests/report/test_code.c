// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a sample's address to its object and function, and from its cgroup to a path. */
#include "test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_perfdata.h"
#include "perfdata/buildid.h"
#include "report/data/code.h"
#include "report/data/rep_data.h"
#include "report/data/kernel.h"

/* ---- What is mapped ---- */

#define ADDRESSES 64

/* Ranges at random, beside a table of all addresses. */
static void spaces(void **state)
{
	struct rep_space space = { 0 }, copy = { 0 };
	struct rep_range here[ADDRESSES] = { { 0 } };
	uint64_t seed = 1, a;
	unsigned int i;

	(void)state;
	for (i = 1; i < 5000; i++) {
		struct rep_range range = { .object = i, .offset = 1000 * i };

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		range.start = seed >> 33 & (ADDRESSES - 1);
		range.end = range.start + (seed >> 45 & 15);
		assert_int_equal(rep_space_add(&space, &range), 0);
		for (a = range.start; a < range.end && a < ADDRESSES; a++)
			here[a] = range;
		for (a = 0; a < ADDRESSES; a++) {
			const struct rep_range *found = rep_space_find(&space, a);

			assert_row(a, !found == !here[a].object);
			if (!found)
				continue;
			assert_row(a, found->object == here[a].object);
			assert_row(a, found->offset - found->start == here[a].offset - here[a].start);
		}
	}
	assert_int_equal(rep_space_copy(&copy, &space), 0);
	rep_space_free(&space);
	assert_non_null(rep_space_find(&copy, 5));
	assert_int_equal(rep_space_add(&copy, &(struct rep_range){ 0, UINT64_MAX, 0, 7 }), 0);
	assert_int_equal(copy.nr, 1);
	assert_null(rep_space_find(&copy, UINT64_MAX));
	rep_space_free(&copy);
}

/* ---- Functions ---- */

struct fixture {
	struct perfdata_reader reader;
	struct rep_code code;
};

/* Where this program has its own code, as a record says it. */
struct mapping {
	uint64_t start, end, offset;
	char path[300];
};

static struct mapping own_mapping(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	struct mapping m = { 0 };
	bool found = false;
	char line[500];

	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file)) {
		assert_true(sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %299s",
				   &m.start, &m.end, &m.offset, m.path) >= 3);
		found = m.start <= (uintptr_t)own_mapping && (uintptr_t)own_mapping < m.end;
	}
	assert_true(found);
	fclose(file);
	return m;
}

/* @id: of the build; @size: 0: it is not known. */
static void map_build(struct rep_code *code, uint32_t pid, const struct mapping *m,
		      const unsigned char *id, size_t size)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, len, offset;
		unsigned char build[24];
		uint32_t prot, flags;
		char name[304];
	} bytes = { .pid = pid, .tid = pid, .start = m->start, .len = m->end - m->start,
		    .offset = m->offset };
	struct perfdata_record record = {
		.type = PERF_RECORD_MMAP2,
		.body = (const unsigned char *)&bytes.pid,
		.size = 64 + sizeof(bytes.name),
	};

	strcpy(bytes.name, m->path);
	if (size) {
		record.misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
		bytes.build[0] = (unsigned char)size;
		memcpy(bytes.build + 4, id, size);
	}
	assert_int_equal(rep_code_take(code, &record), 0);
}

/* @id: of the build, or NULL. */
static void map(struct rep_code *code, uint32_t pid, const struct mapping *m, const char *id)
{
	map_build(code, pid, m, (const unsigned char *)id, id ? strlen(id) : 0);
}

static void begin(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	x->reader.changed = INT64_MAX;
	assert_int_equal(rep_code_begin(&x->code, &x->reader, true), 0);
	x->code.here = true;
}

/* The function's name; @object is the index of its object. */
static const char *find(struct rep_code *code, uint32_t pid, uint64_t ip, uint16_t mode,
			size_t *object)
{
	struct perfdata_sample sample = { .pid = pid, .tid = pid, .ip = ip, .mode = mode };
	size_t function;

	assert_int_equal(rep_code_find(code, &sample, object, &function), 0);
	assert_true(function < code->nr_functions && *object < code->nr_objects);
	return code->functions[function].name;
}

static void own_functions(void **state)
{
	struct mapping m = own_mapping();
	char address[32];
	struct fixture x;
	size_t object;

	(void)state;
	if (!rep_symbols_elf)
		skip();
	begin(&x);
	map(&x.code, 7, &m, NULL);
	assert_string_equal(find(&x.code, 7, (uintptr_t)own_mapping, 2, &object), "own_mapping");
	assert_string_equal(find(&x.code, 7, (uintptr_t)own_functions + 5, 2, &object),
			    "own_functions");
	assert_string_equal(x.code.objects[object].name, m.path);
	assert_int_equal(x.code.objects[object].unknown, REP_UNKNOWN_NOT);
	/* No one has mapped anything there, or in that process, or says where it was. */
	snprintf(address, sizeof(address), "0x%" PRIx64, m.end);
	assert_string_equal(find(&x.code, 7, m.end, 2, &object), address);
	assert_string_equal(x.code.objects[object].name, "[unknown]");
	find(&x.code, 8, (uintptr_t)own_mapping, 2, &object);
	assert_string_equal(x.code.objects[object].name, "[unknown]");
	assert_string_equal(find(&x.code, 7, 0, 1, &object), "[no address]");
	assert_int_equal(x.code.without, 1);
	/* A guest's addresses are its own. */
	find(&x.code, 7, (uintptr_t)own_mapping, PERF_RECORD_MISC_GUEST_USER, &object);
	assert_int_equal(object, 0);
	rep_code_free(&x.code);
}

/* Without functions no file is read, and no address is kept. */
static void objects_alone(void **state)
{
	struct mapping m = own_mapping();
	struct perfdata_sample sample = { .pid = 7, .ip = (uintptr_t)own_mapping, .mode = 2 };
	size_t object, function;
	struct fixture x;

	(void)state;
	begin(&x);
	x.code.no_functions = true;
	map(&x.code, 7, &m, NULL);
	assert_int_equal(rep_code_find(&x.code, &sample, &object, &function), 0);
	assert_string_equal(x.code.objects[object].name, m.path);
	assert_false(x.code.objects[object].looked);
	assert_int_equal(x.code.nr_functions, 0);
	rep_code_free(&x.code);
}

/* A child has what its parent had, until it becomes another program. */
static void forks(void **state)
{
	uint32_t fork[] = { 8, 7, 8, 7, 0, 0 }, exec[] = { 8, 8, 0x68 };
	struct perfdata_record record = { .type = PERF_RECORD_FORK,
					  .body = (const unsigned char *)fork,
					  .size = sizeof(fork) };
	struct mapping m = own_mapping();
	struct fixture x;
	size_t object;

	(void)state;
	begin(&x);
	map(&x.code, 7, &m, NULL);
	assert_int_equal(rep_code_take(&x.code, &record), 0);
	find(&x.code, 8, (uintptr_t)forks, 2, &object);
	assert_string_equal(x.code.objects[object].name, m.path);
	record = (struct perfdata_record){ .type = PERF_RECORD_COMM,
					   .body = (const unsigned char *)exec,
					   .size = sizeof(exec) };
	/* Only another name. */
	assert_int_equal(rep_code_take(&x.code, &record), 0);
	find(&x.code, 8, (uintptr_t)forks, 2, &object);
	assert_true(object != 0);
	record.misc = PERF_RECORD_MISC_COMM_EXEC;
	assert_int_equal(rep_code_take(&x.code, &record), 0);
	find(&x.code, 8, (uintptr_t)forks, 2, &object);
	assert_int_equal(object, 0);
	find(&x.code, 7, (uintptr_t)forks, 2, &object);
	assert_true(object != 0);
	rep_code_free(&x.code);
}

/* Of a file that is no longer the same there are addresses. */
static void not_the_same(void **state)
{
	struct mapping m = own_mapping();
	struct fixture x;
	size_t object;
	unsigned int i;

	(void)state;
	if (!rep_symbols_elf)
		skip();
	for (i = 0; i < 4; i++) {
		static const enum rep_unknown unknown[] = {
			REP_UNKNOWN_NEWER, REP_UNKNOWN_ELSEWHERE, REP_UNKNOWN_OTHER, REP_UNKNOWN_GONE
		};

		begin(&x);
		x.reader.changed = i == 0 ? 1 : INT64_MAX;
		x.code.here = i != 1;
		if (i == 3)
			strcpy(m.path, "/nowhere");
		map(&x.code, 7, &m, i == 2 ? "no such build" : NULL);
		assert_memory_equal(find(&x.code, 7, (uintptr_t)own_mapping, 2, &object), "0x", 2);
		assert_row(i, !strcmp(x.code.objects[object].name, m.path));
		assert_row(i, x.code.objects[object].unknown == unknown[i]);
		rep_code_free(&x.code);
	}
}

/* In perf's cache below @home, the file that is called after the id is @target. */
static void cache_put(const char *home, const unsigned char *id, size_t size, const char *target)
{
	char path[300];
	int at = snprintf(path, sizeof(path), "%s/.debug", home);
	size_t i;

	mkdir(path, 0700);
	at += snprintf(path + at, sizeof(path) - (size_t)at, "/.build-id");
	mkdir(path, 0700);
	at += snprintf(path + at, sizeof(path) - (size_t)at, "/%02x", id[0]);
	mkdir(path, 0700);
	at += snprintf(path + at, sizeof(path) - (size_t)at, "/");
	for (i = 1; i < size; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
	mkdir(path, 0700);
	snprintf(path + at, sizeof(path) - (size_t)at, "/elf");
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

/* A file that is gone, or another one now, is found by its build id, if it has that id. */
static void elsewhere(void **state)
{
	unsigned char id[PERFDATA_BUILDID_MAX], other[PERFDATA_BUILDID_MAX];
	char home[] = "/tmp/pmcgrp-home-XXXXXX", remove[64], self[PATH_MAX] = "";
	const char *before = getenv("HOME");
	char *old = before ? strdup(before) : NULL;
	struct mapping m = own_mapping();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	size_t size = perfdata_buildid(fd, id), object;
	struct {
		const unsigned char *id;
		const char *path, *cached;
		enum rep_unknown unknown;
	} const rows[] = {
		{ id, "/nowhere", self, REP_UNKNOWN_NOT },
		{ id, "/bin/sh", self, REP_UNKNOWN_NOT },
		{ id, "/nowhere", "/bin/sh", REP_UNKNOWN_GONE },
		{ id, "/bin/sh", "/dev/zero", REP_UNKNOWN_OTHER },
		{ id, "/bin/sh", "/nowhere", REP_UNKNOWN_OTHER },
		{ other, self, self, REP_UNKNOWN_OTHER },
	};
	struct fixture x;
	unsigned int i;
	const char *name;

	(void)state;
	close(fd);
	if (!rep_symbols_elf || !size) {
		free(old);
		skip();
	}
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	memcpy(other, id, size);
	other[0] ^= 1;
	assert_non_null(mkdtemp(home));
	setenv("HOME", home, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		cache_put(home, rows[i].id, size, rows[i].cached);
		snprintf(m.path, sizeof(m.path), "%s", rows[i].path);
		begin(&x);
		x.code.here = false;
		map_build(&x.code, 7, &m, rows[i].id, size);
		name = find(&x.code, 7, (uintptr_t)own_mapping, 2, &object);
		assert_row(i, !strcmp(name, "own_mapping") == (rows[i].unknown == REP_UNKNOWN_NOT));
		assert_row(i, x.code.objects[object].unknown == rows[i].unknown);
		rep_code_free(&x.code);
	}
	if (old)
		setenv("HOME", old, 1);
	else
		unsetenv("HOME");
	free(old);
	snprintf(remove, sizeof(remove), "rm -r %s", home);
	assert_int_equal(system(remove), 0);
}

/* Records that are too short, or name what is no ELF file, do no harm. */
static void broken(void **state)
{
	static const char * const paths[] = { "/dev/zero", "/proc/self/status", "/tmp", "" };
	unsigned char bytes[80] = { 0 };
	struct perfdata_record record = { .body = bytes };
	struct mapping m = { .start = 4096, .end = 8192 };
	struct fixture x;
	size_t i, object;

	(void)state;
	begin(&x);
	for (i = 0; i < 64; i++) {
		record.size = i;
		record.type = PERF_RECORD_MMAP2;
		assert_int_equal(rep_code_take(&x.code, &record), 0);
		record.type = i < 32 ? PERF_RECORD_MMAP : PERF_RECORD_FORK;
		assert_int_equal(rep_code_take(&x.code, &record), 0);
		record.type = PERF_RECORD_COMM;
		assert_int_equal(rep_code_take(&x.code, &record), 0);
	}
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		strcpy(m.path, paths[i]);
		map(&x.code, 7, &m, NULL);
		assert_string_equal(find(&x.code, 7, 5000, 2, &object), "0x1388");
		assert_string_equal(x.code.objects[object].name, paths[i]);
	}
	rep_code_free(&x.code);
}

/* ---- The kernel ---- */

static void kernel(void **state)
{
	char path[] = "/tmp/pmcgrp-kallsyms-XXXXXX";
	struct rep_symbols symbols = { 0 };
	FILE *file = fdopen(mkstemp(path), "w");
	size_t at;

	(void)state;
	assert_non_null(file);
	fputs("ffff1000 T _text\nffff1000 T _stext\nffff2000 t local\nffff2000 T __seen\n"
	      "ffff2000 T seen\nffff3000 D data\nffff9000 t inside\t[ext4]\nodd\n", file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rep_symbols_kernel(&symbols, path, "_text", 0xffff1000), 0);
	at = rep_symbols_at(&symbols, 0xffff2fff);
	assert_string_equal(symbols.rows[at].name, "seen");
	assert_null(symbols.rows[at].module);
	at = rep_symbols_at(&symbols, 0xffff9001);
	assert_string_equal(symbols.rows[at].name, "inside");
	assert_string_equal(symbols.rows[at].module, "[ext4]");
	assert_true(rep_symbols_at(&symbols, 0xffff0fff) == SIZE_MAX);
	rep_symbols_free(&symbols);
	/* Moved by another boot, hidden, not there. */
	assert_int_equal(rep_symbols_kernel(&symbols, path, "_text", 0xffff0000), -ESTALE);
	rep_symbols_free(&symbols);
	assert_int_equal(rep_symbols_kernel(&symbols, "/dev/null", "_text", 0xffff1000), -ESTALE);
	assert_int_equal(rep_symbols_kernel(&symbols, "/nowhere", "_text", 0xffff1000), -ESTALE);
	rep_symbols_free(&symbols);
	unlink(path);
}

/* The record of where the kernel is has a symbol behind the name; its build id is the kernel's. */
static void kernel_mapped(void **state)
{
	struct mapping m = { .start = 0xffff1000, .end = UINT64_MAX, .offset = 0xffff1000,
			     .path = "[kernel.kallsyms]_text" };
	struct fixture x;
	size_t object;

	(void)state;
	begin(&x);
	map(&x.code, UINT32_MAX, &m, "no such build");
	assert_string_equal(find(&x.code, 7, 0xffff1005, PERF_RECORD_MISC_KERNEL, &object),
			    "0xffff1005");
	assert_string_equal(x.code.objects[object].name, "[kernel.kallsyms]");
	assert_int_equal(x.code.objects[object].build_id.size, strlen("no such build"));
	assert_int_equal(x.code.objects[object].unknown, REP_UNKNOWN_OTHER);
	assert_string_equal(x.code.kernel_symbol, "_text");
	assert_int_equal(x.code.kernel_address, 0xffff1000);
	rep_code_free(&x.code);
}

/* ---- Cgroups ---- */

static void cgroups(void **state)
{
	static const struct fake_event events[] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, "cpu-clock", 9 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, "cycles", 1 },
	};
	const struct rep_filter filter = { .keys = { { REP_KEY_CGROUP }, 1 } };
	const struct rep_keys cgroup = { { REP_KEY_CGROUP }, 1 };
	uint64_t path[3] = { 77 };
	struct perfdata_reader reader;
	struct rep_data data;
	struct fake f;
	size_t i, at;

	(void)state;
	fake_begin(&f, events, ARRAY_SIZE(events));
	strcpy((char *)&path[1], "/user.slice");
	fake_record(&f, PERF_RECORD_CGROUP, path, 3, 9, 1, 0);
	for (i = 0; i < 6; i++) {
		at = fake_open(&f, PERF_RECORD_SAMPLE);
		fake_u64(&f, 9);
		fake_pair(&f, 5, 5);
		fake_u64(&f, 10 + i);
		fake_pair(&f, 0, 0);
		fake_u64(&f, 1);
		fake_u64(&f, 0);
		fake_u64(&f, 0);
		fake_u64(&f, 100 * i);
		fake_u64(&f, 1);
		fake_u64(&f, i % 3 ? 77 : 78);
		fake_close(&f, at);
	}
	fake_end(&f);
	assert_int_equal(perfdata_read_bytes(&reader, f.bytes, f.size), 0);
	assert_non_null(strstr(rep_keys_missing(&cgroup, &reader), "has no cgroups"));
	for (i = 0; i < reader.nr_events; i++)
		reader.events[i].attr.sample_type |= PERF_SAMPLE_CGROUP;
	assert_null(rep_keys_missing(&cgroup, &reader));
	assert_int_equal(rep_data_take(&data, &reader, &filter), 0);
	assert_int_equal(data.sums.nr, 2);
	assert_int_equal(data.sums.rows[0].samples, 4);
	assert_int_equal(rep_sum_count(&data.sums, &data.sums.rows[0], 1), 400);
	assert_string_equal(rep_cgroups_path(&data.cgroups, data.sums.rows[0].cgroup), "/user.slice");
	assert_null(rep_cgroups_path(&data.cgroups, data.sums.rows[1].cgroup));
	rep_data_free(&data);
	reader.events[0].attr.sample_type |= PERF_SAMPLE_AUX;
	assert_non_null(strstr(rep_keys_missing(&cgroup, &reader), "AUX"));
	perfdata_read_close(&reader);
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spaces),
		cmocka_unit_test(own_functions),
		cmocka_unit_test(objects_alone),
		cmocka_unit_test(forks),
		cmocka_unit_test(not_the_same),
		cmocka_unit_test(elsewhere),
		cmocka_unit_test(broken),
		cmocka_unit_test(kernel),
		cmocka_unit_test(kernel_mapped),
		cmocka_unit_test(cgroups),
	};

	return cmocka_run_group_tests_name("rep_code", tests, NULL, NULL);
}
