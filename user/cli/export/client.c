// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What a running exporter has, for programs that run a command for it, as PCP's pmdaopenmetrics. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "args/cli.h"
#include "client.h"

/* Of HTTP/1.0, the end of whose answer is the end of the connection. */
static const char *const requests[] = {
	[EXPOSITION_OPENMETRICS] = "GET /metrics HTTP/1.0\r\nHost: localhost\r\n"
				   "Accept: application/openmetrics-text;version=1.0.0\r\n\r\n",
	[EXPOSITION_PLAIN] = "GET /metrics HTTP/1.0\r\nHost: localhost\r\nAccept: text/plain\r\n\r\n",
};

static int send_request(int fd, const char *request)
{
	size_t len = strlen(request);

	return send(fd, request, len, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -EIO;
}

static int receive(int fd, char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);
	char buf[65536];
	ssize_t len;

	if (!out)
		return -ENOMEM;
	while ((len = read(fd, buf, sizeof(buf))) > 0 || (len < 0 && errno == EINTR)) {
		if (len > 0)
			fwrite(buf, 1, (size_t)len, out);
	}
	if (len < 0)
		len = -errno;
	return fclose(out) ? -ENOMEM : (int)len;
}

static int print(const char *where, const char *text)
{
	const char *body = strstr(text, "\r\n\r\n");
	size_t start = strlen("HTTP/1.0");

	if (strlen(text) < start || strncmp(text, "HTTP/1.", start - 1) ||
	    strncmp(text + start, " 200 ", 5) || !body) {
		cli_say("%s: no exporter answers there, but '%.*s'", where,
			(int)strcspn(text, "\r\n"), text);
		return EXIT_TOOL;
	}
	fputs(body + 4, stdout);
	return fflush(stdout) ? cli_say_errno("stdout", errno) : 0;
}

int client_print(const char *where, enum exposition_format format)
{
	struct address address;
	char *text = NULL;
	int fd, ret = address_parse(&address, where);

	if (ret)
		return ret;
	fd = address_connect(&address);
	if (fd < 0)
		return cli_say_errno(where, -fd);
	ret = send_request(fd, requests[format]);
	if (ret >= 0)
		ret = receive(fd, &text);
	close(fd);
	ret = ret < 0 ? cli_say_errno(where, -ret) : print(where, text);
	free(text);
	return ret;
}
