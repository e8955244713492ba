// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Whether an event can be counted: that is known when a group has been made that counts it.
 *
 * An event that is accepted need not count what its name says: kernels map names to codes that some
 * CPUs lack.  So a load with accesses and misses of each cache is counted, too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "listing.h"

/* More than last-level caches and TLBs hold, in part. */
#define LOAD_SIZE	(64UL << 20)
#define LOAD_STRIDE	4160UL		/* another page and another line each time */
#define LOAD_CODE_PAGES	512

/* Data: reads and writes in the order that prefetchers like, and in one that they do not. */
static void load_data(volatile unsigned char *memory)
{
	size_t i, at = 0;

	for (i = 0; i < LOAD_SIZE; i += 64)
		memory[i]++;
	for (i = 0; i < LOAD_SIZE / LOAD_STRIDE * 4; i++) {
		at = (at * 1103515245 + 12345) % LOAD_SIZE;
		memory[at]++;
	}
	for (i = 0; i < LOAD_SIZE; i += LOAD_STRIDE) {
		__builtin_prefetch((const void *)&memory[i]);
		memory[i]++;
	}
}

/* Code: a function that returns at once, on each of many pages. */
static void load_code(void)
{
#if defined(__x86_64__)
	static const unsigned char returns[] = { 0xc3 };
#elif defined(__aarch64__)
	static const unsigned char returns[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#else
	static const unsigned char returns[] = { 0 };
#endif
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = LOAD_CODE_PAGES * page, i;
	unsigned char *code;
	void (*call)(void);

	if (sizeof(returns) == 1 && !returns[0])
		return;
	code = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return;
	for (i = 0; i < LOAD_CODE_PAGES; i++)
		memcpy(code + i * page, returns, sizeof(returns));
	__builtin___clear_cache((char *)code, (char *)code + size);
	if (!mprotect(code, size, PROT_READ | PROT_EXEC)) {
		for (i = 0; i < 4UL * LOAD_CODE_PAGES; i++) {
			unsigned char *at = code + i * 97 % LOAD_CODE_PAGES * page;

			memcpy(&call, &at, sizeof(call));
			call();
		}
	}
	munmap(code, size);
}

static void load(void)
{
	void *memory = mmap(NULL, LOAD_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	load_code();
	if (memory == MAP_FAILED)
		return;
	load_data(memory);
	munmap(memory, LOAD_SIZE);
}

static bool moves(struct pmcgrp_group *group)
{
	uint64_t words[16];
	uint64_t format = pmcgrp_group_read_format(group);
	struct pmcgrp_view view;
	ssize_t len;

	load();
	len = pmcgrp_group_read(group, words, sizeof(words));
	return len > 0 && !pmcgrp_view_init(&view, words, (size_t)len, format) &&
	       pmcgrp_view_value(&view, 0) > 0;
}

/* A group of the event alone, of the machine if its PMU counts no tasks. */
static int open_on(struct pmcgrp *h, const struct pmcgrp_event *event, struct pmcgrp_group **group)
{
	struct pmcgrp_spec *spec;
	int ret;

	ret = pmcgrp_spec_new(&spec);
	if (ret < 0)
		return ret;
	if (event->flags & PMCGRP_EVENT_UNCORE)
		pmcgrp_spec_set_all_cpus(spec);
	ret = pmcgrp_spec_add_sized(spec, event->attr, event->attr->size, event->name);
	if (ret >= 0)
		ret = pmcgrp_group_create(h, spec, group);
	pmcgrp_spec_free(spec);
	return ret;
}

void list_probe(struct list_probe *probe, struct pmcgrp *h, const char *name, bool with_load)
{
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_events_error error;
	struct pmcgrp_events *events;
	int ret;

	*probe = (struct list_probe){ .tried = true };
	ret = pmcgrp_events_parse(&events, name, 0, &error);
	if (ret < 0) {
		snprintf(probe->why, sizeof(probe->why), "%.95s",
			 ret == -EINVAL ? error.text : strerror(-ret));
		return;
	}
	ret = open_on(h, pmcgrp_events_at(events, 0), &group);
	if (ret < 0)
		snprintf(probe->why, sizeof(probe->why), "%s", pmcgrp_why_text(pmcgrp_error_why(h)));
	else
		probe->opens = true;
	if (probe->opens && with_load)
		probe->moves = moves(group);
	pmcgrp_group_close(group);
	pmcgrp_events_free(events);
}
