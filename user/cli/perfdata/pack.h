/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Records in PERF_RECORD_COMPRESSED, each with a part of one stream of Zstandard's for a file. */
#ifndef PERFDATA_PACK_H
#define PERFDATA_PACK_H

#include <stddef.h>
#include <stdint.h>

struct perfdata_pack {
	void *zstd;
	unsigned char *buf;		/* what was compressed last */
	size_t room;
	uint64_t from, to;		/* bytes of this file before and after */
};

/* No record gives more than that: HEADER_COMPRESSED tells a reader. */
#define PERFDATA_PACK_CHUNK 61440

#define PERFDATA_PACK_LEVEL_MAX 22

/* perfdata_pack_init - for up to @max bytes at once; returns 0 or -ENOMEM */
int perfdata_pack_init(struct perfdata_pack *pack, int level, size_t max);

/* perfdata_pack_begin - another file; returns 0 or a negative errno */
int perfdata_pack_begin(struct perfdata_pack *pack);

/*
 * perfdata_pack - compress records, such that all of them can be read at once
 * @len: out: how many bytes there are in pack->buf, behind which 64 KiB are free
 *
 * Returns 0 or a negative errno.
 */
int perfdata_pack(struct perfdata_pack *pack, const unsigned char *bytes, size_t size, size_t *len);

void perfdata_pack_free(struct perfdata_pack *pack);

#endif
