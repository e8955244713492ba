// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "kernel.h"
#include "perfdata/format.h"

#define NOTES "/sys/kernel/notes"
#define BUILD_ID_NOTE 3		/* NT_GNU_BUILD_ID */

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

/* Notes: sizes of name and content, type, name, content, each of the two filled up to 4 bytes. */
static bool note_find(const unsigned char *bytes, size_t size, struct rep_build_id *id)
{
	size_t at = 0, name, desc;

	while (size - at >= 12) {
		name = (perfdata_u32(bytes + at) + 3U) & ~3U;
		desc = perfdata_u32(bytes + at + 4);
		if (name > size - at - 12 || desc > size - at - 12 - name)
			return false;
		if (perfdata_u32(bytes + at + 8) == BUILD_ID_NOTE && name == 4 &&
		    !memcmp(bytes + at + 12, "GNU", 4) && desc <= REP_BUILD_ID_MAX) {
			memcpy(id->bytes, bytes + at + 12 + name, desc);
			id->size = desc;
			return true;
		}
		at += 12 + name + ((desc + 3) & ~(size_t)3);
		if (at > size)
			return false;
	}
	return false;
}

bool rep_kernel_runs(const struct perfdata_reader *reader, const struct rep_build_id *recorded)
{
	struct rep_build_id running = { .size = 0 };
	unsigned char bytes[4096];
	struct utsname name;
	FILE *file;
	size_t size;

	if (!recorded->size)
		return !uname(&name) && says(reader, PERFDATA_OSRELEASE, name.release);
	file = fopen(NOTES, "re");
	size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (file)
		fclose(file);
	return note_find(bytes, size, &running) && running.size == recorded->size &&
	       !memcmp(running.bytes, recorded->bytes, running.size);
}

int64_t rep_kernel_changed(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_ctime;
}
