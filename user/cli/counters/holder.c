// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>

#include "holder.h"

_Static_assert(NAME_COMM_SIZE == NAME_SIZE(PMCGRP_COMM_SIZE), "a name of the module has room");

void holder_comm(char *out, const char *comm)
{
	name_text(out, NAME_COMM_SIZE, comm, PMCGRP_COMM_SIZE);
}

void holder_name(const struct pmcgrp_info *holder, uint64_t id, char *buf, size_t size)
{
	char comm[NAME_COMM_SIZE];

	if (!holder) {
		snprintf(buf, size, "(group %llu)", (unsigned long long)id);
		return;
	}
	holder_comm(comm, holder->comm);
	if (holder->owner)
		snprintf(buf, size, "(group %llu of PID %d, %s)", (unsigned long long)id,
			 holder->owner, comm);
	else
		snprintf(buf, size, "(group %llu of %s)", (unsigned long long)id, comm);
}
