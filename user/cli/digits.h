/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Numbers as people read them. */
#ifndef DIGITS_H
#define DIGITS_H

/* Copies the digits of a number with a comma after each thousand; @out: 4/3 of @in. */
void digits_group(char *out, const char *in);

#endif
