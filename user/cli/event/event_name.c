// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Names: raw codes, the kernel's own (kernel_name.c), tracepoints (tracefs.c), and what libpfm4
 * knows for this machine.  libpfm4 is last, as it takes long to start.  Of its PMUs "perf::" goes
 * first, so that a name that several have is the kernel's rather than one PMU's raw code.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

#include "event_name.h"
#include "kernel_name.h"
#include "tracefs.h"

#define RAW_DIGITS_MAX 16

/* The hexadecimal digits of rNNN; 0 for another kind of name. */
static size_t raw_digits(const char *name)
{
	size_t digits;

	if (*name != 'r')
		return 0;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	return name[1 + digits] ? 0 : digits;
}

/* libpfm4 knows rNNN, too, but drops the digits that do not fit. */
static int encode_raw(const char *name, struct event_code *code, char *text, size_t size)
{
	if (raw_digits(name) > RAW_DIGITS_MAX) {
		snprintf(text, size, "has too many digits: a raw code has 1 to %d",
			 RAW_DIGITS_MAX);
		return -ENOENT;
	}
	code->type = PERF_TYPE_RAW;
	code->config = strtoull(name + 1, NULL, 16);
	return 0;
}

static int encode_pfm(const char *name, struct event_code *code)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int ret;

	ret = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT,
					&arg);
	if (ret != PFM_SUCCESS)
		return ret;
	code->type = attr.type;
	code->config = attr.config;
	code->config1 = attr.config1;
	code->config2 = attr.config2;
	/* Set if the name carries privilege levels in libpfm4's own spelling (":u=1"). */
	code->exclude_user = attr.exclude_user;
	code->exclude_kernel = attr.exclude_kernel;
	code->exclude_hv = attr.exclude_hv;
	return PFM_SUCCESS;
}

static int encode_perf_pmu(const char *name, struct event_code *code)
{
	char *qualified;
	int ret;

	if (asprintf(&qualified, "perf::%s", name) < 0)
		return PFM_ERR_NOMEM;
	ret = encode_pfm(qualified, code);
	free(qualified);
	return ret;
}

/* What libpfm4 thinks of the name, in words that help. */
static void explain(const char *name, int ret, char *text, size_t size)
{
	const char *colon = strrchr(name, ':');

	if (colon && colon > name && colon[-1] != ':' && colon[1] &&
	    strspn(colon + 1, "ukhDGHpPISWeb") == strlen(colon + 1))
		snprintf(text, size, "has a modifier after its colon that pmcgrp does not know: it "
			 "has u, k, h and D");
	else if (ret == PFM_ERR_ATTR || ret == PFM_ERR_ATTR_VAL || ret == PFM_ERR_ATTR_SET ||
		 ret == PFM_ERR_UMASK)
		snprintf(text, size, "is not complete or has a unit mask that does not exist "
			 "(libpfm4: %s)", pfm_strerror(ret));
	else
		snprintf(text, size, "is not a name that perf or libpfm4 know on this machine; "
			 "\"pmcgrp stat --help\" says what names there are");
}

/* Returns 1 if the name is no tracepoint. */
static int encode_tracepoint(const char *name, struct event_code *code, char *text, size_t size)
{
	uint64_t id;
	int ret;

	if (!tracefs_is_name(name))
		return 1;
	ret = tracefs_id(tracefs_events, name, &id);
	if (ret == -EACCES || ret == -EPERM) {
		snprintf(text, size, "cannot be looked up in %s: run as root", tracefs_events[0]);
		return -ENOENT;
	}
	if (ret)
		return 1;
	code->type = PERF_TYPE_TRACEPOINT;
	code->config = id;
	return 0;
}

int event_name_encode(const char *name, struct event_code *code, char *text, size_t size)
{
	static int initialized = PFM_ERR_NOINIT;
	int ret;

	memset(code, 0, sizeof(*code));
	if (raw_digits(name))
		return encode_raw(name, code, text, size);
	if (kernel_name_encode(name, code))
		return 0;
	ret = encode_tracepoint(name, code, text, size);
	if (ret <= 0)
		return ret;
	if (initialized != PFM_SUCCESS)
		initialized = pfm_initialize();
	if (initialized != PFM_SUCCESS) {
		snprintf(text, size, "cannot be looked up, as libpfm4 does not start: %s",
			 pfm_strerror(initialized));
		return -ENOENT;
	}
	ret = encode_perf_pmu(name, code);
	if (ret != PFM_SUCCESS)
		ret = encode_pfm(name, code);
	if (ret == PFM_SUCCESS)
		return 0;
	explain(name, ret, text, size);
	return -ENOENT;
}
