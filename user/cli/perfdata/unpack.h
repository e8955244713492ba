/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Records out of PERF_RECORD_COMPRESSED and _COMPRESSED2. */
#ifndef PERFDATA_UNPACK_H
#define PERFDATA_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of one record, and of the next one as much as fits. */
#define PERFDATA_UNPACK_ROOM (4 * 65536)

/* All zero at first. */
struct perfdata_unpack {
	uint64_t next;			/* offset in the file behind all that was looked at */
	uint64_t record;		/* offset of the compressed record that was looked at last */
	void *zstd;
	bool any;			/* the file has such records */
	bool broken;			/* what is compressed there cannot be read */
	const unsigned char *in;	/* of that record, what was not decompressed yet */
	size_t nr_in;
	unsigned char *buf;		/* decompressed, and not given yet: from @begin to @end */
	size_t begin, end;
};

/* perfdata_unpack_restart - from the file's first record on */
void perfdata_unpack_restart(struct perfdata_unpack *unpack, uint64_t offset);

/* perfdata_unpack_put - a compressed record's bytes, once all of the one before was given */
void perfdata_unpack_put(struct perfdata_unpack *unpack, const unsigned char *in, size_t nr);

/*
 * perfdata_unpack_get - the next record that was compressed: where it lies until the next call
 *
 * NULL: there is no whole one before the file's next record, or never if broken.
 */
const unsigned char *perfdata_unpack_get(struct perfdata_unpack *unpack, size_t *size);

void perfdata_unpack_free(struct perfdata_unpack *unpack);

#endif
