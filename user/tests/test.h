/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What every unit test includes, in the order that cmocka wants. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* cmocka 1.1 prints pointers and both strings, but not which table row it was. */
#define assert_row(row, condition)						\
	do {									\
		if (!(condition))						\
			fail_msg("row %zu: %s", (size_t)(row), #condition);	\
	} while (0)

#endif
