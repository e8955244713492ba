// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Events by name on machines of several kinds, whose sysfs and tracefs are folders of our own. */
#include "test.h"

#include <stdarg.h>

#include "pmcgrp.h"

#include "fake_machine.h"
#include "rights.h"

/* The machine of most tests: one kind of core, two memory controllers, a package. */
static int server(void **state)
{
	if (fake_machine_begin(state))
		return -1;
	put("devices/cpu/type", "4\n");
	put("devices/cpu/format/event", "config:0-7\n");
	put("devices/cpu/format/umask", "config:8-15\n");
	put("devices/cpu/format/edge", "config:18\n");
	put("devices/cpu/format/cmask", "config:24-31\n");
	put("devices/cpu/format/ldlat", "config1:0-15\n");
	put("devices/cpu/format/split", "config:0-3,32-35\n");
	put("devices/cpu/format/late", "config3:0-63\n");
	put("devices/cpu/format/broken", "config5:0\n");
	put("devices/cpu/format/newest", "config4:0-63\n");
	put("devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put("devices/cpu/events/cpu-cycles", "event=0x3c\n");
	put("devices/cpu/events/odd", "event=0x3c,,\n");
	put("devices/cpu/events/param", "event=0x7,umask=?\n");
	put("devices/uncore_imc_0/type", "14\n");
	put("devices/uncore_imc_0/cpumask", "0,8\n");
	put("devices/uncore_imc_0/format/event", "config:0-7\n");
	put("devices/uncore_imc_0/format/umask", "config:8-15\n");
	put("devices/uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n");
	put("devices/uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n");
	put("devices/uncore_imc_0/events/cas_count_read.unit", "MiB\n");
	put("devices/uncore_imc_1/type", "15\n");
	put("devices/uncore_imc_1/cpumask", "0,8\n");
	put("devices/uncore_imc_1/format/event", "config:0-7\n");
	put("devices/uncore_imc_1/format/umask", "config:8-15\n");
	put("devices/uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n");
	put("devices/uncore_imc_free_running/type", "16\n");
	put("devices/power/type", "9\n");
	put("devices/power/cpumask", "0,8\n");
	put("devices/power/format/event", "config:0-7\n");
	put("devices/power/events/energy-pkg", "event=0x02\n");
	put("devices/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	put("devices/power/events/energy-pkg.unit", "Joules\n");
	put("devices/power/events/energy-pkg.per-pkg", "1\n");
	put("devices/power/events/temp.snapshot", "1\n");
	put("devices/power/events/temp", "event=0x9\n");
	put("devices/software/type", "1\n");
	put("devices/nothing/other", "1\n");
	put("events/sched/sched_switch/id", "316\n");
	put("events/sched/sched_wakeup/id", "318\n");
	put("events/sched/enable", "0\n");
	put("events/irq/softirq_entry/id", "140\n");
	put("events/header_page", "x\n");
	put("events/ftrace/print/id", "5\n");
	put("events/ftrace/print/format", "name: print\nID: 5\n");
	put("events/ftrace/bprint/format", "name: bprint\nID: 6\n");
	return 0;
}

/* The same with perf's table for its CPU. */
static int with_table(void **state)
{
	static const char map[] = "Test-1-2\ttest\n0x0000000012345678\ttest\n";
	static const char table[] =
		"{\"format\":1,\"model\":\"test\",\"event_columns\":[\"name\",\"terms\",\"desc\","
		"\"counter\",\"scale\",\"unit\",\"per_pkg\",\"deprecated\"],\"events\":{\"default_core\":["
		"[\"inst_retired.any\",\"event=0xc0,period=2000003\",\"Instructions\",\"0,1\"],"
		"[\"old.name\",\"event=0x7,umask=0x3\",\"Old\",\"0\",null,null,null,true],"
		"[\"odd.one\",\"event=,\",\"Odd\"]],\"uncore_imc\":["
		"[\"unc_m_cas\",\"event=0x4\",\"CAS\",null,64,\"Bytes\",true]],\"uncore_cha\":["
		"[\"unc_cha_x\",\"event=0x4\",\"not here\"]]},\"metric_columns\":[\"name\",\"expr\"],\"metrics\":{},\"groups\":{}}";
	static const char *const arch[] = { "x86", "arm64" };
	char path[64];
	size_t i;

	if (server(state))
		return -1;
	for (i = 0; i < ARRAY_SIZE(arch); i++) {
		snprintf(path, sizeof(path), "tables/%s/map", arch[i]);
		put(path, map);
		snprintf(path, sizeof(path), "tables/%s/test.json", arch[i]);
		put(path, table);
	}
#ifdef __aarch64__
	return setenv("PERF_CPUID", "0x0000000012345678", 1);
#else
	return setenv("PERF_CPUID", "Test-1-2-3", 1);
#endif
}

static int without_table(void **state)
{
	unsetenv("PERF_CPUID");
	return fake_machine_end(state);
}

/* Two kinds of cores. */
static int hybrid(void **state)
{
	if (fake_machine_begin(state))
		return -1;
	put("devices/cpu_core/type", "4\n");
	put("devices/cpu_core/cpus", "0-15\n");
	put("devices/cpu_core/format/event", "config:0-7\n");
	put("devices/cpu_core/events/slots", "event=0x00,umask=0x4\n");
	put("devices/cpu_core/format/umask", "config:8-15\n");
	put("devices/cpu_core/events/mem-loads", "event=0xcd\n");
	put("devices/cpu_atom/type", "10\n");
	put("devices/cpu_atom/cpus", "16-23\n");
	put("devices/cpu_atom/format/event", "config:0-7\n");
	put("devices/cpu_atom/events/mem-loads", "event=0xd0\n");
	return 0;
}

static void __attribute__((format(printf, 3, 4))) append(char *out, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out + strlen(out), size - strlen(out), format, args);
	va_end(args);
}

static void flatten_attr(const struct perf_event_attr *attr, char *out, size_t size)
{
	uint64_t config3 = 0;

	if (attr->size >= 136)
		memcpy(&config3, (const char *)attr + 128, sizeof(config3));
	append(out, size, "%u:%llx", attr->type, (unsigned long long)attr->config);
	if (attr->config1)
		append(out, size, "/1=%llx", (unsigned long long)attr->config1);
	if (attr->config2)
		append(out, size, "/2=%llx", (unsigned long long)attr->config2);
	if (config3)
		append(out, size, "/3=%llx", (unsigned long long)config3);
	append(out, size, "%s%s%s%s%s%s%s%s", attr->exclude_user ? " !u" : "",
	       attr->exclude_kernel ? " !k" : "", attr->exclude_hv ? " !h" : "",
	       attr->exclude_guest ? " !G" : "", attr->exclude_host ? " !H" : "",
	       attr->exclude_idle ? " !idle" : "", attr->pinned ? " pinned" : "",
	       attr->exclusive ? " exclusive" : "");
	if (attr->precise_ip)
		append(out, size, " p%u", attr->precise_ip);
}

/* A list as text: each group in brackets, with its PMU and flags; each event as "name=code". */
static void flatten(const struct pmcgrp_events *events, char *out, size_t size)
{
	const struct pmcgrp_event_group *group;
	const struct pmcgrp_event *event;
	unsigned int i, k;

	out[0] = '\0';
	for (i = 0; (group = pmcgrp_events_group(events, i)); i++) {
		append(out, size, "%s[", i ? " " : "");
		if (group->pmu)
			append(out, size, "%s: ", group->pmu);
		for (k = 0; k < group->nr; k++) {
			event = pmcgrp_events_at(events, group->first + k);
			assert_int_equal(event->group, i);
			append(out, size, "%s%s=", k ? " " : "", event->name);
			flatten_attr(event->attr, out, size);
		}
		append(out, size, "]%s%s%s%s", group->flags & PMCGRP_EVENT_GROUP_PINNED ? "D" : "",
		       group->flags & PMCGRP_EVENT_GROUP_WEAK ? "W" : "",
		       group->flags & PMCGRP_EVENT_GROUP_EXCLUSIVE ? "e" : "",
		       group->flags & PMCGRP_EVENT_GROUP_SPLIT ? "S" : "");
	}
}

struct good {
	const char *text;
	const char *list;
	unsigned int flags;
};

static const struct good on_server[] = {
	{ "cycles:u", "[cycles:u=0:0 !k !h]", 0 },
	{ "cycles:uk,cs", "[cycles:uk=0:0 !h] [cs=1:3]", 0 },
	{ "{cycles,faults:k}:u", "[cycles:u=0:0 !k !h faults:ku=1:2 !h]", 0 },
	{ "cycles:G", "[cycles:G=0:0 !H]", 0 },
	{ "cycles:H", "[cycles:H=0:0 !G]", 0 },
	{ "cycles:GH", "[cycles:GH=0:0]", 0 },
	{ "cycles:I", "[cycles:I=0:0 !idle]", 0 },
	{ "cycles:S", "[cycles:S=0:0]", 0 },
	{ "{cycles,cs}:D", "[cycles:D=0:0 cs=1:3]D", 0 },
	{ "{cycles,cs}:WD", "[cycles:D=0:0 cs=1:3]DW", 0 },
	{ "cpu/event=0x3c,umask=1/", "[cpu/event=0x3c,umask=1/=4:13c]", 0 },
	{ "cpu/event=0x3c,edge/k", "[cpu/event=0x3c,edge/k=4:4003c !u !h]", 0 },
	{ "cpu/edge=0,cmask=255/", "[cpu/edge=0,cmask=255/=4:ff000000]", 0 },
	{ "cpu/split=0xa5/", "[cpu/split=0xa5/=4:a00000005]", 0 },
	{ "cpu/config=5,config1,config2=3,config3=9/", "[cpu/config=5,config1,config2=3,config3=9/="
						       "4:5/1=1/2=3/3=9]", 0 },
	{ "cpu/late=0xffffffffffffffff/", "[cpu/late=0xffffffffffffffff/=4:0/3=ffffffffffffffff]",
	  0 },
	{ "cpu/mem-loads/", "[cpu/mem-loads/=4:1cd/1=3]", 0 },
	/* What is given counts; perf has the bits of both, 1f. */
	{ "cpu/mem-loads,ldlat=30/", "[cpu/mem-loads,ldlat=30/=4:1cd/1=1e]", 0 },
	{ "cpu/ldlat=30,MEM-LOADS/", "[cpu/ldlat=30,MEM-LOADS/=4:1cd/1=1e]", 0 },
	{ "cpu/event=mem-loads/", "[cpu/event=mem-loads/=4:1cd/1=3]", 0 },
	{ "mem-loads", "[mem-loads=4:1cd/1=3]", 0 },
	{ "mem-loads/ldlat=5/u", "[mem-loads/ldlat=5/u=4:1cd/1=5 !k !h]", 0 },
	{ "cpu/param,umask=3/", "[cpu/param,umask=3/=4:307]", 0 },
	{ "cpu/cycles/", "[cpu/cycles/=0:0]", 0 },
	{ "cpu/L1-dcache-load-misses/u", "[cpu/L1-dcache-load-misses/u=3:10000 !k !h]", 0 },
	{ "cpu/r1a8/", "[cpu/r1a8/=4:1a8]", 0 },
	{ "software/r2/", "[software/r2/=1:2]", 0 },
	{ "cpu/event=1,name=Mine/u", "[Mine=4:1 !k !h]", 0 },
	{ "cpu/event=1,name='a b,c'/", "[a b,c=4:1]", 0 },
	{ "cpu//", "[cpu//=4:0]", 0 },
	{ "r1a8:k", "[r1a8:k=4:1a8 !u !h]", 0 },
	{ "{cycles,mem-loads}", "[cycles=0:0 mem-loads=4:1cd/1=3]", 0 },
	{ "uncore_imc/event=4/", "[uncore_imc/event=4/=14:4 uncore_imc/event=4/=15:4]", 0 },
	{ "imc/event=4/", "[imc/event=4/=14:4 imc/event=4/=15:4]", 0 },
	{ "imc_1/event=4/", "[imc_1/event=4/=15:4]", 0 },
	{ "uncore_imc_0/cas_count_read/", "[uncore_imc_0/cas_count_read/=14:304]", 0 },
	{ "uncore_imc*_[01]/event=9/", "[uncore_imc*_[01]/event=9/=14:9 "
				       "uncore_imc*_[01]/event=9/=15:9]", 0 },
	/* The one without such a term is left out. */
	{ "uncore_imc_*/event=9/", "[uncore_imc_*/event=9/=14:9 uncore_imc_*/event=9/=15:9]", 0 },
	/* They have no unit in common, and so no sum. */
	{ "cas_count_read", "[cas_count_read=14:304 cas_count_read=15:304]", 0 },
	{ "{imc/event=1/,imc/event=2/}", "[imc/event=1/=14:1 imc/event=2/=14:2 "
					 "imc/event=1/=15:1 imc/event=2/=15:2]", 0 },
	{ "{imc_1/event=1/,imc_0/event=2/}", "[imc_1/event=1/=15:1 imc_0/event=2/=14:2]", 0 },
	{ "{cycles,imc_0/event=1/,cs}", "[cycles=0:0 cs=1:3]S [uncore_imc_0: imc_0/event=1/=14:1]S",
	  0 },
	{ "{cs,imc/event=1/}", "[cs=1:3]S [imc/event=1/=14:1 imc/event=1/=15:1]", 0 },
	{ "{cs,imc_0/event=1/,cycles}", "[uncore_imc_0: imc_0/event=1/=14:1]S [cs=1:3 cycles=0:0]S", 0 },
	{ "sched:sched_switch:u", "[sched:sched_switch:u=2:13c !k !h]", 0 },
	{ "sched:*", "[sched:sched_switch=2:13c] [sched:sched_wakeup=2:13e]", 0 },
	{ "*:s*_[es]*:k", "[irq:softirq_entry:k=2:8c !u !h] [sched:sched_switch:k=2:13c !u !h]", 0 },
	{ "ftrace:print", "[ftrace:print=2:5]", 0 },
	{ "*:*print", "[ftrace:print=2:5]", 0 },
	{ "{sched:*w*}", "[sched:sched_switch=2:13c sched:sched_wakeup=2:13e]", 0 },
	{ "software/config=2/", "[software/config=2/=1:2]", 0 },
	{ "cycles:pp", "[cycles:pp=0:0 !G p2]", PMCGRP_EVENTS_ANY },
	{ "cycles:P", "[cycles:P=0:0 !G p3]", PMCGRP_EVENTS_ANY },
	{ "{cycles:p,cs}:pDe", "[cycles:pDep=0:0 !G pinned exclusive p2 cs:p=1:3 !G p1]De",
	  PMCGRP_EVENTS_ANY },
	{ "cpu/event=1,period=7/b", "[cpu/event=1,period=7/b=4:1]", PMCGRP_EVENTS_ANY },
};

static const struct good on_hybrid[] = {
	{ "cycles:u", "[cpu_atom: cpu_atom/cycles/u=0:a00000000 !k !h] "
		      "[cpu_core: cpu_core/cycles/u=0:400000000 !k !h]", 0 },
	{ "cs", "[cs=1:3]", 0 },
	{ "{cycles,instructions}", "[cpu_atom: cpu_atom/cycles/=0:a00000000 "
				   "cpu_atom/instructions/=0:a00000001] "
				   "[cpu_core: cpu_core/cycles/=0:400000000 "
				   "cpu_core/instructions/=0:400000001]", 0 },
	{ "mem-loads", "[cpu_atom: cpu_atom/mem-loads/=10:d0] "
		       "[cpu_core: cpu_core/mem-loads/=4:cd]", 0 },
	{ "slots:u", "[cpu_core/slots/u=4:400 !k !h]", 0 },
	{ "{slots,cs}", "[cpu_core/slots/=4:400 cs=1:3]", 0 },
	{ "cpu_atom/cycles/u", "[cpu_atom/cycles/u=0:a00000000 !k !h]", 0 },
	{ "cpu_core/LLC-loads/", "[cpu_core/LLC-loads/=3:400000002]", 0 },
	{ "r1a8", "[r1a8=4:1a8]", 0 },
};

static const struct good on_table[] = {
	{ "inst_retired.any:u", "[inst_retired.any:u=4:c0 !k !h]", 0 },
	{ "{cycles,INST_RETIRED.ANY}", "[cycles=0:0 INST_RETIRED.ANY=4:c0]", 0 },
	{ "cpu/inst_retired.any,edge/", "[cpu/inst_retired.any,edge/=4:400c0]", 0 },
	{ "unc_m_cas", "[unc_m_cas=14:4 unc_m_cas=15:4]", 0 },
	{ "imc_1/unc_m_cas,umask=1/", "[imc_1/unc_m_cas,umask=1/=15:104]", 0 },
	{ "cpu/mem-loads/", "[cpu/mem-loads/=4:1cd/1=3]", 0 },
};

static void check(const struct good *rows, size_t nr)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	char text[1024];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (pmcgrp_events_parse(&events, rows[i].text, rows[i].flags, &error) < 0)
			fail_msg("'%s': %s", rows[i].text, error.text);
		flatten(events, text, sizeof(text));
		if (strcmp(text, rows[i].list))
			fail_msg("'%s': %s, not %s", rows[i].text, text, rows[i].list);
		pmcgrp_events_free(events);
	}
}

