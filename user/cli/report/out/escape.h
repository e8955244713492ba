/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* Text of HTML and of SVG, or the value of an attribute in quotes. */
void rep_put_escaped(FILE *file, const char *text);

#endif
