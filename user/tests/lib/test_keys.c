// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Counts by key, from a table that this file writes as the module does. */
#include "test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "fake_keys.h"
#include "internal.h"

#define ARGUMENTS_MAX 16

static struct pmcgrp handle = { .backend = PMCGRP_BACKEND_DEVICE, .dev = -1 };
static struct pmcgrp_group group = { .backend = PMCGRP_BACKEND_DEVICE, .nr = 2, .fd = -1 };
static struct fake_keys fake;
static struct pmcgrp_keys asked;
static struct {
	enum pmcgrp_why why;
	int err;
	unsigned int spoil;	/* how, or 0 */
	int flush_err;
	unsigned int nr;
	unsigned long flags[ARGUMENTS_MAX];
} module;

#define SPOILS 11

/* What no module says of its table. */
static void spoil(struct pmcgrp_keys *keys, unsigned int how)
{
	struct pmcgrp_keys_block *block = fake_keys_block(&fake, 1);

	switch (how) {
	case 1:
		keys->block_size = 4096;
		break;
	case 2:
		keys->slot_size = sizeof(struct pmcgrp_keys_slot);
		break;
	case 3:
		keys->slot_size += 4;
		break;
	case 4:
		keys->nr_cpus = 0;
		break;
	case 5:
		keys->nr_cpus = 3;
		break;
	case 6:
		keys->slots = PMCGRP_KEYS_SLOTS_MAX + 1;
		break;
	case 7:
		block->slot_offset = (__u32)keys->block_size - 8;
		break;
	case 8:
		block->slot_offset = 8;
		break;
	case 9:
		keys->value_offset = sizeof(struct pmcgrp_keys_slot) - 8;
		break;
	case 10:
		keys->value_offset += 8;
		break;
	case 11:
		keys->value_offset += 4;
		break;
	}
}

/* In place of libc's, for everything in this program. */
int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_keys *keys;
	va_list args;
	int ret;

	va_start(args, request);
	keys = va_arg(args, struct pmcgrp_keys *);
	va_end(args);
	if (fd != group.fd || (request != PMCGRP_IOC_KEYS && request != PMCGRP_IOC_KEYS_FLUSH))
		return (int)syscall(SYS_ioctl, fd, request, keys);
	errno = request == PMCGRP_IOC_KEYS ? module.err : module.flush_err;
	if (request == PMCGRP_IOC_KEYS_FLUSH) {
		if (module.flush_err)
			return -1;
		module.flags[module.nr++ % ARGUMENTS_MAX] = (unsigned long)(uintptr_t)keys;
		fake_keys_flush(&fake, (unsigned long)(uintptr_t)keys);
		return 0;
	}
	asked = *keys;
	keys->why = module.why;
	if (module.err)
		return -1;
	ret = fake_keys_init(&fake, fd, group.nr, 2, keys);
	if (!ret)
		spoil(keys, module.spoil);
	return ret;
}

static struct pmcgrp_key_table *table_new(enum pmcgrp_key_type type, uint32_t slots)
{
	struct pmcgrp_key_options options = { .type = type, .slots = slots };
	struct pmcgrp_key_table *table;

	assert_int_equal(pmcgrp_group_set_keys(&handle, &group, &options, &table), 0);
	return table;
}

static int setup(void **state)
{
	(void)state;
	memset(&module, 0, sizeof(module));
	handle.failure = (struct failure){ 0 };
	group.fd = memfd_create("group", MFD_CLOEXEC);
	return group.fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	if (fake.map)
		fake_keys_free(&fake);
	return close(group.fd);
}

static const struct pmcgrp_key *find(const struct pmcgrp_key_table *table,
				     enum pmcgrp_key_kind kind, uint64_t key0, uint64_t key1)
{
	const struct pmcgrp_key *key;
	size_t at = 0;

	while ((key = pmcgrp_keys_next(table, &at))) {
		if (key->kind == kind && key->key[0] == key0 && key->key[1] == key1)
			return key;
	}
	return NULL;
}

static unsigned int nr_keys(const struct pmcgrp_key_table *table)
{
	unsigned int nr = 0;
	size_t at = 0;

	while (pmcgrp_keys_next(table, &at))
		nr++;
	return nr;
}

/* All keys and what was dropped are what the kernel has counted. */
static void check_sum(const struct pmcgrp_key_table *table)
{
	uint64_t value = pmcgrp_keys_dropped(table)->value[1];
	uint64_t enabled = pmcgrp_keys_dropped(table)->time_enabled;
	struct pmcgrp_key_totals totals;
	const struct pmcgrp_key *key;
	size_t at = 0;

	while ((key = pmcgrp_keys_next(table, &at))) {
		value += key->total.value[1];
		enabled += key->total.time_enabled;
	}
	pmcgrp_keys_totals(table, &totals);
	assert_int_equal(value, totals.value[1]);
	assert_int_equal(enabled, totals.time_enabled);
}

