// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "say/name.h"
#include "grow.h"
#include "kernel.h"
#include "perfdata/format.h"

#define KERNEL UINT32_MAX	/* as a PID, in perf's records */

static const char kernel_name[] = "[kernel.kallsyms]";

/* ---- Objects ---- */

/* The object of a name, which may be new; SIZE_MAX: out of memory. */
static size_t object_of(struct rep_code *code, const char *name)
{
	size_t at = rep_strings_add(&code->object_names, name);

	if (at == SIZE_MAX || at < code->nr_objects)
		return at;
	if (!rep_grow(&code->objects, &code->room_objects, at, sizeof(*code->objects)))
		return SIZE_MAX;
	code->objects[at] = (struct rep_object){ .name = code->object_names.rows[at] };
	code->nr_objects++;
	return at;
}

static void build_id_set(struct rep_build_id *id, const unsigned char *bytes, size_t size)
{
	if (!size || size > REP_BUILD_ID_MAX)
		return;
	memcpy(id->bytes, bytes, size);
	id->size = size;
}

/* HEADER_BUILD_ID: header, pid, 24 bytes, of which the 21st may be the size, and the file's name. */
static int build_ids_read(struct rep_code *code, const struct perfdata_section *section)
{
	const unsigned char *at = code->reader->bytes + section->offset, *end = at + section->size;
	struct perf_event_header header;
	size_t object;
	char *name;

	for (; end - at >= 36; at += header.size) {
		memcpy(&header, at, sizeof(header));
		if (header.size < 37 || header.size > end - at)
			break;
		name = name_dup(at + 36, header.size - 36U);
		if (!name)
			return -ENOMEM;
		object = object_of(code, name);
		free(name);
		if (object == SIZE_MAX)
			return -ENOMEM;
		build_id_set(&code->objects[object].build_id, at + 12,
			     header.misc & 1 << 15 ? at[32] : REP_BUILD_ID_MAX);
	}
	return 0;
}

/* ---- What is mapped ---- */

static struct rep_space *space_of(struct rep_code *code, uint32_t pid)
{
	size_t at = rep_map_find(&code->space_map, pid, 0);

	if (at != REP_MAP_NONE)
		return &code->spaces[at];
	at = code->nr_spaces;
	if (!rep_grow(&code->spaces, &code->room_spaces, at, sizeof(*code->spaces)) ||
	    rep_map_add(&code->space_map, pid, 0, at) < 0)
		return NULL;
	memset(&code->spaces[at], 0, sizeof(code->spaces[at]));
	code->nr_spaces++;
	return &code->spaces[at];
}

/* Behind the name of the kernel stands a symbol, which is cut off; it is at @address. */
static void kernel_take(struct rep_code *code, char *name, uint64_t address)
{
	char *symbol = name + strlen(kernel_name);

	if (strncmp(name, kernel_name, strlen(kernel_name)))
		return;
	if (!code->kernel_address) {
		snprintf(code->kernel_symbol, sizeof(code->kernel_symbol), "%s", symbol);
		code->kernel_address = address;
	}
	*symbol = '\0';
}

