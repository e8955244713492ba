// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Groups of software events with the perf backend: the API at work. */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define PAGES 50

struct fixture {
	struct pmcgrp *h;
	struct pmcgrp_spec *spec;
};

static void add(struct pmcgrp_spec *spec, uint32_t type, uint64_t config, const char *name)
{
	struct perf_event_attr attr = { .type = type, .config = config, .exclude_kernel = 1 };

	assert_true(pmcgrp_spec_add(spec, &attr, name) >= 0);
}

/* Clock and faults, disabled. */
static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (pmcgrp_open(&x->h, PMCGRP_OPEN_PERF) < 0 || pmcgrp_spec_new(&x->spec) < 0)
		return -1;
	pmcgrp_spec_set_flags(x->spec, PMCGRP_CREATE_DISABLED);
	add(x->spec, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock:u");
	add(x->spec, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults:u");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	pmcgrp_spec_free(x->spec);
	pmcgrp_close(x->h);
	free(x);
	return 0;
}

/* Skips where this machine allows no perf events at all (containers). */
static struct pmcgrp_group *create(struct fixture *x)
{
	struct pmcgrp_group *group;
	int ret = pmcgrp_group_create(x->h, x->spec, &group);

	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS) {
		print_message("# skipped: %s\n", pmcgrp_strerror(x->h));
		skip();
	}
	assert_int_equal(ret, 0);
	return group;
}

/* Exactly PAGES page faults. */
static void work(void)
{
	size_t size = (size_t)PAGES * (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal((void *)memory, MAP_FAILED);
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (i = 0; i < size; i += (size_t)sysconf(_SC_PAGESIZE))
		memory[i] = 1;
	munmap((void *)memory, size);
}

static void read_view(struct pmcgrp_group *group, struct pmcgrp_view *view, uint64_t *buf,
		      size_t size)
{
	uint64_t format = pmcgrp_group_read_format(group);
	ssize_t len = pmcgrp_group_read(group, buf, size);

	assert_int_equal(len, pmcgrp_read_size(format, pmcgrp_group_nr(group)));
	assert_int_equal(pmcgrp_view_init(view, buf, (size_t)len, format), 0);
}

static void life(void **state)
{
	struct pmcgrp_group *group = create(*state);
	struct pmcgrp_view view;
	uint64_t buf[16], enabled, running, clock, faults;

	/* What the kernel maps on the way is not ours: touch it before. */
	work();
	assert_int_equal(pmcgrp_group_nr(group), 2);
	assert_true(pmcgrp_group_fd(group) >= 0);
	assert_true(fcntl(pmcgrp_group_fd(group), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(pmcgrp_group_id(group, 2), 0);

	read_view(group, &view, buf, sizeof(buf));
	assert_int_equal(pmcgrp_view_nr(&view), 2);
	assert_int_equal(pmcgrp_view_value(&view, 1), 0);
	assert_int_equal(pmcgrp_view_find_id(&view, pmcgrp_group_id(group, 0)), 0);
	assert_int_equal(pmcgrp_view_find_id(&view, pmcgrp_group_id(group, 1)), 1);

	assert_int_equal(pmcgrp_group_enable(group), 0);
	work();
	assert_int_equal(pmcgrp_group_disable(group), 0);
	read_view(group, &view, buf, sizeof(buf));
	clock = pmcgrp_view_value(&view, 0);
	faults = pmcgrp_view_value(&view, 1);
	assert_true(clock > 0);
	assert_true(faults >= PAGES && faults <= PAGES + 5);
	assert_true(pmcgrp_view_time_enabled(&view, &enabled));
	assert_true(pmcgrp_view_time_running(&view, &running));
	assert_int_equal(enabled, running);

	/* Disabled: nothing moves. */
	work();
	read_view(group, &view, buf, sizeof(buf));
	assert_int_equal(pmcgrp_view_value(&view, 0), clock);
	assert_int_equal(pmcgrp_view_value(&view, 1), faults);

	assert_int_equal(pmcgrp_group_reset(group), 0);
	read_view(group, &view, buf, sizeof(buf));
	assert_int_equal(pmcgrp_view_value(&view, 1), 0);
	pmcgrp_group_close(group);
	pmcgrp_group_close(NULL);
}

/* Too small a buffer loses nothing. */
static void short_read(void **state)
{
	struct pmcgrp_group *group = create(*state);
	size_t need = pmcgrp_read_size(pmcgrp_group_read_format(group), 2);
	uint64_t buf[16];

	assert_int_equal(pmcgrp_group_read(group, buf, need - 1), -ENOSPC);
	assert_int_equal(pmcgrp_group_read(group, buf, need), need);
	pmcgrp_group_close(group);
}

static void outlives_handle_and_spec(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *group = create(x);
	struct pmcgrp_view view;
	uint64_t buf[16];

	pmcgrp_close(x->h);
	x->h = NULL;
	pmcgrp_spec_free(x->spec);
	x->spec = NULL;
	read_view(group, &view, buf, sizeof(buf));
	pmcgrp_group_close(group);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* The last member is refused: it is named, and no descriptor stays. */
static void failure_names_member(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *group;
	int before = descriptors();

	pmcgrp_group_close(create(x));
	add(x->spec, PERF_TYPE_SOFTWARE, 0xffff, "no-such-event");
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -ENOENT);
	assert_null(group);
	assert_int_equal(pmcgrp_error_member(x->h), 2);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_EVENT_UNKNOWN);
	assert_int_equal(strncmp(pmcgrp_strerror(x->h), "member 2 (no-such-event): ", 26), 0);
	assert_int_equal(descriptors(), before);
}

static void no_such_task(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *group;

	pmcgrp_group_close(create(x));
	/* Above any pid_max that the kernel allows. */
	pmcgrp_spec_set_task(x->spec, 1 << 30);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -ESRCH);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_TASK_GONE);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "thread 1073741824 does not exist"));
}

