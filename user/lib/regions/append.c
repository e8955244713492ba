// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What a process writes for "pmcgrp stat --regions". */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "regions/process.h"

/* One write() as a rule; the lock keeps others out if it takes more. */
void region_append(const char *text, size_t len)
{
	int fd = open(regions.file, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
	ssize_t ret;

	if (fd < 0)
		return;
	while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
		;
	while (len) {
		ret = write(fd, text, len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			break;
		text += ret;
		len -= (size_t)ret;
	}
	close(fd);
}

void region_append_start(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file;

	if (regions.announced)
		return;
	regions.announced = true;
	if (!regions.by_environment || !regions.file)
		return;
	file = open_memstream(&text, &len);
	if (!file)
		return;
	fprintf(file, "pmcgrp-regions %d start %d ", REGION_TEXT_VERSION, (int)getpid());
	region_write_string(file, program_invocation_short_name);
	fputc('\n', file);
	if (!fclose(file))
		region_append(text, len);
	free(text);
}
