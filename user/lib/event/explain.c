// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where each part of an event's code is from, in lines for people. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "event_code.h"

int event_code_explain(struct event_code *code, unsigned int flags, const char *format, ...)
{
	char *line, *all;
	va_list args;
	int len;

	if (!(flags & PMCGRP_EVENTS_EXPLAIN))
		return 0;
	va_start(args, format);
	len = vasprintf(&line, format, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	len = asprintf(&all, "%s%s\n", code->explanation ? code->explanation : "", line);
	free(line);
	if (len < 0)
		return -ENOMEM;
	free(code->explanation);
	code->explanation = all;
	return 0;
}

void event_code_clear(struct event_code *code)
{
	free(code->name);
	free(code->explanation);
}

static const char *const config_names[PMU_CONFIGS] = { "config", "config1", "config2", "config3" };

/* Bits as sysfs has them: "0-7,21". */
static void bits_print(char *buf, size_t size, uint64_t bits)
{
	unsigned int first, last;
	size_t used = 0;

	buf[0] = '\0';
	for (first = 0; first < 64 && used < size; first = last + 1) {
		last = first;
		if (!(bits >> first & 1))
			continue;
		while (last < 63 && bits >> (last + 1) & 1)
			last++;
		used += (size_t)snprintf(buf + used, size - used, first == last ? "%s%u" : "%s%u-%u",
					 used ? "," : "", first, last);
	}
}

int event_code_explain_bits(struct event_code *code, unsigned int flags, unsigned int config,
			    uint64_t bits, const struct event_term *term, const char *of)
{
	char text[256];

	if (!(flags & PMCGRP_EVENTS_EXPLAIN))
		return 0;
	bits_print(text, sizeof(text), bits);
	return event_code_explain(code, flags, "%s:%s = %#llx: term %s%s%s", config_names[config],
				  text, (unsigned long long)term->number, term->name,
				  of ? ", of event " : "", of ? of : "");
}
