// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Whether a pattern of the command line chooses a name. */
#include <fnmatch.h>
#include <string.h>

#include "listing.h"

bool list_matches(const char *text, const char *pattern)
{
	if (!text)
		return false;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, text, FNM_CASEFOLD);
	return strcasestr(text, pattern);
}
