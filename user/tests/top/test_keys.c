// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* `pmcgrp top` by cgroup and by command, from counts by key. */
#include "test.h"

#include "stat/keys_machine.h"

static void shows(const char *args, const char *text)
{
	struct result r = run_fake(args);

	if (r.status || !strstr(r.out, text))
		fail_msg("%s: status %d, '%s' is not in: %s%s", args, r.status, text, r.out, r.err);
}

#define ONCE "--json --iterations 1 -d 0.1 -e '{cycles,instructions}' "

static void cgroups(void **state)
{
	(void)state;
	cgroups_are();
	shows("top --by cgroup " ONCE, "\"target\":\"all CPUs\"");
	shows("top --by cgroup " ONCE, "\"rows\":[{\"name\":\"(other tasks)\",");
	shows("top --by cgroup " ONCE, "{\"name\":\"/a/b\",\"counters\":[");
	shows("top --by cgroup " ONCE, "{\"name\":\"(removed, id 999999999)\",\"counters\":[");
	shows("top --by cgroup -C 0 -s name " ONCE, "\"rows\":[{\"name\":\"(idle)\",");
	shows("top --by cgroup -b --iterations 2 -d 0.1 -e cycles", "THRDS CGROUP");
	shows("top --by cgroup -b --iterations 1 -d 0.1 -e cycles", "    - /web-1 ");
}

static void commands(void **state)
{
	(void)state;
	put("keys", "0 1952870243 0 1000000 1000 x\n0 0 0 1000000 1 swapper\n");
	shows("top --by command " ONCE, "\"rows\":[{\"name\":\"coft\",\"counters\":[");
	shows("top --by command -b --iterations 1 -d 0.1 -e cycles", "COMMAND");
}

static void refused(void **state)
{
	struct result r;

	(void)state;
	r = run_fake("top --by command -b -e uncore_cha/event=1/");
	assert_int_equal(r.status, 125);
	assert_non_null(strstr(r.err, "of no cgroup or task"));
	setenv("FAKE_KEYS_WHY", "45", 1);
	r = run_fake("top --by cgroup -b");
	unsetenv("FAKE_KEYS_WHY");
	assert_int_equal(r.status, 125);
	assert_non_null(strstr(r.err, "CONFIG_CGROUPS"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroups),
		cmocka_unit_test(commands),
		cmocka_unit_test(refused),
	};

	tool_init();
	return cmocka_run_group_tests(tests, keys_machine, fake_machine_end);
}
