/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CHARGE_H
#define PMCGRP_CHARGE_H

#include <linux/percpu.h>
#include <linux/types.h>

struct mm_struct;
struct pmcgrp_account;

/**
 * struct pmcgrp_charge - what one object has been charged; its owner's, who takes turns with nobody
 * @account: the user, a reference
 * @mm: memory of the process, a reference to the mm_struct alone; NULL: no locked memory
 * @bytes: bytes charged so far
 * @pages: the same in pages
 * @free: pages of these within the user's allowance
 * @offline: pages within that of CPUs that are not online
 * @pinned: pages beyond it, in @mm
 * @in_flight: bytes of spans in flight
 */
struct pmcgrp_charge {
	struct pmcgrp_account *account;
	struct mm_struct *mm;
	size_t bytes;
	long pages;
	long free;
	long offline;
	long pinned;
	size_t in_flight;
};

void pmcgrp_charge_init(unsigned int kb, unsigned int max_mb);
int pmcgrp_charge_begin(struct pmcgrp_charge *charge);
void pmcgrp_charge_begin_unlocked(struct pmcgrp_charge *charge, struct pmcgrp_account *account);
int pmcgrp_charge_add(struct pmcgrp_charge *charge, size_t size);
int pmcgrp_charge_take_in_flight(struct pmcgrp_charge *charge, size_t size, u32 *why);
void pmcgrp_charge_unlock(struct pmcgrp_charge *charge);
void pmcgrp_charge_end(struct pmcgrp_charge *charge);
u32 pmcgrp_why_of_charge(int err);

void *pmcgrp_charge_alloc(struct pmcgrp_charge *charge, size_t size, int node);
void *pmcgrp_charge_alloc_in_flight(struct pmcgrp_charge *charge, size_t size, u32 *why);
void *pmcgrp_charge_alloc_pages(struct pmcgrp_charge *charge, size_t pages);
void __percpu *pmcgrp_charge_alloc_percpu(struct pmcgrp_charge *charge, size_t size, size_t align,
					  int *err);

/* Memory of a type for each possible CPU, as pmcgrp_charge_alloc_percpu(). */
#define pmcgrp_charge_percpu(charge, type, err)                                                \
	((type __percpu *)pmcgrp_charge_alloc_percpu(charge, sizeof(type), __alignof__(type), err))

#endif /* PMCGRP_CHARGE_H */
