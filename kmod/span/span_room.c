// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of spans in flight: all those of a user together have a limit.
 *
 * The kernel charges the instances of a kretprobe to nobody, and who may make spans may be in the
 * root cgroup, which has no limit.
 */
#include <linux/errno.h>
#include <uapi/linux/pmcgrp.h>
#include "platform/account.h"
#include "platform/charge.h"
#include "span/span_room.h"

#define ROOM_MAX (64UL << 20) /* bytes */

/**
 * pmcgrp_span_room_init - set the limit
 *
 * Context: called once, before any span exists.
 */
void pmcgrp_span_room_init(void)
{
	pmcgrp_account_limit(PMCGRP_LIMIT_SPANS, ROOM_MAX);
}

/**
 * pmcgrp_span_room_take - take memory out of the limit
 * @charge: that of the span's section, whose pmcgrp_charge_end() gives it back
 * @size: bytes
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: any; nobody else uses the charge.
 * Return: 0 or -ENOSPC.
 */
int pmcgrp_span_room_take(struct pmcgrp_charge *charge, size_t size, u32 *why)
{
	*why = PMCGRP_WHY_SPANS_ROOM;
	if (!pmcgrp_account_take(charge->account, PMCGRP_LIMIT_SPANS, size))
		return -ENOSPC;
	charge->in_flight += size;
	return 0;
}
