// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What an event asks for, and whether a group of the module can have it. */
#include <string.h>

#include "attr_check.h"
#include "shim.h"

static const struct perf_event_attr of_records = {
	.mmap = 1,
	.comm = 1,
	.task = 1,
	.mmap_data = 1,
	.mmap2 = 1,
	.comm_exec = 1,
	.context_switch = 1,
	.write_backward = 1,
	.namespaces = 1,
	.ksymbol = 1,
	.bpf_event = 1,
	.aux_output = 1,
	.cgroup = 1,
	.text_poke = 1,
	.build_id = 1,
};

static bool has_any(const union shim_attr *copy, const struct perf_event_attr *a)
{
	uint64_t word, mask, any = 0;
	size_t i;

	_Static_assert(sizeof(*a) % sizeof(word) == 0, "words");
	for (i = 0; i < sizeof(*a); i += sizeof(word)) {
		memcpy(&word, copy->bytes + i, sizeof(word));
		memcpy(&mask, (const unsigned char *)a + i, sizeof(mask));
		any |= word & mask;
	}
	return any != 0;
}

bool shim_attr_take(union shim_attr *copy, const struct perf_event_attr *attr)
{
	/* 0 stands for the first one that was published (kernel/events/core.c: perf_copy_attr()). */
	size_t size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0, i;
	const unsigned char *bytes = (const unsigned char *)attr;

	memset(copy, 0, sizeof(*copy));
	memcpy(copy, attr, size < sizeof(*copy) ? size : sizeof(*copy));
	for (i = sizeof(*copy); i < size; i++)
		if (bytes[i])
			return false;
	copy->attr.size = size < sizeof(*copy) ? size : sizeof(*copy);
	return true;
}

static enum shim_reason reason_of_target(const struct shim_request *r)
{
	if (r->flags & PERF_FLAG_PID_CGROUP)
		return SHIM_CGROUP;
	if (r->flags & ~PERF_FLAG_FD_CLOEXEC)
		return SHIM_FLAGS;
	return r->pid != -1 && r->cpu != -1 ? SHIM_TASK_ON_CPU : SHIM_NONE;
}

static enum shim_reason reason_of_event(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return SHIM_BREAKPOINT;
	if (attr->sample_period)
		return SHIM_SAMPLES;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		return SHIM_BPF_OUTPUT;
	if (attr->precise_ip)
		return SHIM_PRECISE;
	if (attr->branch_sample_type)
		return SHIM_BRANCHES;
	if (attr->exclusive)
		return SHIM_EXCLUSIVE;
	return attr->inherit_stat || attr->inherit_thread ? SHIM_INHERIT : SHIM_NONE;
}

/* Whether the module takes what is left without the properties of a group. */
static bool is_of_member(const union shim_attr *copy)
{
	union shim_attr event = *copy;

	shim_attr_reduce(&event);
	return attr_why(&event.attr) == PMCGRP_WHY_NONE;
}

enum shim_reason shim_attr_reason(const union shim_attr *copy, const struct shim_request *r)
{
	const struct perf_event_attr *attr = &copy->attr;
	enum shim_reason reason = reason_of_target(r);

	if (!reason)
		reason = reason_of_event(attr);
	if (!reason && has_any(copy, &of_records))
		reason = SHIM_RECORDS;
	if (!reason && !is_of_member(copy))
		reason = SHIM_FIELD;
	/* Of a member, whose leader execve() enables as well. */
	if (!reason && r->group_fd != -1 && r->pid != -1 && attr->enable_on_exec && attr->disabled)
		reason = SHIM_EXEC;
	if (!reason && attr->type == PERF_TYPE_TRACEPOINT)
		reason = SHIM_TRACEPOINT;
	return reason;
}

void shim_attr_reduce(union shim_attr *copy)
{
	struct perf_event_attr *attr = &copy->attr;

	attr->read_format = 0;
	attr->disabled = 0;
	attr->inherit = 0;
	attr->pinned = 0;
	attr->enable_on_exec = 0;
	/* No meaning without samples and records; programs set them all the same. */
	attr->sample_type = 0;
	attr->sample_id_all = 0;
	attr->watermark = 0;
	attr->wakeup_events = 0;
}
