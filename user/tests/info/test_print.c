// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What info prints of groups that are written by hand, against texts that are, too. */
#include "test.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroups.h"
#include "fake_info.h"
#include "info/print.h"

#define ID (1ULL << 40)

/* Two members of a process that run on CPUs 0, 1 and 5, wait on 2 and 3, are away on 4. */
static const struct pmcgrp_info_member members[] = {
	{ .id = ID, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	  .count = 123456789 },
	{ .id = ID + 1, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
	  .count = 42 },
};

#define ON_CPU(n, at, is, c, g)						\
	{								\
		.cpu = (n), .member = (at), .counter = (c), .groups = (g),	\
		.state = PMCGRP_STATE_##is				\
	}

#define LACKS(n, at, is, g, reason, who)				\
	{								\
		.cpu = (n), .member = (at), .counter = -1, .groups = (g),	\
		.state = PMCGRP_STATE_##is, .why = PMCGRP_WHY_##reason,	\
		.blocked_by = (who)					\
	}

static const struct pmcgrp_info_cpu cpus[] = {
	ON_CPU(0, 0, RUNNING, 6, 2),
	ON_CPU(0, 1, RUNNING, -1, 1),
	ON_CPU(1, 0, RUNNING, 6, 2),
	ON_CPU(1, 1, RUNNING, -1, 1),
	LACKS(2, 0, WAITING, 1, BUSY_PMCGRP, ID + 100),
	ON_CPU(2, 1, WAITING, -1, 1),
	LACKS(3, 0, WAITING, 1, BUSY_PMCGRP, ID + 100),
	ON_CPU(3, 1, WAITING, -1, 1),
	LACKS(4, 0, SCHED_OUT, 0, CPU_OFFLINE, 0),
	LACKS(4, 1, SCHED_OUT, 0, CPU_OFFLINE, 0),
	ON_CPU(5, 0, RUNNING, 6, 2),
	ON_CPU(5, 1, RUNNING, -1, 1),
	/* Of a member that does not exist: no reason to look there. */
	ON_CPU(6, 7, RUNNING, 3, 1),
};

static const struct pmcgrp_info first = {
	.id = ID, .target_type = PMCGRP_TARGET_PROCESS, .target_id = 4711, .owner = 123,
	.enabled = 1, .nr_targets = 3, .time_enabled = 2000000000, .time_running = 500000000,
	.create_flags = PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_PINNED, .read_format = 0xf,
	.comm = "foo\033[2J", .why = PMCGRP_WHY_BUSY_PMCGRP, .blocked_by = ID + 100,
};

/* The same event on a CPU that perf events count on, too; a task that runs nowhere. */
static const struct pmcgrp_info_cpu other_cpus[] = {
	{ .cpu = 0, .counter = 6, .groups = 2, .state = PMCGRP_STATE_RUNNING, .perf_counters = 1 },
	{ .cpu = -1, .counter = -1, .state = PMCGRP_STATE_SCHED_OUT, .perf_counters = 3 },
};

static const struct pmcgrp_info_member other_members[] = {
	{ .id = ID + 100, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	  .count = UINT64_MAX },
};

/* A name that fills its field has no end. */
static const struct pmcgrp_info other = {
	.id = ID + 100, .target_type = PMCGRP_TARGET_TASK, .comm = "sixteen-letters!",
	.why = PMCGRP_WHY_TASK_GONE,
};

static void add(struct info_set *set, struct pmcgrp_info *info)
{
	assert_int_equal(info_set_add(set, info), 0);
}

static void init(struct info_set *set)
{
	struct pmcgrp_info head = other;

	memset(set, 0, sizeof(*set));
	add(set, fake_info(&first, members, 2, cpus, ARRAY_SIZE(cpus)));
	memcpy(head.comm, "sixteen-letters!", 16);
	add(set, fake_info(&head, other_members, 1, other_cpus, ARRAY_SIZE(other_cpus)));
}

