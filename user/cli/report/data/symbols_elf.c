// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Functions of ELF files. The file is input like any other; libelf sees to its bounds. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols_add.h"

#ifdef PMCGRP_ELF
#include <gelf.h>

const bool rep_symbols_elf = true;

static int segments_read(struct rep_symbols *symbols, Elf *elf)
{
	size_t i, nr = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &nr) < 0)
		return 0;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (!rep_grow(&symbols->segments, &symbols->room_segments, symbols->nr_segments,
			      sizeof(*symbols->segments)))
			return -ENOMEM;
		symbols->segments[symbols->nr_segments++] = (struct rep_segment){
			.offset = header.p_offset, .size = header.p_filesz,
			.address = header.p_vaddr };
	}
	return 0;
}

/* A section of a type, the first; NULL: there is none. */
static Elf_Data *section(Elf *elf, uint32_t type, GElf_Shdr *header)
{
	Elf_Scn *at = NULL;

	while ((at = elf_nextscn(elf, at))) {
		if (gelf_getshdr(at, header) && header->sh_type == type)
			return elf_getdata(at, NULL);
	}
	return NULL;
}

static int functions_read(struct rep_symbols *symbols, Elf *elf, Elf_Data *data,
			  const GElf_Shdr *header)
{
	size_t i, nr = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;
	enum rep_binding binding;
	struct rep_function row;
	char *name;

	for (i = 0; i < nr && gelf_getsym(data, (int)i, &symbol); i++) {
		int type = GELF_ST_TYPE(symbol.st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		binding = GELF_ST_BIND(symbol.st_info) == STB_GLOBAL ? REP_BINDING_GLOBAL :
			  GELF_ST_BIND(symbol.st_info) == STB_WEAK   ? REP_BINDING_WEAK :
								       REP_BINDING_LOCAL;
		row = (struct rep_function){ symbol.st_value, symbol.st_size, .name = name };
		if (rep_symbols_add(symbols, &row, binding) < 0)
			return -ENOMEM;
	}
	rep_symbols_sort(symbols);
	return 0;
}

/* A stripped file has .dynsym alone: what it shows to others. */
static int table_read(struct rep_symbols *symbols, Elf *elf, bool dynamic)
{
	GElf_Shdr header;
	Elf_Data *data = section(elf, dynamic ? SHT_DYNSYM : SHT_SYMTAB, &header);

	return data ? functions_read(symbols, elf, data, &header) : 0;
}

static void build_id_read(Elf *elf, struct rep_build_id *id)
{
	size_t at, next, name, desc;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Nhdr note;
	Elf_Data *data;

	id->size = 0;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		for (at = 0; data && (next = gelf_getnote(data, at, &note, &name, &desc)); at = next) {
			if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
			    memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) ||
			    note.n_descsz > REP_BUILD_ID_MAX)
				continue;
			memcpy(id->bytes, (char *)data->d_buf + desc, note.n_descsz);
			id->size = note.n_descsz;
			return;
		}
	}
}

struct opened {
	int fd;
	Elf *elf;
};

/* Whoever made the recording has chosen the path: it may be of anything. */
static bool elf_open(struct opened *file, const char *path)
{
	struct stat st;

	file->elf = NULL;
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode))
		file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF)
		return true;
	elf_end(file->elf);
	close(file->fd);
	return false;
}

static void elf_close(struct opened *file)
{
	elf_end(file->elf);
	close(file->fd);
}

/* FOLDER/.build-id/xx/yyyy, with @end behind it. False: there is no such name. */
static bool build_id_path(char path[PATH_MAX], const char *folder, const struct rep_build_id *id,
			  const char *end)
{
	char hex[2 * REP_BUILD_ID_MAX + 1];
	size_t i;

	if (id->size < 2)
		return false;
	for (i = 0; i < id->size; i++)
		snprintf(hex + 2 * i, sizeof(hex) - 2 * i, "%02x", id->bytes[i]);
	return snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s%s", folder, hex, hex + 2, end) < PATH_MAX;
}

