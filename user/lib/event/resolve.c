// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Names, in perf's order: raw codes, numbers, the kernel's own events, tracepoints; PMUs if there
 * are terms; events of PMUs.  Names of libpfm4 come last.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/perf_event.h>

#include "kernel_name.h"
#include "pfm.h"
#include "resolver.h"

/* Terms of an event that is not one of a PMU's folder. */
static int code_finish(struct resolver *r, struct event_code *code)
{
	return event_code_terms(r->machine, NULL, &r->node->terms, r->flags, code, r->error);
}

/* All of the code is that of the name. */
static int explain_whole(const struct resolver *r, struct event_code *code, const char *from)
{
	return event_code_explain(code, r->flags, "type = %u, config = %#llx: %s, of %s", code->type,
				  (unsigned long long)code->config[PMU_CONFIG], r->node->name,
				  from);
}

static int resolve_numbers(struct resolver *r, uint32_t type, uint64_t config)
{
	struct event_code *code = resolver_append(r, NULL);
	int ret;

	if (!code)
		return -ENOMEM;
	code->type = type;
	code->config[PMU_CONFIG] = config;
	ret = explain_whole(r, code, "the kernel");
	return ret ? ret : code_finish(r, code);
}

static int resolve_raw(struct resolver *r)
{
	uint64_t config;
	int ret = kernel_name_raw(r->node->name, &config);

	if (ret == -ERANGE)
		return FAIL(r, "'%.32s' has too many digits: a raw code has 1 to 16",
			    r->node->name);
	return ret ? NEXT : resolve_numbers(r, PERF_TYPE_RAW, config);
}

/* A number that takes all of the text up to @end. */
static bool number_up_to(const char *text, char end, uint64_t *number, const char **rest)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *after;

	if (!isdigit((unsigned char)*text) || (hex && !isxdigit((unsigned char)text[2])))
		return false;
	errno = 0;
	*number = strtoull(text, &after, hex ? 16 : 10);
	*rest = after;
	return !errno && *after == end;
}

/* TYPE:CONFIG, fields of perf_event_attr. */
static int resolve_type_config(struct resolver *r)
{
	uint64_t type, config;
	const char *rest;

	if (!number_up_to(r->node->name, ':', &type, &rest) ||
	    !number_up_to(rest + 1, '\0', &config, &rest))
		return NEXT;
	if (type > UINT32_MAX)
		return FAIL(r, "the type of '%.64s' has more than 32 bits", r->node->name);
	return resolve_numbers(r, (uint32_t)type, config);
}

/* Where there are several kinds of cores, an event of each. */
static int resolve_cores(struct resolver *r, uint32_t type, uint64_t config)
{
	const struct pmus *pmus = event_machine_pmus(r->machine);
	struct event_code *code;
	size_t i;
	int ret = 0;

	if (!pmus)
		return -ENOMEM;
	if (pmus->nr_core < 2)
		return resolve_numbers(r, type, config);
	for (i = 0; i < pmus->nr && !ret; i++) {
		if (!pmus->at[i].core || !event_machine_wants(r->machine, &pmus->at[i]))
			continue;
		code = resolver_append(r, &pmus->at[i]);
		if (!code)
			return -ENOMEM;
		code->type = type;
		code->config[PMU_CONFIG] =
			config | event_machine_extended(r->machine, &pmus->at[i]);
		ret = explain_whole(r, code, pmus->at[i].name);
		if (!ret)
			ret = code_finish(r, code);
		if (!ret)
			ret = resolver_show_pmu(r, &pmus->at[i], strlen(pmus->at[i].name));
	}
	if (!ret && !r->codes->nr)
		return FAIL(r, "'%.64s' is an event of cores, and PMU %.32s was chosen", r->node->name,
			    r->machine->chosen->name);
	return ret;
}

static int resolve_kernel(struct resolver *r)
{
	uint64_t config;
	uint32_t type;

	if (!kernel_name_encode(r->node->name, &type, &config))
		return NEXT;
	if (type == PERF_TYPE_SOFTWARE)
		return resolve_numbers(r, type, config);
	return resolve_cores(r, type, config);
}

/* What perf has and groups do not. */
static int resolve_refused(struct resolver *r)
{
	const char *name = r->node->name;

	if (!strncmp(name, "mem:", 4))
		return FAIL(r, "breakpoints (mem:) are not counted by pmcgrp: they fault, and do not "
			    "count; see perf-stat(1)");
	if (!strcmp(name, "bpf-output"))
		return FAIL(r, "bpf-output counts nothing: it carries what BPF programs write");
	if (!strcmp(name, "duration_time") || !strcmp(name, "user_time") ||
	    !strcmp(name, "system_time"))
		return FAIL(r, "%s is no event: \"pmcgrp stat\" shows it below the counts", name);
	return NEXT;
}