static void one_kind_of_core(void **state)
{
	(void)state;
	check(on_server, ARRAY_SIZE(on_server));
}

static void one_of_two_kinds(void **state)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	char text[512];

	(void)state;
	assert_int_equal(pmcgrp_events_new(&events), 0);
	assert_int_equal(pmcgrp_events_choose_pmu(events, "nosuch"), -ENODEV);
	assert_int_equal(pmcgrp_events_choose_pmu(events, "core"), 0);
	assert_int_equal(pmcgrp_events_add(events, "cycles,mem-loads,cpu_atom/cycles/", 0, NULL), 0);
	assert_int_equal(pmcgrp_events_choose_pmu(events, "cpu_atom"), 0);
	assert_int_equal(pmcgrp_events_add(events, "cycles", 0, NULL), 0);
	assert_int_equal(pmcgrp_events_add(events, "slots", 0, &error), -EINVAL);
	assert_int_equal(pmcgrp_events_choose_pmu(events, NULL), 0);
	assert_int_equal(pmcgrp_events_add(events, "{cycles}", 0, NULL), 0);
	flatten(events, text, sizeof(text));
	assert_string_equal(text, "[cpu_core/cycles/=0:400000000] [cpu_core/mem-loads/=4:cd] "
				  "[cpu_atom/cycles/=0:a00000000] [cpu_atom/cycles/=0:a00000000] "
				  "[cpu_atom: cpu_atom/cycles/=0:a00000000] "
				  "[cpu_core: cpu_core/cycles/=0:400000000]");
	pmcgrp_events_free(events);
}

