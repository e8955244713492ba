/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Whose a group is, in words. */
#ifndef HOLDER_H
#define HOLDER_H

#include "pmcgrp.h"

/* Whom an info is about: "(group 1099511627776 of PID 123, foo)", as far as is known. */
void holder_name(const struct pmcgrp_info *holder, uint64_t id, char *buf, size_t size);

/*
 * A name that others have chosen, with ? for what a terminal might take for more than text. It ends
 * at @size - 1 bytes.
 */
void holder_printable(char *out, const char *name, size_t size);

/* The same of the field comm of an info, which may have no end. */
void holder_comm(char *out, const char *comm);

#endif
