/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Small files of /proc and /sys. @root is a folder that stands for /, as tests have one; "" is /
 * itself.
 */
#ifndef SYSFILE_H
#define SYSFILE_H

#include <stddef.h>
#include <stdio.h>

/* sysfile_open - for reading; NULL with errno */
FILE *sysfile_open(const char *root, const char *path);

/*
 * sysfile_text - what a file begins with, without its last newline
 *
 * A zero among the bytes ends it. Returns 0, or a negative errno and "".
 */
int sysfile_text(const char *root, const char *path, char *text, size_t size);

/* sysfile_number - a decimal number, and nothing after it; 0 or a negative errno, -EINVAL: none */
int sysfile_number(const char *root, const char *path, long long *value);

/*
 * sysfile_value - what stands behind a key at the beginning of a line, as in /proc/cpuinfo
 *
 * Returns 0, or a negative errno and "": -ENOENT also if no line has the key.
 */
int sysfile_value(const char *root, const char *path, const char *key, char *value, size_t size);

#endif
