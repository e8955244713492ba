// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <string.h>

#include "digits.h"

void digits_group(char *out, const char *in)
{
	size_t whole = strcspn(in, ".");

	while (*in && *in != '.') {
		*out++ = *in++;
		whole--;
		if (whole && whole % 3 == 0 && in[-1] != '-')
			*out++ = ',';
	}
	strcpy(out, in);
}

void digits_rate(char *out, double rate)
{
	static const char prefixes[] = " KMG";
	int i = 0;

	for (; rate > 1000.0 && prefixes[i + 1]; i++)
		rate /= 1000.0;
	if (i)
		snprintf(out, DIGITS_RATE_SIZE, "%.3f %c/sec", rate, prefixes[i]);
	else
		snprintf(out, DIGITS_RATE_SIZE, "%.3f /sec", rate);
}
