// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>
#include <stdio.h>

#include "axis.h"

struct unit {
	double size;
	const char *name;
};

double axis_step(double length, unsigned int nr)
{
	double rough = length / nr, power = pow(10.0, floor(log10(rough)));

	/* A number that is round already stays what it is. */
	rough *= 0.9999 / power;
	if (rough <= 1.0)
		return power;
	if (rough <= 2.0)
		return 2.0 * power;
	return rough <= 5.0 ? 5.0 * power : 10.0 * power;
}

/* @units: from large to small; the last one takes what is smaller. */
static void write_in(char *buf, const struct unit *units, double value, int digits)
{
	/* What 999.97 would be rounded to belongs to the next unit. */
	double least = 1.0 - 0.5 * pow(10.0, -digits);

	while (units[1].size > 0.0 && fabs(value) < units->size * least)
		units++;
	value /= units->size;
	/* %g takes an exponent for what has more digits before the point. */
	if (fabs(value) >= pow(10.0, digits))
		value = round(value);
	snprintf(buf, AXIS_TEXT_SIZE, "%.*g%s%s", fabs(value) < 1000.0 ? digits : 15, value,
		 *units->name ? " " : "", units->name);
}

void axis_number(char *buf, double value, int digits)
{
	static const struct unit units[] = {
		{ 1e15, "P" },
		{ 1e12, "T" },
		{ 1e9, "G" },
		{ 1e6, "M" },
		{ 1e3, "k" },
		{ 1.0, "" },
		{ 0.0, "" },
	};

	write_in(buf, units, value, digits);
}

void axis_time(char *buf, double seconds, int digits)
{
	static const struct unit units[] = {
		{ 1.0, "s" },
		{ 1e-3, "ms" },
		{ 1e-6, "µs" },
		{ 1e-9, "ns" },
		{ 0.0, "" },
	};

	write_in(buf, units, seconds, digits);
}
