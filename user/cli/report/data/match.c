// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>

#include "match.h"

static bool is(const struct perf_event_attr *attr, uint32_t type, uint64_t config)
{
	return attr->type == type && attr->config == config;
}

static bool same_modes(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv;
}

bool rep_match_ratio(const struct ratio *ratio, const struct perf_event_attr *event,
		     const struct perf_event_attr *of)
{
	return is(event, ratio->type, ratio->config) && is(of, ratio->of_type, ratio->of_config) &&
	       same_modes(event, of);
}

bool rep_match_known(const struct perf_event_attr *event, const struct perf_event_attr *of)
{
	size_t i;

	for (i = 0; i < nr_ratios; i++) {
		if (rep_match_ratio(&ratios[i], event, of))
			return true;
	}
	return false;
}

/* Names of events have slashes and equals signs, too: it is compared from its end. */
bool rep_match_text(const char *text, const char *event, const char *of)
{
	size_t event_len = strlen(event), of_len = strlen(of), len = strlen(text);
	const char *at;

	if (len < event_len + 1 + of_len)
		return false;
	at = text + len - of_len - 1 - event_len;
	return !strncmp(at, event, event_len) && at[event_len] == '/' &&
	       !strcmp(at + event_len + 1, of) && (at == text || at[-1] == '=');
}