/* One of the tracepoints that a glob matches. */
static int take_tracepoint(void *ctx, const char *name, uint64_t id)
{
	struct resolver *r = ctx;
	int ret = resolve_numbers(r, PERF_TYPE_TRACEPOINT, id);
	const char *colon = strchr(r->node->name, ':');
	const char *rest = r->node->shown + (colon ? strlen(r->node->name) : 0);

	if (!ret && asprintf(&r->codes->shown[r->codes->nr - 1], "%s%s", name, rest) < 0) {
		r->codes->shown[r->codes->nr - 1] = NULL;
		ret = -ENOMEM;
	}
	return ret;
}

static int resolve_tracepoint(struct resolver *r)
{
	const char *name = r->node->name;
	uint64_t id;
	int ret;

	if (!tracefs_is_name(name))
		return NEXT;
	if (strpbrk(name, "*?[")) {
		ret = tracefs_glob(r->machine->tracing, name, take_tracepoint, r);
		if (!ret || ret == -ENOMEM || ret == -EINVAL)
			return ret;
	} else {
		ret = tracefs_id(r->machine->tracing, name, &id);
		if (!ret)
			return resolve_numbers(r, PERF_TYPE_TRACEPOINT, id);
	}
	if (ret == -EOPNOTSUPP)
		return FAIL(r, "'%.64s' is how ftrace writes a record of its own, and cannot be "
			    "counted: the kernel gives it no id in tracefs", name);
	r->no_tracefs = ret == -EACCES || ret == -EPERM;
	/* Another machine may have it, and its number there decides nothing. */
	if (r->machine->given && (r->no_tracefs || !tracefs_has(r->machine->tracing, "")) &&
	    !strpbrk(name, "*?[") && !resolver_has_event(r))
		return resolve_numbers(r, PERF_TYPE_TRACEPOINT, 0);
	return NEXT;
}

/*
 * Host and guests in libpfm4's spelling: "mh=0" is taken there and changes nothing, "mg=0:mh=0" counts
 * both (findings/libpfm4-modes.sh).
 */
static bool pfm_names_host(const char *name)
{
	for (; (name = strchr(name, ':')); name++)
		if ((!strncasecmp(name + 1, "mg", 2) || !strncasecmp(name + 1, "mh", 2)) &&
		    strchr("=:", name[3]))
			return true;
	return false;
}

/* Modes in libpfm4's spelling: "cycles:u=0:k=0" and, with perf's, "cycles:u:k" count nothing. */
static int pfm_check(struct resolver *r, const struct event_code *code)
{
	if (code->exclude_user && code->exclude_kernel && code->exclude_hv)
		return FAIL(r, "'%.64s' counts in no mode: leave out \"=0\"", r->node->name);
	if (!(code->exclude_user || code->exclude_kernel || code->exclude_hv) ||
	    !(r->node->modifiers.bits & EVENT_MODES))
		return 0;
	return resolver_modifiers_twice(r);
}

/* The last step: what even libpfm4 does not know is an error. */
static int resolve_pfm(struct resolver *r)
{
	struct event_code *code;
	struct pfm_code found;
	char why[200];
	int ret;

	if (r->node->has_terms || r->machine->given)
		return resolver_unknown(r, false);
	if (pfm_names_host(r->node->name))
		return FAIL(r, "'%.64s': libpfm4's mg and mh are not taken: perf's :G and :H say "
			       "guest and host", r->node->name);
	ret = event_pfm_encode(r->node->name, &found, why, sizeof(why));
	if (ret)
		return why[0] ? FAIL(r, "'%.64s' %s", r->node->name, why) :
				resolver_unknown(r, ret == -EINVAL);
	code = resolver_append(r, NULL);
	if (!code)
		return -ENOMEM;
	code->type = found.type;
	memcpy(code->config, found.config, sizeof(found.config));
	code->exclude_user = found.exclude_user;
	code->exclude_kernel = found.exclude_kernel;
	code->exclude_hv = found.exclude_hv;
	if (pfm_check(r, code))
		return -EINVAL;
	ret = explain_whole(r, code, "libpfm4");
	return ret ? ret : code_finish(r, code);
}

int event_resolve(struct event_machine *machine, const struct event_node *node, unsigned int flags,
		  struct event_codes *codes, struct pmcgrp_events_error *error)
{
	static int (*const steps[])(struct resolver *r) = {
		resolve_raw,
		resolve_type_config,
		resolve_refused,
		resolve_kernel,
		resolve_tracepoint,
		resolver_pmu,
		resolver_alias,
		resolve_pfm,
	};
	struct resolver r = {
		.machine = machine,
		.node = node,
		.flags = flags,
		.codes = codes,
		.error = error,
	};
	int ret = NEXT;
	size_t i;

	*codes = (struct event_codes){ 0 };
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && ret == NEXT; i++)
		ret = steps[i](&r);
	if (ret < 0)
		event_codes_free(codes);
	return ret;
}

void event_codes_free(struct event_codes *codes)
{
	while (codes->nr) {
		codes->nr--;
		event_code_clear(&codes->at[codes->nr]);
		free(codes->shown[codes->nr]);
	}
	free(codes->at);
	free(codes->shown);
	*codes = (struct event_codes){ 0 };
}
