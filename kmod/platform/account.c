// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: what each user has, and the limits of that.
 *
 * Limits are a user's, not the machine's: one who has all that he may have takes nothing from
 * others.  A user is who the kernel's own limits of users are for: struct user_struct, which the
 * real user id of a process stands for in all namespaces.  Not every kernel exports free_uid(), so
 * an account holds credentials of its user, and they the user_struct.
 *
 * What other kernel modules have is in an account of its own, with the same limits.
 */
#include <linux/bug.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "platform/account.h"

static DEFINE_SPINLOCK(accounts_lock);
static LIST_HEAD(accounts);	     /* accounts_lock */
static long max_of[PMCGRP_LIMITS]; /* constant after init */

struct pmcgrp_account pmcgrp_account_of_modules = { .refs = 1 };

/**
 * pmcgrp_account_limit - set a limit
 * @limit: the limit
 * @max: how much a user can have of it
 *
 * Context: called once, before anyone has any.
 */
void pmcgrp_account_limit(enum pmcgrp_limit limit, unsigned long max)
{
	max_of[limit] = min_t(unsigned long, max, LONG_MAX);
}

/**
 * pmcgrp_accounts_exit - check that nobody has anything any more
 *
 * Context: after the last group, ring and RCU callback.
 */
void pmcgrp_accounts_exit(void)
{
	WARN_ON(!list_empty(&accounts));
	WARN_ON(pmcgrp_account_of_modules.refs != 1);
}

/* Find the account of the current user, and take a reference; accounts_lock is held. */
static struct pmcgrp_account *account_find(void)
{
	struct pmcgrp_account *account;

	lockdep_assert_held(&accounts_lock);
	list_for_each_entry(account, &accounts, node)
		if (account->cred->user == current_user()) {
			account->refs++;
			return account;
		}
	return NULL;
}

/**
 * pmcgrp_account_of_caller - get the account of the current process's user
 *
 * Context: may sleep.
 * Return: a reference, for pmcgrp_account_put(); NULL without memory.
 */
struct pmcgrp_account *pmcgrp_account_of_caller(void)
{
	struct pmcgrp_account *account, *fresh;
	unsigned long flags;

	spin_lock_irqsave(&accounts_lock, flags);
	account = account_find();
	spin_unlock_irqrestore(&accounts_lock, flags);
	if (account)
		return account;
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return NULL;
	fresh->refs = 1;
	fresh->cred = get_current_cred();
	spin_lock_irqsave(&accounts_lock, flags);
	account = account_find();
	if (!account)
		list_add(&fresh->node, &accounts);
	spin_unlock_irqrestore(&accounts_lock, flags);
	if (!account)
		return fresh;
	put_cred(fresh->cred);
	kfree(fresh);
	return account;
}

/**
 * pmcgrp_account_get - take another reference
 * @account: the account
 *
 * Context: any but NMI; no raw lock held.
 * Return: the account.
 */
struct pmcgrp_account *pmcgrp_account_get(struct pmcgrp_account *account)
{
	unsigned long flags;

	spin_lock_irqsave(&accounts_lock, flags);
	account->refs++;
	spin_unlock_irqrestore(&accounts_lock, flags);
	return account;
}

/**
 * pmcgrp_account_put - drop a reference
 * @account: the account, or NULL
 *
 * Context: as pmcgrp_account_get(); RCU callbacks included.
 */
void pmcgrp_account_put(struct pmcgrp_account *account)
{
	unsigned long flags;
	unsigned int i;
	bool last;

	if (!account)
		return;
	spin_lock_irqsave(&accounts_lock, flags);
	last = !--account->refs;
	if (last)
		list_del(&account->node);
	spin_unlock_irqrestore(&accounts_lock, flags);
	if (!last)
		return;
	for (i = 0; i < PMCGRP_LIMITS; i++)
		WARN_ON_ONCE(atomic_long_read(&account->used[i]));
	put_cred(account->cred);
	kfree(account);
}

/**
 * pmcgrp_account_take - count what a user gets
 * @account: its account
 * @limit: what it gets
 * @nr: how much of it
 *
 * Context: any.
 * Return: whether it may; then pmcgrp_account_give() undoes this.
 */
bool pmcgrp_account_take(struct pmcgrp_account *account, enum pmcgrp_limit limit, unsigned long nr)
{
	long max = max_of[limit];

	if (nr > max)
		return false;
	if (atomic_long_add_return(nr, &account->used[limit]) <= max)
		return true;
	atomic_long_sub(nr, &account->used[limit]);
	return false;
}

/**
 * pmcgrp_account_give - undo pmcgrp_account_take()
 * @account: the account
 * @limit: what it had
 * @nr: how much of it
 *
 * Context: any.
 */
void pmcgrp_account_give(struct pmcgrp_account *account, enum pmcgrp_limit limit, unsigned long nr)
{
	atomic_long_sub(nr, &account->used[limit]);
}

/**
 * pmcgrp_account_is_near - check whether a user reaches a limit with some more
 * @account: its account
 * @limit: the limit
 * @more: how much more
 *
 * Context: any.
 */
bool pmcgrp_account_is_near(const struct pmcgrp_account *account, enum pmcgrp_limit limit,
			    unsigned long more)
{
	return atomic_long_read(&account->used[limit]) + more >= max_of[limit];
}
