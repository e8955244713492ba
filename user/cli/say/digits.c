// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "digits.h"

#define WHOLE_SIZE 64	/* enough for 20 digits, commas and a point, and any usual width */

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

/* The last @nr digits of @value go before @at, and off. */
static inline char *last_digits(char *at, int nr, uint64_t *value)
{
	while (nr--) {
		*--at = (char)('0' + *value % 10);
		*value /= 10;
	}
	return at;
}

/* Writes @scaled / 10^@decimals to end at @end, and returns where it begins. */
static char *put_before(char *end, uint64_t scaled, int decimals, bool commas)
{
	char *at = end;

	if (decimals) {
		at = last_digits(at, decimals, &scaled);
		*--at = '.';
	}
	while (commas && scaled >= 1000) {
		at = last_digits(at, 3, &scaled);
		*--at = ',';
	}
	do {
		at = last_digits(at, 1, &scaled);
	} while (scaled);
	return at;
}

/*
 * Finds @value * 10^@decimals as a whole number, rounded as printf() does. False: doubles
 * cannot tell it for sure.
 */
static bool scale(double value, int decimals, uint64_t *scaled)
{
	static const double scales[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	const double most = 9007199254740992.0;	/* all whole numbers up to 2^53 are doubles */
	double product, off;

	if (signbit(value) || decimals < 0 ||
	    decimals >= (int)(sizeof(scales) / sizeof(scales[0])))
		return false;
	product = value * scales[decimals];
	if (!(product < most))
		return false;
	*scaled = (uint64_t)llrint(product);
	/* The product is off by half a bit at most: only near a half that may matter. */
	off = fabs(product - (double)*scaled);
	return !decimals || off < 0.5 - product / most;
}

static size_t right(char *out, size_t width, const char *digits, size_t len)
{
	size_t blanks = width > len ? width - len : 0;

	memset(out, ' ', blanks);
	memcpy(out + blanks, digits, len);
	out[blanks + len] = '\0';
	return blanks + len;
}

/* In most widths the blanks are there before the digits. */
static size_t put(char *out, size_t width, uint64_t scaled, int decimals, bool commas)
{
	char blank[WHOLE_SIZE], *end = blank + sizeof(blank), *at;
	size_t len;

	memset(blank, ' ', sizeof(blank));
	at = put_before(end, scaled, decimals, commas);
	len = (size_t)(end - at);
	if (width > sizeof(blank))
		return right(out, width, at, len);
	if (len < width)
		len = width;
	memcpy(out, end - len, len);
	out[len] = '\0';
	return len;
}

size_t digits_whole(char *out, size_t width, uint64_t value)
{
	return put(out, width, value, 0, false);
}

/* What has no short way: huge, negative, or no number at all. */
static size_t printed(char *out, size_t width, double value, int decimals, bool commas)
{
	char digits[DIGITS_FIXED_SIZE], grouped[DIGITS_RIGHT_SIZE];

	snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	if (!commas)
		return right(out, width, digits, strlen(digits));
	digits_group(grouped, digits);
	return right(out, width, grouped, strlen(grouped));
}

size_t digits_right(char *out, size_t width, double value, int decimals, bool commas)
{
	uint64_t scaled;

	if (scale(value, decimals, &scaled))
		return put(out, width, scaled, decimals, commas);
	return printed(out, width, value, decimals, commas);
}

const char *digits_fixed(char *out, double value, int decimals)
{
	digits_right(out, 0, value, decimals, false);
	return out;
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