static void of_a_table(void **state)
{
	struct pmcgrp_events_error error;
	const struct pmcgrp_event *event;
	struct pmcgrp_events *events;

	(void)state;
	check(on_table, ARRAY_SIZE(on_table));
	assert_int_equal(pmcgrp_events_parse(&events, "unc_m_cas", 0, NULL), 0);
	event = pmcgrp_events_at(events, 0);
	assert_true(event->scale == 64.0);
	assert_int_equal(event->flags, PMCGRP_EVENT_PER_PKG | PMCGRP_EVENT_UNCORE);
	assert_string_equal(event->unit, "Bytes");
	pmcgrp_events_free(events);
	assert_int_equal(pmcgrp_events_parse(&events, "cycles,odd.one", 0, &error), -EINVAL);
	assert_non_null(strstr(error.text, "event 'odd.one' of PMU cpu is malformed"));
	assert_int_equal(error.column, 7);
	assert_int_equal(pmcgrp_events_parse(&events, "unc_cha_x", 0, &error), -EINVAL);
}

/* Those of PMUs that are here. */
static void names_of_a_table(void **state)
{
	const struct pmcgrp_name *name;
	struct pmcgrp_names *names;

	(void)state;
	assert_int_equal(pmcgrp_names_new(&names, PMCGRP_NAME_TABLE), 0);
	assert_int_equal(pmcgrp_names_nr(names), 4);
	name = pmcgrp_names_at(names, 0);
	assert_string_equal(name->name, "inst_retired.any");
	assert_string_equal(name->pmu, "cpu");
	assert_string_equal(name->desc, "Instructions");
	assert_string_equal(name->counter, "0,1");
	assert_null(name->topic);
	assert_false(name->deprecated);
	assert_true(pmcgrp_names_at(names, 2)->deprecated);
	assert_string_equal(pmcgrp_names_at(names, 3)->pmu, "uncore_imc");
	assert_null(pmcgrp_names_at(names, 4));
	pmcgrp_names_free(names);
	assert_int_equal(pmcgrp_names_new(&names, PMCGRP_NAME_PMU | PMCGRP_NAME_TRACEPOINT), 0);
	/* 4 of cpu, 1 each of the controllers, 2 of power; 4 tracepoints. */
	assert_int_equal(pmcgrp_names_nr(names), 12);
	assert_string_equal(pmcgrp_names_at(names, 0)->name, "cpu/cpu-cycles/");
	pmcgrp_names_free(names);
	pmcgrp_names_free(NULL);
	assert_int_equal(pmcgrp_names_new(&names, 64), -EINVAL);
	assert_int_equal(pmcgrp_names_new(NULL, 1), -EINVAL);
}

