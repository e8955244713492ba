// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The kernel's configuration: what the module cannot do without, and what it is better with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"
#include "config_text.h"
#include "sections.h"

struct option {
	const char *name;
	enum verdict without;
	const char *lacks;	/* what there is not, without it */
	const char *advice;
	const char *sign;	/* what only a kernel with it has: a file; NULL: a core PMU */
	const char *machine;	/* that it is looked at on; NULL: on all */
};

static const struct option options[] = {
	/* kmod/compat.h: #error without it */
	{ "PERF_EVENTS", DOCTOR_PROBLEM, "the module cannot be built",
	  "use a kernel that is built with it", "/proc/sys/kernel/perf_event_paranoid", NULL },
	/* kmod/compat.h: #error without it; perf has a PMU for them */
	{ "TRACEPOINTS", DOCTOR_PROBLEM, "the module cannot be built",
	  "use a kernel that is built with it", DOCTOR_PMUS "/tracepoint", NULL },
	/* kmod/Kbuild: obj-m */
	{ "MODULES", DOCTOR_PROBLEM, "the kernel loads no modules",
	  "use a kernel that is built with it", "/proc/modules", NULL },
	/* kmod/counter/kernel_counter.c: tracepoints as members and triggers */
	{ "EVENT_TRACING", DOCTOR_WARNING, "no tracepoints as events or triggers",
	  "use a kernel that is built with it, if you need them", DOCTOR_PMUS "/tracepoint", NULL },
	{ "KPROBE_EVENTS", DOCTOR_WARNING, "no probes of kernel functions as events or triggers",
	  "use a kernel that is built with it, if you need them", DOCTOR_PMUS "/kprobe", NULL },
	{ "UPROBE_EVENTS", DOCTOR_WARNING, "no probes of programs as events or triggers",
	  "use a kernel that is built with it, if you need them", DOCTOR_PMUS "/uprobe", NULL },
	/* kmod/platform/counter_reg.c: reads registers of its counters */
	{ "ARM_PMU", DOCTOR_WARNING, "no driver of the cores' PMUs: no hardware events",
	  "use a kernel that is built with it", NULL, "aarch64" },
};

static void option_by_text(struct doctor *d, const struct option *option, const char *text)
{
	struct findings *f = &d->findings;
	char value[64];

	if (config_text_value(text, option->name, value, sizeof(value))) {
		findings_add(f, DOCTOR_OK, option->name, "%s", value);
		return;
	}
	findings_add(f, option->without, option->name, "not set: %s", option->lacks);
	findings_advise(f, "%s", option->advice);
}

/* Without the text: a file of /proc or /sys tells, if it is there. */
static void option_by_sign(struct doctor *d, const struct option *option)
{
	struct findings *f = &d->findings;
	char path[512];

	snprintf(path, sizeof(path), "%s%s", d->root, option->sign ? option->sign : "");
	if (option->sign && !access(path, F_OK)) {
		findings_add(f, DOCTOR_OK, option->name, "there is %s", option->sign);
		return;
	}
	if (!option->sign && d->nr_pmus) {
		findings_add(f, DOCTOR_OK, option->name, "there is the PMU %s", d->pmus[0].name);
		return;
	}
	findings_add(f, DOCTOR_UNKNOWN, option->name, "there is no %s",
		     option->sign ? option->sign : "PMU of the cores");
	findings_advise(f, "look at the kernel's configuration. Without it: %s", option->lacks);
}

/* kmod/needs: functions that no module of the kernel's own uses are not exported then. */
static void trimmed(struct doctor *d, const char *text)
{
	struct findings *f = &d->findings;
	char value[64];

	if (!config_text_value(text, "TRIM_UNUSED_KSYMS", value, sizeof(value))) {
		findings_add(f, DOCTOR_OK, "TRIM_UNUSED_KSYMS", "not set");
		return;
	}
	findings_add(f, DOCTOR_WARNING, "TRIM_UNUSED_KSYMS",
		     "%s: functions that the module calls may be missing", value);
	findings_advise(f, "see what \"kmod/needs /lib/modules/%s/build\" says", d->release);
}

static void realtime(struct doctor *d, const char *text)
{
	char value[64];
	bool rt = doctor_is_rt(d);

	if (text)
		rt |= config_text_value(text, "PREEMPT_RT", value, sizeof(value));
	findings_add(&d->findings, DOCTOR_OK, "PREEMPT_RT", rt ? "y" : "not set");
	findings_value(&d->findings, "realtime", rt);
}

void doctor_config(struct doctor *d)
{
	struct findings *f = &d->findings;
	struct config_text config;
	char why[CONFIG_PATH_SIZE + 64];
	size_t i;
	int err;

	f->section = SECTION_CONFIG;
	err = config_text_read(&config, d->root, d->release, why, sizeof(why));
	if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "configuration", "%s", why);
		if (err == -ENOENT)
			findings_advise(f, "modprobe configs, if the kernel has that module");
		else
			findings_advise(f, "look at it as root");
	} else {
		findings_add(f, DOCTOR_OK, "configuration", "%s", config.path + strlen(d->root));
	}
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].machine && strcmp(options[i].machine, d->machine))
			continue;
		if (config.text)
			option_by_text(d, &options[i], config.text);
		else
			option_by_sign(d, &options[i]);
	}
	if (config.text)
		trimmed(d, config.text);
	realtime(d, config.text);
	doctor_signing(d);
	free(config.text);
}