/* To be freed. */
static char *printed(const struct info_set *set, const struct info_group *only, bool json)
{
	struct info_uses uses;
	size_t size, i;
	char *text;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(info_uses_init(&uses, set, only), 0);
	/* The name of this machine's PMU is its own affair. */
	for (i = 0; i < uses.nr; i++)
		uses.uses[i].pmu = "cpu";
	for (i = 0; i < uses.nr_perf; i++)
		uses.perf[i].pmu = "cpu";
	if (json)
		assert_int_equal(info_json(file, set, &uses, only), 0);
	else
		assert_int_equal(info_table(file, set, &uses, only), 0);
	info_uses_free(&uses);
	fclose(file);
	return text;
}

static const char table[] =
	"group 1099511627776 of foo\\x1b[2J (PID 123): process 4711 (3 tasks), enabled, "
	"running on 3 of 6 CPUs, scheduled 25.00% of 2.000 s, pinned, inherit\n"
	"  last scheduling failure: other pmcgrp groups have the counters "
	"(group 1099511627876 of sixteen-letters!)\n"
	"  EVENT                                     COUNT  STATE         COUNTER GROUPS  CPUS\n"
	"  cycles                                123456789  running             6      2  0-1,5\n"
	"                                                   waiting             -      1  2-3  "
	"# other pmcgrp groups have the counters (group 1099511627876 of sixteen-letters!)\n"
	"                                                   sched-out           -      -  4  "
	"# the CPU is offline\n"
	"  page-faults                                  42  running             -      1  0-1,5\n"
	"                                                   waiting             -      1  2-3\n"
	"                                                   sched-out           -      -  4  "
	"# the CPU is offline\n"
	"\n"
	"group 1099511627876 of sixteen-letters!: a thread that has ended or has no number here "
	"(0 tasks), disabled\n"
	"  last scheduling failure: the task has ended\n"
	"  EVENT                                     COUNT  STATE         COUNTER GROUPS  CPUS\n"
	"  cycles                       18446744073709551615  running             6      2  0\n"
	"                                                   sched-out           -      -  -\n"
	"\n"
	"counters:\n"
	"  PMU              COUNTER GROUPS  EVENT                        CPUS\n"
	"  cpu                    6      2  cycles                       0-1,5\n"
	"  cpu                 perf      -  1 of perf events             0\n";

static void for_people(void **state)
{
	struct info_set set = { 0 };
	char *text;

	(void)state;
	text = printed(&set, NULL, false);
	assert_string_equal(text, "no groups\n");
	free(text);
	init(&set);
	text = printed(&set, NULL, false);
	assert_string_equal(text, table);
	free(text);
	/* Another one's group is known to hold the counters, and not shown. */
	text = printed(&set, &set.groups[0], false);
	assert_non_null(strstr(text, "(group 1099511627876 of sixteen-letters!)"));
	assert_null(strstr(text, "\ngroup "));
	assert_non_null(strstr(text, "\ncounters of this group:\n"));
	assert_null(strstr(text, "   perf      -"));
	free(text);
	info_set_free(&set);
}

/* Nothing is cut off of the longest name, number and PID that a group can have. */
static void long_holder(void **state)
{
	struct pmcgrp_info_member member = other_members[0];
	struct pmcgrp_info head = first, holder = other;
	char says[256] = "(group 18446744073709551615 of PID 2147483647, ";
	struct info_set set = { 0 };
	char *text;
	size_t i;

	(void)state;
	holder.id = member.id = head.blocked_by = UINT64_MAX;
	holder.owner = INT32_MAX;
	memset(holder.comm, '\033', sizeof(holder.comm));
	for (i = 0; i < sizeof(holder.comm); i++)
		strcat(says, "\\x1b");
	strcat(says, ")\n");
	add(&set, fake_info(&head, members, 2, cpus, 0));
	add(&set, fake_info(&holder, &member, 1, other_cpus, 0));
	text = printed(&set, &set.groups[0], false);
	assert_non_null(strstr(text, says));
	free(text);
	info_set_free(&set);
}

