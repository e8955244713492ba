/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SPAN_ROOM_H
#define PMCGRP_SPAN_ROOM_H

#include <linux/types.h>

int pmcgrp_span_room_take(size_t size, u32 *why);
void pmcgrp_span_room_give(size_t size);

#endif /* PMCGRP_SPAN_ROOM_H */
