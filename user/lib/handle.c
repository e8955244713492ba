// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The handle: which backend, and the last failure. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

/* A failed open leaves no handle that could hold the sentence. */
static __thread struct failure open_failure;

const char *pmcgrp_version(void)
{
	return PMCGRP_RELEASE;
}

static bool absent(int err)
{
	return err == ENOENT || err == ENODEV || err == ENXIO;
}

static int device_open(struct pmcgrp *h, const char *path)
{
	struct pmcgrp_query query = { .size = sizeof(query) };
	int ret;

	h->dev = open(path, O_RDWR | O_CLOEXEC);
	if (h->dev < 0)
		return failure_open(&open_failure, path, errno);
	if (ioctl(h->dev, PMCGRP_IOC_QUERY, &query) < 0)
		ret = failure_abi(&open_failure, path, 0);
	else if (query.abi_version != PMCGRP_ABI_VERSION)
		ret = failure_abi(&open_failure, path, query.abi_version);
	else
		return 0;
	close(h->dev);
	h->dev = -1;
	return ret;
}

int handle_open(struct pmcgrp **out, const char *path, unsigned int flags)
{
	struct pmcgrp *h;
	int ret;

	if (!out)
		return failure_plain(&open_failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_open() was given no place for the handle");
	*out = NULL;
	if (flags & ~(PMCGRP_OPEN_FALLBACK | PMCGRP_OPEN_PERF))
		return failure_plain(&open_failure, EINVAL, PMCGRP_WHY_FLAGS,
				     "pmcgrp_open() was given flags that it does not know");
	h = calloc(1, sizeof(*h));
	if (!h)
		return failure_plain(&open_failure, ENOMEM, PMCGRP_WHY_NOMEM, "out of memory");
	h->dev = -1;
	h->backend = PMCGRP_BACKEND_DEVICE;
	h->failure.member = -1;
	h->failure.cpu = -1;
	if (flags & PMCGRP_OPEN_PERF) {
		h->backend = PMCGRP_BACKEND_PERF;
	} else {
		ret = device_open(h, path);
		if (ret < 0 && !((flags & PMCGRP_OPEN_FALLBACK) && absent(-ret))) {
			free(h);
			return ret;
		}
		if (ret < 0)
			h->backend = PMCGRP_BACKEND_PERF;
	}
	*out = h;
	return 0;
}

int pmcgrp_open(struct pmcgrp **out, unsigned int flags)
{
	return handle_open(out, PMCGRP_DEVICE, flags);
}

void pmcgrp_close(struct pmcgrp *h)
{
	if (!h)
		return;
	if (h->dev >= 0)
		close(h->dev);
	free(h);
}

enum pmcgrp_backend pmcgrp_backend(const struct pmcgrp *h)
{
	return h->backend;
}

const char *pmcgrp_backend_name(const struct pmcgrp *h)
{
	return h->backend == PMCGRP_BACKEND_DEVICE ? PMCGRP_DEVICE : "perf_event_open";
}

int pmcgrp_query(struct pmcgrp *h, struct pmcgrp_query *query)
{
	if (!query)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_query() was given no struct");
	if (h->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "perf_event_open cannot be asked what it can do");
	if (ioctl(h->dev, PMCGRP_IOC_QUERY, query) < 0)
		return failure_plain(&h->failure, errno, PMCGRP_WHY_NONE,
				     "the module refused PMCGRP_IOC_QUERY");
	return 0;
}

const char *pmcgrp_strerror(const struct pmcgrp *h)
{
	return h ? h->failure.text : open_failure.text;
}

enum pmcgrp_why pmcgrp_error_why(const struct pmcgrp *h)
{
	return h ? h->failure.why : open_failure.why;
}

int pmcgrp_error_member(const struct pmcgrp *h)
{
	return h ? h->failure.member : -1;
}

int pmcgrp_error_cpu(const struct pmcgrp *h)
{
	return h ? h->failure.cpu : -1;
}
