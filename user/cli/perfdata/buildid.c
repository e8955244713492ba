// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buildid.h"

/* The note of the build-id is among the first, and has 36 bytes. */
#define NOTES_MAX 4096

#define SEGMENTS_MAX 128

#define KERNEL_NOTES "/sys/kernel/notes"

struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t size;
};

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* Each has a header, a name and a description, the latter two padded. */
size_t perfdata_buildid_notes(const unsigned char *notes, size_t len,
			      unsigned char id[PERFDATA_BUILDID_MAX])
{
	Elf32_Nhdr note;
	size_t name, desc;

	while (len >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		notes += sizeof(note);
		len -= sizeof(note);
		if (note.n_namesz > len || note.n_descsz > len)
			return 0;
		name = aligned(note.n_namesz);
		desc = aligned(note.n_descsz);
		if (name + desc > aligned(len) || name > len || note.n_descsz > len - name)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz &&
		    note.n_descsz <= PERFDATA_BUILDID_MAX) {
			memcpy(id, notes + name, note.n_descsz);
			return note.n_descsz;
		}
		if (name + desc > len)
			return 0;
		notes += name + desc;
		len -= name + desc;
	}
	return 0;
}

static size_t segment_find(int fd, const struct segment *segment, unsigned char *id)
{
	unsigned char notes[NOTES_MAX];
	size_t size = segment->size < sizeof(notes) ? (size_t)segment->size : sizeof(notes);
	ssize_t len;

	if (segment->type != PT_NOTE || segment->offset > INT64_MAX)
		return 0;
	len = pread(fd, notes, size, (off_t)segment->offset);
	return len > 0 ? perfdata_buildid_notes(notes, (size_t)len, id) : 0;
}

size_t perfdata_buildid_kernel(unsigned char id[PERFDATA_BUILDID_MAX])
{
	unsigned char notes[NOTES_MAX];
	FILE *file = fopen(KERNEL_NOTES, "re");
	size_t len = file ? fread(notes, 1, sizeof(notes), file) : 0;

	if (file)
		fclose(file);
	return perfdata_buildid_notes(notes, len, id);
}

/* Of both widths. False: there is no such segment. */
static bool segment_read(int fd, bool wide, uint64_t at, struct segment *segment)
{
	Elf64_Phdr p64;
	Elf32_Phdr p32;

	if (at > INT64_MAX)
		return false;
	if (wide) {
		if (pread(fd, &p64, sizeof(p64), (off_t)at) != sizeof(p64))
			return false;
		*segment = (struct segment){ p64.p_type, p64.p_offset, p64.p_filesz };
		return true;
	}
	if (pread(fd, &p32, sizeof(p32), (off_t)at) != sizeof(p32))
		return false;
	*segment = (struct segment){ p32.p_type, p32.p_offset, p32.p_filesz };
	return true;
}

size_t perfdata_buildid(int fd, unsigned char id[PERFDATA_BUILDID_MAX])
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} header = { 0 };
	struct segment segment;
	size_t i, nr, size = 0;
	uint64_t at;
	bool wide;

	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.e32) ||
	    memcmp(header.ident, ELFMAG, SELFMAG) ||
	    header.ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
										  ELFDATA2MSB))
		return 0;
	wide = header.ident[EI_CLASS] == ELFCLASS64;
	at = wide ? header.e64.e_phoff : header.e32.e_phoff;
	nr = wide ? header.e64.e_phnum : header.e32.e_phnum;
	for (i = 0; i < nr && i < SEGMENTS_MAX && !size; i++) {
		if (!segment_read(fd, wide, at, &segment))
			return 0;
		size = segment_find(fd, &segment, id);
		at += wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	}
	return size;
}

/* What is no file may keep who opens it waiting. */
size_t perfdata_buildid_of(uint32_t pid, const char *path, unsigned char id[PERFDATA_BUILDID_MAX])
{
	char all[4300];
	struct stat st;
	size_t size = 0;
	int fd;

	if (path[0] != '/' ||
	    snprintf(all, sizeof(all), "/proc/%u/root%s", pid, path) >= (int)sizeof(all))
		return 0;
	fd = open(all, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		size = perfdata_buildid(fd, id);
	close(fd);
	return size;
}
