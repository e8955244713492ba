// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>

#include "holder.h"

#define COMM_SIZE sizeof(((struct pmcgrp_info *)NULL)->comm)

void holder_printable(char *out, const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < size - 1 && name[i]; i++)
		out[i] = name[i] > ' ' && name[i] < 0x7f ? name[i] : '?';
	out[i] = '\0';
}

void holder_comm(char *out, const char *comm)
{
	holder_printable(out, comm, COMM_SIZE + 1);
}

void holder_name(const struct pmcgrp_info *holder, uint64_t id, char *buf, size_t size)
{
	char comm[COMM_SIZE + 1];

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
