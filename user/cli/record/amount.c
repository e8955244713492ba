// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "amount.h"

/* Twice as much would still be none too many for a file, or for a clock. */
#define AMOUNT_MAX (INT64_MAX / 2)

struct unit {
	char letter;
	uint64_t of;
};

static bool amount(uint64_t *value, const char *text, const struct unit *units, size_t nr)
{
	unsigned long long number;
	char *end;
	size_t i;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || !number || !*end || end[1])
		return false;
	for (i = 0; i < nr && units[i].letter != *end; i++)
		;
	if (i == nr || number > AMOUNT_MAX / units[i].of)
		return false;
	*value = number * units[i].of;
	return true;
}

bool amount_size(uint64_t *bytes, const char *text)
{
	static const struct unit units[] = {
		{ 'B', 1 },
		{ 'K', 1 << 10 },
		{ 'M', 1 << 20 },
		{ 'G', 1 << 30 },
	};

	return amount(bytes, text, units, sizeof(units) / sizeof(units[0]));
}

bool amount_time(int64_t *ns, const char *text)
{
	static const struct unit units[] = {
		{ 's', 1000000000 },
		{ 'm', 60000000000 },
		{ 'h', 3600000000000 },
		{ 'd', 86400000000000 },
	};
	uint64_t value;

	if (!amount(&value, text, units, sizeof(units) / sizeof(units[0])))
		return false;
	*ns = (int64_t)value;
	return true;
}
