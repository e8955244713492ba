// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Functions of ELF files. The file is input like any other; libelf sees to its bounds. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* -dbgsym packages have the same addresses, and all functions. */
static int debug_read(struct rep_symbols *symbols, const struct rep_build_id *id)
{
	char path[128] = "/usr/lib/debug/.build-id/";
	size_t i, at = strlen(path);
	int fd, ret = 0;
	Elf *elf;

	if (id->size < 2)
		return 0;
	for (i = 0; i < id->size; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, i ? "%02x" : "%02x/", id->bytes[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		ret = table_read(symbols, elf, false);
	elf_end(elf);
	close(fd);
	return ret;
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
		ret = debug_read(symbols, &id);
	if (!ret && !symbols->nr)
		ret = table_read(symbols, elf, true);
	return ret;
}

int rep_symbols_read(struct rep_symbols *symbols, const char *path,
		     const struct rep_build_id *wanted)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = -ENOENT;
	struct stat st;
	Elf *elf = NULL;

	if (fd < 0)
		return -ENOENT;
	elf_version(EV_CURRENT);
	/* Whoever made the recording has chosen the path. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		ret = file_read(symbols, elf, wanted);
	elf_end(elf);
	close(fd);
	return ret;
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
#endif
