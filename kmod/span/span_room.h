/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_ROOM_H
#define PMCGRP_SPAN_ROOM_H

#include <linux/types.h>

struct pmcgrp_charge;

void pmcgrp_span_room_init(void);
int pmcgrp_span_room_take(struct pmcgrp_charge *charge, size_t size, u32 *why);

#endif /* PMCGRP_SPAN_ROOM_H */
