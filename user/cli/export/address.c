// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "address.h"
#include "args/cli.h"

#define BACKLOG 16

static int wrong(const char *text)
{
	cli_say("'%s': an address is 127.0.0.1:PORT, [::1]:PORT or unix:PATH; other machines are served "
		"by whatever stands before it",
		text);
	return EXIT_TOOL;
}

static int parse_unix(struct address *address, const char *path)
{
	if (!*path || strlen(path) >= sizeof(address->un.sun_path))
		return -1;
	address->un.sun_family = AF_UNIX;
	strcpy(address->un.sun_path, path);
	address->len = sizeof(address->un);
	return 0;
}

static int parse_port(in_port_t *port, const char *text)
{
	unsigned long number;
	char *end;

	number = strtoul(text, &end, 10);
	if (*end || *text < '0' || *text > '9' || !number || number > UINT16_MAX)
		return -1;
	*port = htons((uint16_t)number);
	return 0;
}

static int parse_inet(struct address *address, const char *text)
{
	const char *colon = strrchr(text, ':');
	char host[64];

	if (!colon || (size_t)(colon - text) >= sizeof(host))
		return -1;
	memcpy(host, text, (size_t)(colon - text));
	host[colon - text] = '\0';
	if (!strcmp(host, "[::1]")) {
		address->in6.sin6_family = AF_INET6;
		address->in6.sin6_addr = in6addr_loopback;
		address->len = sizeof(address->in6);
		return parse_port(&address->in6.sin6_port, colon + 1);
	}
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	address->in.sin_family = AF_INET;
	address->len = sizeof(address->in);
	if (inet_pton(AF_INET, host, &address->in.sin_addr) != 1 ||
	    ntohl(address->in.sin_addr.s_addr) >> 24 != 127)
		return -1;
	return parse_port(&address->in.sin_port, colon + 1);
}

int address_parse(struct address *address, const char *text)
{
	int ret;

	memset(address, 0, sizeof(*address));
	if (!strncmp(text, "unix:", 5))
		ret = parse_unix(address, text + 5);
	else
		ret = parse_inet(address, text);
	return ret ? wrong(text) : 0;
}

static int connect_to(int fd, const struct address *address)
{
	return connect(fd, &address->any, address->len) < 0 ? -errno : fd;
}

int address_connect(const struct address *address)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), ret;

	if (fd < 0)
		return -errno;
	ret = connect_to(fd, address);
	if (ret < 0)
		close(fd);
	return ret;
}

/* What an exporter that was killed has left. */
static void unlink_dead(const struct address *address)
{
	struct stat st;
	int fd;

	if (address->any.sa_family != AF_UNIX || stat(address->un.sun_path, &st) < 0 ||
	    !S_ISSOCK(st.st_mode))
		return;
	fd = address_connect(address);
	if (fd >= 0)
		close(fd);
	else if (fd == -ECONNREFUSED)
		unlink(address->un.sun_path);
}

static int bind_and_listen(int fd, const struct address *address)
{
	mode_t before = umask(0117);
	int one = 1, ret = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
	    bind(fd, &address->any, address->len) < 0 || listen(fd, BACKLOG) < 0)
		ret = -errno;
	umask(before);
	return ret;
}

int address_listen(const struct address *address)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), ret;

	if (fd < 0)
		return -errno;
	unlink_dead(address);
	ret = bind_and_listen(fd, address);
	if (ret < 0)
		close(fd);
	return ret < 0 ? ret : fd;
}
