// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Writing a perf.data file so that it can be read at any moment, whatever happens to the
 * writer. perf looks for the table of the features behind the data, wherever the header says
 * that it ends. A flush goes these steps:
 *
 *	header  data ......  table					data ends at A
 *	header  data ......  table   new data ......  table		still
 *	header  data ......  table   new data ......  table		still, without features
 *	header  data ......  pad     new data ......  table		still
 *	header  data ......  pad     new data ......  table		data ends at B, with features
 *
 * After the first and second all is as before, and what follows is not looked at. After the
 * third, for the moment of two system calls, the header names no feature and the records are
 * there; their events' names are among the records, too. perf of Linux 7.3 refuses a file whose
 * table is none, older ones go on. A pad is a record that perf skips.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "write_file.h"

/* Written when so much has gathered, or at a flush. */
#define BUFFER (1 << 20)

static int write_at(int fd, const void *bytes, size_t len, uint64_t at)
{
	ssize_t ret;

	while (len) {
		ret = pwrite(fd, bytes, len, (off_t)at);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret ? -errno : -EIO;
		bytes = (const unsigned char *)bytes + ret;
		len -= (size_t)ret;
		at += (uint64_t)ret;
	}
	return 0;
}

static int write_all(int fd, const unsigned char *bytes, size_t len)
{
	ssize_t ret;

	while (len) {
		ret = write(fd, bytes, len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret ? -errno : -EIO;
		bytes += ret;
		len -= (size_t)ret;
	}
	return 0;
}

/* What was written behind the table is no part of the file. */
static int give_up(struct perfdata_file *f, int ret)
{
	f->failed = ret;
	if (ftruncate(f->fd, (off_t)(f->head.len + f->size + f->head.table_len)) < 0)
		return ret;
	return ret;
}

/* What is in the buffer as the file shall have it, with room for a table behind. */
static int new_data(struct perfdata_file *f, unsigned char **bytes, size_t *len)
{
	*bytes = f->buf;
	*len = f->used;
	if (!f->pack || f->plain)
		return 0;
	*bytes = f->pack->buf;
	return perfdata_pack(f->pack, f->buf, f->used, len);
}

static int commit_pipe(struct perfdata_file *f)
{
	f->failed = write_all(f->fd, f->buf, f->used);
	if (f->failed)
		return f->failed;
	f->size += f->used;
	f->used = 0;
	return 0;
}

/* The end of the header in one piece: how long the data are, and whether there are features. */
static int put_header(struct perfdata_file *f, uint64_t size, bool features)
{
	unsigned char bytes[PERFDATA_HEADER_SIZE];

	memcpy(bytes, f->head.bytes, sizeof(bytes));
	memcpy(bytes + PERFDATA_SIZE_AT, &size, sizeof(size));
	if (!features)
		memset(bytes + PERFDATA_FEATURES_AT, 0, sizeof(bytes) - PERFDATA_FEATURES_AT);
	return write_at(f->fd, bytes + PERFDATA_SIZE_AT, sizeof(bytes) - PERFDATA_SIZE_AT, PERFDATA_SIZE_AT);
}

int perfdata_file_commit(struct perfdata_file *f)
{
	const struct perf_event_header pad = { .type = PERFDATA_EVENT_TYPE,
					       .size = (uint16_t)f->head.table_len };
	uint64_t end = f->head.len + f->size, table = f->head.table_len, size, times[2];
	unsigned char *bytes;
	size_t len;
	int ret;

	if (f->failed || !f->used)
		return f->failed;
	if (f->pipe)
		return commit_pipe(f);
	ret = new_data(f, &bytes, &len);
	if (ret < 0)
		return give_up(f, ret);
	/* New data and table in one piece. */
	memcpy(bytes + len, f->head.table, table);
	ret = write_at(f->fd, bytes, len + table, end + table);
	if (ret < 0)
		return give_up(f, ret);
	bytes = calloc(1, table);
	if (!bytes)
		return give_up(f, -ENOMEM);
	memcpy(bytes, &pad, sizeof(pad));
	ret = put_header(f, f->size, false);
	if (!ret)
		ret = write_at(f->fd, bytes, table, end);
	free(bytes);
	size = f->size + table + len;
	if (!ret)
		ret = put_header(f, size, true);
	times[0] = f->first;
	times[1] = f->last;
	if (!ret)
		ret = write_at(f->fd, times, sizeof(times), f->head.times_at);
	if (ret < 0) {
		f->failed = ret;
		return ret;
	}
	f->size = size;
	f->used = 0;
	return 0;
}

unsigned char *perfdata_file_room(struct perfdata_file *f)
{
	if (f->used + 2 * PERFDATA_RECORD_MAX > BUFFER && perfdata_file_commit(f) < 0)
		return NULL;
	return f->failed ? NULL : f->buf + f->used;
}

int perfdata_file_put(struct perfdata_file *f, const unsigned char *bytes, size_t len)
{
	struct perf_event_header header;
	unsigned char *at;

	while (len >= sizeof(header)) {
		memcpy(&header, bytes, sizeof(header));
		at = perfdata_file_room(f);
		if (!at)
			return f->failed;
		memcpy(at, bytes, header.size);
		f->used += header.size;
		bytes += header.size;
		len -= header.size;
	}
	return 0;
}

/* ---- From its beginning to its end ---- */

int perfdata_file_init(struct perfdata_file *f, const struct record_desc *desc)
{
	int ret = 0;

	f->fd = -1;
	f->pipe = desc->pipe;
	f->buf = malloc(BUFFER + PERFDATA_RECORD_MAX);
	if (!f->buf)
		return -ENOMEM;
	if (desc->level) {
		f->pack = calloc(1, sizeof(*f->pack));
		ret = f->pack ? perfdata_pack_init(f->pack, desc->level, BUFFER) : -ENOMEM;
	}
	return ret ? ret : perfdata_head_make(&f->head, desc);
}

/* No data yet: the table stands where it will end. */
int perfdata_file_begin(struct perfdata_file *f, int fd)
{
	f->fd = fd;
	f->size = 0;
	f->used = 0;
	f->first = 0;
	f->last = 0;
	f->plain = true;
	if (f->pipe) {
		f->failed = write_all(fd, f->head.bytes, f->head.len);
		return f->failed;
	}
	f->failed = f->pack ? perfdata_pack_begin(f->pack) : 0;
	if (!f->failed)
		f->failed = write_at(fd, f->head.bytes, f->head.len, 0);
	if (!f->failed)
		f->failed = write_at(fd, f->head.table, f->head.table_len, f->head.len);
	return f->failed;
}

static int put_ratio(struct perfdata_file *f)
{
	const struct perfdata_pack *pack = f->pack;
	uint32_t ratio;

	if (!pack || !pack->to)
		return 0;
	ratio = (uint32_t)((pack->from + pack->to / 2) / pack->to);
	return write_at(f->fd, &ratio, sizeof(ratio), f->head.ratio_at);
}

int perfdata_file_finish(struct perfdata_file *f)
{
	int ret = perfdata_file_commit(f);

	if (!ret && f->fd >= 0)
		ret = put_ratio(f);

	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	return ret;
}

void perfdata_file_free(struct perfdata_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	perfdata_head_free(&f->head);
	free(f->buf);
	if (f->pack)
		perfdata_pack_free(f->pack);
	free(f->pack);
}