/* PERF_RECORD_MMAP: pid, tid, addr, len, pgoff, name; _MMAP2 has 32 bytes before the name. */
static int take_mmap(struct rep_code *code, const struct perfdata_record *record)
{
	size_t name_at = record->type == PERF_RECORD_MMAP2 ? 64 : 32, object;
	struct rep_range range;
	struct rep_space *space;
	uint32_t pid;
	char *name;

	if (record->size <= name_at)
		return 0;
	pid = perfdata_u32(record->body);
	range.start = perfdata_u64(record->body + 8);
	range.end = range.start + perfdata_u64(record->body + 16);
	range.offset = perfdata_u64(record->body + 24);
	name = name_dup(record->body + name_at, record->size - name_at);
	if (!name)
		return -ENOMEM;
	if (pid == KERNEL)
		kernel_take(code, name, range.offset ? range.offset : range.start);
	object = object_of(code, name);
	free(name);
	space = space_of(code, pid);
	if (object == SIZE_MAX || !space)
		return -ENOMEM;
	/* size, 3 bytes of nothing, and the id, in place of the inode. */
	if (record->type == PERF_RECORD_MMAP2 && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		build_id_set(&code->objects[object].build_id, record->body + 36, record->body[32]);
	range.object = (unsigned int)object;
	return rep_space_add(space, &range);
}

/* PERF_RECORD_FORK: pid, its parent's. A thread has its process's. */
static int take_fork(struct rep_code *code, const struct perfdata_record *record)
{
	uint32_t pid, parent;
	struct rep_space *child;
	size_t at;

	if (record->size < 16)
		return 0;
	pid = perfdata_u32(record->body);
	parent = perfdata_u32(record->body + 4);
	at = rep_map_find(&code->space_map, parent, 0);
	if (pid == parent || at == REP_MAP_NONE)
		return 0;
	child = space_of(code, pid);
	return child ? rep_space_copy(child, &code->spaces[at]) : -ENOMEM;
}

/* execve(2): nothing of before is left. */
static void take_exec(struct rep_code *code, const struct perfdata_record *record)
{
	size_t at;

	if (record->size < 8 || !(record->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	at = rep_map_find(&code->space_map, perfdata_u32(record->body), 0);
	if (at != REP_MAP_NONE)
		rep_space_free(&code->spaces[at]);
}

int rep_code_take(struct rep_code *code, const struct perfdata_record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_mmap(code, record);
	case PERF_RECORD_FORK:
		return take_fork(code, record);
	case PERF_RECORD_COMM:
		take_exec(code, record);
		return 0;
	default:
		return 0;
	}
}

/* ---- Where an address is ---- */

/* Of a user's file: its functions, if it is the one that was recorded or its build id leads to it. */
static int object_load(const struct rep_code *code, struct rep_object *object,
		       const struct rep_range *range)
{
	struct rep_mapped mapped = { range->offset, range->end - range->start };
	int ret, elsewhere;

	object->looked = true;
	object->unknown = REP_UNKNOWN_GONE;
	if (object->name[0] != '/')
		return 0;
	if (!object->build_id.size && !code->here) {
		object->unknown = REP_UNKNOWN_ELSEWHERE;
		return 0;
	}
	if (!object->build_id.size && rep_kernel_changed(object->name) > code->reader->changed) {
		object->unknown = REP_UNKNOWN_NEWER;
		return 0;
	}
	ret = rep_symbols_read(&object->symbols, object->name, &object->build_id);
	if ((ret == -ENOENT || ret == -ESTALE) && object->build_id.size) {
		elsewhere = rep_symbols_elsewhere(&object->symbols, &object->build_id, &mapped);
		ret = elsewhere == -ENOENT ? ret : elsewhere;
	}
	if (ret == -ESTALE)
		object->unknown = REP_UNKNOWN_OTHER;
	else if (object->symbols.nr)
		object->unknown = REP_UNKNOWN_NOT;
	return ret == -ENOMEM ? ret : 0;
}

static int kernel_load(const struct rep_code *code, struct rep_object *object)
{
	int ret = -ESTALE;

	object->looked = true;
	if (code->kernel_address && rep_kernel_runs(code->reader, &object->build_id))
		ret = rep_symbols_kernel(&object->symbols, "/proc/kallsyms", code->kernel_symbol,
					 code->kernel_address);
	if (ret < 0)
		rep_symbols_free(&object->symbols);
	object->unknown = ret < 0 ? REP_UNKNOWN_OTHER : REP_UNKNOWN_NOT;
	return ret == -ENOMEM ? ret : 0;
}

/* One that was seen already, or a new one; SIZE_MAX: out of memory. */
static size_t function_of(struct rep_code *code, struct rep_map *map, size_t object, uint64_t key,
			  const char *name)
{
	size_t at = rep_map_find(map, object, key);
	char address[24];

	if (at != REP_MAP_NONE)
		return at;
	snprintf(address, sizeof(address), key ? "0x%" PRIx64 : "[no address]", key);
	at = code->nr_functions;
	if (!rep_grow(&code->functions, &code->room_functions, at, sizeof(*code->functions)))
		return SIZE_MAX;
	code->functions[at] = (struct rep_function_seen){ strdup(name ? name : address), object };
	if (!code->functions[at].name)
		return SIZE_MAX;
	code->nr_functions++;
	return rep_map_add(map, object, key, at) < 0 ? SIZE_MAX : at;
}

/* In place of a function that is not known, a frame has its object: "[libc.so.6]". */
static size_t frame_of(struct rep_code *code, size_t object)
{
	const char *name = code->objects[object].name, *slash = strrchr(name, '/');
	size_t at = rep_map_find(&code->frame_map, object, 0);
	char *text;

	if (at != REP_MAP_NONE)
		return at;
	if (name[0] == '[')
		return function_of(code, &code->frame_map, object, 0, name);
	if (asprintf(&text, "[%s]", slash ? slash + 1 : name) < 0)
		return SIZE_MAX;
	at = function_of(code, &code->frame_map, object, 0, text);
	free(text);
	return at;
}

/* Where an address is that is in no function. */
static size_t unknown_of(struct rep_code *code, const struct rep_place *place, size_t object)
{
	return place->frame ? frame_of(code, object) :
			      function_of(code, &code->address_map, object, place->ip, NULL);
}

static int find_kernel(struct rep_code *code, const struct rep_place *place, size_t *object,
		       size_t *function)
{
	size_t kernel = object_of(code, kernel_name), at;
	const struct rep_function *row;

	if (kernel == SIZE_MAX ||
	    (!code->objects[kernel].looked && kernel_load(code, &code->objects[kernel]) < 0))
		return -ENOMEM;
	*object = kernel;
	*function = 0;
	at = rep_symbols_at(&code->objects[kernel].symbols, place->ip);
	row = at == SIZE_MAX ? NULL : &code->objects[kernel].symbols.rows[at];
	if (!code->no_functions && row)
		*function = function_of(code, &code->function_map, kernel, at, row->name);
	else if (!code->no_functions)
		*function = unknown_of(code, place, kernel);
	if (row && row->module)
		*object = object_of(code, row->module);
	return *function == SIZE_MAX || *object == SIZE_MAX ? -ENOMEM : 0;
}

static int find_user(struct rep_code *code, const struct rep_place *place, size_t *object,
		     size_t *function)
{
	size_t space = rep_map_find(&code->space_map, place->pid, 0), at = SIZE_MAX;
	const struct rep_range *range = NULL;
	struct rep_object *found;

	/* What is mapped in guests the recording does not say. */
	if (space != REP_MAP_NONE && place->mode <= PERF_RECORD_MISC_USER)
		range = rep_space_find(&code->spaces[space], place->ip);
	*object = range ? range->object : 0;
	*function = 0;
	if (code->no_functions)
		return 0;
	found = &code->objects[*object];
	if (range && !found->looked && object_load(code, found, range) < 0)
		return -ENOMEM;
	if (range)
		at = rep_symbols_find(&found->symbols, place->ip - range->start + range->offset);
	if (at == SIZE_MAX)
		*function = unknown_of(code, place, *object);
	else
		*function = function_of(code, &code->function_map, *object, at,
					found->symbols.rows[at].name);
	return *function == SIZE_MAX ? -ENOMEM : 0;
}

static int find(struct rep_code *code, const struct rep_place *place, size_t *object,
		size_t *function)
{
	if (place->ip && place->mode == PERF_RECORD_MISC_KERNEL)
		return find_kernel(code, place, object, function);
	return find_user(code, place, object, function);
}

int rep_code_find(struct rep_code *code, const struct perfdata_sample *sample, size_t *object,
		  size_t *function)
{
	const struct rep_place place = { .pid = sample->pid, .mode = sample->mode, .ip = sample->ip };

	/* A recorder that may not see addresses has zeroes. */
	code->without += !sample->ip;
	return find(code, &place, object, function);
}

int rep_code_frame(struct rep_code *code, const struct rep_place *place, size_t *function)
{
	size_t object;

	return find(code, place, &object, function);
}

/* ---- The whole ---- */

int rep_code_begin(struct rep_code *code, const struct perfdata_reader *reader, bool functions)
{
	struct perfdata_section section;

	memset(code, 0, sizeof(*code));
	code->reader = reader;
	code->no_functions = !functions;
	code->here = rep_kernel_host(reader);
	if (object_of(code, "[unknown]") == SIZE_MAX)
		return -ENOMEM;
	if (!perfdata_read_feature(reader, PERFDATA_BUILD_ID, &section))
		return 0;
	return build_ids_read(code, &section);
}

void rep_code_free(struct rep_code *code)
{
	size_t i;

	for (i = 0; i < code->nr_spaces; i++)
		rep_space_free(&code->spaces[i]);
	for (i = 0; i < code->nr_objects; i++)
		rep_symbols_free(&code->objects[i].symbols);
	for (i = 0; i < code->nr_functions; i++)
		free(code->functions[i].name);
	free(code->spaces);
	free(code->objects);
	free(code->functions);
	rep_map_free(&code->space_map);
	rep_strings_free(&code->object_names);
	rep_map_free(&code->function_map);
	rep_map_free(&code->address_map);
	rep_map_free(&code->frame_map);
	memset(code, 0, sizeof(*code));
}
