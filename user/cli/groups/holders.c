// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Who has the counters that are perf's: PMCGRP_IOC_HOLDERS, in words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/config3.h"
#include "say/append.h"
#include "holders.h"

/* ---- Asking ---- */

static char *name_of(const struct pmcgrp_holder *holder)
{
	const struct pmcgrp_info_member member = {
		.type = holder->type,
		.config = holder->config,
		.config1 = holder->config1,
		.config2 = holder->config2,
		.bits = holder->bits,
	};
	union attr_wide wide = { 0 };
	char name[512];

	pmcgrp_info_attr(&member, &wide.attr);
	attr_config3_set(&wide, holder->config3);
	pmcgrp_event_name(&wide.attr, name, sizeof(name));
	return strdup(name);
}

static int add(struct held_counters *held, const struct pmcgrp_holder *holder, const char *pmu,
	       int cpu)
{
	struct held_counter *more = reallocarray(held->at, held->nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	held->at = more;
	more[held->nr] = (struct held_counter){ .cpu = cpu, .pmu = pmu, .holder = *holder };
	if (!(holder->flags & PMCGRP_HOLDER_HIDDEN)) {
		more[held->nr].event = name_of(holder);
		if (!more[held->nr].event)
			return -ENOMEM;
	}
	held->nr++;
	return 0;
}

int held_counters_ask(struct held_counters *held, struct pmcgrp *h, const char *pmu,
		      const struct perf_event_attr *attr, int cpu)
{
	struct pmcgrp_holder *holders;
	int i, nr, ret = 0;

	nr = pmcgrp_holders(h, attr, cpu, &holders);
	if (nr < 0)
		return nr;
	for (i = 0; i < nr && !ret; i++)
		ret = add(held, &holders[i], pmu, cpu);
	free(holders);
	return ret;
}

void held_counters_free(struct held_counters *held)
{
	size_t i;

	for (i = 0; i < held->nr; i++)
		free(held->at[i].event);
	free(held->at);
	*held = (struct held_counters){ 0 };
}

/* ---- In words ---- */

/* The field may have no end. */
static bool is_of_pmcgrp(const struct pmcgrp_holder *holder)
{
	const char *bracket = memchr(holder->function, '[', sizeof(holder->function));
	size_t left = bracket ? (size_t)(holder->function + sizeof(holder->function) - bracket) : 0;

	return bracket && !strncmp(bracket, "[pmcgrp]", left);
}

/* kvm_perf_overflow() on x86, in kvm.ko or the kernel; kvm_pmu_perf_overflow() on arm64. */
static bool is_of_guest(const struct pmcgrp_holder *holder)
{
	return holder->flags & PMCGRP_HOLDER_TASK && !strncmp(holder->function, "kvm_", 4);
}

static void kernel_owner(const struct pmcgrp_holder *holder, char *text, size_t size)
{
	char comm[NAME_COMM_SIZE];

	name_text(comm, sizeof(comm), holder->target_comm, sizeof(holder->target_comm));
	if (holder->flags & PMCGRP_HOLDER_WATCHDOG)
		snprintf(text, size, "the NMI watchdog");
	else if (is_of_pmcgrp(holder))
		snprintf(text, size, "pmcgrp itself");
	else if (is_of_guest(holder))
		snprintf(text, size, "a KVM guest of %s (PID %d)", comm, holder->target_pid);
	else if (holder->function[0])
		snprintf(text, size, "the kernel: %.*s", (int)sizeof(holder->function),
			 holder->function);
	else
		snprintf(text, size, "the kernel");
}

const char *holder_unnamed(const struct pmcgrp_holder *holder)
{
	if (holder->flags & PMCGRP_HOLDER_HIDDEN)
		return "hidden";
	if (holder->flags & PMCGRP_HOLDER_KERNEL)
		return NULL;
	if (holder->flags & PMCGRP_HOLDER_ENDED)
		return "ended";
	return holder->pid ? NULL : "other-pid-namespace";
}

const char *holder_owner(const struct pmcgrp_holder *holder, char *text, size_t size)
{
	char comm[NAME_COMM_SIZE];

	name_text(comm, sizeof(comm), holder->comm, sizeof(holder->comm));
	if (holder->flags & PMCGRP_HOLDER_HIDDEN)
		snprintf(text, size, "not for this user to see: CAP_SYS_ADMIN sees whose it is");
	else if (holder->flags & PMCGRP_HOLDER_KERNEL)
		kernel_owner(holder, text, size);
	else if (holder->flags & PMCGRP_HOLDER_ENDED)
		snprintf(text, size, "a process that has ended and left its descriptor to others");
	else if (!holder->pid)
		snprintf(text, size, "%s, of another PID namespace", comm);
	else
		snprintf(text, size, "%s (PID %d)", comm, holder->pid);
	return text;
}

static void append_target(const struct pmcgrp_holder *holder, char *text, size_t size)
{
	char comm[NAME_COMM_SIZE];

	name_text(comm, sizeof(comm), holder->target_comm, sizeof(holder->target_comm));
	if (holder->flags & PMCGRP_HOLDER_CGROUP)
		append(text, size, ", ", "of a cgroup");
	else if (!(holder->flags & PMCGRP_HOLDER_TASK))
		append(text, size, ", ", "of the CPU");
	else if (holder->target_tid)
		append(text, size, ", ", "of thread %s (%d)", comm, holder->target_tid);
	else
		append(text, size, ", ", "of a thread");
}

const char *holder_flags(const struct pmcgrp_holder *holder, char *text, size_t size)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ PMCGRP_HOLDER_PINNED, "pinned" },
		{ PMCGRP_HOLDER_EXCLUSIVE, "exclusive" },
		{ PMCGRP_HOLDER_INHERITED, "inherited" },
		{ PMCGRP_HOLDER_INHERIT, "inherit" },
		{ PMCGRP_HOLDER_SAMPLES, "samples" },
	};
	uint32_t flags = holder->flags;
	size_t i;

	/* Of a copy that says it all. */
	if (flags & PMCGRP_HOLDER_INHERITED)
		flags &= ~PMCGRP_HOLDER_INHERIT;
	text[0] = '\0';
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (flags & names[i].flag)
			append(text, size, ", ", "%s", names[i].name);
	}
	append_target(holder, text, size);
	return text;
}
