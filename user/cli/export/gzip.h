/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef GZIP_H
#define GZIP_H

#include <stddef.h>

struct gzip;

/* gzip_new - NULL: this tool is built without zlib, or there is no memory */
struct gzip *gzip_new(void);
void gzip_free(struct gzip *gzip);

/*
 * gzip_pack - a text as a gzip file
 * @out: the file, which is valid until the next one
 *
 * Returns its length; 0: no memory.
 */
size_t gzip_pack(struct gzip *gzip, const char *text, size_t len, const char **out);

#endif
