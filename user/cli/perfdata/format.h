/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The layout of perf.data, as tools/perf/Documentation/perf.data-file-format.txt has it,
 * and the records of the perf tool's own that the kernel's headers do not name.
 */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <stdint.h>

#define PERFDATA_MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
#define PERFDATA_PIPE_SIZE	16	/* of the header that perf writes to a pipe */

struct perfdata_section {
	uint64_t offset;
	uint64_t size;
};

struct perfdata_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;	/* of an entry of attrs: an attr and a section of ids */
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types;
	uint64_t features[4];
};

#define PERFDATA_FEATURES	256

/* Which bit of features. */
enum {
	PERFDATA_BUILD_ID	= 2,
	PERFDATA_HOSTNAME	= 3,
	PERFDATA_OSRELEASE	= 4,
	PERFDATA_EVENT_DESC	= 12,
};

enum {
	PERFDATA_USER_FIRST	= 64,	/* from here on the perf tool's */
	PERFDATA_HEADER_ATTR	= 64,	/* these, up to FEATURE: of what was written to a pipe */
	PERFDATA_EVENT_TYPE	= 65,	/* perf skips it */
	PERFDATA_TRACING_DATA	= 66,
	PERFDATA_FINISHED_ROUND	= 68,
	PERFDATA_ID_INDEX	= 69,
	PERFDATA_AUXTRACE	= 71,
	PERFDATA_EVENT_UPDATE	= 78,
	PERFDATA_HEADER_FEATURE	= 80,
	PERFDATA_COMPRESSED	= 81,
	PERFDATA_COMPRESSED2	= 83,	/* perf's from 6.16 on: with its length */
};

#endif
