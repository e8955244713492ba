/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Servers with PMUs outside the CPUs, as folders of our own: sysfs as its drivers make it, as far
 * as it is read.
 */
#ifndef UNCORE_MACHINE_H
#define UNCORE_MACHINE_H

#include "fake_machine.h"

static inline void __attribute__((format(printf, 2, 3)))
put_as(const char *text, const char *format, ...)
{
	char file[256];
	va_list args;

	va_start(args, format);
	vsnprintf(file, sizeof(file), format, args);
	va_end(args);
	put(file, text);
}

static inline void put_pmu(const char *name, unsigned int type, const char *cpumask)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", type);
	put_as(text, "devices/%s/type", name);
	put_as("config:0-7\n", "devices/%s/format/event", name);
	put_as("config:8-15\n", "devices/%s/format/umask", name);
	if (cpumask)
		put_as(cpumask, "devices/%s/cpumask", name);
}

/* Boxes with one type after the other. */
static inline void put_boxes(const char *name, unsigned int nr, unsigned int type,
			     const char *cpumask)
{
	unsigned int i;
	char box[64];

	for (i = 0; i < nr; i++) {
		snprintf(box, sizeof(box), "%s_%u", name, i);
		put_pmu(box, type + i, cpumask);
	}
}

static inline void put_unit(const char *pmu, const char *event, const char *terms,
			    const char *scale, const char *unit)
{
	put_as(terms, "devices/%s/events/%s", pmu, event);
	put_as(scale, "devices/%s/events/%s.scale", pmu, event);
	put_as(unit, "devices/%s/events/%s.unit", pmu, event);
}

/* CPUs, the same number of each socket, and cores with one thread. */
static inline void put_topology(unsigned int nr, unsigned int per_socket)
{
	unsigned int cpu;
	char text[32];

	snprintf(text, sizeof(text), "0-%u\n", nr - 1);
	put("cpu/online", text);
	put("cpu/possible", text);
	for (cpu = 0; cpu < nr; cpu++) {
		snprintf(text, sizeof(text), "%u\n", cpu / per_socket);
		put_as(text, "cpu/cpu%u/topology/physical_package_id", cpu);
		put_as("0\n", "cpu/cpu%u/topology/die_id", cpu);
		snprintf(text, sizeof(text), "%u\n", cpu % per_socket);
		put_as(text, "cpu/cpu%u/topology/core_id", cpu);
		put_as("", "cpu/cpu%u/node%u/cpulist", cpu, cpu / per_socket);
	}
}

#define INTEL_BOXES 28

/* Two sockets: the first CPU of each reads its boxes. */
static inline int intel_server(void **state)
{
	unsigned int i;
	char pmu[32];

	if (fake_machine_begin(state))
		return -1;
	put_topology(56, 28);
	put_pmu("cpu", 4, NULL);
	put_boxes("uncore_cha", INTEL_BOXES, 20, "0,28\n");
	put_boxes("uncore_imc", 6, 60, "0,28\n");
	for (i = 0; i < 6; i++) {
		snprintf(pmu, sizeof(pmu), "uncore_imc_%u", i);
		put_unit(pmu, "cas_count_read", "event=0x04,umask=0x03\n", "6.103515625e-5\n",
			 "MiB\n");
		put_as("event=0x00\n", "devices/%s/events/clockticks", pmu);
	}
	put_pmu("uncore_ubox", 70, "0,28\n");
	put("devices/uncore_ubox/events/clockticks", "event=0xff\n");
	put_pmu("power", 71, "0,28\n");
	put_unit("power", "energy-pkg", "event=0x02\n", "2.3283064365386962890625e-10\n",
		 "Joules\n");
	put("devices/power/events/energy-pkg.per-pkg", "1\n");
	put("devices/power/events/temp", "event=0x09\n");
	put("devices/power/events/temp.snapshot", "1\n");
	put("devices/software/type", "1\n");
	return 0;
}

/* One socket with four L3 caches. */
static inline int amd_server(void **state)
{
	if (fake_machine_begin(state))
		return -1;
	put_topology(32, 32);
	put_pmu("cpu", 4, NULL);
	put_pmu("amd_df", 11, "0\n");
	put_pmu("amd_l3", 12, "0,8,16,24\n");
	put_pmu("power", 13, "0\n");
	put_unit("power", "energy-pkg", "event=0x02\n", "2.3283064365386962890625e-10\n",
		 "Joules\n");
	put("devices/power/events/energy-pkg.per-pkg", "1\n");
	put("devices/software/type", "1\n");
	return 0;
}

/* Two sockets: each driver has chosen one CPU for a box. */
static inline int arm_server(void **state)
{
	if (fake_machine_begin(state))
		return -1;
	put_topology(8, 4);
	put_pmu("armv8_pmuv3_0", 8, NULL);
	put("devices/armv8_pmuv3_0/cpus", "0-7\n");
	put_pmu("arm_cmn_0", 20, "0\n");
	put_pmu("arm_cmn_1", 21, "4\n");
	put_pmu("arm_dsu_0", 22, "0\n");
	put_pmu("arm_dsu_1", 23, "2\n");
	put_pmu("arm_dsu_2", 24, "4\n");
	put("devices/arm_dsu_0/associated_cpus", "0-1\n");
	put_pmu("hisi_sccl1_l3c0", 30, "0\n");
	put_pmu("hisi_sccl3_l3c8", 31, "4\n");
	put("devices/hisi_sccl1_l3c0/events/rd_hit", "event=0x1\n");
	put("devices/hisi_sccl3_l3c8/events/rd_hit", "event=0x1\n");
	/* A number in hexadecimal, and an address. */
	put_pmu("arm_smmuv3_pmcg_2b402", 32, "0\n");
	put_pmu("arm_smmuv3_pmcg_2b442", 33, "0\n");
	put("devices/software/type", "1\n");
	return 0;
}

#endif
