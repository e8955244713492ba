/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BY_KEY_H
#define PMCGRP_BY_KEY_H

#include <linux/types.h>

struct pmcgrp_task_key_table;

int pmcgrp_by_key_begin(struct pmcgrp_task_key_table *table);
void pmcgrp_by_key_end(struct pmcgrp_task_key_table *table);
void pmcgrp_by_key_flush(struct pmcgrp_task_key_table *table, bool was_read);

#endif /* PMCGRP_BY_KEY_H */
