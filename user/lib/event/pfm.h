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
 * event_pfm_encode - what of perf_event_attr a name decides
 *
 * Return: 0; -EINVAL if libpfm4 has the event, but not its unit masks and modifiers, or lacks one;
 * -ENOENT, with the end of a sentence in @text if there is more to say than that nobody knows it.
 */
int event_pfm_encode(const char *name, struct pfm_code *code, char *text, size_t size);

/* Call a function with each name of the CPU's events that libpfm4 knows, without unit masks. */
void event_pfm_each(void (*each)(void *ctx, const char *name), void *ctx);

/* The same with the unit masks and modifiers of an event. */
void event_pfm_each_mask(const char *event, void (*each)(void *ctx, const char *name), void *ctx);

/* Whether a name's last part is not one of its event. */
bool event_pfm_refuses_part(const char *name);

#endif
