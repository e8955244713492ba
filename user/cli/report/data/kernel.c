// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "kernel.h"
#include "perfdata/buildid.h"
#include "perfdata/format.h"

/* A feature that is a string: its length, then its bytes. */
static bool says(const struct perfdata_reader *reader, unsigned int feature, const char *text)
{
	struct perfdata_section section;
	const unsigned char *at;

	if (!perfdata_read_feature(reader, feature, &section) || section.size < 4)
		return false;
	at = reader->bytes + section.offset;
	if (perfdata_u32(at) > section.size - 4)
		return false;
	return strnlen((const char *)at + 4, perfdata_u32(at)) == strlen(text) &&
	       !memcmp(at + 4, text, strlen(text));
}

bool rep_kernel_host(const struct perfdata_reader *reader)
{
	struct utsname name;

	return !uname(&name) && says(reader, PERFDATA_HOSTNAME, name.nodename);
}

bool rep_kernel_runs(const struct perfdata_reader *reader, const struct rep_build_id *recorded)
{
	unsigned char running[PERFDATA_BUILDID_MAX];
	struct utsname name;
	size_t size;

	if (!recorded->size)
		return !uname(&name) && says(reader, PERFDATA_OSRELEASE, name.release);
	size = perfdata_buildid_kernel(running);
	return size && size == recorded->size && !memcmp(running, recorded->bytes, size);
}

int64_t rep_kernel_changed(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ctime;
}