static void two_kinds_of_cores(void **state)
{
	(void)state;
	check(on_hybrid, ARRAY_SIZE(on_hybrid));
}

static const struct {
	const char *text;
	size_t column;
	const char *says;
} bad[] = {
	{ "cycles,nosuch", 7, "'nosuch' is not an event" },
	{ "cycles,perf::PAGE-FAULTS:mh=0", 7, "libpfm4's mg and mh are not taken" },
	{ "perf::PAGE-FAULTS:u:mg", 0, "libpfm4's mg and mh are not taken" },
	{ "perf::PAGE-FAULTS:u=0", 0, "counts in no mode" },
	{ "cpu/nosuch/", 4, "neither a term nor an event of PMU cpu (terms: " },
	{ "cpu/nosuch=1/", 4, "neither a term nor an event of PMU cpu" },
	{ "cpu/event=256/", 10, "too much for term 'event' of PMU cpu: 0 to 0xff" },
	{ "cpu/event=x/", 10, "is a number, not 'x'" },
	{ "cpu/event/", 4, "needs a value: 0 to 0xff" },
	{ "cpu/event=1,event=2/", 12, "given twice" },
	{ "cpu/mem-loads,event=1,event=2/", 22, "given twice" },
	{ "cpu/broken=1/", 4, "format of term 'broken' of PMU cpu is malformed" },
	{ "cpu/newest=1/", 4, "term 'newest' of PMU cpu is in config4, which counter groups do not have" },
	{ "cpu/config4=1/", 4, "counter groups do not have it" },
	{ "cpu/odd/", 4, "file of event 'odd' of PMU cpu is malformed" },
	{ "cpu/param/", 4, "give it one" },
	{ "cpu/name/", 4, "needs a value" },
	{ "cpu/period=1/", 4, "a trigger" },
	{ "cpu/percore,event=1/", 4, "--per-core" },
	{ "cpu/../type/", 7, "'t' is no modifier" },
	{ "cpu/sched/", 4, "neither a term" },
	{ "cpu/faults/", 4, "neither a term" },
	{ "power/cycles/", 6, "neither a term" },
	{ "imc_7/event=1/", 0, "neither a PMU nor an event of one; this machine has cpu, power, " },
	{ "{uncore_imc_0/cas_count_read,cas_count_read/}", 29, "second event here with a unit" },
	{ "cycles:x", 7, "'x' is no modifier: these are p and ukhGHIPSDWebR" },
	{ "cycles,faults:user", 15, "'s' is no modifier" },
	{ "r1a:z", 4, "'z' is no modifier" },
	{ "mem-loads:u:k", 12, "'mem-loads:u' has modifiers already: write them together" },
	{ "r1a8:u:k", 7, "'r1a8:u' has modifiers already: write them together, as \":uk\"" },
	{ "mem-loads:z", 10, "'z' is no modifier" },
	{ "sched:nosuch", 6, "there is no tracepoint 'nosuch' in sched" },
	{ "cycles,schd:sched_switch", 7, "'schd' is neither a system of tracepoints nor an event of this "
					 "machine: did you mean 'sched'?" },
	{ "cyclse:ux", 0, "'cyclse' is neither a system of tracepoints nor an event of this machine: did "
			  "you mean 'cycles'?" },
	{ "sched:no*", 6, "no tracepoint of sched matches 'no*'" },
	{ "cycles,ftrace:bprint", 7, "'ftrace:bprint' is how ftrace writes a record of its own" },
	{ "ftrace:b*", 0, "cannot be counted: the kernel gives it no id in tracefs" },
	{ "nothing/x/", 0, "neither a PMU" },
	{ "cycles,instrutions", 7, "'instrutions' is not an event that this machine has: did you mean "
				   "'instructions'?" },
	{ "Page_fault:u", 0, "did you mean 'page-faults'?" },
	{ "cas_count_raed", 0, "did you mean 'cas_count_read'?" },
	{ "sched:sched_swich", 6, "there is no tracepoint 'sched_swich' in sched: did you mean "
				  "'sched_switch'?" },
	{ "sched:sched-switch", 6, "did you mean 'sched_switch'?" },
	{ "sched:SCHED_SWITCH", 6, "did you mean 'sched_switch'?" },
	{ "cpu/evnt=1/", 4, "'evnt' is neither a term nor an event of PMU cpu: did you mean 'event'?" },
	{ "cpu/mem-laods/", 4, "did you mean 'mem-loads'?" },
	{ "cycles/confg=1/", 7, "did you mean 'config', 'config1' or 'config2'?" },
	{ "pwer/energy=1/", 0, "'pwer' is neither a PMU nor an event of one: did you mean 'power'?" },
	{ "cycles:p", 7, "p asks for precise samples" },
	{ "cycles:P", 7, "P asks for precise samples" },
	{ "{cycles,cs}:e", 12, "D keeps this one on it" },
	{ "cycles:b", 7, "BPF" },
	{ "cycles:R", 7, "R asks" },
};