static void what_is_asked(void **state)
{
	static const uint64_t ids[] = { 7, 8 };
	struct pmcgrp_key_options options = { .type = PMCGRP_KEY_CGROUP, .depth = 3 };
	struct pmcgrp_key_table *table;

	(void)state;
	assert_int_equal(pmcgrp_group_set_keys(&handle, &group, &options, &table), 0);
	assert_int_equal(asked.depth, 3);
	assert_int_equal(asked.slots, PMCGRP_KEY_SLOTS);
	assert_int_equal(asked.cgroups, 0);
	pmcgrp_keys_free(table);
	options.cgroups = ids;
	options.nr_cgroups = 2;
	options.slots = 5;
	assert_int_equal(pmcgrp_group_set_keys(&handle, &group, &options, &table), 0);
	assert_int_equal(asked.depth, PMCGRP_KEYS_LEAF);
	assert_int_equal(asked.cgroups, (uintptr_t)ids);
	assert_int_equal(asked.nr_cgroups, 2);
	assert_int_equal(asked.slots, 5);
	pmcgrp_keys_free(table);
	pmcgrp_keys_free(NULL);
}

static void adds_over_cpus(void **state)
{
	struct pmcgrp_key_table *table = table_new(PMCGRP_KEY_PROCESS, 8);
	const struct pmcgrp_key *key;

	(void)state;
	fake_keys_count(&fake, 0, 40, 1000, "sort", 5, 100);
	fake_keys_count(&fake, 1, 40, 1000, "sort", 6, 10);
	fake_keys_count(&fake, 1, 0, 0, "swapper/1", 7, 1);
	assert_int_equal(pmcgrp_keys_update(table), 0);
	key = find(table, PMCGRP_KEY_KIND_KEY, 40, 1000);
	assert_non_null(key);
	assert_string_equal(key->comm, "sort");
	assert_int_equal(key->cpus, 2);
	assert_int_equal(key->total.stays, 2);
	assert_int_equal(key->total.time_enabled, 11);
	assert_int_equal(key->total.time_running, 11);
	assert_int_equal(key->total.value[0], 110);
	assert_int_equal(key->delta.value[1], 220);
	assert_false(key->ended);
	assert_non_null(find(table, PMCGRP_KEY_KIND_IDLE, 0, 0));
	check_sum(table);
	/* The next interval has what is new. */
	fake_keys_count(&fake, 1, 40, 1000, "sort2", 1, 3);
	assert_int_equal(pmcgrp_keys_drain(table), 0);
	fake_keys_count(&fake, 1, 40, 1000, "sort3", 1, 4);
	assert_int_equal(pmcgrp_keys_update(table), 0);
	key = find(table, PMCGRP_KEY_KIND_KEY, 40, 1000);
	assert_string_equal(key->comm, "sort3");
	assert_int_equal(key->delta.value[0], 7);
	assert_int_equal(key->delta.stays, 2);
	assert_int_equal(key->total.value[0], 117);
	assert_int_equal(key->cpus, 1);
	key = find(table, PMCGRP_KEY_KIND_IDLE, 0, 0);
	assert_int_equal(key->delta.value[0], 0);
	assert_int_equal(key->cpus, 0);
	check_sum(table);
	/* It has read all since, from the second time on. */
	assert_int_equal(module.nr, 3);
	assert_int_equal(module.flags[0], 0);
	assert_int_equal(module.flags[1], PMCGRP_KEYS_READ);
	assert_int_equal(module.flags[2], PMCGRP_KEYS_READ);
	pmcgrp_keys_free(table);
}

static void others(void **state)
{
	struct pmcgrp_key_table *table = table_new(PMCGRP_KEY_CGROUP, 2);
	const struct pmcgrp_key *key;

	(void)state;
	fake_keys_count(&fake, 0, PMCGRP_KEY_OTHER, 0, "", 1, 1);
	fake_keys_count(&fake, 0, 9, 0, "", 1, 10);
	fake_keys_count(&fake, 0, 10, 0, "", 1, 100);
	fake_keys_count(&fake, 0, 11, 0, "", 1, 1000);
	assert_int_equal(pmcgrp_keys_update(table), 0);
	key = find(table, PMCGRP_KEY_KIND_OTHER, PMCGRP_KEY_OTHER, 0);
	assert_int_equal(key->total.value[0], 1);
	key = find(table, PMCGRP_KEY_KIND_OVERFLOW, PMCGRP_KEY_OTHER, 0);
	assert_int_equal(key->total.value[0], 1100);
	assert_int_equal(nr_keys(table), 3);
	check_sum(table);
	pmcgrp_keys_free(table);
}

