// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Spans: what a group counts between two points of the kernel, or of a program. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "failure.h"
#include "function/exits.h"
#include "keys/entry.h"
#include "rights.h"

static const char *needs(enum pmcgrp_section_kind kind)
{
	switch (kind) {
	case PMCGRP_SECTION_TRACEPOINTS:
		return "with CONFIG_TRACEPOINTS and without CONFIG_CFI_CLANG, which lets no module "
		       "probe any tracepoint";
	case PMCGRP_SECTION_USER_FUNCTION:
		return "with CONFIG_UPROBES";
	default:
		return "with CONFIG_KRETPROBES";
	}
}

static void say_unknown(struct failure *f, const struct pmcgrp_span_spec *spec)
{
	if (spec->kind == PMCGRP_SECTION_TRACEPOINTS)
		say(f, "the kernel has no such tracepoint, or none '%s'", spec->end);
	else
		say(f, "the kernel has no such function, or it is inlined everywhere");
}

static int failure_span(struct failure *f, const struct pmcgrp_span_spec *spec,
			const struct pmcgrp_span_add *add, int err)
{
	begin(f, add->why, -1, -1);
	say(f, "span %s: ", spec->begin);
	switch ((enum pmcgrp_why)add->why) {
	case PMCGRP_WHY_PERMISSION:
		say(f, "not permitted: run as root, or with CAP_PERFMON%s",
		    spec->kind == PMCGRP_SECTION_USER_FUNCTION ? " and CAP_SYS_ADMIN" : "");
		rights_say_lockdown(f);
		break;
	case PMCGRP_WHY_NOMEM:
		say(f, "the kernel has no memory for %u calls in flight%s", add->max_active,
		    add->by ? ", or for the slots of keys on each CPU" : "");
		break;
	case PMCGRP_WHY_SPAN_KIND:
		if (add->max_active > PMCGRP_SPAN_ACTIVE_MAX)
			say(f, "room for %u calls in flight is too much: at most %d", add->max_active,
			    PMCGRP_SPAN_ACTIVE_MAX);
		else
			say(f, "the module knows no span of kind %u", add->kind);
		break;
	case PMCGRP_WHY_SPAN_NAME:
		say(f, "a name is empty, or has %d characters or more", PMCGRP_SPAN_POINT_MAX);
		break;
	case PMCGRP_WHY_SPAN_GROUP:
		say(f, "the group has a leader, more than %d members, or uncore PMUs: make one "
		       "without", PMCGRP_SECTION_MEMBERS_MAX);
		break;
	case PMCGRP_WHY_SPANS_MAX:
		say(f, "the group has %d spans already: make another group", PMCGRP_SPANS_MAX);
		break;
	case PMCGRP_WHY_SPANS_ROOM:
		say(f, "the spans of this user together have no room for %u more calls in flight: end "
		       "some, or ask for fewer (max_active)",
		    add->max_active);
		break;
	case PMCGRP_WHY_MEMORY_MAX:
	case PMCGRP_WHY_MEMLOCK:
		say(f, "%s: end some, or ask for fewer calls in flight (max_active)%s",
		    pmcgrp_why_text(add->why), add->by ? " or slots" : "");
		break;
	case PMCGRP_WHY_SPAN_UNKNOWN:
		say_unknown(f, spec);
		break;
	case PMCGRP_WHY_SPAN_REFUSED:
		say(f, "the kernel does not let it be probed: ");
		say_errno(f, err);
		if (err == EPERM || err == EACCES)
			rights_say_lockdown(f);
		break;
	case PMCGRP_WHY_SPAN_UNSUPPORTED:
		say(f, "it takes a kernel that was built %s", needs(spec->kind));
		break;
	case PMCGRP_WHY_SPAN_KEY:
		say(f, "its key or offset is out of range, or not of this kind of span: an argument has "
		       "a number from 0 to %d, and 4 or 8 bytes",
		    PMCGRP_SPAN_ARGS_MAX - 1);
		break;
	case PMCGRP_WHY_SPAN_FILE:
		say(f, "no function of this file can be probed: ");
		say_errno(f, err);
		break;
	case PMCGRP_WHY_SPAN_BY:
		say(f, "it can be told apart by a cgroup, a process, a thread or a command, with a depth "
		       "or a list for cgroups alone, and has at most %d slots for keys on a CPU; "
		       "histograms are of keys",
		    PMCGRP_SPAN_SLOTS_MAX);
		break;
	case PMCGRP_WHY_SPAN_EXITS:
		say(f, "its exits are to be in ascending order, 1 to %d of them, in the file of a "
		       "function of a program: ",
		    PMCGRP_SPAN_EXITS_MAX);
		say_errno(f, err);
		break;
	case PMCGRP_WHY_SPAN_RING:
		say(f, "its records need a ring of the group with PERF_SAMPLE_RAW: give it that first");
		break;
	case PMCGRP_WHY_NO_CGROUPS:
		say(f, "the kernel does not tell perf events of cgroups: it was built without them");
		break;
	default:
		if (err == ENOTTY) {
			say(f, "the loaded module has no spans: it is older than this library; use a "
			       "module and a library of the same release");
			break;
		}
		say(f, "the module refused it: ");
		say_errno(f, err);
		if (add->why)
			say(f, " (reason %u of enum pmcgrp_why, <linux/pmcgrp.h>)", add->why);
	}
	return -err;
}