static void wrong(void **state)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = pmcgrp_events_parse(&events, bad[i].text, 0, &error);
		if (ret != -EINVAL || error.column != bad[i].column ||
		    !strstr(error.text, bad[i].says))
			fail_msg("'%s': %d, at %zu: %s", bad[i].text, ret, error.column, error.text);
		assert_null(events);
	}
}

/* Confidentiality alone closes tracefs, to root as well. */
static void lockdown(void **state)
{
	static const char *const nowhere[TRACEFS_FOLDERS] = { "/nonexistent", "/nonexistent" };
	static const struct {
		const char *file;
		const char *says;
	} rows[] = {
		{ "[none] integrity confidentiality\n", "there is no /nonexistent; as root, \"mount -t" },
		{ "none [integrity] confidentiality\n", "there is no /nonexistent; as root, \"mount -t" },
		{ "none integrity [confidentiality]\n", "kernel lockdown is on (confidentiality), which" },
	};
	const char *file = rights_lockdown_file, *const *tracing = event_machine_here.tracing;
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	char path[128];
	size_t i;

	(void)state;
	snprintf(path, sizeof(path), "%s/lockdown", fake_root);
	rights_lockdown_file = path;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		put("lockdown", rows[i].file);
		event_machine_here.tracing = nowhere;
		assert_row(i, pmcgrp_events_parse(&events, "sched:x", 0, &error) == -EINVAL);
		if (!strstr(error.text, rows[i].says))
			fail_msg("%s: %s", rows[i].file, error.text);
		/* Callers that can read it are told of the name. */
		event_machine_here.tracing = tracing;
		assert_row(i, pmcgrp_events_parse(&events, "nosuch:x", 0, &error) == -EINVAL);
		assert_row(i, strstr(error.text, "'nosuch' is neither a system of tracepoints"));
	}
	rights_lockdown_file = file;
}

