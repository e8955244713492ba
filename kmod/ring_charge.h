/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RING_CHARGE_H
#define PMCGRP_RING_CHARGE_H

struct mm_struct;
struct user_struct;

/**
 * struct pmcgrp_ring_charge - what a ring is charged to.  Constant.
 * @user: the user, a reference
 * @mm: memory of the process, a reference to the mm_struct alone
 * @free: pages within the user's allowance
 * @pinned: pages beyond it, in @mm
 */
struct pmcgrp_ring_charge {
	struct user_struct *user;
	struct mm_struct *mm;
	long free;
	long pinned;
};

void pmcgrp_ring_charge_init(unsigned int kb);
int pmcgrp_ring_charge(struct pmcgrp_ring_charge *charge, unsigned long pages);
void pmcgrp_ring_uncharge(const struct pmcgrp_ring_charge *charge);

#endif /* PMCGRP_RING_CHARGE_H */
