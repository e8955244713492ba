// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where stat prints, and in which of its three ways. */
#include <errno.h>
#include <time.h>

#include "common/cli.h"
#include "stat.h"

/* perf names the columns anew after so many intervals. */
#define INTERVALS_A_PAGE 25

int stat_output_open(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	time_t now = time(NULL);
	char date[32];

	st->file = stderr;
	if (!o->output)
		return 0;
	st->file = fopen(o->output, o->append ? "ae" : "we");
	if (!st->file)
		return cli_say_errno(o->output, errno);
	/* As perf stat; but a line of JSON has no place for it. */
	if (!o->json && ctime_r(&now, date))
		fprintf(st->file, "# started on %s\n", date);
	return 0;
}

int stat_write(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct report *report = &st->report;

	report->set = &st->set;
	report->subject = st->subject;
	report->big_num = o->big_num;
	report->separator = o->separator;
	report->interval = o->interval;
	report->columns = st->intervals % INTERVALS_A_PAGE == 0;
	if (o->csv)
		report_csv(st->file, report);
	else if (!o->json)
		report_human(st->file, report);
	else if (report_json(st->file, report) < 0)
		return cli_say_errno("cannot write JSON", ENOMEM);
	return 0;
}

int stat_flush(struct stat_run *st)
{
	const struct stat_options *o = &st->options;

	if (fflush(st->file) || ferror(st->file))
		return cli_say_errno(o->output ? o->output : "stderr", errno);
	return 0;
}
