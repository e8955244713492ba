// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "format.h"
#include "pack.h"

/* Behind the records. */
#define SPARE 65536

_Static_assert(ZSTD_COMPRESSBOUND(PERFDATA_PACK_CHUNK) + sizeof(struct perf_event_header) < UINT16_MAX,
	       "what cannot be compressed must fit into a record");

int perfdata_pack_init(struct perfdata_pack *pack, int level, size_t max)
{
	size_t record = sizeof(struct perf_event_header) + ZSTD_COMPRESSBOUND(PERFDATA_PACK_CHUNK);
	size_t ret;

	pack->room = (max / PERFDATA_PACK_CHUNK + 1) * record + SPARE;
	pack->buf = malloc(pack->room);
	pack->zstd = ZSTD_createCCtx();
	if (!pack->buf || !pack->zstd)
		return -ENOMEM;
	ret = ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel, level);
	return ZSTD_isError(ret) ? -EINVAL : 0;
}

int perfdata_pack_begin(struct perfdata_pack *pack)
{
	pack->from = 0;
	pack->to = 0;
	return ZSTD_isError(ZSTD_CCtx_reset(pack->zstd, ZSTD_reset_session_only)) ? -EIO : 0;
}

/* One record; flushed, so that its reader needs none of those after it. */
static int pack_chunk(struct perfdata_pack *pack, const unsigned char *bytes, size_t size, size_t *len)
{
	const size_t head = sizeof(struct perf_event_header);
	struct perf_event_header header = { .type = PERFDATA_COMPRESSED };
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out = { pack->buf + *len + head, UINT16_MAX - head, 0 };
	size_t left;

	do {
		left = ZSTD_compressStream2(pack->zstd, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? -ENOMEM : -EIO;
		if (left && out.pos == out.size)
			return -EIO;
	} while (left || in.pos < in.size);
	header.size = (uint16_t)(head + out.pos);
	memcpy(pack->buf + *len, &header, head);
	*len += header.size;
	return 0;
}

int perfdata_pack(struct perfdata_pack *pack, const unsigned char *bytes, size_t size, size_t *len)
{
	size_t at, chunk;
	int ret = 0;

	*len = 0;
	for (at = 0; at < size && !ret; at += chunk) {
		chunk = size - at < PERFDATA_PACK_CHUNK ? size - at : PERFDATA_PACK_CHUNK;
		ret = pack_chunk(pack, bytes + at, chunk, len);
	}
	pack->from += size;
	pack->to += *len;
	return ret;
}

void perfdata_pack_free(struct perfdata_pack *pack)
{
	ZSTD_freeCCtx(pack->zstd);
	free(pack->buf);
}
