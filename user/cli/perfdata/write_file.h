/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A perf.data file that grows by records, and can be read at any moment. */
#ifndef PERFDATA_WRITE_FILE_H
#define PERFDATA_WRITE_FILE_H

#include "pack.h"
#include "head.h"

#define PERFDATA_RECORD_MAX 65536

struct perfdata_file {
	struct perfdata_head head;
	int fd;				/* -1: none is open */
	int failed;			/* negative errno */
	uint64_t size;			/* of the data, as the header says */
	struct perfdata_pack *pack;	/* NULL: nothing is compressed */
	bool pipe;			/* from its beginning to its end, without a table */
	bool plain;			/* what a file begins with is not */
	unsigned char *buf;
	size_t used;
	uint64_t first, last;		/* times of samples; 0: none yet */
};

/* Each returns 0 or a negative errno; after a failure the file is as the last commit has left it. */

/* perfdata_file_init - what all files begin with; perfdata_file_free() in any case */
int perfdata_file_init(struct perfdata_file *file, const struct record_desc *desc);

/* perfdata_file_begin - a file without records; @fd becomes the file's */
int perfdata_file_begin(struct perfdata_file *file, int fd);

/* Where the next record goes: there is room for one of any size. NULL after a failure. */
unsigned char *perfdata_file_room(struct perfdata_file *file);

/* perfdata_file_put - records that were made as a stream */
int perfdata_file_put(struct perfdata_file *file, const unsigned char *bytes, size_t len);

/* perfdata_file_commit - what is in the buffer becomes a part of the file */
int perfdata_file_commit(struct perfdata_file *file);

/* perfdata_file_finish - commit, and close the file */
int perfdata_file_finish(struct perfdata_file *file);

void perfdata_file_free(struct perfdata_file *file);

/* Bytes in the file; 0: none is open. */
static inline uint64_t perfdata_file_size(const struct perfdata_file *file)
{
	return file->fd < 0 ? 0 : file->head.len + file->size + file->head.table_len;
}

#endif
