// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which format a client gets, by what it says that it accepts. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "accept.h"

/* The value of a parameter of a media range that ends at @end; NULL: it has none. */
static const char *parameter(const char *at, const char *end, const char *name, size_t *len)
{
	size_t of_name = strlen(name);

	while ((at = memchr(at, ';', (size_t)(end - at)))) {
		at++;
		at += strspn(at, " \t");
		if (at + of_name < end && !strncasecmp(at, name, of_name) && at[of_name] == '=') {
			at += of_name + 1;
			*len = strcspn(at, "; \t,");
			return at;
		}
	}
	return NULL;
}

/* In thousandths, as RFC 9110 has them; what is none of these counts as 1. */
static int quality(const char *range, const char *end)
{
	size_t len, i;
	const char *text = parameter(range, end, "q", &len);
	int value;

	if (!text || !len || (text[0] != '0' && text[0] != '1') || (len > 1 && text[1] != '.'))
		return 1000;
	value = (text[0] - '0') * 1000;
	for (i = 2; i < 5; i++) {
		int place = i == 2 ? 100 : i == 3 ? 10 :
						    1;

		if (i < len && text[i] >= '0' && text[i] <= '9')
			value += place * (text[i] - '0');
	}
	return value > 1000 ? 1000 : value;
}

static bool is_range(const char *range, const char *end, const char *type)
{
	size_t len = strlen(type);

	return (size_t)(end - range) >= len && !strncasecmp(range, type, len) &&
	       (range + len == end || strchr("; \t", range[len]));
}

/* One without a version is any. */
static bool is_version_1(const char *range, const char *end)
{
	size_t len;
	const char *version = parameter(range, end, "version", &len);

	return !version || (len >= 2 && !strncmp(version, "1.", 2));
}

enum exposition_format accept_format(const char *header)
{
	int openmetrics = 0, plain = 0, q;
	const char *end;

	while (header && *header) {
		header += strspn(header, " \t,");
		end = header + strcspn(header, ",");
		q = quality(header, end);
		if (is_range(header, end, "application/openmetrics-text")) {
			if (is_version_1(header, end) && q > openmetrics)
				openmetrics = q;
		} else if (is_range(header, end, "text/plain") && q > plain) {
			plain = q;
		}
		header = end;
	}
	return openmetrics && openmetrics >= plain ? EXPOSITION_OPENMETRICS : EXPOSITION_PLAIN;
}

bool accept_gzip(const char *header)
{
	const char *end;

	while (header && *header) {
		header += strspn(header, " \t,");
		end = header + strcspn(header, ",");
		if (is_range(header, end, "gzip"))
			return quality(header, end) > 0;
		header = end;
	}
	return false;
}
