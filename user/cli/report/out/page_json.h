/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* JSON in a page, in which no tag can begin. */
#ifndef REPORT_PAGE_JSON_H
#define REPORT_PAGE_JSON_H

#include <stdio.h>

/* A text as a string. Returns 0, or -ENOMEM. */
int rep_page_string(FILE *file, const char *text);

/* What is JSON already. */
void rep_page_tagless(FILE *file, const char *json);

#endif
