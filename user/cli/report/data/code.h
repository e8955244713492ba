/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * In which function of which object a sample's address lies. A recording tells what was mapped where
 * at its time; the functions are those of the files of today, if they are still the same.
 */
#ifndef REPORT_CODE_H
#define REPORT_CODE_H

#include "map.h"
#include "perfdata/reader.h"
#include "space.h"
#include "strings.h"
#include "symbol_table.h"

/* Why the functions of an object are not known. */
enum rep_unknown {
	REP_UNKNOWN_NOT,	/* they are */
	REP_UNKNOWN_GONE,	/* no such file, or none with functions */
	REP_UNKNOWN_OTHER,	/* it has another build id; the kernel is another one */
	REP_UNKNOWN_NEWER,	/* without a build id: it was changed after the recording */
	REP_UNKNOWN_ELSEWHERE,	/* without a build id: the recording is of another machine */
};

struct rep_object {
	const char *name;	/* its path, or "[kernel.kallsyms]"; as text (say/name.h) */
	struct rep_build_id build_id;
	struct rep_symbols symbols;
	bool looked;		/* for the symbols */
	enum rep_unknown unknown;
};

/* A function, or an address of which no more is known. */
struct rep_function_seen {
	char *name;		/* "main", "0x401000", "[libc.so.6]" */
	size_t object;
};

/* All zero at first, but for @reader. */
struct rep_code {
	const struct perfdata_reader *reader;
	struct rep_space *spaces;	/* of processes, and under ~0 of the kernel */
	size_t nr_spaces;
	size_t room_spaces;
	struct rep_map space_map;	/* by PID */
	struct rep_object *objects;	/* [0]: none is known */
	size_t nr_objects;
	size_t room_objects;
	struct rep_strings object_names;	/* the index is the object's */
	struct rep_function_seen *functions;
	size_t nr_functions;
	size_t room_functions;
	struct rep_map function_map;	/* by object and function */
	struct rep_map address_map;	/* by object and address */
	struct rep_map frame_map;	/* by object: "[libc.so.6]" */
	char kernel_symbol[32];		/* one whose address the recording tells */
	uint64_t kernel_address;
	bool here;			/* the recording is of this machine */
	bool no_functions;		/* only objects are wanted */
	uint64_t without;		/* samples without an address */
};

/*
 * rep_code_begin - take what the file's header has
 * @functions: whether they are wanted, or only objects
 *
 * Returns 0, or -ENOMEM; rep_code_free() in any case.
 */
int rep_code_begin(struct rep_code *code, const struct perfdata_reader *reader, bool functions);

/* A PERF_RECORD_MMAP, _MMAP2, _FORK or _COMM; leaves others alone. Returns 0, or -ENOMEM. */
int rep_code_take(struct rep_code *code, const struct perfdata_record *record);

/* An address of a process, or of the kernel. */
struct rep_place {
	uint32_t pid;
	uint16_t mode;		/* PERF_RECORD_MISC_USER, _KERNEL and others */
	bool frame;		/* of a call chain: where no function is known the object will do */
	uint64_t ip;
};

/*
 * rep_code_find - where a sample was
 * @object, @function: indices; the latter is 0 if functions are not wanted
 *
 * Returns 0, or -ENOMEM.
 */
int rep_code_find(struct rep_code *code, const struct perfdata_sample *sample, size_t *object,
		  size_t *function);

/* The same of a frame of a call chain. Functions must be wanted. */
int rep_code_frame(struct rep_code *code, const struct rep_place *place, size_t *function);

void rep_code_free(struct rep_code *code);

#endif
