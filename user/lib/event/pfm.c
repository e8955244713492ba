// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Names that libpfm4 knows.  It takes long to start: it reads the id of every tracepoint.  So it is
 * asked last.  It is loaded then, too: its tables are full of pointers, and to link with it makes each
 * start of a program some 290 page faults dearer.  A static tool has it anyway.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

#include "pfm.h"

static struct pfm {
	pfm_err_t (*initialize)(void);
	const char *(*strerror)(int code);
	pfm_err_t (*get_os_event_encoding)(const char *name, int modes, pfm_os_t os, void *arg);
	int (*find_event)(const char *name);
	int (*get_event_next)(int idx);
	pfm_err_t (*get_event_info)(int idx, pfm_os_t os, pfm_event_info_t *info);
	pfm_err_t (*get_event_attr_info)(int idx, int attr, pfm_os_t os,
					 pfm_event_attr_info_t *info);
	pfm_err_t (*get_pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
} pfm;

#ifdef PMCGRP_PFM
static bool load(void)
{
	void *library = dlopen(PMCGRP_PFM, RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return false;
	/* Never unloaded. POSIX lets a function's address be taken from a void pointer. */
	*(void **)&pfm.strerror = dlsym(library, "pfm_strerror");
	*(void **)&pfm.get_os_event_encoding = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm.find_event = dlsym(library, "pfm_find_event");
	*(void **)&pfm.get_event_next = dlsym(library, "pfm_get_event_next");
	*(void **)&pfm.get_event_info = dlsym(library, "pfm_get_event_info");
	*(void **)&pfm.get_event_attr_info = dlsym(library, "pfm_get_event_attr_info");
	*(void **)&pfm.get_pmu_info = dlsym(library, "pfm_get_pmu_info");
	*(void **)&pfm.initialize = dlsym(library, "pfm_initialize");
	return pfm.strerror && pfm.get_os_event_encoding && pfm.find_event && pfm.get_event_next &&
	       pfm.get_event_info && pfm.get_event_attr_info && pfm.get_pmu_info && pfm.initialize;
}
#else
static bool load(void)
{
	pfm = (struct pfm){ pfm_initialize, pfm_strerror, pfm_get_os_event_encoding,
			    pfm_find_event, pfm_get_event_next, pfm_get_event_info,
			    pfm_get_event_attr_info, pfm_get_pmu_info };
	return true;
}
#endif

static int encode(const char *name, struct pfm_code *code)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int ret;

	ret = pfm.get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT,
					&arg);
	if (ret != PFM_SUCCESS)
		return ret;
	code->type = attr.type;
	code->config[0] = attr.config;
	code->config[1] = attr.config1;
	code->config[2] = attr.config2;
	/* Set if the name carries privilege levels in libpfm4's own spelling (":u=1"). */
	code->exclude_user = attr.exclude_user;
	code->exclude_kernel = attr.exclude_kernel;
	code->exclude_hv = attr.exclude_hv;
	return PFM_SUCCESS;
}

/* PFM_ERR_NOTSUPP: there is no libpfm4. */
static int initialize(void)
{
	static int initialized = PFM_ERR_NOINIT;
	static bool loaded;

	if (!loaded)
		loaded = load();
	if (!loaded)
		return PFM_ERR_NOTSUPP;
	if (initialized != PFM_SUCCESS)
		initialized = pfm.initialize();
	return initialized;
}

/* Why initialize() failed. */
static const char *why_not(int ret)
{
	return ret == PFM_ERR_NOTSUPP ? "it cannot be loaded" : pfm.strerror(ret);
}

/* An error of what stands behind an event's name. */
static bool is_part(int ret)
{
	return ret == PFM_ERR_ATTR || ret == PFM_ERR_ATTR_VAL || ret == PFM_ERR_ATTR_SET ||
	       ret == PFM_ERR_UMASK;
}

int event_pfm_encode(const char *name, struct pfm_code *code, char *text, size_t size)
{
	int ret = initialize();

	text[0] = '\0';
	if (ret != PFM_SUCCESS) {
		snprintf(text, size, "cannot be looked up, as libpfm4 does not start: %s",
			 why_not(ret));
		return -ENOENT;
	}
	ret = encode(name, code);
	/* It takes the name of a tracepoint's system alone for an event, without an id. */
	if (ret == PFM_SUCCESS && code->type == PERF_TYPE_TRACEPOINT && !code->config[0]) {
		snprintf(text, size, "is a system of tracepoints, and no event (libpfm4: without an "
			 "id): name one of them, or all of them as \"%.64s:*\"", name);
		return -ENOENT;
	}
	if (ret == PFM_SUCCESS)
		return 0;
	return is_part(ret) ? -EINVAL : -ENOENT;
}

bool event_pfm_refuses_part(const char *name)
{
	struct pfm_code code;
	int ret = initialize() == PFM_SUCCESS ? encode(name, &code) : PFM_SUCCESS;

	/* PFM_ERR_UMASK: a unit mask is missing, which may come behind it. */
	return is_part(ret) && ret != PFM_ERR_UMASK;
}

void event_pfm_each_mask(const char *event, void (*each)(void *ctx, const char *name), void *ctx)
{
	pfm_event_attr_info_t attr;
	pfm_event_info_t info;
	int i, idx;

	if (initialize() != PFM_SUCCESS)
		return;
	idx = pfm.find_event(event);
	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	if (idx < 0 || pfm.get_event_info(idx, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
		return;
	for (i = 0; i < info.nattrs; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm.get_event_attr_info(idx, i, PFM_OS_PERF_EVENT, &attr) == PFM_SUCCESS)
			each(ctx, attr.name);
	}
}

/* Not those of perf's own PMUs: these are the kernel's names, written otherwise. */
void event_pfm_each(void (*each)(void *ctx, const char *name), void *ctx)
{
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;
	int i, k;

	if (initialize() != PFM_SUCCESS)
		return;
	for (i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm.get_pmu_info(i, &pmu) != PFM_SUCCESS || !pmu.is_present ||
		    pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		for (k = pmu.first_event; k != -1; k = pfm.get_event_next(k)) {
			memset(&event, 0, sizeof(event));
			event.size = sizeof(event);
			if (pfm.get_event_info(k, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
				each(ctx, event.name);
		}
	}
}
