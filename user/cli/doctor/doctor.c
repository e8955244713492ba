// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp doctor: whether this machine can run pmcgrp, and how well. */
#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "sections.h"

static const char doctor_help[] =
	"usage: pmcgrp doctor [options]\n"
	"\n"
	"Says whether this machine can run pmcgrp, and how well: kernel and processor, module,\n"
	"rights, PMUs and their counters, who has them, and whether known work is counted right.\n"
	"Each line has a verdict; all but \"ok\" say what to do. Its output belongs into a report\n"
	"of a fault. It changes nothing, and needs no root: what this user cannot see is\n"
	"\"unknown\", with the reason.\n"
	"\n"
	"  -j, --json            one JSON object; pmcgrp-doctor(1) has its keys\n"
	"      --no-selftest     count nothing but the counters themselves\n"
	"  -v, --verbose         a line for each PMU, and for each process with perf events\n"
	"  -h, --help            this text\n"
	"\n"
	"Verdicts:\n"
	"  ok        as it should be, or nothing that matters\n"
	"  warning   pmcgrp works, but less well, or not all of it\n"
	"  problem   pmcgrp does not work, or counts wrongly\n"
	"  unknown   cannot be seen by this user, or on this machine\n"
	"\n"
	"Examples:\n"
	"  pmcgrp doctor\n"
	"  sudo pmcgrp doctor --verbose >report.txt\n"
	"  pmcgrp doctor --json | jq '.module'\n"
	"\n"
	"Exit status: 0 if there is no problem; 1 if there is one; 125 if pmcgrp itself failed.\n";

struct doctor_options {
	bool json;
	bool no_selftest;
	bool verbose;
};

static const struct option_line lines[] = {
	OPTION_JSON(struct doctor_options, ),
	OPTION_SWITCH("no-selftest", 0, struct doctor_options, no_selftest),
	OPTION_VERBOSE(struct doctor_options),
	OPTION_HELP(doctor_help),
	{ .kind = OPTION_END },
};

static void open_device(struct doctor *d)
{
	d->query.size = sizeof(d->query);
	d->dev_err = pmcgrp_open(&d->dev, 0);
	if (d->dev_err)
		d->dev_says = pmcgrp_strerror(NULL);
	else
		d->has_query = !pmcgrp_query(d->dev, &d->query);
}

static void look(struct doctor *d, const struct doctor_options *o)
{
	doctor_core_pmus(d);
	if (!o->no_selftest)
		doctor_selftest_run(d);
	doctor_machine(d);
	doctor_config(d);
	doctor_module(d);
	doctor_rights(d);
	doctor_pmus(d);
	doctor_passes(d);
	doctor_holders(d);
	doctor_user_read(d);
	doctor_limits(d);
	if (!o->no_selftest)
		doctor_selftest(d);
}

static int print(const struct doctor *d, const struct doctor_options *o)
{
	const struct findings *f = &d->findings;
	bool color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	int ret = f->failed ? -ENOMEM : 0;

	if (!ret && o->json)
		ret = findings_json(stdout, f);
	else if (!ret)
		findings_table(stdout, f, color);
	if (ret)
		return cli_say_errno("cannot show what was found", -ret);
	if (fflush(stdout) || ferror(stdout))
		return cli_say_errno("stdout", errno);
	return findings_count(f, DOCTOR_PROBLEM) ? EXIT_FAILURE : 0;
}

int doctor_main(int argc, char **argv)
{
	struct doctor_options options = { 0 };
	struct utsname name;
	struct doctor *d;
	int ret;

	cli_begin("doctor");
	ret = option_parse_alone(&options, lines, "looks at this machine", argc, argv);
	if (ret <= 0)
		return -ret;
	d = calloc(1, sizeof(*d));
	if (!d || uname(&name)) {
		free(d);
		return cli_say_errno("cannot begin", errno);
	}
	d->root = "";
	d->machine = name.machine;
	d->release = name.release;
	d->kernel_version = name.version;
	d->verbose = options.verbose;
	d->live = true;
	open_device(d);
	look(d, &options);
	ret = print(d, &options);
	pmcgrp_close(d->dev);
	findings_free(&d->findings);
	free(d->work);
	free(d);
	return ret;
}
