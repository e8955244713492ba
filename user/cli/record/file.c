// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The file that record writes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli.h"
#include "record.h"

/* As perf record: what was there is kept under another name. */
static void keep_old(const char *path)
{
	char *old;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	if (asprintf(&old, "%s.old", path) < 0)
		return;
	rename(path, old);
	free(old);
}

int record_file_open(struct record_run *r)
{
	static const record_open_fn opens[] = {
		[FORMAT_PERF] = perfdata_open,
		[FORMAT_CSV] = record_csv_open,
		[FORMAT_JSONL] = record_jsonl_open,
	};
	const struct record_options *o = &r->options;
	int fd, ret;

	if (!strcmp(o->output, "-")) {
		fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
	} else {
		keep_old(o->output);
		fd = open(o->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	}
	if (fd < 0)
		return cli_say_errno(o->output, errno);
	ret = opens[o->format](&r->sink, fd, &r->desc);
	return ret < 0 ? cli_say_errno(o->output, -ret) : 0;
}
