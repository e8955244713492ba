/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The build-id of a program or library: perf finds its symbols elsewhere by that (perf-archive(1)). */
#ifndef PERFDATA_BUILDID_H
#define PERFDATA_BUILDID_H

#include <stddef.h>
#include <stdint.h>

/* As much as PERF_RECORD_MMAP2 has room for. */
#define PERFDATA_BUILDID_MAX 20

/* perfdata_buildid - that of an ELF file of this machine's byte order; returns its size, 0: none */
size_t perfdata_buildid(int fd, unsigned char id[PERFDATA_BUILDID_MAX]);

/* perfdata_buildid_notes - that among ELF notes that lie one after the other; its size, 0: none */
size_t perfdata_buildid_notes(const unsigned char *notes, size_t len,
			      unsigned char id[PERFDATA_BUILDID_MAX]);

/* perfdata_buildid_kernel - that of the running kernel; its size, 0: it does not tell */
size_t perfdata_buildid_kernel(unsigned char id[PERFDATA_BUILDID_MAX]);

/* The same of a file as a process sees it. */
size_t perfdata_buildid_of(uint32_t pid, const char *path, unsigned char id[PERFDATA_BUILDID_MAX]);

#endif
