// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the CPU is called in perf's tables. */
#include <stdlib.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "event_table.h"
#include "table_match.h"

static int put(char *buf, size_t size, const char *text)
{
	if (strlen(text) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, text);
	return 0;
}

#if defined(__x86_64__) || defined(__i386__)
static int own_cpuid(const struct pmcgrp_cpus *cpus, char *text, size_t size)
{
	unsigned int max, vendor[3], eax, unused, family, model;

	(void)cpus;
	if (!__get_cpuid(0, &max, &vendor[0], &vendor[2], &vendor[1]) ||
	    !__get_cpuid(1, &eax, &unused, &unused, &unused))
		return -ENODEV;
	/* Intel's manual, CPUID with EAX = 1: where the extended fields count. */
	family = eax >> 8 & 0xf;
	model = eax >> 4 & 0xf;
	if (family >= 6)
		model |= (eax >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += eax >> 20 & 0xff;
	snprintf(text, size, "%.12s-%u-%X-%X", (const char *)vendor, family, model, eax & 0xf);
	return 0;
}
#else
/* The MIDR; the kernel has one for each CPU that has been online. */
static int own_cpuid(const struct pmcgrp_cpus *cpus, char *text, size_t size)
{
	char path[128];
	FILE *file;
	int cpu;

	for (cpu = pmcgrp_cpus_next(cpus, 0); cpu >= 0; cpu = pmcgrp_cpus_next(cpus, cpu + 1)) {
		snprintf(path, sizeof(path), CPU_FOLDER "/cpu%d/regs/identification/midr_el1", cpu);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (!fgets(text, (int)size, file))
			text[0] = '\0';
		fclose(file);
		text[strcspn(text, "\n")] = '\0';
		if (table_is_midr(text))
			return 0;
	}
	return -ENODEV;
}
#endif

int event_cpuid_of(const struct pmcgrp_cpus *cpus, char *buf, size_t size)
{
	const char *chosen = getenv("PERF_CPUID");
	char text[64];
	int ret;

	if (chosen)
		return put(buf, size, chosen);
	ret = own_cpuid(cpus, text, sizeof(text));
	return ret ? ret : put(buf, size, text);
}

int event_cpuid(char *buf, size_t size)
{
	struct pmcgrp_cpus cpus;
	int ret = pmcgrp_cpus_online(&cpus);

	return ret < 0 ? ret : event_cpuid_of(&cpus, buf, size);
}
