// SPDX-License-Identifier: LGPL-2.1-only OR MIT
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
