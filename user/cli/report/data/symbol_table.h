/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The functions of an ELF file (by libelf), and of the running kernel. */
#ifndef REPORT_SYMBOL_TABLE_H
#define REPORT_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REP_BUILD_ID_MAX 20

struct rep_build_id {
	unsigned char bytes[REP_BUILD_ID_MAX];
	size_t size;		/* 0: not known */
};

struct rep_function {
	uint64_t start;
	uint64_t size;		/* 0: not known; it goes on to the next one */
	char *name;		/* as text (say/name.h) */
	char *module;		/* of the kernel: "[ext4]"; NULL: none */
	unsigned int rank;	/* of those at one address the least is taken */
};

/* What of a file is where when it is mapped. */
struct rep_segment {
	uint64_t offset;	/* in the file */
	uint64_t size;
	uint64_t address;
};

/* What of a program or library was mapped as code. */
struct rep_mapped {
	uint64_t offset;	/* in the file */
	uint64_t size;
};

/* All zero at first. */
struct rep_symbols {
	struct rep_function *rows;	/* by their addresses */
	size_t nr;
	size_t room;
	struct rep_segment *segments;
	size_t nr_segments;
	size_t room_segments;
};

/* Whether this program can read ELF files at all. */
extern const bool rep_symbols_elf;

/*
 * rep_symbols_read - of an ELF file, or of what Debian's -dbgsym packages have for it
 * @wanted: the file's build id must be this one, if that is known
 *
 * Returns 0; -ENOENT: there is none; -ESTALE: it has another build id; -ENOMEM. @symbols may be
 * empty.
 */
int rep_symbols_read(struct rep_symbols *symbols, const char *path,
		     const struct rep_build_id *wanted);

/*
 * rep_symbols_elsewhere - of a file that is not here: perf's cache in ~/.debug, or its debug file
 * @id: both have it in their paths
 *
 * Returns 0; -ENOENT: neither has functions; -ENOMEM.
 */
int rep_symbols_elsewhere(struct rep_symbols *symbols, const struct rep_build_id *id,
			  const struct rep_mapped *mapped);

/*
 * rep_symbols_kernel - of /proc/kallsyms
 * @name, @address: a symbol, and where it was in the recording
 *
 * Returns 0; -ESTALE: it is elsewhere in this kernel, or that is hidden; -ENOMEM.
 */
int rep_symbols_kernel(struct rep_symbols *symbols, const char *path, const char *name,
		       uint64_t address);

/* The function at an offset of the file, as an index; SIZE_MAX: none is known. */
size_t rep_symbols_find(const struct rep_symbols *symbols, uint64_t offset);

/* The same of an address, without segments. */
size_t rep_symbols_at(const struct rep_symbols *symbols, uint64_t address);

void rep_symbols_free(struct rep_symbols *symbols);

#endif
