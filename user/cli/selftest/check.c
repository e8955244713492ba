// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the checks share. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

/* Sizes of read() of such a group fit. */
#define READ_BYTES 512

static void keep(char *text, const char *format, va_list args)
{
	if (!*text)
		vsnprintf(text, CHECK_TEXT, format, args);
}

bool check_fail(struct check *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep(c->failed, format, args);
	va_end(args);
	return false;
}

bool check_skip(struct check *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep(c->skipped, format, args);
	va_end(args);
	return false;
}

void check_note(struct check *c, const char *format, ...)
{
	size_t used = strlen(c->notes);
	va_list args;

	va_start(args, format);
	vsnprintf(c->notes + used, sizeof(c->notes) - used, format, args);
	va_end(args);
	used = strlen(c->notes);
	if (used + 1 < sizeof(c->notes))
		strcpy(c->notes + used, "\n");
}

struct perf_event_attr check_software(uint64_t config)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = config };
}

struct perf_event_attr check_hardware(uint64_t config)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .size = sizeof(struct perf_event_attr), .config = config, .exclude_kernel = 1, .exclude_hv = 1 };
}

static int aim(struct pmcgrp_spec *spec, enum check_target target)
{
	if (target == CHECK_MACHINE)
		return pmcgrp_spec_set_all_cpus(spec);
	if (target == CHECK_CHILDREN)
		pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_INHERIT);
	return pmcgrp_spec_set_task(spec, 0);
}

int check_group(struct check *c, enum check_target target, const struct perf_event_attr *attr,
		unsigned int nr, struct pmcgrp_group **out)
{
	struct pmcgrp_spec *spec;
	int ret = pmcgrp_spec_new(&spec);
	unsigned int i;

	*out = NULL;
	if (ret)
		return ret;
	ret = aim(spec, target);
	for (i = 0; !ret && i < nr; i++)
		ret = pmcgrp_spec_add(spec, &attr[i], NULL) < 0 ? -ENOMEM : 0;
	if (!ret)
		ret = pmcgrp_group_create(c->h, spec, out);
	pmcgrp_spec_free(spec);
	return ret;
}

bool check_read(struct check *c, struct pmcgrp_group *group, struct check_values *v)
{
	unsigned char bytes[READ_BYTES];
	ssize_t size = pmcgrp_group_read(group, bytes, sizeof(bytes));
	struct pmcgrp_view view;
	size_t i;

	if (size < 0)
		return check_fail(c, "read() of a group: %s", strerror((int)-size));
	if (pmcgrp_view_init(&view, bytes, (size_t)size, CHECK_FORMAT) ||
	    pmcgrp_view_nr(&view) > CHECK_MEMBERS)
		return check_fail(c, "read() of a group gave %zd bytes that are none of read_format", size);
	v->nr = pmcgrp_view_nr(&view);
	pmcgrp_view_time_enabled(&view, &v->enabled);
	pmcgrp_view_time_running(&view, &v->running);
	for (i = 0; i < v->nr; i++)
		v->value[i] = pmcgrp_view_value(&view, i);
	if (v->running > v->enabled)
		return check_fail(c, "time_running %llu is above time_enabled %llu",
				  (unsigned long long)v->running, (unsigned long long)v->enabled);
	return true;
}

int check_perf(const struct perf_event_attr *attr, int group_fd)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void check_loop(uint64_t turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b"
			 : "+r"(turns)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b"
			 : "+r"(turns)
			 :
			 : "cc");
#else
	do {
		__asm__ volatile(""
				 : "+r"(turns));
	} while (--turns);
#endif
}

bool check_touch(unsigned int pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	madvise(at, pages * page, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		*(volatile char *)(at + i * page) = 1;
	munmap(at, pages * page);
	return true;
}
