// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of export. */
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "export_config.h"
#include "export_options.h"

static const char export_help[] =
	"usage: pmcgrp export [options]\n"
	"       pmcgrp export --textfile FILE [options]\n"
	"       pmcgrp export --stdout [options] [-- command [arguments]]\n"
	"       pmcgrp export --from WHERE\n"
	"\n"
	"Serves counts of groups to Prometheus and others, as OpenMetrics text or in Prometheus' text\n"
	"format: of the machine, of CPUs, by cgroup, by unit, pod or job.\n"
	"\n"
	"  -c, --config FILE    the groups; " EXPORT_CONFIG_FILE ", if nothing is said\n"
	"  -e, --event EVENTS   count these in one group instead; several times, too\n"
	"      --by KIND        rows of that group: machine, cpu, cgroup, unit, pod, job\n"
	"      --background     that group counts only with hardware counters that nobody else wants\n"
	"      --listen WHERE   127.0.0.1:PORT, [::1]:PORT or unix:PATH; sockets of systemd come first\n"
	"      --textfile FILE  write a file for node_exporter instead, at each interval\n"
	"      --stdout         print once instead, when the command has ended or the interval has\n"
	"      --from WHERE     print what a running exporter has, by unix:PATH or 127.0.0.1:PORT\n"
	"  -I, --interval S     seconds: of --textfile 15, of --stdout 1, else\n"
	"      --format FORMAT  of --stdout and --from: openmetrics or plain (0.0.4)\n"
	"      --check          read the file, look its events up, say what is wrong, and end\n"
	"  -v, --verbose        with --stdout say what the kernel's own totals are\n"
	"  -h, --help           this text\n"
	"\n"
	"Examples:\n"
	"  pmcgrp export --stdout -e cycles,instructions --by cgroup -- sleep 1\n"
	"  pmcgrp export -e cycles,instructions --by unit --listen 127.0.0.1:9807\n"
	"\n"
	"Exit status: 0; 125 if pmcgrp itself failed; with --stdout that of the command.\n";

static const struct option_line lines[] = {
	OPTION_TEXT("config", 'c', struct export_options, config),
	OPTION_EVENT(struct export_options, ),
	OPTION_BACKGROUND(struct export_options, ),
	OPTION_CHOICE("by", 0, struct export_options, by, "machine,cpu,cgroup,unit,pod,job"),
	OPTION_TEXT("listen", 0, struct export_options, listen),
	OPTION_TEXT("textfile", 0, struct export_options, textfile),
	OPTION_SWITCH("stdout", 0, struct export_options, to_stdout),
	OPTION_TEXT("from", 0, struct export_options, from),
	OPTION_NUMBER("interval", 'I', struct export_options, interval, 1, 86400,
		      "seconds, 1 or more"),
	OPTION_CHOICE("format", 0, struct export_options, format, "openmetrics,plain"),
	OPTION_SWITCH("check", 0, struct export_options, check),
	OPTION_SWITCH("verbose", 'v', struct export_options, verbose),
	OPTION_HELP(export_help),
	{ .kind = OPTION_END },
};

static int check(const struct export_options *o)
{
	unsigned int ways = (o->textfile != NULL) + o->to_stdout + (o->from != NULL) + o->check +
			    (o->listen != NULL);

	if (ways > 1)
		return args_wrong("--listen, --textfile, --stdout, --from and --check: one at a time");
	if (o->from && (o->config || o->nr_events))
		return args_wrong("--from: what is counted is the running exporter's matter");
	if (o->config && o->nr_events)
		return args_wrong("-c and -e: events are in the file, or behind -e");
	if (o->by != EXPORT_MACHINE && !o->nr_events)
		return args_wrong("--by: of which events? As in \"-e cycles,instructions --by cgroup\"");
	if (o->background && !o->nr_events)
		return args_wrong("--background: of -e alone; in the file it is \"background = yes\"");
	if (o->interval && !o->textfile && !o->to_stdout)
		return args_wrong("--interval: who scrapes has the interval; it is for --textfile and "
				  "--stdout");
	if (o->command && !o->to_stdout)
		return args_wrong("a command is run with --stdout alone");
	if (o->verbose && !o->to_stdout)
		return args_wrong("-v: it is for --stdout");
	return 1;
}

int export_options_parse(struct export_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, NULL, true, argc, argv);
	if (ret <= 0)
		return ret;
	if (optind < argc)
		o->command = argv + optind;
	return check(o);
}
