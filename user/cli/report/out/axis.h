/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Numbers and times at axes, as people write them: "1.2 G", "20 ms". */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

#include <stddef.h>

#define AXIS_TEXT_SIZE 48

/* 1, 2 or 5 times a power of ten, so that about @nr of them go from 0 to @length, above 0. */
double axis_step(double length, unsigned int nr);

/* "1.25 G"; "0.5"; no more digits than @digits that count. In AXIS_TEXT_SIZE bytes. */
void axis_number(char *buf, double value, int digits);

/* "25 µs", "1.5 s". In AXIS_TEXT_SIZE bytes. */
void axis_time(char *buf, double seconds, int digits);

#endif