/* What belongs to the group, and sampling: the module says PMCGRP_WHY_ATTR_FIELD and such. */
static void refuses_fields(struct fixture *x)
{
	const struct {
		struct perf_event_attr attr;
		enum pmcgrp_why why;
		const char *says;
	} rows[] = {
		{ { .disabled = 1 }, PMCGRP_WHY_ATTR_FIELD, "its attr sets disabled, and" },
		{ { .read_format = PERF_FORMAT_ID }, PMCGRP_WHY_ATTR_FIELD, "sets read_format, and" },
		{ { .inherit = 1, .pinned = 1 }, PMCGRP_WHY_ATTR_FIELD, "sets inherit, pinned, and" },
		{ { .sample_period = 1000 }, PMCGRP_WHY_ATTR_FIELD, "sets sample_period, and" },
		{ { .precise_ip = 1 }, PMCGRP_WHY_PRECISE, "precise_ip" },
		{ { .branch_sample_type = 1 }, PMCGRP_WHY_BRANCHES, "records branches" },
	};
	struct pmcgrp_group *group;
	struct pmcgrp_spec *spec;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = rows[i].attr;

		attr.type = PERF_TYPE_SOFTWARE;
		attr.exclude_kernel = 1;
		assert_int_equal(pmcgrp_spec_new(&spec), 0);
		assert_int_equal(pmcgrp_spec_add(spec, &attr, NULL), 0);
		assert_row(i, pmcgrp_group_create(x->h, spec, &group) == -EINVAL);
		assert_row(i, pmcgrp_error_why(x->h) == rows[i].why);
		assert_row(i, pmcgrp_error_member(x->h) == 0);
		assert_row(i, strstr(pmcgrp_strerror(x->h), rows[i].says));
		pmcgrp_spec_free(spec);
	}
}

/* CPUs that there cannot be: as the module says it, and not that the machine lacks the event. */
static void no_such_cpu(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *group;
	struct pmcgrp_cpus cpus;
	size_t column;

	assert_int_equal(pmcgrp_cpus_parse(&cpus, "0,4000", &column), 0);
	pmcgrp_spec_set_cpus(x->spec, &cpus);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_CPUS);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "there is no CPU 4000; there can be "));
	pmcgrp_spec_set_cpu(x->spec, 4000);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_TARGET);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "CPU 4000 is not a target that can exist"));
}