/* What the file of an event says beside its code. */
static void units(void **state)
{
	const struct pmcgrp_event *event;
	struct pmcgrp_events *events;

	(void)state;
	assert_int_equal(pmcgrp_events_parse(&events, "power/energy-pkg/,power/temp/,"
					     "cas_count_read,cycles", 0, NULL), 0);
	event = pmcgrp_events_at(events, 0);
	assert_string_equal(event->unit, "Joules");
	assert_true(event->scale == 2.3283064365386962890625e-10);
	assert_int_equal(event->flags, PMCGRP_EVENT_PER_PKG | PMCGRP_EVENT_UNCORE);
	assert_string_equal(event->cpus, "0,8");
	assert_string_equal(event->pmu, "power");
	event = pmcgrp_events_at(events, 1);
	assert_int_equal(event->flags, PMCGRP_EVENT_SNAPSHOT | PMCGRP_EVENT_UNCORE);
	assert_true(event->scale == 1.0);
	assert_string_equal(event->unit, "");
	event = pmcgrp_events_at(events, 2);
	assert_string_equal(event->unit, "MiB");
	assert_true(event->scale == 6.103515625e-5);
	event = pmcgrp_events_at(events, 4);
	assert_null(event->pmu);
	assert_null(event->cpus);
	assert_int_equal(event->flags, PMCGRP_EVENT_CORE);
	assert_null(pmcgrp_events_at(events, 5));
	assert_null(pmcgrp_events_group(events, 5));
	pmcgrp_events_free(events);
}