static const char object[] =
	"{\"groups\": [{\"id\": 1099511627776, \"owner\": {\"pid\": 123, \"comm\": \"foo\\\\x1b[2J\"},"
	" \"target\": {\"type\": \"process\", \"id\": 4711, \"count\": 3},"
	" \"flags\": [\"pinned\", \"inherit\"], \"read-format\": \"0xf\", \"enabled\": true,"
	" \"time-enabled\": 2000000000, \"time-running\": 500000000, \"pcnt-running\": 25.0,"
	" \"why\": \"busy-pmcgrp\", \"blocked-by\": 1099511627876}, {\"id\": 1099511627876,"
	" \"owner\": {\"pid\": null, \"comm\": \"sixteen-letters!\"},"
	" \"target\": {\"type\": \"thread\", \"id\": null, \"count\": 0}, \"flags\": [],"
	" \"read-format\": \"0x0\", \"enabled\": false, \"time-enabled\": 0, \"time-running\": 0,"
	" \"pcnt-running\": 0.0, \"why\": \"task-gone\", \"blocked-by\": null}],"
	" \"counters\": ["
	"{\"cpu\": 0, \"pmu\": \"cpu\", \"counter\": 6, \"event\": \"cycles\", \"groups\": 2},"
	"{\"cpu\": 1, \"pmu\": \"cpu\", \"counter\": 6, \"event\": \"cycles\", \"groups\": 2},"
	"{\"cpu\": 5, \"pmu\": \"cpu\", \"counter\": 6, \"event\": \"cycles\", \"groups\": 2}],"
	" \"perf\": [{\"cpu\": 0, \"pmu\": \"cpu\", \"held\": 1, \"nmi-watchdog\": false, \"holders\": []}]}";

static const char member[] =
	"{\"id\": 1099511627776, \"event\": \"cycles\", \"type\": 0, \"config\": \"0x0\","
	" \"config1\": \"0x0\", \"config2\": \"0x0\", \"config3\": \"0x0\", \"bits\": \"0x0\", \"count\": 123456789}";

static const char waiting[] =
	"{\"cpu\": 2, \"state\": \"waiting\", \"why\": \"busy-pmcgrp\", \"counter\": null,"
	" \"groups\": 1, \"perf-counters\": 0, \"blocked-by\": 1099511627876}";

static const char running[] =
	"{\"cpu\": 0, \"state\": \"running\", \"why\": null, \"counter\": 6, \"groups\": 2,"
	" \"perf-counters\": 0, \"blocked-by\": null}";

static const char nowhere[] =
	"{\"cpu\": null, \"state\": \"sched-out\", \"why\": null, \"counter\": null, \"groups\": 0,"
	" \"perf-counters\": 3, \"blocked-by\": null}";

static void same(json_t *is, const char *text)
{
	json_t *expected = json_loads(text, 0, NULL);
	char *shown = json_dumps(is, 0);

	assert_non_null(expected);
	if (!json_equal(is, expected))
		fail_msg("%s is not %s", shown, text);
	free(shown);
	json_decref(expected);
}

static json_t *at(json_t *from, const char *list, size_t i)
{
	json_t *found = json_array_get(json_object_get(from, list), i);

	assert_non_null(found);
	return found;
}

