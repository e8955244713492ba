/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Whether a recording is of this machine, and of the kernel that runs now. */
#ifndef REPORT_KERNEL_H
#define REPORT_KERNEL_H

#include "perfdata/reader.h"
#include "symbol_table.h"

/* Whether the file names this host. */
bool rep_kernel_host(const struct perfdata_reader *reader);

/*
 * rep_kernel_runs - whether the recorded kernel may be the running one
 * @recorded: its build id; where there is none, the releases are compared
 */
bool rep_kernel_runs(const struct perfdata_reader *reader, const struct rep_build_id *recorded);

/* When a file was changed last (its inode), in s; 0: there is none. */
int64_t rep_kernel_changed(const char *path);

#endif
