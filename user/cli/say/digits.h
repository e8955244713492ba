/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Numbers as people read them. */
#ifndef DIGITS_H
#define DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies the digits of a number with a comma after each thousand; @out: 4/3 of @in. */
void digits_group(char *out, const char *in);

#define DIGITS_FIXED_SIZE 400	/* enough for any double */

/*
 * What "%.*f" prints, at a small part of the cost: intervals of 1 ms are short. In
 * DIGITS_FIXED_SIZE bytes.
 */
const char *digits_fixed(char *out, double value, int decimals);

#define DIGITS_RIGHT_SIZE 600	/* enough for any double with commas */

/*
 * The same, right-aligned in @width, and with commas if @commas says so. In DIGITS_RIGHT_SIZE
 * bytes, and @width less than that. Returns the length.
 */
size_t digits_right(char *out, size_t width, double value, int decimals, bool commas);

/* What "%*" PRIu64 prints, in DIGITS_RIGHT_SIZE bytes. Returns the length. */
size_t digits_whole(char *out, size_t width, uint64_t value);

#define DIGITS_RATE_SIZE 400	/* enough for any double */

/* "1.500 G/sec", in DIGITS_RATE_SIZE bytes. */
void digits_rate(char *out, double rate);

#endif
