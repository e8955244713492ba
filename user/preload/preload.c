// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * libpmcgrp-preload.so: perf_event_open(2) of a program that is not changed, by groups of the module.
 *
 * Programs have no other way to the system call than syscall(2): glibc has no function for it.  All
 * other calls go on from there as glibc's own makes them, with the caller's stack: syscall(2)
 * may be vfork(2), or clone(2) with another stack.
 *
 * Nothing here is a constructor.  A set-uid program has the kernel's own call.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "shim/shim.h"

#define PUBLIC __attribute__((visibility("default")))

long preload_open(long nr, struct perf_event_attr *attr, long pid, long cpu, long group_fd,
		  unsigned long flags) __attribute__((used));
long preload_failed(long ret) __attribute__((used));

/* As syscall(2) returns it. */
long preload_failed(long ret)
{
	errno = (int)-ret;
	return -1;
}

long preload_open(long nr, struct perf_event_attr *attr, long pid, long cpu, long group_fd,
		  unsigned long flags)
{
	const struct shim_request r = {
		.attr = attr,
		.pid = (pid_t)pid,
		.cpu = (int)cpu,
		.group_fd = (int)group_fd,
		.flags = flags,
	};
	long ret;

	(void)nr;
	if (getauxval(AT_SECURE))
		ret = shim_perf(&r, r.group_fd);
	else
		ret = shim_open(&r);
	return ret < 0 ? preload_failed(ret) : ret;
}

#if defined(__x86_64__)
_Static_assert(SYS_perf_event_open == 298, "number of the system call in the assembler below");

asm(".text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    ".balign 16\n"
    "syscall:\n"
    "	.cfi_startproc\n"
    "	endbr64\n"
    "	cmpq $298, %rdi\n"
    "	je preload_open\n"
    "	movq %rdi, %rax\n"
    "	movq %rsi, %rdi\n"
    "	movq %rdx, %rsi\n"
    "	movq %rcx, %rdx\n"
    "	movq %r8, %r10\n"
    "	movq %r9, %r8\n"
    "	movq 8(%rsp), %r9\n"
    "	syscall\n"
    "	cmpq $-4095, %rax\n"
    "	jae 1f\n"
    "	ret\n"
    "1:	movq %rax, %rdi\n"
    "	jmp preload_failed\n"
    "	.cfi_endproc\n"
    ".size syscall, . - syscall\n");
#elif defined(__aarch64__)
_Static_assert(SYS_perf_event_open == 241, "number of the system call in the assembler below");

asm(".text\n"
    ".globl syscall\n"
    ".type syscall, %function\n"
    ".balign 16\n"
    "syscall:\n"
    "	.cfi_startproc\n"
    "	hint 34\n"
    "	cmp x0, #241\n"
    "	b.eq preload_open\n"
    "	mov x8, x0\n"
    "	mov x0, x1\n"
    "	mov x1, x2\n"
    "	mov x2, x3\n"
    "	mov x3, x4\n"
    "	mov x4, x5\n"
    "	mov x5, x6\n"
    "	svc 0\n"
    "	cmn x0, #4095\n"
    "	b.cs preload_failed\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size syscall, . - syscall\n");
#else
#error "libpmcgrp-preload.so is for x86-64 and arm64"
#endif

PUBLIC int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list args;
	long ret;

	va_start(args, option);
	a = va_arg(args, unsigned long);
	b = va_arg(args, unsigned long);
	c = va_arg(args, unsigned long);
	d = va_arg(args, unsigned long);
	va_end(args);
	ret = SHIM_CALL(SYS_prctl, option, a, b, c, d);
	if (option == PR_TASK_PERF_EVENTS_ENABLE && !getauxval(AT_SECURE))
		shim_own_control(PERF_EVENT_IOC_ENABLE);
	else if (option == PR_TASK_PERF_EVENTS_DISABLE && !getauxval(AT_SECURE))
		shim_own_control(PERF_EVENT_IOC_DISABLE);
	return ret < 0 ? (int)preload_failed(ret) : (int)ret;
}
