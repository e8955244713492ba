// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * libcapstone is loaded when it is needed: to link with it makes each start of a program some
 * 370 page faults dearer. A static tool has it anyway.
 */
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"
#include "disasm_arch.h"

struct capstone {
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*close)(csh *handle);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	cs_insn *(*malloc)(csh handle);
	void (*free)(cs_insn *insn, size_t count);
	bool (*disasm_iter)(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
			    cs_insn *insn);
};

struct disasm {
	struct capstone capstone;
	unsigned int machine;
	csh handle;
	cs_insn *insn;
};

#ifdef PMCGRP_CAPSTONE
static bool load(struct capstone *c)
{
	void *library = dlopen(PMCGRP_CAPSTONE, RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return false;
	/* Never unloaded. POSIX lets a function's address be taken from a void pointer. */
	*(void **)&c->open = dlsym(library, "cs_open");
	*(void **)&c->close = dlsym(library, "cs_close");
	*(void **)&c->option = dlsym(library, "cs_option");
	*(void **)&c->malloc = dlsym(library, "cs_malloc");
	*(void **)&c->free = dlsym(library, "cs_free");
	*(void **)&c->disasm_iter = dlsym(library, "cs_disasm_iter");
	return c->open && c->close && c->option && c->malloc && c->free && c->disasm_iter;
}
#else
static bool load(struct capstone *c)
{
	*c = (struct capstone){ cs_open, cs_close, cs_option, cs_malloc, cs_free, cs_disasm_iter };
	return true;
}
#endif

int disasm_open(struct disasm **disasm, unsigned int machine)
{
	bool is_x86 = machine == EM_X86_64;
	struct disasm *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->machine = machine;
	if (!load(&d->capstone) ||
	    d->capstone.open(is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64,
			     is_x86 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN, &d->handle)) {
		free(d);
		return -ENOENT;
	}
	d->capstone.option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = d->capstone.malloc(d->handle);
	if (d->insn) {
		*disasm = d;
		return 0;
	}
	d->capstone.close(&d->handle);
	free(d);
	return -ENOMEM;
}

void disasm_close(struct disasm *disasm)
{
	if (!disasm)
		return;
	disasm->capstone.free(disasm->insn, 1);
	disasm->capstone.close(&disasm->handle);
	free(disasm);
}

void disasm_next(struct disasm *disasm, const unsigned char *code, uint64_t left,
		 struct insn *insn)
{
	uint64_t address = insn->address;
	size_t size = left > 16 ? 16 : left;
	const uint8_t *at = code;
	bool known;

	*insn = (struct insn){ .address = address, .kind = INSN_UNKNOWN, .size = 1 };
	if (disasm->machine == EM_AARCH64 && disasm_arm64_special(code, left, insn))
		return;
	known = disasm->capstone.disasm_iter(disasm->handle, &at, &size, &address, disasm->insn);
	if (disasm->machine == EM_AARCH64) {
		disasm_arm64(known ? disasm->insn : NULL, insn);
	} else if (known) {
		insn->size = disasm->insn->size;
		disasm_x86(disasm->insn, insn);
	}
}