static void ask_by(struct pmcgrp_span_add *add, const struct pmcgrp_key_options *by)
{
	add->by = 1 + (uint32_t)by->type;
	add->depth = key_depth(by);
	add->cgroups = (uintptr_t)by->cgroups;
	add->nr_cgroups = by->nr_cgroups;
	add->slots = by->slots;
}

/* Its exits, for free(), and where a call begins. */
static int find_exits(struct failure *f, const struct pmcgrp_span_spec *spec,
		      struct function_exits *exits)
{
	struct image image;
	int ret = image_open(&image, spec->begin);

	*exits = (struct function_exits){ .exit = NULL };
	if (!ret) {
		ret = function_exits_find(&image, spec->offset, spec->force, exits);
		image_close(&image);
	}
	if (ret >= 0)
		return 0;
	begin(f, PMCGRP_WHY_NONE, -1, -1);
	say(f, "span %s: ", spec->begin);
	if (exits->why[0])
		say(f, "the function at 0x%llx: %s", (unsigned long long)spec->offset, exits->why);
	else if (ret == -ENOEXEC)
		say(f, "this is no program or library (ELF) of 64 bits for this processor");
	else
		say_errno(f, -ret);
	return ret;
}

static int add_span(struct pmcgrp *h, struct pmcgrp_group *group,
		    const struct pmcgrp_span_spec *spec, struct pmcgrp_span_add *add, uint64_t *id)
{
	if (ioctl(group->fd, PMCGRP_IOC_SPAN, add) < 0)
		return failure_span(&h->failure, spec, add, errno);
	if (id)
		*id = add->id;
	if (spec->record_id)
		*spec->record_id = add->record_id;
	return 0;
}

int pmcgrp_group_add_span(struct pmcgrp *h, struct pmcgrp_group *group,
			  const struct pmcgrp_span_spec *spec, uint64_t *id)
{
	struct pmcgrp_span_add add = { .size = sizeof(add) };
	struct function_exits exits;
	int ret;

	if (!h || !group || !spec || !spec->begin)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "a group of perf_event_open has no spans: load the module");
	add.kind = spec->kind;
	add.max_active = spec->max_active;
	add.begin = (uintptr_t)spec->begin;
	add.end = (uintptr_t)spec->end;
	add.name = (uintptr_t)spec->name;
	add.offset = spec->offset;
	add.key = spec->key;
	/* What does not fit is out of range for the module as well. */
	add.begin_arg = (uint8_t)(spec->begin_arg > UINT8_MAX ? UINT8_MAX : spec->begin_arg);
	add.end_arg = (uint8_t)(spec->end_arg > UINT8_MAX ? UINT8_MAX : spec->end_arg);
	add.arg_size = (uint8_t)(spec->arg_size > UINT8_MAX ? UINT8_MAX : spec->arg_size);
	if (spec->record)
		add.flags |= PMCGRP_SPAN_RECORD;
	if (spec->histograms)
		add.flags |= PMCGRP_SPAN_HISTOGRAMS;
	if (spec->by)
		ask_by(&add, spec->by);
	add.exits = (uintptr_t)spec->exits;
	add.nr_exits = spec->nr_exits;
	if (spec->kind != PMCGRP_SECTION_USER_FUNCTION || spec->exits)
		return add_span(h, group, spec, &add, id);
	ret = find_exits(&h->failure, spec, &exits);
	if (ret < 0)
		return ret;
	add.offset = exits.begin;
	add.exits = (uintptr_t)exits.exit;
	add.nr_exits = exits.nr;
	ret = add_span(h, group, spec, &add, id);
	free(exits.exit);
	return ret;
}
