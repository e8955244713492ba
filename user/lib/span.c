// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Spans: what a group counts between the call of a kernel function and its return. */
#include <errno.h>
#include <sys/ioctl.h>

#include "failure.h"

static int failure_span(struct failure *f, const char *function,
			const struct pmcgrp_span_add *add, int err)
{
	begin(f, add->why, -1, -1);
	say(f, "span %s: ", function);
	switch ((enum pmcgrp_why)add->why) {
	case PMCGRP_WHY_PERMISSION:
		say(f, "not permitted: run as root, or with CAP_PERFMON");
		break;
	case PMCGRP_WHY_NOMEM:
		say(f, "the kernel has no memory for %u calls in flight", add->max_active);
		break;
	case PMCGRP_WHY_SPAN_KIND:
		say(f, "room for %u calls in flight is too much: at most %d", add->max_active,
		    PMCGRP_SPAN_ACTIVE_MAX);
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
	case PMCGRP_WHY_SPAN_UNKNOWN:
		say(f, "the kernel has no such function, or it is inlined everywhere");
		break;
	case PMCGRP_WHY_SPAN_REFUSED:
		say(f, "the kernel does not let it be probed: ");
		say_errno(f, err);
		break;
	case PMCGRP_WHY_SPAN_UNSUPPORTED:
		say(f, "the kernel was built without CONFIG_KRETPROBES");
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

int pmcgrp_group_add_span(struct pmcgrp *h, struct pmcgrp_group *group, const char *function,
			  const char *name, unsigned int max_active, uint64_t *id)
{
	struct pmcgrp_span_add add = {
		.size = sizeof(add),
		.kind = PMCGRP_SECTION_FUNCTION,
		.max_active = max_active,
		.begin = (uintptr_t)function,
		.name = (uintptr_t)name,
	};

	if (!h || !group || !function)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "a group of perf_event_open has no spans: load the module");
	if (ioctl(group->fd, PMCGRP_IOC_SPAN, &add) < 0)
		return failure_span(&h->failure, function, &add, errno);
	if (id)
		*id = add.id;
	return 0;
}