static void json(void **state)
{
	struct info_set set;
	json_t *all, *group, *one;
	char *text;

	(void)state;
	init(&set);
	text = printed(&set, NULL, true);
	all = json_loads(text, 0, NULL);
	assert_non_null(all);
	free(text);
	/* From the inside out: what was compared goes away. */
	group = at(all, "groups", 0);
	one = at(group, "members", 0);
	assert_int_equal(json_array_size(json_object_get(one, "cpus")), 6);
	same(at(one, "cpus", 0), running);
	same(at(one, "cpus", 2), waiting);
	json_object_del(one, "cpus");
	same(one, member);
	assert_string_equal(json_string_value(json_object_get(at(group, "members", 1), "event")),
			    "page-faults");
	assert_int_equal(json_array_size(json_object_get(group, "members")), 2);
	json_object_del(group, "members");
	group = at(all, "groups", 1);
	one = at(group, "members", 0);
	same(at(one, "cpus", 1), nowhere);
	/* No integer of JSON's readers is so large: the first digits of it. */
	assert_true(json_real_value(json_object_get(one, "count")) > 1.8446744073e19);
	json_object_del(group, "members");
	same(all, object);
	json_decref(all);
	text = printed(&set, &set.groups[1], true);
	all = json_loads(text, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(all, "groups")), 1);
	assert_int_equal(json_array_size(json_object_get(all, "counters")), 1);
	json_decref(all);
	free(text);
	info_set_free(&set);
}

/* One that is there, and one that was removed. */
static void cgroups(void **state)
{
	struct pmcgrp_info head = { .id = ID, .target_type = PMCGRP_TARGET_CGROUP, .nr_targets = 1,
				    .comm = "span" };
	char folder[] = "/tmp/pmcgrp-info-XXXXXX", path[128], says[160];
	struct info_set set = { 0 };
	struct stat st;
	FILE *mounts;
	char *text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(stat(path, &st), 0);
	snprintf(path, sizeof(path), "%s/mountinfo", folder);
	mounts = fopen(path, "w");
	fprintf(mounts, "30 21 0:26 / %s rw - cgroup2 cgroup2 rw\n", folder);
	fclose(mounts);
	head.cgroup = st.st_ino;
	add(&set, fake_info(&head, members, 1, cpus, 1));
	head.id = ID + 1;
	head.cgroup = 999999999;
	add(&set, fake_info(&head, members, 1, cpus, 1));
	/* Without any that are mounted. */
	text = printed(&set, NULL, false);
	snprintf(says, sizeof(says), "cgroup (removed, id %llu) (on 1 CPU now), ",
		 (unsigned long long)st.st_ino);
	assert_non_null(strstr(text, says));
	free(text);
	assert_int_equal(cgroups_open(&set.cgroups, path, true), 0);
	text = printed(&set, NULL, false);
	assert_non_null(strstr(text, "of span: cgroup /a (on 1 CPU now), "));
	assert_non_null(strstr(text, "of span: cgroup (removed, id 999999999) (on 1 CPU now), "));
	free(text);
	text = printed(&set, NULL, true);
	assert_non_null(strstr(text, "\"type\": \"cgroup\""));
	assert_non_null(strstr(text, "\"cgroup\": \"/a\""));
	assert_non_null(strstr(text, "\"cgroup\": null"));
	free(text);
	info_set_free(&set);
	unlink(path);
	snprintf(path, sizeof(path), "%s/a", folder);
	rmdir(path);
	assert_int_equal(rmdir(folder), 0);
}

/* Every state, target and reason that may come, known or not. */
static void anything(void **state)
{
	struct info_set set = { 0 };
	struct info_uses uses;
	char *text;
	uint32_t i;

	(void)state;
	for (i = 0; i < 40; i++) {
		struct pmcgrp_info head = first;
		struct pmcgrp_info_cpu cpu = cpus[0];

		head.id = ID + 1000 + i;
		head.target_type = i == 39 ? UINT32_MAX : i;
		head.why = i;
		head.enabled = 1;
		cpu.state = i == 39 ? UINT32_MAX : i;
		cpu.why = i == 38 ? UINT32_MAX : i;
		cpu.cpu = i == 37 ? INT32_MAX : i == 36 ? INT32_MIN : (int)i;
		cpu.counter = (int)i - 5;
		cpu.blocked_by = i;
		add(&set, fake_info(&head, members, i % 2, &cpu, 1));
	}
	assert_int_equal(info_uses_init(&uses, &set, NULL), 0);
	info_uses_free(&uses);
	text = printed(&set, NULL, false);
	assert_non_null(strstr(text, "target of type 4294967295"));
	assert_non_null(strstr(text, "unknown"));
	free(text);
	free(printed(&set, NULL, true));
	info_set_free(&set);
}

