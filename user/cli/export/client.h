/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef CLIENT_H
#define CLIENT_H

#include "exposition.h"

/*
 * client_print - on stdout, what a running exporter has
 *
 * Returns 0, or EXIT_TOOL after an error that was reported.
 */
int client_print(const char *where, enum exposition_format format);

#endif
