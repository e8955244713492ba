// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of spans in flight: all of the machine's together have a limit.
 *
 * The kernel charges the instances of a kretprobe to nobody, and who may make spans may be in the
 * root cgroup, which has no limit.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <uapi/linux/pmcgrp.h>
#include "span_room.h"

#define ROOM_MAX (64L << 20) /* bytes */

static atomic_long_t taken; /* bytes */

/**
 * pmcgrp_span_room_take - take memory out of the limit
 * @size: bytes
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: any.
 * Return: 0, then pmcgrp_span_room_give() undoes this; -ENOSPC.
 */
int pmcgrp_span_room_take(size_t size, u32 *why)
{
	if (size <= ROOM_MAX && atomic_long_add_return(size, &taken) <= ROOM_MAX)
		return 0;
	if (size <= ROOM_MAX)
		atomic_long_sub(size, &taken);
	*why = PMCGRP_WHY_SPANS_ROOM;
	return -ENOSPC;
}

/**
 * pmcgrp_span_room_give - undo pmcgrp_span_room_take()
 * @size: bytes
 *
 * Context: any.
 */
void pmcgrp_span_room_give(size_t size)
{
	atomic_long_sub(size, &taken);
}
