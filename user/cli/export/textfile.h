/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include "exposition.h"

/*
 * textfile_write - a text as a file, which is complete whoever reads it
 * @path: replaced; beside it there is a file for a moment whose name ends with another suffix
 *
 * Returns 0 or a negative errno: the file is as it was.
 */
int textfile_write(const char *path, const struct exposition *text);

#endif
