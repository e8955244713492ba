// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What this process may do, and what limits perf events here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"
#include "sections.h"

#define SYSCTL "/proc/sys/kernel/"

#define CAP_SYS_ADMIN_BIT	21
#define CAP_SYSLOG_BIT		34
#define CAP_PERFMON_BIT		38

struct caps {
	bool known;
	bool perfmon;		/* or CAP_SYS_ADMIN, which comprises it */
	bool sys_admin;
	bool syslog;
};

static struct caps caps_of(const struct doctor *d)
{
	unsigned long long bits;
	struct caps caps = { 0 };
	char text[64], *end;

	if (sysfile_value(d->root, "/proc/self/status", "CapEff", text, sizeof(text)))
		return caps;
	bits = strtoull(text, &end, 16);
	caps.known = end != text;
	caps.sys_admin = bits >> CAP_SYS_ADMIN_BIT & 1;
	caps.perfmon = caps.sys_admin || bits >> CAP_PERFMON_BIT & 1;
	caps.syslog = bits >> CAP_SYSLOG_BIT & 1;
	return caps;
}

static void capabilities(struct doctor *d, const struct caps *caps)
{
	struct findings *f = &d->findings;
	char uids[64];
	long uid = -1;

	/* Real, effective, saved, of the file system. */
	if (!sysfile_value(d->root, "/proc/self/status", "Uid", uids, sizeof(uids)) &&
	    sscanf(uids, "%*d %ld", &uid) == 1)
		findings_add(f, DOCTOR_OK, "user", "%ld%s", uid, uid ? "" : " (root)");
	if (!caps->known) {
		findings_add(f, DOCTOR_UNKNOWN, "CAP_PERFMON", "/proc/self/status does not tell");
		findings_advise(f, "mount /proc");
		return;
	}
	if (caps->perfmon) {
		findings_add(f, DOCTOR_OK, "CAP_PERFMON", "effective%s",
			     caps->sys_admin ? ", by CAP_SYS_ADMIN" : "");
	} else {
		findings_add(f, DOCTOR_WARNING, "CAP_PERFMON", "not effective: the device is "
			     "closed to this process, whatever its mode");
		findings_advise(f, "run as root, be a member of the group pmcgrp that Debian's package "
				"makes, or \"setcap cap_perfmon=ep\" on the tool (user/doc/install.md)");
	}
	if (caps->sys_admin) {
		findings_add(f, DOCTOR_OK, "CAP_SYS_ADMIN", "effective");
		return;
	}
	findings_add(f, DOCTOR_WARNING, "CAP_SYS_ADMIN",
		     "not effective: groups of others cannot be shown");
	findings_advise(f, "run \"pmcgrp info\", and this, as root to see them");
}

/* A number of sysctl; false after a finding that says why there is none. */
static bool sysctl(struct doctor *d, const char *name, long long *value)
{
	struct findings *f = &d->findings;
	char path[128];
	int err;

	snprintf(path, sizeof(path), SYSCTL "%s", name);
	err = sysfile_number(d->root, path, value);
	if (!err)
		return true;
	findings_add(f, DOCTOR_UNKNOWN, name, "%s: %s", path,
		     err == -EINVAL ? "no number" : strerror(-err));
	findings_advise(f, err == -ENOENT ? "see whether the kernel has perf events, and /proc is "
			"mounted" : "look at it as root");
	return false;
}

static void paranoid(struct doctor *d, const struct caps *caps)
{
	static const char name[] = "perf_event_paranoid";
	struct findings *f = &d->findings;
	long long level;
	bool ok;

	if (!sysctl(d, name, &level))
		return;
	ok = caps->perfmon || level <= 0;
	findings_add(f, ok ? DOCTOR_OK : DOCTOR_WARNING, name, "%lld: %s", level,
		     caps->perfmon ? "not for this process, which has CAP_PERFMON" :
		     level > 2 ? "perf_event_open(2) is closed to this process" :
		     level == 2 ? "perf_event_open(2) counts user mode of own tasks alone" :
		     level == 1 ? "perf_event_open(2) counts own tasks, but no CPUs" :
		     "perf_event_open(2) counts all but raw tracepoints");
	findings_value(f, name, level);
	if (!ok)
		findings_advise(f, "for --perf and perf(1): sysctl kernel.perf_event_paranoid=%d; "
				"/dev/pmcgrp needs CAP_PERFMON", level > 1 ? 1 : 0);
}

