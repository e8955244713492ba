// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Build-ids of ELF files: made by hand, cut short, and this program's own. */
#include "test.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/buildid.h"

/* Two notes, of which the second is the build-id. */
struct note {
	Elf64_Nhdr header;
	char name[4];
	unsigned char desc[8];
};

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	struct note notes[2];
};

static struct file good(void)
{
	struct file f = {
		.header.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
		.header.e_phoff = offsetof(struct file, segment),
		.header.e_phnum = 1,
		.segment.p_type = PT_NOTE,
		.segment.p_offset = offsetof(struct file, notes),
		.segment.p_filesz = sizeof(f.notes),
		.notes = {
			{ { 4, 8, NT_GNU_ABI_TAG }, "GNU", "12345678" },
			{ { 4, 8, NT_GNU_BUILD_ID }, "GNU", "abcdefgh" },
		},
	};

	return f;
}

static size_t found(const void *bytes, size_t size, unsigned char *id)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	size_t len;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	len = perfdata_buildid(fd, id);
	close(fd);
	return len;
}

static void by_hand(void **state)
{
	unsigned char id[PERFDATA_BUILDID_MAX];
	struct file f = good();
	size_t size;

	(void)state;
	assert_int_equal(found(&f, sizeof(f), id), 8);
	assert_memory_equal(id, "abcdefgh", 8);
	for (size = 0; size < sizeof(f); size++)
		assert_int_equal(found(&f, size, id), 0);
	f.notes[0].header.n_descsz = UINT32_MAX;
	assert_int_equal(found(&f, sizeof(f), id), 0);
	f = good();
	f.notes[0].header.n_namesz = UINT32_MAX - 2;
	assert_int_equal(found(&f, sizeof(f), id), 0);
	f = good();
	f.notes[1].header.n_descsz = 0;
	assert_int_equal(found(&f, sizeof(f), id), 0);
	f = good();
	f.header.e_phoff = UINT64_MAX;
	assert_int_equal(found(&f, sizeof(f), id), 0);
	f = good();
	f.header.e_ident[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(found(&f, sizeof(f), id), 0);
	assert_int_equal(found("#!/bin/sh\n", 10, id), 0);
}

/* The linker has put one into this program: the same as in its memory. */
static int own(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned char id[PERFDATA_BUILDID_MAX];
	size_t len = perfdata_buildid_of((uint32_t)getpid(), "/proc/self/exe", id);
	bool there = false;
	uintptr_t at, end;
	int i;

	(void)size;
	(void)data;
	if (info->dlpi_name[0])
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		end = at + info->dlpi_phdr[i].p_memsz - len;
		for (; info->dlpi_phdr[i].p_type == PT_NOTE && at <= end && !there; at += 4)
			there = len && !memcmp((void *)at, id, len);
	}
	assert_true(there || !len);
	return 1;
}

static void this_program(void **state)
{
	(void)state;
	assert_int_equal(dl_iterate_phdr(own, NULL), 1);
}

static void no_file(void **state)
{
	unsigned char id[PERFDATA_BUILDID_MAX];

	(void)state;
	assert_int_equal(perfdata_buildid_of((uint32_t)getpid(), "/nonexistent", id), 0);
	assert_int_equal(perfdata_buildid_of((uint32_t)getpid(), "/dev/zero", id), 0);
	assert_int_equal(perfdata_buildid_of((uint32_t)getpid(), "[vdso]", id), 0);
	assert_int_equal(perfdata_buildid_of(2000000001, "/bin/sh", id), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(this_program),
		cmocka_unit_test(no_file),
	};

	return cmocka_run_group_tests_name("perfdata_buildid", tests, NULL, NULL);
}
