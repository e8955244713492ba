/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Whose a group is, in words. */
#ifndef HOLDER_H
#define HOLDER_H

#include "say/name.h"
#include "pmcgrp.h"

/* Whom an info is about: "(group 1099511627776 of PID 123, foo)", as far as is known. */
void holder_name(const struct pmcgrp_info *holder, uint64_t id, char *buf, size_t size);

/* The field comm of an info, which may have no end, as text: NAME_COMM_SIZE bytes. */
void holder_comm(char *out, const char *comm);

#endif
