/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The configuration that a kernel was built with: lines CONFIG_NAME=value. */
#ifndef CONFIG_TEXT_H
#define CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_PATH_SIZE 512

struct config_text {
	char *text;			/* zero-terminated, for free(); NULL: there is none */
	char path[CONFIG_PATH_SIZE];	/* where it is from */
};

/*
 * config_text_read - look for the configuration of a kernel
 * @why: if there is none: where one would be, or why it cannot be read
 *
 * Returns 0, -ENOENT, or another negative errno.
 */
int config_text_read(struct config_text *config, const char *root, const char *release, char *why,
		     size_t size);

/* config_text_value - of an option without CONFIG_; false and "": it is not set */
bool config_text_value(const char *text, const char *option, char *value, size_t size);

#endif
