// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdbool.h>
#include <string.h>

#include "cgroup_name.h"

#define UID_LEN 36 /* 8-4-4-4-12 */

const char *const cgroup_part_names[CGROUP_PARTS] = { "unit", "pod", "job" };

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t of_end = strlen(end);

	return len > of_end && !memcmp(text + len - of_end, end, of_end);
}

static bool take(char *name, const char *text, size_t len)
{
	if (!len || len >= CGROUP_NAME_SIZE)
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	return true;
}

/* systemd.unit(5) has the types; slices are what units are in. */
static bool take_unit(char *name, const char *text, size_t len)
{
	static const char *const types[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (ends_with(text, len, types[i]))
			return take(name, text, len);
	}
	return false;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/*
 * The kubelet calls the folder of a pod "pod<UID>", or, where systemd makes it,
 * "kubepods-burstable-pod<UID>.slice" with _ for each dash. Pods of files have a hash for a UID.
 */
static bool take_pod(char *name, const char *text, size_t len)
{
	const char *end = text + len, *uid = text;
	size_t i;

	if (ends_with(text, len, ".slice")) {
		end -= strlen(".slice");
		if (memcmp(text, "kubepods", len < 8 ? len : 8))
			return false;
		while (uid < end && (end - uid < 5 || memcmp(uid, "-pod", 4)))
			uid++;
		uid += uid < end;
	}
	if (end - uid <= 3 || memcmp(uid, "pod", 3))
		return false;
	uid += 3;
	if ((end - uid != UID_LEN && end - uid != 32) || !take(name, uid, (size_t)(end - uid)))
		return false;
	for (i = 0; name[i]; i++) {
		if (name[i] == '_')
			name[i] = '-';
		if (!is_hex(name[i]) && name[i] != '-')
			return false;
	}
	return true;
}

/* slurmd's "job_<number>". */
static bool take_job(char *name, const char *text, size_t len)
{
	size_t i;

	if (len < 5 || memcmp(text, "job_", 4))
		return false;
	for (i = 4; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
	}
	return take(name, text + 4, len - 4);
}

size_t cgroup_name(enum cgroup_part part, const char *path, char *name)
{
	static bool (*const takes[CGROUP_PARTS])(char *name, const char *text, size_t len) = {
		[CGROUP_UNIT] = take_unit,
		[CGROUP_POD] = take_pod,
		[CGROUP_JOB] = take_job,
	};
	char found[CGROUP_NAME_SIZE];
	size_t len, at = 0, end = 0;

	name[0] = '\0';
	while (path[at]) {
		at += path[at] == '/';
		len = strcspn(path + at, "/");
		if (takes[part](found, path + at, len)) {
			strcpy(name, found);
			end = at + len;
		}
		at += len;
	}
	return end;
}
