/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Numbers as people read them. */
#ifndef DIGITS_H
#define DIGITS_H

/* Copies the digits of a number with a comma after each thousand; @out: 4/3 of @in. */
void digits_group(char *out, const char *in);

#define DIGITS_RATE_SIZE 400	/* enough for any double */

/* "1.500 G/sec", in DIGITS_RATE_SIZE bytes. */
void digits_rate(char *out, double rate);

#endif
