// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Kernel, processor, and what is known of a hypervisor. */
#include <stdlib.h>
#include <string.h>

#include "say/append.h"
#include "sysfile.h"
#include "sections.h"

#define CPUS "/sys/devices/system/cpu"

static void kernel(struct doctor *d)
{
	struct findings *f = &d->findings;
	unsigned int version = doctor_kernel(d);

	if (!version) {
		findings_add(f, DOCTOR_UNKNOWN, "kernel", "%s: no version can be read from that",
			     d->release);
		findings_advise(f, "pmcgrp needs Linux 6.1 or newer");
	} else if (version < 6001) {
		findings_add(f, DOCTOR_PROBLEM, "kernel", "Linux %s is too old", d->release);
		findings_advise(f, "use Linux 6.1 or newer, and its headers");
	} else {
		findings_add(f, DOCTOR_OK, "kernel", "Linux %s, %s", d->release, d->kernel_version);
	}
}

static void architecture(struct doctor *d)
{
	struct findings *f = &d->findings;

	if (!strcmp(d->machine, "x86_64") || !strcmp(d->machine, "aarch64")) {
		findings_add(f, DOCTOR_OK, "architecture", "%s", d->machine);
		return;
	}
	findings_add(f, DOCTOR_WARNING, "architecture",
		     "%s: pmcgrp is tested on x86_64 and aarch64 only", d->machine);
	findings_advise(f, "look at the self-test below, and report what it says");
}

/* As perf's lists of events name a processor: vendor-family-model-stepping, in hexadecimal. */
static bool x86_processor(struct doctor *d)
{
	char vendor[64], family[32], model[32], stepping[32], name[128];
	const char *file = "/proc/cpuinfo";

	if (sysfile_value(d->root, file, "vendor_id", vendor, sizeof(vendor)) ||
	    sysfile_value(d->root, file, "cpu family", family, sizeof(family)) ||
	    sysfile_value(d->root, file, "model", model, sizeof(model)) ||
	    sysfile_value(d->root, file, "stepping", stepping, sizeof(stepping)))
		return false;
	sysfile_value(d->root, file, "model name", name, sizeof(name));
	findings_add(&d->findings, DOCTOR_OK, "processor", "%s-%s-%lX-%lX%s%s", vendor, family,
		     strtoul(model, NULL, 10), strtoul(stepping, NULL, 10), name[0] ? ": " : "",
		     name);
	return true;
}

/* MIDR_EL1 of each kind of core, as perf's lists have it, and how many there are. */
static bool arm_processors(struct doctor *d, const struct pmcgrp_cpus *online)
{
	char midr[32], path[128], kinds[256] = "", seen[16][32];
	unsigned int i, nr = 0, count[16] = { 0 };
	int cpu;

	for (cpu = pmcgrp_cpus_next(online, 0); cpu >= 0; cpu = pmcgrp_cpus_next(online, cpu + 1)) {
		snprintf(path, sizeof(path), CPUS "/cpu%d/regs/identification/midr_el1", cpu);
		if (sysfile_text(d->root, path, midr, sizeof(midr)) || !midr[0])
			continue;
		for (i = 0; i < nr && strcmp(seen[i], midr); i++)
			;
		if (i == sizeof(seen) / sizeof(seen[0]))
			continue;
		if (i == nr)
			strcpy(seen[nr++], midr);
		count[i]++;
	}
	for (i = 0; i < nr; i++)
		append(kinds, sizeof(kinds), ", ", "MIDR %s (%u)", seen[i], count[i]);
	if (nr)
		findings_add(&d->findings, DOCTOR_OK, "processor", "%s", kinds);
	return nr;
}

static void processors(struct doctor *d)
{
	struct findings *f = &d->findings;
	struct pmcgrp_cpus online = { 0 };
	char list[4096];
	int err;

	err = sysfile_text(d->root, CPUS "/online", list, sizeof(list));
	if (!err)
		err = pmcgrp_cpus_parse(&online, list, NULL);
	if (!(doctor_is_x86(d) && x86_processor(d)) &&
	    !(doctor_is_arm64(d) && arm_processors(d, &online))) {
		findings_add(f, DOCTOR_UNKNOWN, "processor",
			     "its model is in no file that is known here");
		findings_advise(f, "add the output of lscpu(1) to a report");
	}
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "CPUs", CPUS "/online: %s", strerror(-err));
		findings_advise(f, "mount /sys");
		return;
	}
	findings_add(f, DOCTOR_OK, "CPUs", "%u online (%s)", pmcgrp_cpus_nr(&online), list);
	findings_value(f, "online", pmcgrp_cpus_nr(&online));
}

/* Names that firmware of virtual machines has, in its sys_vendor or product_name. */
static bool is_virtual(const char *name)
{
	static const char * const names[] = { "QEMU", "KVM", "VMware", "VirtualBox", "innotek",
					      "Xen", "Microsoft Corporation", "Virtual Machine",
					      "Amazon EC2", "Google Compute Engine", "Bochs",
					      "Parallels", "OpenStack" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strstr(name, names[i]))
			return true;
	}
	return false;
}

/* Microsoft's own computers have its name as well: they are no virtual machines. */
static bool is_hypervisor(const char *vendor, const char *product)
{
	if (strstr(vendor, "Microsoft"))
		return strstr(product, "Virtual Machine");
	return is_virtual(vendor) || is_virtual(product);
}

static void hypervisor(struct doctor *d)
{
	char vendor[128], product[128], type[64];
	struct findings *f = &d->findings;
	bool seen;

	sysfile_text(d->root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	sysfile_text(d->root, "/sys/class/dmi/id/product_name", product, sizeof(product));
	sysfile_text(d->root, "/sys/hypervisor/type", type, sizeof(type));
	seen = is_hypervisor(vendor, product);
	if (!seen && !type[0] && !doctor_cpu_has(d, "hypervisor")) {
		findings_add(f, DOCTOR_OK, "hypervisor", "none is seen");
		findings_value(f, "seen", 0);
		return;
	}
	findings_add(f, DOCTOR_OK, "hypervisor", "yes%s%s%s%s%s: counters are what it lets through",
		     seen || type[0] ? ", " : "", seen ? vendor : type, seen ? " (" : "",
		     seen ? product : "", seen ? ")" : "");
	findings_value(f, "seen", 1);
}

void doctor_machine(struct doctor *d)
{
	d->findings.section = SECTION_MACHINE;
	kernel(d);
	architecture(d);
	processors(d);
	hypervisor(d);
}
