// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The view on bytes in read_format layout. The input's first byte is the
 * read_format, its second says at which offset from alignment the rest lies: the
 * bytes that were read.
 */
#include <errno.h>

#include "fuzz.h"
#include "pmcgrp.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static uint64_t word(const uint8_t *bytes, size_t i)
{
	uint64_t value;

	memcpy(&value, bytes + 8 * i, 8);
	return value;
}

static size_t bits(uint64_t format)
{
	return (size_t)__builtin_popcountll(format);
}

/* The manual page's layout, word by word; returns their number. */
static size_t check_layout(const struct pmcgrp_view *view, const uint8_t *bytes, uint64_t format)
{
	size_t i, n = 0, nr = pmcgrp_view_nr(view);
	uint64_t ns = 77;

	if (format & PERF_FORMAT_GROUP)
		must(word(bytes, n++) == nr);
	else
		must(word(bytes, n++) == pmcgrp_view_value(view, 0));
	must(pmcgrp_view_time_enabled(view, &ns) == !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED));
	must(ns == (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? word(bytes, n++) : 77));
	ns = 77;
	must(pmcgrp_view_time_running(view, &ns) == !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	must(ns == (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? word(bytes, n++) : 77));
	for (i = 0; i < nr; i++) {
		if (format & PERF_FORMAT_GROUP)
			must(word(bytes, n++) == pmcgrp_view_value(view, i));
		must(pmcgrp_view_id(view, i) == (format & PERF_FORMAT_ID ? word(bytes, n++) : 0));
		must(pmcgrp_view_lost(view, i) ==
		     (format & PMCGRP_FORMAT_LOST ? word(bytes, n++) : 0));
	}
	return n;
}

static void check_find(const struct pmcgrp_view *view, uint64_t format)
{
	size_t i, nr = pmcgrp_view_nr(view);
	ssize_t at;

	for (i = 0; i < nr && i < 8; i++) {
		at = pmcgrp_view_find_id(view, pmcgrp_view_id(view, i));
		if (!(format & PERF_FORMAT_ID)) {
			must(at == -ENOENT);
			continue;
		}
		must(at >= 0 && (size_t)at <= i);
		must(pmcgrp_view_id(view, (size_t)at) == pmcgrp_view_id(view, i));
	}
}

static void check_outside(const struct pmcgrp_view *view)
{
	const size_t outside[] = { pmcgrp_view_nr(view), pmcgrp_view_nr(view) + 1, SIZE_MAX / 8,
				   SIZE_MAX / 24 + 1, SIZE_MAX };
	size_t i;

	for (i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		must(!pmcgrp_view_value(view, outside[i]));
		must(!pmcgrp_view_id(view, outside[i]));
		must(!pmcgrp_view_lost(view, outside[i]));
	}
}

/* The same bytes as records of CPUs: each is within them, behind the one before. */
static void check_records(const uint8_t *bytes, size_t size, uint64_t format)
{
	struct pmcgrp_view view;
	size_t i, used = 0;
	int cpu;

	for (i = 0; (cpu = pmcgrp_view_cpu(&view, bytes, size, format, i)) >= 0; i++) {
		must(cpu < PMCGRP_CPUS_MAX && word(bytes + used, 0) == (uint64_t)cpu);
		must(view.bytes == bytes + used + 8);
		used += 8 + pmcgrp_view_size(&view);
		must(used <= size);
		if (i == 100)
			return;
	}
	must(cpu == -EINVAL || cpu == -EBADMSG || cpu == -ENOENT);
	must(!pmcgrp_view_nr(&view) && !pmcgrp_view_size(&view));
	must(cpu != -ENOENT || used == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmcgrp_view view;
	uint64_t format, ns = 77;
	uint8_t *mem, *bytes;
	size_t shift, need;
	int ret;

	if (size < 2)
		return 0;
	/* Mostly formats that are known: five bits. */
	format = data[0] & 0x80 ? 1ULL << (data[0] & 63) : data[0] & 31;
	shift = data[1] & 7;
	size -= 2;
	mem = malloc(shift + size + !size);
	must(mem);
	bytes = mem + shift;
	memcpy(bytes, data + 2, size);
	need = pmcgrp_read_size(format, 1);
	ret = pmcgrp_view_init(&view, bytes, size, format);
	if (ret) {
		must(ret == (need ? size ? -EBADMSG : -ENODATA : -EINVAL));
		must(!pmcgrp_view_nr(&view) && !pmcgrp_view_size(&view));
		must(!pmcgrp_view_time_enabled(&view, &ns) && !pmcgrp_view_time_running(&view, &ns));
		must(format & PERF_FORMAT_GROUP || size < need || !need);
	} else {
		must(pmcgrp_view_size(&view) <= size);
		must(pmcgrp_view_size(&view) == pmcgrp_read_size(format, pmcgrp_view_nr(&view)));
		must(check_layout(&view, bytes, format) * 8 == pmcgrp_view_size(&view));
		must(pmcgrp_view_size(&view) >= 8 * (1 + bits(format & TIMES)));
		check_find(&view, format);
	}
	check_outside(&view);
	check_records(bytes, size, format);
	free(mem);
	return 0;
}
