// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys of tasks: cgroup, process, thread or command.
 *
 * A number of a process or thread is used again.  So the key has the time of its start as well.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "counter/key.h"
#include "platform/charge.h"

/* A longer name is cut. */
static_assert(TASK_COMM_LEN >= sizeof(((struct pmcgrp_task_key *)NULL)->word));

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorted: with a hash a user could choose ids for which a switch takes long. */
static int list_copy(struct pmcgrp_keyer *keyer, struct pmcgrp_charge *charge,
		     const struct pmcgrp_keys *arg, u32 *why)
{
	size_t size = array_size(arg->nr_cgroups, sizeof(u64));
	u64 *ids = pmcgrp_charge_alloc(charge, size, NUMA_NO_NODE);

	*why = pmcgrp_why_of_charge(PTR_ERR_OR_ZERO(ids));
	if (IS_ERR(ids))
		return PTR_ERR(ids);
	keyer->cgroup = ids;
	*why = PMCGRP_WHY_FLAGS;
	if (copy_from_user(keyer->cgroup, u64_to_user_ptr(arg->cgroups), size))
		return -EFAULT;
	keyer->nr = arg->nr_cgroups;
	sort(keyer->cgroup, keyer->nr, sizeof(u64), compare, NULL);
	return keyer->cgroup[0] ? 0 : -EINVAL;
}

