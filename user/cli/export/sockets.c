// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "args/cli.h"
#include "sockets.h"

/* sd_listen_fds(3): the first descriptor, and what says how many there are, and for whom. */
#define LISTEN_FIRST 3
#define LISTEN_FDS "LISTEN_FDS"
#define LISTEN_PID "LISTEN_PID"

static bool by_systemd;

static int of_systemd(void)
{
	const char *pid = getenv(LISTEN_PID), *fds = getenv(LISTEN_FDS);
	long nr = pid && fds && atol(pid) == (long)getpid() ? atol(fds) : 0;

	return nr > SOCKETS_MAX ? SOCKETS_MAX : nr < 0 ? 0 :
							 (int)nr;
}

int sockets_open(int *fds, const char *listen)
{
	struct address address;
	int i, nr = of_systemd();

	by_systemd = nr > 0;
	for (i = 0; i < nr; i++) {
		fds[i] = LISTEN_FIRST + i;
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
		fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
	}
	if (nr)
		return nr;
	listen = listen ? listen : SOCKETS_DEFAULT;
	if (address_parse(&address, listen))
		return -1;
	fds[0] = address_listen(&address);
	if (fds[0] >= 0)
		return 1;
	cli_say_errno(listen, -fds[0]);
	return -1;
}

void sockets_close(const char *listen)
{
	if (!by_systemd && listen && !strncmp(listen, "unix:", 5))
		unlink(listen + 5);
}
