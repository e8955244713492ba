/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Files of others that are installed beside the tool. */
#ifndef REPORT_SHARE_H
#define REPORT_SHARE_H

#include <stddef.h>

/*
 * rep_share_read - the plotting library's file of this name, as a string to be freed
 *
 * Looked for in $PMCGRP_SHARE if that is set; else in share/pmcgrp beside the tool and
 * beside its folder, and where Debian's package has it. NULL: it is nowhere.
 */
char *rep_share_read(const char *name);

#endif
