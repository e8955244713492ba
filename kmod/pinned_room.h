/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PINNED_ROOM_H
#define PMCGRP_PINNED_ROOM_H

void pmcgrp_guard_init(void);

#endif /* PMCGRP_PINNED_ROOM_H */
