// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>
#include <zstd.h>

#include "unpack.h"

void perfdata_unpack_restart(struct perfdata_unpack *unpack, uint64_t offset)
{
	unpack->next = offset;
	unpack->record = offset;
	unpack->broken = false;
	unpack->nr_in = 0;
	unpack->begin = 0;
	unpack->end = 0;
	if (unpack->zstd)
		ZSTD_DCtx_reset(unpack->zstd, ZSTD_reset_session_only);
}

void perfdata_unpack_put(struct perfdata_unpack *unpack, const unsigned char *in, size_t nr)
{
	unpack->any = true;
	if (!unpack->zstd)
		unpack->zstd = ZSTD_createDCtx();
	if (!unpack->buf)
		unpack->buf = malloc(PERFDATA_UNPACK_ROOM);
	unpack->broken = !unpack->zstd || !unpack->buf;
	unpack->in = in;
	unpack->nr_in = nr;
}

/* As much as there is room for: the buffer is greater than a record, so that it goes on. */
static void fill(struct perfdata_unpack *unpack)
{
	ZSTD_inBuffer in = { unpack->in, unpack->nr_in, 0 };
	ZSTD_outBuffer out = { unpack->buf, PERFDATA_UNPACK_ROOM, unpack->end - unpack->begin };
	size_t before = out.pos, ret;

	memmove(unpack->buf, unpack->buf + unpack->begin, before);
	ret = ZSTD_decompressStream(unpack->zstd, &out, &in);
	unpack->broken = ZSTD_isError(ret) || (!in.pos && out.pos == before);
	unpack->begin = 0;
	unpack->end = out.pos;
	unpack->in += in.pos;
	unpack->nr_in -= in.pos;
}

/* Whether a whole record is there. */
static bool whole(struct perfdata_unpack *unpack, size_t *size)
{
	size_t left = unpack->end - unpack->begin;
	struct perf_event_header header;

	if (left < sizeof(header))
		return false;
	memcpy(&header, unpack->buf + unpack->begin, sizeof(header));
	unpack->broken = !header.type || header.size < sizeof(header);
	*size = header.size;
	return !unpack->broken && header.size <= left;
}

/* Zstandard may hold back a part of what it has read, where it had no room for all of it. */
const unsigned char *perfdata_unpack_get(struct perfdata_unpack *unpack, size_t *size)
{
	const unsigned char *record;

	while (!unpack->broken) {
		if (whole(unpack, size)) {
			record = unpack->buf + unpack->begin;
			unpack->begin += *size;
			return record;
		}
		if (unpack->broken || !unpack->nr_in)
			break;
		fill(unpack);
	}
	return NULL;
}

void perfdata_unpack_free(struct perfdata_unpack *unpack)
{
	ZSTD_freeDCtx(unpack->zstd);
	free(unpack->buf);
}
