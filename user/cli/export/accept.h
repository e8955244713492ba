/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef ACCEPT_H
#define ACCEPT_H

#include <stdbool.h>

#include "exposition.h"

/*
 * accept_format - the format that a client wants
 * @header: of HTTP, as RFC 9110 has Accept; NULL: there is none
 *
 * OpenMetrics 1.0 has to be asked for, and no less wanted than the other one, which everybody gets
 * else.
 */
enum exposition_format accept_format(const char *header);

/* accept_gzip - whether it takes its answer packed; @header: Accept-Encoding, or NULL */
bool accept_gzip(const char *header);

#endif