/* More processes than slots, again and again: none is lost, and the memory does not grow. */
static void ends_and_drops(void **state)
{
	struct pmcgrp_key_table *table = table_new(PMCGRP_KEY_PROCESS, 8);
	struct pmcgrp_key_totals totals;
	unsigned int round, i, pid = 100;

	(void)state;
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 3; i++, pid++)
			fake_keys_count(&fake, i % 2, pid, pid, "true", 1, pid);
		fake_keys_count(&fake, 0, 1, 1, "init", 1, 1);
		assert_int_equal(pmcgrp_keys_update(table), 0);
		assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, pid - 1, pid - 1)->delta.value[0],
				 pid - 1);
		check_sum(table);
		if (round >= 40)
			pmcgrp_keys_drop_ended(table);
	}
	pmcgrp_keys_totals(table, &totals);
	assert_int_equal(totals.overflows, 0);
	assert_true(totals.reused > 100);
	assert_true(pmcgrp_keys_nr(table) <= 16);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 1, 1)->total.value[0], 50);
	assert_true(pmcgrp_keys_dropped(table)->value[0] > 0);
	check_sum(table);
	/* What was dropped begins anew. */
	for (pid = 100; find(table, PMCGRP_KEY_KIND_KEY, pid, pid); pid++)
		;
	fake_keys_count(&fake, 0, pid, pid, "true", 1, 5);
	assert_int_equal(pmcgrp_keys_update(table), 0);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, pid, pid)->total.value[0], 5);
	check_sum(table);
	pmcgrp_keys_free(table);
}

/* One key with several ids, one after the other. */
static void id_changes(void **state)
{
	struct pmcgrp_key_table *table = table_new(PMCGRP_KEY_THREAD, 1);
	const struct pmcgrp_key *key;

	(void)state;
	fake_keys_count(&fake, 0, 5, 50, "a", 1, 100);
	pmcgrp_keys_update(table);
	pmcgrp_keys_update(table);
	pmcgrp_keys_update(table);
	fake_keys_count(&fake, 0, 6, 60, "b", 1, 1);
	pmcgrp_keys_update(table);
	assert_true(find(table, PMCGRP_KEY_KIND_KEY, 5, 50)->ended);
	pmcgrp_keys_update(table);
	pmcgrp_keys_update(table);
	fake_keys_count(&fake, 0, 5, 50, "a", 1, 20);
	pmcgrp_keys_update(table);
	key = find(table, PMCGRP_KEY_KIND_KEY, 5, 50);
	assert_false(key->ended);
	assert_int_equal(key->total.value[0], 120);
	assert_int_equal(key->delta.value[0], 20);
	assert_int_equal(fake_keys_block(&fake, 0)->reused, 2);
	check_sum(table);
	pmcgrp_keys_free(table);
}

/* What a thread has counted after it was reaped is that of the newest of its number. */
static void reaped(void **state)
{
	struct pmcgrp_key_table *table = table_new(PMCGRP_KEY_PROCESS, 8);

	(void)state;
	fake_keys_count(&fake, 0, 5, 0, "a", 1, 3);
	pmcgrp_keys_update(table);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 5, 0)->total.value[0], 3);
	fake_keys_count(&fake, 1, 5, 50, "a", 1, 100);
	pmcgrp_keys_update(table);
	assert_null(find(table, PMCGRP_KEY_KIND_KEY, 5, 0));
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 5, 50)->total.value[0], 103);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 5, 50)->delta.value[0], 100);
	fake_keys_count(&fake, 1, 5, 70, "b", 1, 1000);
	fake_keys_count(&fake, 0, 5, 0, "b", 1, 7);
	pmcgrp_keys_update(table);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 5, 50)->total.value[0], 103);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 5, 70)->delta.value[0], 1007);
	check_sum(table);
	pmcgrp_keys_free(table);
}

/* A slot that is being written for ever is left out, and the kernel told that not all was read. */
static void always_odd(void **state)
{
	struct pmcgrp_key_table *table = table_new(PMCGRP_KEY_COMMAND, 4);
	struct pmcgrp_keys_slot *slot;

	(void)state;
	slot = fake_keys_count(&fake, 0, 0x61, 0, "a", 1, 3);
	fake_keys_count(&fake, 0, 0x62, 0, "b", 1, 4);
	slot->seq++;
	assert_int_equal(pmcgrp_keys_update(table), 0);
	assert_null(find(table, PMCGRP_KEY_KIND_KEY, 0x61, 0));
	assert_non_null(find(table, PMCGRP_KEY_KIND_KEY, 0x62, 0));
	assert_int_equal(pmcgrp_keys_update(table), 0);
	assert_int_equal(module.flags[1], 0);
	slot->seq++;
	assert_int_equal(pmcgrp_keys_update(table), 0);
	assert_int_equal(module.flags[2], 0);
	assert_int_equal(find(table, PMCGRP_KEY_KIND_KEY, 0x61, 0)->delta.value[0], 3);
	assert_int_equal(pmcgrp_keys_update(table), 0);
	assert_int_equal(module.flags[3], PMCGRP_KEYS_READ);
	check_sum(table);
	module.flush_err = EIO;
	assert_int_equal(pmcgrp_keys_update(table), -EIO);
	pmcgrp_keys_free(table);
}

