/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans of functions of programs: what their tests share.  Include it after kselftest_harness.h.
 */
#ifndef PMCGRP_SPAN_USER_H
#define PMCGRP_SPAN_USER_H

#include "pmcgrp_span.h"
#include "pmcgrp_testpmu.h"
#include <stddef.h>

/* Two instructions for each of @n, and two more. */
void user_work(unsigned long n);
extern const unsigned char user_work_exit[], user_work_end[];

__asm__(".text\n"
	".balign 16\n"
	".globl user_work, user_work_exit, user_work_end\n"
#ifdef __aarch64__
	"user_work:	mov x1, x0\n"
	"1:	subs x1, x1, #1\n"
	"	b.ne 1b\n"
	"user_work_exit:	ret\n"
#else
	"user_work:	mov %rdi, %rax\n"
	"1:	dec %rax\n"
	"	jnz 1b\n"
	"user_work_exit:	ret\n"
#endif
	"user_work_end:\n");

/*
 * A function @name that has one exit, @name_exit, and does what @name_inside does. The compiler
 * does not say where its own functions end.
 */
#ifdef __aarch64__
#define ONE_EXIT(name)								\
	extern const unsigned char name##_exit[];				\
	__asm__(".text\n"							\
		".balign 16\n"							\
		".globl " #name ", " #name "_exit\n"				\
		".type " #name ", %function\n"					\
		#name ":	.cfi_startproc\n"				\
		"	stp x29, x30, [sp, #-16]!\n"				\
		"	.cfi_adjust_cfa_offset 16\n"				\
		"	mov x29, sp\n"						\
		"	bl " #name "_inside\n"					\
		"	ldp x29, x30, [sp], #16\n"				\
		"	.cfi_adjust_cfa_offset -16\n"				\
		#name "_exit:	ret\n"						\
		"	.cfi_endproc\n"					\
		".size " #name ", . - " #name "\n")
#else
#define ONE_EXIT(name)								\
	extern const unsigned char name##_exit[];				\
	__asm__(".text\n"							\
		".balign 16\n"							\
		".globl " #name ", " #name "_exit\n"				\
		".type " #name ", @function\n"					\
		#name ":	.cfi_startproc\n"				\
		"	sub $8, %rsp\n"					\
		"	.cfi_adjust_cfa_offset 8\n"				\
		"	call " #name "_inside\n"				\
		"	add $8, %rsp\n"					\
		"	.cfi_adjust_cfa_offset -8\n"				\
		#name "_exit:	ret\n"						\
		"	.cfi_endproc\n"					\
		".size " #name ", . - " #name "\n")
#endif

/* Where the code or data at an address is in its file; -1: in none. */
static inline long file_offset(const void *address)
{
	unsigned long start, end, offset, at = (unsigned long)address;
	FILE *file = fopen("/proc/self/maps", "re");
	long found = -1;
	char line[512];

	while (file && found < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= at &&
		    at < end)
			found = at - start + offset;
	if (file)
		fclose(file);
	return found;
}

/* Of a function that has its exit @length bytes behind its beginning. */
static inline int user_ask(int group, const char *path, uint64_t offset, uint64_t length,
			   const char *name, unsigned int max_active, struct pmcgrp_span_add *add)
{
	uint64_t exit = offset + length;

	*add = (struct pmcgrp_span_add){
		.size = sizeof(*add),
		.kind = PMCGRP_SECTION_USER_FUNCTION,
		.max_active = max_active,
		.begin = (uintptr_t)path,
		.offset = offset,
		.name = (uintptr_t)name,
		.exits = (uintptr_t)&exit,
		.nr_exits = 1,
	};
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

FIXTURE(span_user)
{
	int dev;
	struct perf_event_attr attr[2];	/* of user mode alone; instructions first */
	bool instructions;
	char path[256];			/* this program */
	struct section section;
};

FIXTURE_SETUP(span_user)
{
	ssize_t n = readlink("/proc/self/exe", self->path, sizeof(self->path) - 1);

	ASSERT_GT(n, 0);
	self->path[n] = '\0';
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
	self->instructions = have_instructions();
	self->attr[0] = self->instructions ? hw(PERF_COUNT_HW_INSTRUCTIONS) :
					     sw(PERF_COUNT_SW_CPU_CLOCK);
	self->attr[1] = self->instructions ? hw(PERF_COUNT_HW_CPU_CYCLES) :
					     sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (self->instructions) {
		self->attr[0].exclude_kernel = 1;
		self->attr[1].exclude_kernel = 1;
	}
}

FIXTURE_TEARDOWN(span_user)
{
	close(self->dev);
}

static const char *const targets[] = { "task", "process", "inherit", "cpu", "all" };

/* The target of a group: this task, its process, it and what it creates, this CPU, or all. */
static inline int group_like(int dev, unsigned int target, const struct perf_event_attr *attr)
{
	static const uint32_t type[] = { PMCGRP_TARGET_TASK, PMCGRP_TARGET_PROCESS,
					 PMCGRP_TARGET_TASK, PMCGRP_TARGET_CPU,
					 PMCGRP_TARGET_ALL_CPUS };
	struct ask ask = { .nr = 2, .attr = attr, .target_type = type[target] };

	if (target == 2)
		ask.flags = PMCGRP_CREATE_INHERIT;
	return ask_group(dev, &ask);
}

/* From the beginning to the exit of a function of this program. */
#define LENGTH(function)	((uintptr_t)function##_exit - (uintptr_t)(function))

/* A span of a function of this program, called by its name. */
#define SPAN_OF(group, function) ({							\
	struct pmcgrp_span_add add_;							\
	user_ask(group, self->path, file_offset(function), LENGTH(function), #function,	\
		 0, &add_);								\
})

#define FIND(group, function) find_span(self->dev, group, #function, &self->section)

#endif
