// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU (TCG, API version 1): counts each MRS and MSR of a PMU register that an
 * AArch64 guest executes, by register and CPU, and all instructions.
 *
 *	-plugin accesses.so,out=<path>
 *
 * The counts are in that file at all times, as accesses.h has them: the file is mapped.
 * A plugin of API version 1 can write neither registers nor memory of the guest.  The guest
 * reads the file by semihosting (-semihosting-config enable=on,userspace=on,target=native).
 *
 * Not for processors that run at once (thread=multi): the sums are not atomic.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <qemu-plugin.h>
#include "accesses.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct arm64_accesses_file *counts;

static void executed(unsigned int cpu, void *nr)
{
	if (!cpu)
		counts->all.insns_first += (uintptr_t)nr;
}

/* MRS and MSR (register): 1101 0101 00L1 op0 op1 CRn CRm op2 Rt; op0 is 2 or 3. */
#define SYSREG_MASK	0xffd00000U
#define SYSREG		0xd5100000U
#define SYSREG_READ	0x00200000U

static unsigned int bits(uint32_t insn, unsigned int from, unsigned int nr)
{
	return insn >> from & ((1U << nr) - 1);
}

static unsigned int crn_of(uint32_t insn)
{
	return bits(insn, 12, 4);
}

static unsigned int crm_of(uint32_t insn)
{
	return bits(insn, 8, 4);
}

/*
 * A number of its own for each PMU register, or -1.  op1 3, CRn 14, CRm 8 to 15: PMEVCNTR<n>,
 * PMEVTYPER<n>, PMCCFILTR; CRn 9, CRm 12 to 14: all others, PMINTEN* and PMMIR with op1 0.
 */
static int number_of(uint32_t insn)
{
	unsigned int op1 = bits(insn, 16, 3), crm = crm_of(insn), op2 = bits(insn, 5, 3);

	if ((insn & SYSREG_MASK) != SYSREG || !bits(insn, 19, 1))
		return -1;
	if (crn_of(insn) == 14 && op1 == 3 && crm >= 8)
		return (crm - 8) * 8 + op2;
	if (crn_of(insn) == 9 && (op1 == 3 || !op1) && crm >= 12 && crm <= 14)
		return 64 + (op1 ? 0 : 24) + (crm - 12) * 8 + op2;
	return -1;
}

static void accessed(unsigned int cpu, void *data)
{
	uint32_t insn = (uintptr_t)data;
	struct arm64_accesses_reg *reg;

	if (cpu >= ARM64_ACCESSES_CPUS)
		return;
	reg = &counts->reg[cpu][number_of(insn)];
	reg->op0 = 2 + bits(insn, 19, 1);
	reg->op1 = bits(insn, 16, 3);
	reg->crn = crn_of(insn);
	reg->crm = crm_of(insn);
	reg->op2 = bits(insn, 5, 3);
	if (insn & SYSREG_READ) {
		reg->reads++;
		counts->all.reads++;
	} else {
		reg->writes++;
		counts->all.writes++;
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t nr = qemu_plugin_tb_n_insns(tb), i;
	struct qemu_plugin_insn *insn;
	uint32_t word;

	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &counts->all.insns, nr);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)nr);
	for (i = 0; i < nr; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (qemu_plugin_insn_size(insn) != sizeof(word))
			continue;
		memcpy(&word, qemu_plugin_insn_data(insn), sizeof(word));
		if (number_of(word) >= 0)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, accessed,
							       QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)word);
	}
}

static int failed(const char *what)
{
	fprintf(stderr, "accesses: %s\n", what);
	return -1;
}

static int map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, sizeof(*counts)))
		return failed(strerror(errno));
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (counts == MAP_FAILED)
		return failed(strerror(errno));
	counts->all.magic = ARM64_ACCESSES_MAGIC;
	return 0;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	if (strcmp(info->target_name, "aarch64"))
		return failed("only for qemu-system-aarch64");
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return failed("wants out=<path>, and nothing else");
	if (map_file(argv[0] + 4))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
