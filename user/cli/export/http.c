// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "http.h"

#include "args/cli.h"

#ifdef PMCGRP_MICROHTTPD

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "accept.h"
#include "gzip.h"
#include "sockets.h"

/* Of each socket. Who reads slowly keeps its text in memory for so many seconds at most. */
#define CONNECTIONS_MAX 8
#define TIMEOUT_S 10

struct microhttpd {
	__typeof__(MHD_start_daemon) *start;
	__typeof__(MHD_stop_daemon) *stop;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_daemon_info) *info;
	__typeof__(MHD_lookup_connection_value) *lookup;
	__typeof__(MHD_create_response_from_buffer) *create;
	__typeof__(MHD_add_response_header) *header;
	__typeof__(MHD_queue_response) *queue;
	__typeof__(MHD_destroy_response) *destroy;
};

struct http {
	struct microhttpd mhd;
	struct MHD_Daemon *daemons[SOCKETS_MAX];
	unsigned int nr;
	int epoll;
	struct gzip *gzip; /* or NULL */
	http_text *text;
	void *arg;
};

static bool load(struct microhttpd *mhd)
{
	void *library = dlopen(PMCGRP_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	/* Never unloaded. POSIX lets a function's address be taken from a void pointer. */
	*(void **)&mhd->start = dlsym(library, "MHD_start_daemon");
	*(void **)&mhd->stop = dlsym(library, "MHD_stop_daemon");
	*(void **)&mhd->run = dlsym(library, "MHD_run");
	*(void **)&mhd->info = dlsym(library, "MHD_get_daemon_info");
	*(void **)&mhd->lookup = dlsym(library, "MHD_lookup_connection_value");
	*(void **)&mhd->create = dlsym(library, "MHD_create_response_from_buffer");
	*(void **)&mhd->header = dlsym(library, "MHD_add_response_header");
	*(void **)&mhd->queue = dlsym(library, "MHD_queue_response");
	*(void **)&mhd->destroy = dlsym(library, "MHD_destroy_response");
	return mhd->start && mhd->stop && mhd->run && mhd->info && mhd->lookup && mhd->create &&
	       mhd->header && mhd->queue && mhd->destroy;
}

struct answer {
	unsigned int status;
	const char *type;
	bool packed;
	const char *text;
	size_t len;
};

static enum MHD_Result answer(const struct http *http, struct MHD_Connection *connection,
			      const struct answer *a)
{
	/* Copied: the next scrape writes over it. */
	struct MHD_Response *response = http->mhd.create(a->len, (void *)(uintptr_t)a->text,
							 MHD_RESPMEM_MUST_COPY);
	enum MHD_Result ret = MHD_NO;

	if (!response)
		return MHD_NO;
	if (http->mhd.header(response, "Content-Type", a->type) == MHD_YES &&
	    (!a->packed || http->mhd.header(response, "Content-Encoding", "gzip") == MHD_YES))
		ret = http->mhd.queue(connection, a->status, response);
	http->mhd.destroy(response);
	return ret;
}

static enum MHD_Result answer_plain(const struct http *http, struct MHD_Connection *connection,
				    unsigned int status, const char *text)
{
	const struct answer a = { .status = status, .type = "text/plain; charset=utf-8", .text = text, .len = strlen(text) };

	return answer(http, connection, &a);
}

static enum MHD_Result answer_metrics(const struct http *http, struct MHD_Connection *connection)
{
	const char *accept = http->mhd.lookup(connection, MHD_HEADER_KIND, "Accept");
	const char *encoding = http->mhd.lookup(connection, MHD_HEADER_KIND, "Accept-Encoding");
	enum exposition_format format = accept_format(accept);
	const struct exposition *text = http->text(http->arg, format);
	struct answer a = { .status = MHD_HTTP_OK, .type = exposition_content_type(format) };

	if (!text)
		return answer_plain(http, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory\n");
	if (http->gzip && accept_gzip(encoding))
		a.len = gzip_pack(http->gzip, text->text, text->len, &a.text);
	a.packed = a.len;
	if (!a.packed) {
		a.text = text->text;
		a.len = text->len;
	}
	return answer(http, connection, &a);
}

static enum MHD_Result request(void *arg, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *data,
			       size_t *size, void **state)
{
	static char begun;
	const struct http *http = arg;

	(void)version;
	(void)data;
	/* The first call is for the headers alone. What comes behind them is not looked at. */
	if (!*state) {
		*state = &begun;
		return MHD_YES;
	}
	if (*size) {
		*size = 0;
		return MHD_YES;
	}
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return answer_plain(http, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or HEAD\n");
	if (strcmp(url, "/metrics"))
		return answer_plain(http, connection, !strcmp(url, "/") ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND,
				    "pmcgrp export: it is /metrics that is to be scraped\n");
	return answer_metrics(http, connection);
}

static int serve(struct http *http, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *daemon;

	daemon = http->mhd.start(MHD_USE_EPOLL, 0, NULL, NULL, request, http,
				 MHD_OPTION_LISTEN_SOCKET, fd,
				 MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
				 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT_S,
				 MHD_OPTION_END);
	if (!daemon) {
		close(fd);
		return -EIO;
	}
	http->daemons[http->nr++] = daemon;
	info = http->mhd.info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EIO;
	return epoll_ctl(http->epoll, EPOLL_CTL_ADD, info->epoll_fd, &event) < 0 ? -errno : 0;
}

int http_open(struct http **out, const int *fds, unsigned int nr, http_text *text, void *arg)
{
	struct http *http = calloc(1, sizeof(*http));
	unsigned int i;
	int ret = 0;

	if (!http)
		return cli_say_errno("cannot serve", ENOMEM);
	http->text = text;
	http->arg = arg;
	if (!load(&http->mhd)) {
		cli_say(PMCGRP_MICROHTTPD " is not installed, which serves HTTP: Debian's package is "
					  "libmicrohttpd12; --textfile and --stdout do without it");
		free(http);
		return EXIT_TOOL;
	}
	http->gzip = gzip_new();
	http->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (http->epoll < 0)
		ret = -errno;
	for (i = 0; i < nr && ret >= 0; i++)
		ret = serve(http, fds[i]);
	if (ret < 0) {
		http_close(http);
		return cli_say_errno("cannot serve", -ret);
	}
	*out = http;
	return 0;
}

int http_fd(const struct http *http)
{
	return http->epoll;
}

void http_run(struct http *http)
{
	unsigned int i;

	for (i = 0; i < http->nr; i++)
		http->mhd.run(http->daemons[i]);
}

void http_close(struct http *http)
{
	unsigned int i;

	for (i = 0; i < http->nr; i++)
		http->mhd.stop(http->daemons[i]);
	if (http->epoll >= 0)
		close(http->epoll);
	gzip_free(http->gzip);
	free(http);
}

#else

int http_open(struct http **out, const int *fds, unsigned int nr, http_text *text, void *arg)
{
	(void)out;
	(void)fds;
	(void)nr;
	(void)text;
	(void)arg;
	cli_say("this pmcgrp was built without libmicrohttpd, which serves HTTP: install Debian's "
		"libmicrohttpd-dev and build it again, or use --textfile or --stdout");
	return EXIT_TOOL;
}

int http_fd(const struct http *http)
{
	(void)http;
	return -1;
}

void http_run(struct http *http)
{
	(void)http;
}

void http_close(struct http *http)
{
	(void)http;
}

#endif
