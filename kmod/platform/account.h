/* SPDX-License-Identifier: GPL-2.0-only */
/* What each user has of the module. */
#ifndef PMCGRP_ACCOUNT_H
#define PMCGRP_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

struct cred;

/**
 * enum pmcgrp_limit - what a user has so much of at most
 * @PMCGRP_LIMIT_GROUPS: groups
 * @PMCGRP_LIMIT_COUNTERS: counters of events that its groups had first, and triggers
 * @PMCGRP_LIMIT_SPANS: bytes of spans in flight
 * @PMCGRP_LIMIT_PAGES: pages of all that pmcgrp_charge_add() was given
 * @PMCGRP_LIMITS: number of limits
 */
enum pmcgrp_limit {
	PMCGRP_LIMIT_GROUPS,
	PMCGRP_LIMIT_COUNTERS,
	PMCGRP_LIMIT_SPANS,
	PMCGRP_LIMIT_PAGES,
	PMCGRP_LIMITS,
};

/**
 * struct pmcgrp_account - what a user has
 * @node: node in the list of all accounts; accounts_lock
 * @refs: references; accounts_lock
 * @cred: credentials of the user, which hold its user_struct; NULL: the kernel's modules.
 *	Constant.
 * @offline_pages: locked pages on account of CPUs that are not online (charge.c)
 * @used: what it has, by enum pmcgrp_limit
 */
struct pmcgrp_account {
	struct list_head node;
	unsigned int refs;
	const struct cred *cred;
	atomic_long_t offline_pages;
	atomic_long_t used[PMCGRP_LIMITS];
};

extern struct pmcgrp_account pmcgrp_account_of_modules;

void pmcgrp_account_limit(enum pmcgrp_limit limit, unsigned long max);
void pmcgrp_accounts_exit(void);
struct pmcgrp_account *pmcgrp_account_of_caller(void);
struct pmcgrp_account *pmcgrp_account_get(struct pmcgrp_account *account);
void pmcgrp_account_put(struct pmcgrp_account *account);
bool pmcgrp_account_take(struct pmcgrp_account *account, enum pmcgrp_limit limit, unsigned long nr);
void pmcgrp_account_give(struct pmcgrp_account *account, enum pmcgrp_limit limit, unsigned long nr);
bool pmcgrp_account_is_near(const struct pmcgrp_account *account, enum pmcgrp_limit limit,
			    unsigned long more);

#endif /* PMCGRP_ACCOUNT_H */