/* Of many CPUs every other one: the list is as long as it is, and one line. */
static void many_cpus(void **state)
{
	struct pmcgrp_info_cpu many[1024];
	struct info_set set = { 0 };
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct pmcgrp_info_cpu){ .cpu = (int)i, .counter = (int)i % 2,
						    .groups = 1 };
	add(&set, fake_info(&first, members, 1, many, ARRAY_SIZE(many)));
	text = printed(&set, NULL, false);
	assert_non_null(strstr(text, "  0      1  0,2,4,6,"));
	assert_non_null(strstr(text, ",... (512 CPUs)\n"));
	assert_non_null(strstr(text, ", enabled, running, "));
	assert_true(strlen(text) < 5000);
	free(text);
	info_set_free(&set);
}

/* Events that differ in their last word alone. */
static void third_words(void **state)
{
	static const struct pmcgrp_info_member apart[] = {
		{ .id = ID, .type = 4242, .config = 1, .config3 = 5 },
		{ .id = ID + 1, .type = 4242, .config = 1, .config3 = 6 },
	};
	struct info_set set = { 0 };
	char *text;

	(void)state;
	add(&set, fake_info(&first, apart, 2, NULL, 0));
	text = printed(&set, NULL, false);
	assert_non_null(strstr(text, "type4242/config=0x1,config3=0x5/"));
	assert_non_null(strstr(text, "type4242/config=0x1,config3=0x6/"));
	free(text);
	info_set_free(&set);
}

/* ---- Whose counters of perf's are ---- */

static struct held_counter held_by(int cpu, uint32_t flags, int counter, const char *function)
{
	static char cycles[] = "cycles";
	struct held_counter row = { .cpu = cpu, .pmu = "cpu", .event = cycles };

	row.holder.flags = flags;
	row.holder.counter = counter;
	strcpy(row.holder.function, function);
	return row;
}

static size_t fill_held(struct held_counter *held)
{
	uint32_t of_kernel = PMCGRP_HOLDER_KERNEL, of_task = PMCGRP_HOLDER_TASK;
	size_t nr = 0;

	held[nr] = held_by(0, PMCGRP_HOLDER_PINNED, 1, "");
	held[nr].holder.pid = 812;
	strcpy(held[nr++].holder.comm, "per\033f");
	held[nr] = held_by(0, of_kernel | PMCGRP_HOLDER_PINNED, 33, "watchdog_overflow_callback");
	held[nr++].holder.flags |= PMCGRP_HOLDER_SAMPLES | PMCGRP_HOLDER_WATCHDOG;
	held[nr] = held_by(0, of_kernel | of_task, 2, "kvm_perf_overflow [kvm]");
	held[nr].holder.target_pid = 77;
	held[nr].holder.target_tid = 78;
	strcpy(held[nr++].holder.target_comm, "CPU 0/KVM");
	held[nr++] = held_by(0, of_kernel, 3, "mark [pmcgrp]");
	held[nr] = held[0];
	held[nr++].cpu = 1;
	held[nr] = held_by(1, PMCGRP_HOLDER_EXCLUSIVE | of_task, -1, "");
	held[nr].holder.flags |= PMCGRP_HOLDER_INHERIT | PMCGRP_HOLDER_INHERITED;
	held[nr].holder.target_pid = 5;
	held[nr].holder.target_tid = 6;
	strcpy(held[nr].holder.comm, "top");
	strcpy(held[nr++].holder.target_comm, "child");
	held[nr++] = held_by(1, PMCGRP_HOLDER_ENDED | PMCGRP_HOLDER_CGROUP, 4, "");
	held[nr] = held_by(1, PMCGRP_HOLDER_HIDDEN | of_task, 5, "");
	held[nr++].event = NULL;
	held[nr++] = held_by(1, of_kernel, 6, "");
	return nr;
}

