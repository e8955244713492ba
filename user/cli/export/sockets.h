/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The sockets that an exporter serves on: systemd's, or one of its own. */
#ifndef SOCKETS_H
#define SOCKETS_H

#define SOCKETS_MAX 8

/* Where nothing is said. */
#define SOCKETS_DEFAULT "127.0.0.1:9807"

/*
 * sockets_open - @fds: room for SOCKETS_MAX
 * @listen: as address_parse() takes it, unless systemd has made sockets; NULL: the default
 *
 * Returns how many, or -1 after an error that was reported.
 */
int sockets_open(int *fds, const char *listen);

/* sockets_close - remove what sockets_open() has made in the file system */
void sockets_close(const char *listen);

#endif