/* What the module refuses, the perf backend refuses, too. */
static void bad_specs(void **state)
{
	struct fixture *x = *state;
	struct pmcgrp_group *group;
	struct pmcgrp_spec *empty;

	pmcgrp_spec_set_flags(x->spec, 1ULL << 63);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_FLAGS);

	pmcgrp_spec_set_flags(x->spec, PMCGRP_CREATE_ENABLE_ON_EXEC);
	pmcgrp_spec_set_cpu(x->spec, 0);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_FLAGS);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "need a task or a process"));

	pmcgrp_spec_set_flags(x->spec, 0);
	pmcgrp_spec_set_read_format(x->spec, 1 << 5);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_READ_FORMAT);

	pmcgrp_spec_set_read_format(x->spec, 0);
	refuses_fields(x);

	assert_int_equal(pmcgrp_spec_new(&empty), 0);
	assert_int_equal(pmcgrp_group_create(x->h, empty, &group), -EINVAL);
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_NR_MEMBERS);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "1 to 64 members, not 0"));
	pmcgrp_spec_free(empty);

	assert_int_equal(pmcgrp_group_create(x->h, NULL, &group), -EINVAL);
	assert_int_equal(pmcgrp_group_create(x->h, x->spec, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_create(NULL, x->spec, &group), -EINVAL);
}

/* The module's groups alone take members later; perf's say so. */
static void no_members_later(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	struct fixture *x = *state;
	struct pmcgrp_group *group = create(x);

	assert_int_equal(pmcgrp_group_add(x->h, group, &attr, NULL), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "group_fd"));
	assert_int_equal(pmcgrp_group_add(NULL, group, &attr, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_add(x->h, NULL, &attr, NULL), -EINVAL);
	pmcgrp_group_close(group);
}

/* What the module's refusals become; here by a file that is none of its. */
static void members_refused(void **state)
{
	struct pmcgrp_add add = { .why = PMCGRP_WHY_FLAGS, .fail_cpu = -1 };
	struct pmcgrp_group group = { .backend = PMCGRP_BACKEND_DEVICE, .fd = -1 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = 8 };
	struct fixture *x = *state;

	assert_int_equal(pmcgrp_group_add(x->h, &group, NULL, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_add(x->h, &group, &attr, NULL), -EINVAL);
	attr.size = 0;
	assert_int_equal(pmcgrp_group_add(x->h, &group, &attr, "x"), -EBADF);
	assert_int_equal(failure_add(&x->h->failure, x->spec, &add, EINVAL), -EINVAL);
	assert_string_equal(pmcgrp_strerror(x->h), "new member task-clock:u: the group was made "
			    "without PMCGRP_CREATE_LEADER");
	assert_int_equal(pmcgrp_error_why(x->h), PMCGRP_WHY_FLAGS);
	assert_int_equal(pmcgrp_error_member(x->h), -1);
	add.why = PMCGRP_WHY_EVENT_UNKNOWN;
	add.fail_cpu = 1;
	assert_int_equal(failure_add(&x->h->failure, x->spec, &add, ENOENT), -ENOENT);
	assert_non_null(strstr(pmcgrp_strerror(x->h), "task-clock:u: no PMU of this machine"));
	assert_int_equal(pmcgrp_error_cpu(x->h), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(life, setup, teardown),
		cmocka_unit_test_setup_teardown(short_read, setup, teardown),
		cmocka_unit_test_setup_teardown(outlives_handle_and_spec, setup, teardown),
		cmocka_unit_test_setup_teardown(failure_names_member, setup, teardown),
		cmocka_unit_test_setup_teardown(no_such_task, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_specs, setup, teardown),
		cmocka_unit_test_setup_teardown(no_such_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(no_members_later, setup, teardown),
		cmocka_unit_test_setup_teardown(members_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
