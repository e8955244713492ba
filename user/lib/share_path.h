/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Data that is installed with the library and the tool. */
#ifndef PMCGRP_SHARE_PATH_H
#define PMCGRP_SHARE_PATH_H

/*
 * share_path - where the file or folder of this name is
 *
 * In $PMCGRP_SHARE, if that is set, and nowhere else. Otherwise in share/pmcgrp: beside the
 * running program and beside its folder, beside the library and the folders above it, in
 * /usr/local and in /usr.
 * Returns a path to be freed; NULL: it is nowhere, or there is no memory.
 */
char *share_path(const char *name);

#endif
