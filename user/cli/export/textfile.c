// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "textfile.h"

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t done;

	while (len) {
		done = write(fd, text, len);
		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			text += done;
			len -= (size_t)done;
		}
	}
	return 0;
}

/* node_exporter runs as another user. */
int textfile_write(const char *path, const struct exposition *text)
{
	char *beside;
	int fd, ret;

	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		free(beside);
		return ret;
	}
	ret = write_all(fd, text->text, text->len);
	if (!ret && fchmod(fd, 0644) < 0)
		ret = -errno;
	if (close(fd) < 0 && !ret)
		ret = -errno;
	if (!ret && rename(beside, path) < 0)
		ret = -errno;
	if (ret)
		unlink(beside);
	free(beside);
	return ret;
}
