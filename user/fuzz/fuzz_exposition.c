// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What others chose, in the text that is scraped: a label's value, an event's name, a cgroup's path;
 * and what a client says that it accepts.
 */
#include <stdbool.h>

#include "export/accept.h"
#include "export/cgroup_name.h"
#include "export/exposition.h"
#include "fuzz.h"

#define ROOM 512

/* One label: quotes and backslashes are escaped, and no line ends. */
static void check_label(const char *labels)
{
	const char *at = labels + 3;

	if (!*labels)
		return;
	must(!strncmp(labels, "l=\"", 3));
	for (; *at != '"'; at++) {
		must(*at && *at != '\n');
		if (*at == '\\')
			must(*++at == '\\' || *at == '"');
	}
	must(!at[1]);
}

static void check_name(const char *name)
{
	must(name[0] && (name[0] < '0' || name[0] > '9'));
	for (; *name; name++)
		must((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
		     (*name >= '0' && *name <= '9') || *name == '_');
}

static void check_parts(const char *path)
{
	char name[CGROUP_NAME_SIZE];
	unsigned int part;
	size_t len;

	for (part = 0; part < CGROUP_PARTS; part++) {
		memset(name, 'x', sizeof(name));
		len = cgroup_name((enum cgroup_part)part, path, name);
		must(memchr(name, '\0', sizeof(name)));
		must(len <= strlen(path) && !len == !name[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), labels[LABELS_SIZE] = "", few[ROOM] = "";
	struct exposition e = { 0 };

	labels_add(labels, sizeof(labels), "l", text);
	check_label(labels);
	must(labels[0] || !text[0] || strlen(text) > 4096);
	labels_add(few, sizeof(few), "l", text);
	check_label(few);
	exposition_name(few, 40, text);
	check_name(few);
	check_parts(text);
	must(accept_format(text) <= EXPOSITION_PLAIN);
	exposition_begin(&e, size & 1 ? EXPOSITION_PLAIN : EXPOSITION_OPENMETRICS);
	exposition_family(&e, "a", EXPOSITION_GAUGE, NULL, text);
	must(!exposition_end(&e) && e.len >= strlen("# TYPE a gauge\n# HELP a \n"));
	exposition_free(&e);
	free(text);
	return 0;
}