/* What was there before a failure is there after it. */
static void appending(void **state)
{
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	char text[512];

	(void)state;
	assert_int_equal(pmcgrp_events_new(&events), 0);
	assert_int_equal(pmcgrp_events_add(events, "{cs,faults}", 0, &error), 0);
	assert_int_equal(pmcgrp_events_add(events, "{cs,r1},r2,cpu/nosuch/", 0, &error), -EINVAL);
	assert_int_equal(pmcgrp_events_nr(events), 2);
	assert_int_equal(pmcgrp_events_nr_groups(events), 1);
	assert_int_equal(pmcgrp_events_add(events, "{r1,r2}", 0, &error), 0);
	flatten(events, text, sizeof(text));
	assert_string_equal(text, "[cs=1:3 faults=1:2] [r1=4:1 r2=4:2]");
	assert_int_equal(pmcgrp_events_add(events, "cs", 4, &error), -EINVAL);
	assert_int_equal(pmcgrp_events_add(events, NULL, 0, NULL), -EINVAL);
	pmcgrp_events_free(events);
	pmcgrp_events_free(NULL);
	assert_int_equal(pmcgrp_events_new(NULL), -EINVAL);
}

/* Tracepoints are members as well. */
static void group_size(void **state)
{
	char file[64], *text = strdup("{cs,many:*}");
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	int i;

	(void)state;
	for (i = 0; i < PMCGRP_MEMBERS_MAX; i++) {
		snprintf(file, sizeof(file), "events/many/t%d/id", i);
		put(file, "1000\n");
	}
	assert_int_equal(pmcgrp_events_parse(&events, text + 0, 0, &error), -EINVAL);
	assert_int_equal(error.column, 4);
	assert_non_null(strstr(error.text, "at most 64"));
	memcpy(text, "{          ", 4);
	assert_int_equal(pmcgrp_events_parse(&events, text, 0, &error), 0);
	assert_int_equal(pmcgrp_events_nr(events), PMCGRP_MEMBERS_MAX);
	pmcgrp_events_free(events);
	free(text);
}

