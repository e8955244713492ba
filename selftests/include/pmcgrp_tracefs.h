/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace events, as stock tools see them: the files of tracefs, and records by their format. */
#ifndef PMCGRP_TRACEFS_H
#define PMCGRP_TRACEFS_H

#include "pmcgrp_test.h"

#define TRACING		"/sys/kernel/tracing/"
#define EVENTS		TRACING "events/pmcgrp/"
#define SECTION_EVENT	EVENTS "pmcgrp_section/"
#define FILE_MOST	(4 << 20)

/* The whole text of a file, to be freed; or NULL. What blocks is left out. */
static inline char *file_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char *text = malloc(FILE_MOST);
	size_t size = 0;
	ssize_t n;

	if (fd < 0 || !text) {
		free(text);
		return NULL;
	}
	while ((n = read(fd, text + size, FILE_MOST - 1 - size)) > 0)
		size += n;
	text[size] = 0;
	close(fd);
	return text;
}

/* Where a field is in a record, and its size, by the event's file `format`. */
static inline bool event_field(const char *name, unsigned int *offset, unsigned int *size)
{
	char *text = file_text(SECTION_EVENT "format"), *line, *rest = text, *at;
	size_t n = strlen(name);
	bool found = false;

	while (text && !found && (line = strsep(&rest, "\n"))) {
		at = strstr(line, name);
		if (!at || at[-1] != ' ' || (at[n] != ';' && at[n] != '['))
			continue;
		found = sscanf(strchr(at, ';'), "; offset:%u; size:%u;", offset, size) == 2;
	}
	free(text);
	return found;
}

static inline uint64_t record_u64(const void *record, unsigned int offset)
{
	uint64_t value;

	memcpy(&value, (const char *)record + offset, sizeof(value));
	return value;
}

#endif /* PMCGRP_TRACEFS_H */
