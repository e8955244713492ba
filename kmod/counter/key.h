/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys of tasks: what counts are split by (uapi/linux/pmcgrp.h, DOC: Counts by key).
 */
#ifndef PMCGRP_KEY_H
#define PMCGRP_KEY_H

#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct pid_namespace;
struct pmcgrp_charge;

/* Number of enum pmcgrp_key_type. */
#define PMCGRP_KEY_TYPES (PMCGRP_KEY_COMMAND + 1)

/* Bytes of a task's name that user space is shown, with the last one, which is 0. */
#define PMCGRP_COMM_LEN (TASK_COMM_LEN < PMCGRP_COMM_SIZE ? TASK_COMM_LEN : PMCGRP_COMM_SIZE)

/**
 * struct pmcgrp_task_key - the key of a task, as pmcgrp_keys_slot.key
 * @word: both words
 */
struct pmcgrp_task_key {
	u64 word[2];
};

#define PMCGRP_KEY_CACHE_BITS 6
#define PMCGRP_KEY_CACHE BIT(PMCGRP_KEY_CACHE_BITS)

/**
 * struct pmcgrp_key_cache - cgroups of tasks that ran on a CPU, and parents of these, by hash
 * @cgroup: id of a cgroup; 0: none
 * @key: the one of the list that it belongs to
 *
 * A cgroup has its ancestors for life, and its id for itself.
 */
struct pmcgrp_key_cache {
	u64 cgroup[PMCGRP_KEY_CACHE];
	u64 key[PMCGRP_KEY_CACHE];
};

/**
 * struct pmcgrp_keyer - how tasks are distinguished.  Constant.
 * @type: enum pmcgrp_key_type
 * @depth: the deepest level of a cgroup that has a key of its own
 * @seed: a secret number
 * @factor: secret numbers, for pmcgrp_key_hash()
 * @ns: PID namespace of the numbers; a reference
 * @kernel_ns: @ns is the initial namespace
 * @nr: number of ids in @cgroup
 * @cgroup: ids, in rising order; or NULL without a list
 */
struct pmcgrp_keyer {
	u32 type;
	u32 depth;
	u64 seed;
	u64 factor[4];
	struct pid_namespace *ns;
	bool kernel_ns;
	u32 nr;
	u64 *cgroup;
};

int pmcgrp_keyer_init(struct pmcgrp_keyer *keyer, struct pmcgrp_charge *charge,
		      const struct pmcgrp_keys *arg, u32 *why);
void pmcgrp_keyer_free(struct pmcgrp_keyer *keyer);
u32 pmcgrp_key_types(void);
void pmcgrp_key_of(const struct pmcgrp_keyer *keyer, struct task_struct *task,
		   struct pmcgrp_key_cache *cache, struct pmcgrp_task_key *key);

/*
 * A number of @bits bits by which a key is looked for.  Users choose the names of their tasks.
 * With secret factors any two keys, however they were chosen, have the same number once in 2^@bits:
 * it is the upper bits of a sum of products of 64 bits, one for each 32 bits of the key.
 */
static inline u32 pmcgrp_key_hash(const struct pmcgrp_keyer *keyer,
				  const struct pmcgrp_task_key *key, unsigned int bits)
{
	u64 sum = keyer->factor[0] * (u32)key->word[0] + keyer->factor[1] * (key->word[0] >> 32) +
		  keyer->factor[2] * (u32)key->word[1] + keyer->factor[3] * (key->word[1] >> 32);

	return sum >> (64 - bits);
}

static inline bool pmcgrp_key_is(const struct pmcgrp_task_key *key, const u64 *word)
{
	return key->word[0] == word[0] && key->word[1] == word[1];
}

/**
 * pmcgrp_key_comm - get the name that is shown with a key
 * @keyer: how tasks are distinguished: by process it is the name of its first thread
 * @task: the task
 * @comm: out: PMCGRP_COMM_LEN bytes, zero-terminated
 *
 * Unlocked: another CPU may be writing it (fs/exec.c: __set_task_comm()).
 *
 * Context: any.
 */
static inline void pmcgrp_key_comm(const struct pmcgrp_keyer *keyer, const struct task_struct *task,
				   char *comm)
{
	if (keyer->type == PMCGRP_KEY_PROCESS && pid_alive(task))
		task = task->group_leader;
	memcpy(comm, task->comm, PMCGRP_COMM_LEN);
	comm[PMCGRP_COMM_LEN - 1] = '\0';
}

#endif /* PMCGRP_KEY_H */