/* ---- Failures ---- */

static void impossible_layouts(void **state)
{
	struct pmcgrp_key_options options = { .type = PMCGRP_KEY_PROCESS, .slots = 128 };
	struct pmcgrp_key_table *table;
	unsigned int i;

	(void)state;
	for (i = 1; i <= SPOILS; i++) {
		module.spoil = i;
		assert_row(i, pmcgrp_group_set_keys(&handle, &group, &options, &table) == -EPROTO);
		assert_row(i, !table);
		fake_keys_free(&fake);
	}
}

static const struct {
	enum pmcgrp_why why;
	int err;
	const char *says;
} failures[] = {
	{ PMCGRP_WHY_FLAGS, EINVAL, "65536 slots for each CPU (2048)" },
	{ PMCGRP_WHY_KEYS_EXIST, EBUSY, "its table of counts by key already" },
	{ PMCGRP_WHY_RING_EXISTS, EBUSY, "has a ring" },
	{ PMCGRP_WHY_KEYS_TARGET, EOPNOTSUPP, "PMCGRP_CREATE_INHERIT" },
	{ PMCGRP_WHY_LEADER, EOPNOTSUPP, "PMCGRP_CREATE_LEADER" },
	{ PMCGRP_WHY_UNCORE_RING, EOPNOTSUPP, "uncore" },
	{ PMCGRP_WHY_NO_CGROUPS, EOPNOTSUPP, "CONFIG_CGROUPS" },
	{ PMCGRP_WHY_PERMISSION, EACCES, "CAP_PERFMON" },
	{ PMCGRP_WHY_NOMEM, ENOMEM, "2048 slots" },
	{ PMCGRP_WHY_MEMLOCK, EPERM, "rings_user_kb" },
	{ PMCGRP_WHY_MEMORY_MAX, ENOSPC, "rings_max_mb" },
	{ PMCGRP_WHY_NONE, ENOTTY, "older than this library" },
	{ PMCGRP_WHY_NONE, EFAULT, "counts by key: Bad address" },
	{ PMCGRP_WHY_RESERVED, EINVAL, "reason 2" },
};

static void refusals(void **state)
{
	struct pmcgrp_group of_perf = { .backend = PMCGRP_BACKEND_PERF };
	struct pmcgrp_key_options options = { .type = PMCGRP_KEY_PROCESS };
	struct pmcgrp_key_table *table;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(failures); i++) {
		module.err = failures[i].err;
		module.why = failures[i].why;
		assert_row(i, pmcgrp_group_set_keys(&handle, &group, &options, &table) ==
				      -failures[i].err);
		assert_row(i, !table);
		assert_row(i, pmcgrp_error_why(&handle) == failures[i].why);
		if (!strstr(pmcgrp_strerror(&handle), failures[i].says))
			fail_msg("'%s' lacks '%s'", pmcgrp_strerror(&handle), failures[i].says);
	}
	assert_int_equal(pmcgrp_group_set_keys(&handle, &of_perf, &options, &table), -EOPNOTSUPP);
	assert_non_null(strstr(pmcgrp_strerror(&handle), "load the module"));
	assert_int_equal(pmcgrp_group_set_keys(&handle, NULL, &options, &table), -EINVAL);
	assert_int_equal(pmcgrp_group_set_keys(&handle, &group, NULL, &table), -EINVAL);
	assert_int_equal(pmcgrp_group_set_keys(&handle, &group, &options, NULL), -EINVAL);
	assert_int_equal(pmcgrp_group_set_keys(NULL, &group, &options, &table), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(adds_over_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(others, setup, teardown),
		cmocka_unit_test_setup_teardown(ends_and_drops, setup, teardown),
		cmocka_unit_test_setup_teardown(id_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(reaped, setup, teardown),
		cmocka_unit_test_setup_teardown(always_odd, setup, teardown),
		cmocka_unit_test_setup_teardown(impossible_layouts, setup, teardown),
		cmocka_unit_test_setup_teardown(refusals, setup, teardown),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