static void kptr(struct doctor *d, const struct caps *caps)
{
	static const char name[] = "kptr_restrict";
	struct findings *f = &d->findings;
	bool hidden, paranoid_hides;
	long long level, allowed;

	if (!sysctl(d, name, &level))
		return;
	/* kallsyms_show_value(): at 0 perf_event_paranoid decides for those without CAP_SYSLOG. */
	paranoid_hides = sysfile_number(d->root, SYSCTL "perf_event_paranoid", &allowed) ||
			 allowed > 1;
	hidden = level > 1 || (!caps->syslog && (level == 1 || paranoid_hides));
	findings_add(f, hidden ? DOCTOR_WARNING : DOCTOR_OK, name, "%lld: %s", level,
		     hidden ? "addresses of kernel functions are hidden: no names in recordings" :
		     "kernel functions have their names in recordings");
	if (hidden)
		findings_advise(f, "%srun as root, or with CAP_SYSLOG",
				level > 1 ? "sysctl kernel.kptr_restrict=1, and " : "");
}

static void sampling(struct doctor *d)
{
	struct findings *f = &d->findings;
	long long value;

	if (sysctl(d, "perf_event_max_sample_rate", &value)) {
		/* Clocks of 100 us are what user/doc/record.md promises. */
		findings_add(f, value < 10000 ? DOCTOR_WARNING : DOCTOR_OK,
			     "max_sample_rate", "%lld a second (perf_event_max_sample_rate): "
			     "triggers that come more often are throttled", value);
		findings_value(f, "perf_event_max_sample_rate", value);
		if (value < 10000)
			findings_advise(f, "the kernel lowers it when samples take long: sysctl "
					"kernel.perf_event_max_sample_rate=100000");
	}
	if (sysctl(d, "perf_cpu_time_max_percent", &value)) {
		/* perf_cpu_time_max_percent_handler() of perf core: 0 and 100 switch that off. */
		findings_add(f, DOCTOR_OK, "cpu_time_max",
			     "%lld%% (perf_cpu_time_max_percent): the kernel %s", value,
			     value > 0 && value < 100 ? "lowers the rate above beyond it" :
			     "never lowers the rate above");
		findings_value(f, "perf_cpu_time_max_percent", value);
	}
}

static void memory(struct doctor *d)
{
	struct findings *f = &d->findings;
	char line[256] = "", soft[32] = "";
	unsigned long long limit;
	long long value;
	FILE *file;

	if (sysctl(d, "perf_event_mlock_kb", &value)) {
		findings_add(f, DOCTOR_OK, "mlock_kb", "%lld KiB for each CPU "
			     "(perf_event_mlock_kb): rings of perf events; those of pmcgrp: "
			     "parameter rings_user_kb", value);
		findings_value(f, "perf_event_mlock_kb", value);
	}
	file = sysfile_open(d->root, "/proc/self/limits");
	while (file && !soft[0] && fgets(line, sizeof(line), file))
		sscanf(line, "Max locked memory %31s", soft);
	if (file)
		fclose(file);
	if (!soft[0]) {
		findings_add(f, DOCTOR_UNKNOWN, "RLIMIT_MEMLOCK",
			     "/proc/self/limits does not tell");
		findings_advise(f, "see \"ulimit -l\"");
		return;
	}
	limit = strtoull(soft, NULL, 10);
	if (!strcmp(soft, "unlimited"))
		findings_add(f, DOCTOR_OK, "RLIMIT_MEMLOCK", "unlimited");
	else
		findings_add(f, DOCTOR_OK, "RLIMIT_MEMLOCK", "%llu KiB: rings may have that much "
			     "beyond the line above", limit / 1024);
}

void doctor_rights(struct doctor *d)
{
	struct caps caps = caps_of(d);

	d->findings.section = SECTION_RIGHTS;
	capabilities(d, &caps);
	paranoid(d, &caps);
	kptr(d, &caps);
	sampling(d);
	memory(d);
}