/*
 * A debug file has the addresses of the segments, but may have lost where they are in the program.
 * The mapping tells: offsets and addresses differ by a multiple of the alignment.
 */
static int mapped_read(struct rep_symbols *symbols, Elf *elf, const struct rep_mapped *mapped)
{
	GElf_Phdr header, code = { 0 };
	size_t i, nr = 0, found = 0;
	uint64_t before;

	if (elf_getphdrnum(elf, &nr) < 0)
		return -ENOENT;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X))
			continue;
		code = header;
		found++;
	}
	if (found != 1 || code.p_align < 4096 || code.p_align & (code.p_align - 1))
		return -ENOENT;
	/* Less than all of it may begin anywhere in it. */
	before = (code.p_vaddr - mapped->offset) & (code.p_align - 1);
	if (before > mapped->size || code.p_memsz > mapped->size - before)
		return -ENOENT;
	if (!rep_grow(&symbols->segments, &symbols->room_segments, symbols->nr_segments,
		      sizeof(*symbols->segments)))
		return -ENOMEM;
	symbols->segments[symbols->nr_segments++] = (struct rep_segment){
		.offset = mapped->offset + before, .size = code.p_memsz, .address = code.p_vaddr };
	return 0;
}

/* -dbgsym packages have the same addresses, and all functions. @mapped: the segments are needed. */
static int debug_read(struct rep_symbols *symbols, const struct rep_build_id *id,
		      const struct rep_mapped *mapped)
{
	struct opened file;
	char path[PATH_MAX];
	int ret;

	if (!build_id_path(path, "/usr/lib/debug", id, ".debug") || !elf_open(&file, path))
		return 0;
	ret = mapped ? mapped_read(symbols, file.elf, mapped) : 0;
	if (!ret)
		ret = table_read(symbols, file.elf, false);
	elf_close(&file);
	return ret == -ENOMEM ? ret : 0;
}

static int file_read(struct rep_symbols *symbols, Elf *elf, const struct rep_build_id *wanted)
{
	struct rep_build_id id;
	int ret;

	build_id_read(elf, &id);
	if (wanted->size && (wanted->size != id.size || memcmp(wanted->bytes, id.bytes, id.size)))
		return -ESTALE;
	ret = segments_read(symbols, elf);
	if (!ret)
		ret = table_read(symbols, elf, false);
	if (!ret && !symbols->nr)
		ret = debug_read(symbols, &id, NULL);
	if (!ret && !symbols->nr)
		ret = table_read(symbols, elf, true);
	return ret;
}

int rep_symbols_read(struct rep_symbols *symbols, const char *path,
		     const struct rep_build_id *wanted)
{
	struct opened file;
	int ret;

	if (!elf_open(&file, path))
		return -ENOENT;
	ret = file_read(symbols, file.elf, wanted);
	elf_close(&file);
	return ret;
}

int rep_symbols_elsewhere(struct rep_symbols *symbols, const struct rep_build_id *id,
			  const struct rep_mapped *mapped)
{
	const char *home = getenv("HOME");
	char folder[PATH_MAX], path[PATH_MAX];
	int ret = 0;

	if (home && snprintf(folder, sizeof(folder), "%s/.debug", home) < (int)sizeof(folder) &&
	    build_id_path(path, folder, id, "/elf"))
		ret = rep_symbols_read(symbols, path, id);
	if (ret != -ENOMEM && !symbols->nr) {
		symbols->nr_segments = 0;
		ret = debug_read(symbols, id, mapped);
	}
	return ret == -ENOMEM ? ret : symbols->nr ? 0 : -ENOENT;
}

#else

const bool rep_symbols_elf;

int rep_symbols_read(struct rep_symbols *symbols, const char *path,
		     const struct rep_build_id *wanted)
{
	(void)symbols;
	(void)path;
	(void)wanted;
	return -ENOENT;
}

int rep_symbols_elsewhere(struct rep_symbols *symbols, const struct rep_build_id *id,
			  const struct rep_mapped *mapped)
{
	(void)symbols;
	(void)id;
	(void)mapped;
	return -ENOENT;
}
#endif
