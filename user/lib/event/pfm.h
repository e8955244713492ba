/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Names that libpfm4 knows. */
#ifndef PMCGRP_EVENT_PFM_H
#define PMCGRP_EVENT_PFM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of perf_event_attr a name decides: libpfm4's header and the kernel's both define that. */
struct pfm_code {
	uint32_t type;
	uint64_t config[3];
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
};

/*
 * event_pfm_encode - look up a name of libpfm4's for this machine
 * @code: filled in on success
 * @text: on failure, why, as the end of a sentence that begins with the name
 *
 * Return: 0, or -ENOENT.
 */
int event_pfm_encode(const char *name, struct pfm_code *code, char *text, size_t size);

/* Call a function with each name of the CPU's events that libpfm4 knows, without unit masks. */
void event_pfm_each(void (*each)(void *ctx, const char *name), void *ctx);

#endif