static bool list_has(const struct pmcgrp_keyer *keyer, u64 id)
{
	u32 from = 0, to = keyer->nr, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (keyer->cgroup[middle] == id)
			return true;
		if (keyer->cgroup[middle] < id)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

static int keyer_check(const struct pmcgrp_keys *arg, u32 *why)
{
	*why = PMCGRP_WHY_FLAGS;
	if (arg->type >= PMCGRP_KEY_TYPES || arg->nr_cgroups > PMCGRP_KEYS_CGROUPS_MAX ||
	    !arg->nr_cgroups != !arg->cgroups)
		return -EINVAL;
	if (arg->depth != PMCGRP_KEYS_LEAF && (arg->type != PMCGRP_KEY_CGROUP || arg->nr_cgroups))
		return -EINVAL;
	if (arg->nr_cgroups && arg->type != PMCGRP_KEY_CGROUP)
		return -EINVAL;
	*why = PMCGRP_WHY_NO_CGROUPS;
	return pmcgrp_key_types() & BIT(arg->type) ? 0 : -EOPNOTSUPP;
}

/* The level that pmcgrp_keys.depth means. */
static u32 deepest(u32 depth)
{
	if (depth == PMCGRP_KEYS_ROOT)
		return 0;
	return depth == PMCGRP_KEYS_LEAF ? U32_MAX : depth;
}

/**
 * pmcgrp_key_types - which types of keys tasks can have on this kernel
 *
 * Context: any.
 * Return: a bit for each enum pmcgrp_key_type.
 */
u32 pmcgrp_key_types(void)
{
	u32 all = BIT(PMCGRP_KEY_TYPES) - 1;

	return IS_ENABLED(CONFIG_CGROUPS) ? all : all & ~BIT(PMCGRP_KEY_CGROUP);
}

/**
 * pmcgrp_keyer_init - check and copy how tasks are distinguished
 * @keyer: out: to be freed by pmcgrp_keyer_free(), also after an error
 * @charge: whom its memory is charged to
 * @arg: argument of PMCGRP_IOC_KEYS
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep; user memory is read.
 * Return: 0, -EINVAL, -EFAULT, -EOPNOTSUPP, or as pmcgrp_charge_alloc().
 */
int pmcgrp_keyer_init(struct pmcgrp_keyer *keyer, struct pmcgrp_charge *charge,
		      const struct pmcgrp_keys *arg, u32 *why)
{
	int err = keyer_check(arg, why);

	*keyer = (struct pmcgrp_keyer){
		.type = arg->type,
		.depth = deepest(arg->depth),
		.seed = get_random_u64(),
		.ns = get_pid_ns(task_active_pid_ns(current)),
	};
	get_random_bytes(keyer->factor, sizeof(keyer->factor));
	keyer->kernel_ns = keyer->ns == &init_pid_ns;
	return !err && arg->nr_cgroups ? list_copy(keyer, charge, arg, why) : err;
}

/**
 * pmcgrp_keyer_free - undo pmcgrp_keyer_init()
 * @keyer: the keyer
 *
 * Context: may sleep.
 */
void pmcgrp_keyer_free(struct pmcgrp_keyer *keyer)
{
	put_pid_ns(keyer->ns);
	kvfree(keyer->cgroup);
}

/* With a secret number: users choose their cgroups, and ids are given in order. */
static u32 cache_slot(const struct pmcgrp_keyer *keyer, u64 id)
{
	return hash_64(id ^ keyer->seed, PMCGRP_KEY_CACHE_BITS);
}

static void cache_put(const struct pmcgrp_keyer *keyer, struct pmcgrp_key_cache *cache, u64 id,
		      u64 key)
{
	u32 at = cache_slot(keyer, id);

	cache->cgroup[at] = id;
	cache->key[at] = key;
}

/* Look for a cgroup without its ancestors. */
static bool known(const struct pmcgrp_keyer *keyer, const struct pmcgrp_key_cache *cache, u64 id,
		  u64 *key)
{
	u32 at = cache_slot(keyer, id);

	*key = cache->cgroup[at] == id ? cache->key[at] : id;
	return cache->cgroup[at] == id || list_has(keyer, id);
}

/*
 * The nearest cgroup of the list.  What is found for a cgroup holds for its parent's other children
 * as well, but for those in the list: it is kept for both, so that a user who switches between many
 * deep cgroups does not have all of their ancestors looked through at each switch.
 */
static u64 listed_of(const struct pmcgrp_keyer *keyer, struct cgroup *cgroup,
		     struct pmcgrp_key_cache *cache)
{
	u64 id = pmcgrp_cgroup_id(cgroup), key;
	int leaf = pmcgrp_cgroup_level(cgroup), level;

	if (likely(cache->cgroup[cache_slot(keyer, id)] == id))
		return cache->key[cache_slot(keyer, id)];
	for (level = leaf; level >= 0; level--)
		if (known(keyer, cache, pmcgrp_cgroup_id(pmcgrp_cgroup_ancestor(cgroup, level)),
			  &key))
			break;
	if (level < 0)
		key = PMCGRP_KEY_OTHER;
	if (level < leaf && leaf)
		cache_put(keyer, cache,
			  pmcgrp_cgroup_id(pmcgrp_cgroup_ancestor(cgroup, leaf - 1)), key);
	cache_put(keyer, cache, id, key);
	return key;
}

static u64 cgroup_of(const struct pmcgrp_keyer *keyer, struct task_struct *task,
		     struct pmcgrp_key_cache *cache)
{
	struct cgroup *cgroup = pmcgrp_task_cgroup(task);

	if (!cgroup)
		return PMCGRP_KEY_OTHER;
	if (keyer->cgroup)
		return listed_of(keyer, cgroup, cache);
	if (pmcgrp_cgroup_level(cgroup) > keyer->depth)
		cgroup = pmcgrp_cgroup_ancestor(cgroup, keyer->depth);
	return pmcgrp_cgroup_id(cgroup);
}

/* @nr: the number that the kernel gives; 0 in another namespace. */
static u64 pid_key(const struct pmcgrp_keyer *keyer, struct task_struct *task, enum pid_type type,
		   pid_t nr)
{
	if (unlikely(!keyer->kernel_ns))
		nr = __task_pid_nr_ns(task, type, keyer->ns);
	return nr ? nr : PMCGRP_KEY_OTHER;
}

static void command_of(const struct task_struct *task, struct pmcgrp_task_key *key)
{
	char *comm = (char *)key->word;

	/* Unlocked: another CPU may be writing it (fs/exec.c: __set_task_comm()). */
	memcpy(comm, task->comm, sizeof(key->word));
	comm[sizeof(key->word) - 1] = '\0';
	/* A task may have any name, but not be taken for an idle CPU. */
	if (!key->word[0] || key->word[0] == PMCGRP_KEY_OTHER)
		comm[sizeof(key->word) - 1] = 1;
}

/**
 * pmcgrp_key_of - find the key of a task
 * @keyer: how tasks are distinguished
 * @task: the task that runs, or is about to
 * @cache: of this CPU
 * @key: out
 *
 * Context: interrupts off, so in an RCU section.
 */
void pmcgrp_key_of(const struct pmcgrp_keyer *keyer, struct task_struct *task,
		   struct pmcgrp_key_cache *cache, struct pmcgrp_task_key *key)
{
	lockdep_assert_irqs_disabled();
	*key = (struct pmcgrp_task_key){};
	if (is_idle_task(task))
		return;
	switch (keyer->type) {
	case PMCGRP_KEY_CGROUP:
		key->word[0] = cgroup_of(keyer, task, cache);
		break;
	case PMCGRP_KEY_PROCESS:
		key->word[0] = pid_key(keyer, task, PIDTYPE_TGID, task_tgid_nr(task));
		/* A thread that has been reaped runs on for a while; its leader may be gone. */
		if (pid_alive(task) && key->word[0] != PMCGRP_KEY_OTHER)
			key->word[1] = task->group_leader->start_boottime;
		break;
	case PMCGRP_KEY_THREAD:
		key->word[0] = pid_key(keyer, task, PIDTYPE_PID, task_pid_nr(task));
		if (key->word[0] != PMCGRP_KEY_OTHER)
			key->word[1] = task->start_boottime;
		break;
	default:
		command_of(task, key);
	}
}