/* Each prefix, and each row with a byte replaced: no crash, and the column is in the text. */
static void mangled(void **state)
{
	static const char bytes[] = "{},:/ uD*=?\t\x01\xff";
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	char text[128];
	size_t i, at, b;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(on_server); i++) {
		for (at = 0; on_server[i].text[at]; at++) {
			for (b = 0; b < sizeof(bytes); b++) {
				snprintf(text, sizeof(text), "%s", on_server[i].text);
				text[at] = bytes[b];
				error.column = 0;
				if (!pmcgrp_events_parse(&events, text, 0, &error))
					pmcgrp_events_free(events);
				assert_row(i, error.column <= strlen(text));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest server_tests[] = {
		cmocka_unit_test(one_kind_of_core),
		cmocka_unit_test(wrong),
		cmocka_unit_test(lockdown),
		cmocka_unit_test(units),
		cmocka_unit_test(appending),
		cmocka_unit_test(group_size),
		cmocka_unit_test(mangled),
	};
	const struct CMUnitTest table_tests[] = {
		cmocka_unit_test(of_a_table),
		cmocka_unit_test(names_of_a_table),
	};
	const struct CMUnitTest hybrid_tests[] = {
		cmocka_unit_test(two_kinds_of_cores),
		cmocka_unit_test(one_of_two_kinds),
	};

	return cmocka_run_group_tests_name("events", server_tests, server, fake_machine_end) ||
	       cmocka_run_group_tests_name("events_table", table_tests, with_table, without_table) ||
	       cmocka_run_group_tests_name("events_hybrid", hybrid_tests, hybrid, fake_machine_end);
}
