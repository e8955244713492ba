/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BINDING_H
#define PMCGRP_BINDING_H

#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include "compat.h"

struct pmcgrp_contexts;
struct pmcgrp_cpu;
struct task_struct;

/**
 * struct pmcgrp_binding - what counts a task with others; constant but for @refs
 * @refs: references of the records that have it, and of the bindings of which it is a part
 * @heirs: binding of the processes that such a task creates: itself, another one, or NULL
 * @exiting: binding that such a task has from do_exit() on: itself, another one, or NULL
 * @id: unlike that of any other binding there has been
 * @rcu: frees it
 * @nr: number of @contexts, at least one
 * @contexts: those of lists that count the task
 */
struct pmcgrp_binding {
	refcount_t refs;
	struct pmcgrp_binding *heirs;
	struct pmcgrp_binding *exiting;
	u64 id;
	struct rcu_head rcu;
	unsigned int nr;
	struct pmcgrp_contexts *contexts[] __counted_by(nr);
};

struct pmcgrp_binding *pmcgrp_binding_with(const struct pmcgrp_binding *old,
					   struct pmcgrp_contexts *contexts);
struct pmcgrp_binding *pmcgrp_binding_without(const struct pmcgrp_binding *old,
					      const struct pmcgrp_contexts *contexts);
void pmcgrp_binding_put(struct pmcgrp_binding *binding);
bool pmcgrp_binding_covers(const struct pmcgrp_binding *all, const struct pmcgrp_binding *some);
void pmcgrp_binding_created(const struct pmcgrp_binding *binding, bool thread);
void pmcgrp_binding_lose(const struct pmcgrp_binding *binding);

void pmcgrp_binding_out(struct pmcgrp_cpu *pcpu, const struct pmcgrp_binding *to, bool leaves);
void pmcgrp_binding_in(struct pmcgrp_cpu *pcpu, const struct pmcgrp_binding *to,
		       const struct task_struct *prev);

/* Whether contexts are in a binding, which may be NULL. */
static inline bool pmcgrp_binding_has(const struct pmcgrp_binding *binding,
				      const struct pmcgrp_contexts *contexts)
{
	unsigned int i;

	for (i = 0; binding && i < binding->nr; i++)
		if (binding->contexts[i] == contexts)
			return true;
	return false;
}

/* Number of a binding, which may be NULL: 0. */
static inline u64 pmcgrp_binding_id(const struct pmcgrp_binding *binding)
{
	return binding ? binding->id : 0;
}

/* Take another reference of a binding, which may be NULL. */
static inline struct pmcgrp_binding *pmcgrp_binding_get(struct pmcgrp_binding *binding)
{
	if (binding)
		refcount_inc(&binding->refs);
	return binding;
}

#endif /* PMCGRP_BINDING_H */
