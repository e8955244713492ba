/* SPDX-License-Identifier: GPL-2.0-only */
/* The tool as a shell runs it, with what it prints. */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include "kselftest.h"

static struct {
	int status;
	char text[1 << 18];
} run;

/* A shell line; both of its streams in run.text. */
static inline __printf(1, 2) void tool(const char *format, ...)
{
	char line[1024];
	va_list args;
	size_t len;
	FILE *out;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	snprintf(line + len, sizeof(line) - len, " 2>&1");
	memset(&run, 0, sizeof(run));
	run.status = -1;
	out = popen(line, "r");
	if (!out)
		return;
	len = fread(run.text, 1, sizeof(run.text) - 1, out);
	run.text[len] = '\0';
	run.status = WEXITSTATUS(pclose(out));
}

static inline bool says(const char *text)
{
	return strstr(run.text, text);
}

/* The same of words: the tool breaks long messages into lines. */
static inline bool says_words(const char *text)
{
	static char words[sizeof(run.text)];
	const char *from;
	char *to = words;

	for (from = run.text; *from; from++) {
		if (strchr("\n ", *from) && to > words && to[-1] == ' ')
			continue;
		*to++ = *from == '\n' ? ' ' : *from;
	}
	*to = '\0';
	return strstr(words, text);
}

#endif /* TOOL_RUN_H */