static const char whose[] =
	"no groups\n"
	"counters:\n"
	"  PMU              COUNTER GROUPS  EVENT                        CPUS\n"
	"  cpu                 perf      -  4 of perf events and the NMI watchdog 0\n"
	"  cpu                 perf      -  5 of perf events             1\n"
	"  cpu                    1      -  cycles                       0-1"
	"  # per\\x1bf (PID 812): pinned, of the CPU\n"
	"  cpu                   33      -  cycles                       0"
	"  # the NMI watchdog: pinned, samples, of the CPU\n"
	"  cpu                    2      -  cycles                       0"
	"  # a KVM guest of CPU 0/KVM (PID 77): of thread CPU 0/KVM (78)\n"
	"  cpu                    3      -  cycles                       0"
	"  # pmcgrp itself: of the CPU\n"
	"  cpu                    -      -  cycles                       1"
	"  # top, of another PID namespace: exclusive, inherited, of thread child (6)\n"
	"  cpu                    4      -  cycles                       1"
	"  # a process that has ended and left its descriptor to others: of a cgroup\n"
	"  cpu                    5      -  -                            1"
	"  # not for this user to see: CAP_SYS_ADMIN sees whose it is: of a thread\n"
	"  cpu                    6      -  cycles                       1"
	"  # the kernel: of the CPU\n"
	"  whose counters of perf's are cannot be seen: the module is older than this program\n";

static void whose_they_are(void **state)
{
	struct info_perf perf[] = {
		{ .cpu = 0, .pmu = "cpu", .held = 4, .watchdog = true },
		{ .cpu = 1, .pmu = "cpu", .held = 5 },
	};
	struct held_counter held[16];
	struct info_uses uses = { .perf = perf, .nr_perf = ARRAY_SIZE(perf),
				  .held = { held, fill_held(held) }, .held_err = -ENOTTY };
	struct info_set set = { 0 };
	json_t *all, *row;
	size_t size;
	char *text;
	FILE *file;

	(void)state;
	file = open_memstream(&text, &size);
	assert_int_equal(info_table(file, &set, &uses, NULL), 0);
	fclose(file);
	assert_string_equal(text, whose);
	free(text);
	file = open_memstream(&text, &size);
	assert_int_equal(info_json(file, &set, &uses, NULL), 0);
	fclose(file);
	all = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(all);
	row = json_array_get(json_object_get(all, "perf"), 0);
	assert_int_equal(json_array_size(json_object_get(row, "holders")), 4);
	row = json_array_get(json_object_get(all, "perf"), 1);
	row = json_array_get(json_object_get(row, "holders"), 1);
	text = json_dumps(row, 0);
	assert_string_equal(text, "{\"counter\": null, \"event\": \"cycles\", \"type\": 0, "
		"\"config\": \"0x0\", \"config1\": \"0x0\", \"config2\": \"0x0\", "
		"\"config3\": \"0x0\", \"bits\": \"0x0\", \"id\": 0, \"flags\": [\"exclusive\", "
		"\"inherit\", \"inherited\", \"task\"], \"pid\": null, \"comm\": \"top\", "
		"\"unnamed\": \"other-pid-namespace\", \"target\": {\"pid\": 5, \"tid\": 6, "
		"\"comm\": \"child\", \"cgroup\": null}, \"function\": null}");
	free(text);
	json_decref(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_people),
		cmocka_unit_test(whose_they_are),
		cmocka_unit_test(long_holder),
		cmocka_unit_test(json),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(anything),
		cmocka_unit_test(third_words),
		cmocka_unit_test(many_cpus),
	};

	return cmocka_run_group_tests_name("info_report", tests, NULL, NULL);
}
