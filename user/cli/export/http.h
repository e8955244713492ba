/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Serving by HTTP, with libmicrohttpd. That is loaded when it is needed: a tool without it does
 * everything else.
 */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>

#include "exposition.h"

struct http;

/* The text for a scrape, or NULL: there is no memory for it. */
typedef const struct exposition *http_text(void *arg, enum exposition_format format);

/*
 * http_open - serve on sockets
 * @fds: which listen; they become the server's, also on failure
 *
 * Returns 0, or EXIT_TOOL after an error that was reported.
 */
int http_open(struct http **out, const int *fds, unsigned int nr, http_text *text, void *arg);

/* http_fd - a descriptor that is readable when http_run() is to be called */
int http_fd(const struct http *http);

/* http_run - do what there is to do, without waiting; also now and then without a reason */
void http_run(struct http *http);

void http_close(struct http *http);

#endif
