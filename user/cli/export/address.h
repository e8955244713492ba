/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where an exporter listens: loopback, or a socket in the file system. */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <sys/socket.h>
#include <sys/un.h>
#include <netinet/in.h>

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	};
	socklen_t len;
};

/*
 * address_parse - "127.0.0.1:PORT", "[::1]:PORT" or "unix:PATH"
 *
 * Returns 0, or EXIT_TOOL after an error that was reported.
 */
int address_parse(struct address *address, const char *text);

/*
 * address_listen - a socket that listens there
 *
 * A socket file that nobody listens at any more is replaced; a new one is for its owner and group.
 *
 * Returns the descriptor, or a negative errno.
 */
int address_listen(const struct address *address);

/* address_connect - returns the descriptor, or a negative errno */
int address_connect(const struct address *address);

#endif
