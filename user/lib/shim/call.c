// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * System calls that leave errno alone, and that nobody interposes: this is what syscall(2) of a
 * program becomes under libpmcgrp-preload.so.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	register long r9 asm("r9") = f;
	long ret;

	asm volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;
	register long x2 asm("x2") = c;
	register long x3 asm("x3") = d;
	register long x4 asm("x4") = e;
	register long x5 asm("x5") = f;

	asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
		     : "memory");
	return x0;
#else
	int saved = errno;
	long ret = syscall(nr, a, b, c, d, e, f);

	if (ret == -1)
		ret = -errno;
	errno = saved;
	return ret;
#endif
}

long (*shim_call)(long nr, long a, long b, long c, long d, long e, long f) = call;

long shim_perf(const struct shim_request *r, int group_fd)
{
	return SHIM_CALL(SYS_perf_event_open, r->attr, r->pid, r->cpu, group_fd, r->flags);
}
