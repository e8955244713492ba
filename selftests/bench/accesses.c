// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: the QEMU of selftests/qemu says accesses by CPUID.  arm64: the plugin
 * selftests/qemu/arm64/accesses.c keeps a file on the host, which is read by semihosting.
 */
#include "accesses.h"
#include <string.h>
#include <unistd.h>

bool accesses_known;

#if defined(__x86_64__)

#define ACCESSES_LEAF	0x40504d55	/* ECX in: CPU << 16 | index of a register */
#define ACCESSES_PROBE	0xffff		/* the index with which EAX is ACCESSES_MAGIC */
#define ACCESSES_INSNS	0xfffe		/* and here the CPU's instructions are ECX:EBX */
#define ACCESSES_MAGIC	0x554d5050

struct accesses_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static struct accesses_cpuid accesses_cpuid(uint32_t index)
{
	struct accesses_cpuid c = { .eax = ACCESSES_LEAF, .ecx = index };

	asm volatile("cpuid" : "+a"(c.eax), "=b"(c.ebx), "+c"(c.ecx), "=d"(c.edx));
	return c;
}

bool accesses_open(const char *path)
{
	accesses_known = accesses_cpuid(ACCESSES_PROBE).eax == ACCESSES_MAGIC;
	return accesses_known;
}

struct accesses accesses_now(void)
{
	uint32_t cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu, i;
	struct accesses sum = { 0 };
	struct accesses_cpuid c;

	for (cpu = 0; cpu < cpus; cpu++) {
		for (i = 0; (c = accesses_cpuid(cpu << 16 | i)).eax; i++) {
			sum.reads += c.ebx + c.edx;
			sum.writes += c.ecx;
		}
		c = accesses_cpuid(cpu << 16 | ACCESSES_INSNS);
		if (c.eax == ACCESSES_MAGIC)
			sum.insns += (uint64_t)c.ecx << 32 | c.ebx;
		if (!cpu)
			sum.insns_first = sum.insns;
	}
	return sum;
}

#elif defined(__aarch64__)

#include "../qemu/arm64/accesses.h"

#define SEMIHOSTING_OPEN	0x01
#define SEMIHOSTING_READ	0x06
#define SEMIHOSTING_SEEK	0x0a
#define SEMIHOSTING_RB		1	/* "rb" */

/* The file's descriptor on the host; -1: there is none. */
static long accesses_file = -1;

/* Without userspace=on this is an illegal instruction. */
static long semihosting(unsigned long call, const void *args)
{
	register unsigned long x0 asm("x0") = call;
	register const void *x1 asm("x1") = args;

	asm volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return x0;
}

/* What is read lies on the stack and has been written to: QEMU does not fault pages in. */
static struct arm64_accesses accesses_read(void)
{
	struct arm64_accesses all = { 0 };
	unsigned long seek[] = { accesses_file, 0 };
	unsigned long get[] = { accesses_file, (unsigned long)&all, sizeof(all) };

	if (semihosting(SEMIHOSTING_SEEK, seek) || semihosting(SEMIHOSTING_READ, get))
		all.magic = 0;
	return all;
}

bool accesses_open(const char *path)
{
	unsigned long args[] = { (unsigned long)path, SEMIHOSTING_RB, path ? strlen(path) : 0 };

	if (!path)
		return false;
	accesses_file = semihosting(SEMIHOSTING_OPEN, args);
	accesses_known = accesses_file >= 0 && accesses_read().magic == ARM64_ACCESSES_MAGIC;
	return accesses_known;
}

struct accesses accesses_now(void)
{
	struct arm64_accesses all = accesses_read();

	return (struct accesses){ all.reads, all.writes, all.insns, all.insns_first };
}

#endif
