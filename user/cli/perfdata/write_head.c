// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What a perf.data file says before its data: header, an attr for each trigger and member
 * with its ids, and what perf calls features: of the machine, the command and the events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sysfile.h"
#include "format.h"
#include "pack.h"
#include "head.h"

/* Numbers of features (tools/perf/util/header.h), in their order. */
enum feature {
	FEATURE_HOSTNAME	= 3,
	FEATURE_OSRELEASE	= 4,
	FEATURE_VERSION		= 5,
	FEATURE_ARCH		= 6,
	FEATURE_NRCPUS		= 7,
	FEATURE_CPUDESC		= 8,
	FEATURE_CPUID		= 9,
	FEATURE_TOTAL_MEM	= 10,
	FEATURE_CMDLINE		= 11,
	FEATURE_EVENT_DESC	= 12,
	FEATURE_SAMPLE_TIME	= 21,
	FEATURE_COMPRESSED	= 27,
};

static const enum feature features[] = {
	FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_ARCH, FEATURE_NRCPUS,
	FEATURE_CPUDESC, FEATURE_CPUID, FEATURE_TOTAL_MEM, FEATURE_CMDLINE, FEATURE_EVENT_DESC,
	FEATURE_SAMPLE_TIME, FEATURE_COMPRESSED
};

#define NR_FEATURES (sizeof(features) / sizeof(features[0]))

struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[4];
};

_Static_assert(offsetof(struct file_header, data.size) == PERFDATA_SIZE_AT, "data.size");
_Static_assert(offsetof(struct file_header, features) == PERFDATA_FEATURES_AT, "features");
_Static_assert(sizeof(struct file_header) == PERFDATA_HEADER_SIZE, "header");

#define COMPRESSED_ZSTD 1
#define RATIO_PLACE 12	/* in the feature */

/* perf reserves room for strings in steps of this. */
#define STRING_STEP 64

/* ---- Pieces ---- */

static void put_u32(FILE *file, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static void put_u64(FILE *file, uint64_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static void put_string(FILE *file, const char *text)
{
	size_t len = strlen(text) + 1, all = (len + STRING_STEP - 1) / STRING_STEP * STRING_STEP;

	put_u32(file, (uint32_t)all);
	fwrite(text, 1, len, file);
	for (; len < all; len++)
		fputc(0, file);
}

/*
 * Old enough for every perf that can read a group's samples: perf refuses a file with larger attrs
 * than its own. Those of Linux 6.3 and newer read config3.
 */
static uint32_t attrs_size(const struct record_desc *desc)
{
	unsigned int i;

	for (i = 0; i < record_nr_events(desc); i++) {
		const struct record_event *event = perfdata_event(desc, i);

		if (!event->name_only && attr_config3(&event->attr))
			return PERF_ATTR_SIZE_VER8;
	}
	/*
	 * In a pipe the ids stand behind the attr: up to Linux 6.5 perf looks for them behind its own
	 * struct, whatever attr.size says (perf_event__process_attr()), and that of 6.1 is this long.
	 */
	if (desc->pipe)
		return PERF_ATTR_SIZE_VER7;
	return PERF_ATTR_SIZE_VER5;
}

/*
 * The attr as perf shall see it. A tracepoint would make perf look for the kernel's
 * description of its fields, which samples of counts have none of: it goes by its name
 * alone, and so does a probe, whose type is a number of this boot.
 */
static void attr_make(union attr_wide *wide, const struct record_desc *desc,
		      const struct record_event *event)
{
	struct perf_event_attr *attr = &wide->attr;

	memset(wide, 0, sizeof(*wide));
	*attr = (struct perf_event_attr){
		.type = event->attr.type,
		.size = attrs_size(desc),
		.config = event->attr.config,
		.sample_period = event->attr.sample_period,
		.sample_type = PERFDATA_SAMPLE_TYPE |
			       (desc->format.sample_type &
				(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP)),
		.read_format = desc->format.read_format,
		.freq = event->attr.freq,
		.exclude_user = event->attr.exclude_user,
		.exclude_kernel = event->attr.exclude_kernel,
		.exclude_hv = event->attr.exclude_hv,
		.exclude_callchain_kernel = event->attr.exclude_callchain_kernel,
		.exclude_callchain_user = event->attr.exclude_callchain_user,
		.sample_id_all = 1,
	};
	if (attr->type == PERF_TYPE_TRACEPOINT || event->name_only) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
		return;
	}
	attr->config1 = event->attr.config1;
	attr->config2 = event->attr.config2;
	attr_config3_set(wide, attr_config3(&event->attr));
}

static void put_ids(FILE *file, const struct record_desc *desc, unsigned int event)
{
	unsigned int ring;

	for (ring = 0; ring < desc->nr_rings; ring++)
		put_u64(file, perfdata_id(desc, ring, event));
}

static void put_event_desc(FILE *file, const struct record_desc *desc)
{
	union attr_wide wide;
	unsigned int i;

	put_u32(file, record_nr_events(desc));
	put_u32(file, attrs_size(desc));
	for (i = 0; i < record_nr_events(desc); i++) {
		attr_make(&wide, desc, perfdata_event(desc, i));
		fwrite(wide.bytes, wide.attr.size, 1, file);
		put_u32(file, desc->nr_rings);
		put_string(file, perfdata_event(desc, i)->name);
		put_ids(file, desc, i);
	}
}

/* ---- The machine ---- */

static void put_cpudesc(FILE *file, const char *machine)
{
	char value[200];

	sysfile_value("", "/proc/cpuinfo", "model name", value, sizeof(value));
	put_string(file, value[0] ? value : machine);
}

/* As perf has it on x86, where /proc/cpuinfo has it all; else what there is. */
static void put_cpuid(FILE *file, const char *machine)
{
	char vendor[64], family[32], model[32], stepping[32], id[256];

	sysfile_value("", "/proc/cpuinfo", "vendor_id", vendor, sizeof(vendor));
	sysfile_value("", "/proc/cpuinfo", "cpu family", family, sizeof(family));
	sysfile_value("", "/proc/cpuinfo", "model", model, sizeof(model));
	sysfile_value("", "/proc/cpuinfo", "stepping", stepping, sizeof(stepping));
	snprintf(id, sizeof(id), "%s,%s,%s,%s", vendor, family, model, stepping);
	put_string(file, vendor[0] ? id : machine);
}

static void put_total_mem(FILE *file)
{
	char value[64];

	sysfile_value("", "/proc/meminfo", "MemTotal", value, sizeof(value));
	put_u64(file, strtoull(value, NULL, 10));
}

/* Version, method, level, ratio, and how much a record gives: perf makes room for that. */
static void put_compressed(FILE *file, const struct record_desc *desc)
{
	put_u32(file, 1);
	put_u32(file, COMPRESSED_ZSTD);
	put_u32(file, (uint32_t)desc->level);
	put_u32(file, 1);
	put_u32(file, PERFDATA_PACK_CHUNK);
}

static void put_feature(FILE *file, enum feature feature, const struct record_desc *desc)
{
	struct utsname name;
	int i;

	uname(&name);
	switch (feature) {
	case FEATURE_HOSTNAME:
		put_string(file, name.nodename);
		break;
	case FEATURE_OSRELEASE:
		put_string(file, name.release);
		break;
	case FEATURE_VERSION:
		put_string(file, "pmcgrp " PMCGRP_RELEASE);
		break;
	case FEATURE_ARCH:
		put_string(file, name.machine);
		break;
	case FEATURE_NRCPUS:
		put_u32(file, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
		put_u32(file, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
		break;
	case FEATURE_CPUDESC:
		put_cpudesc(file, name.machine);
		break;
	case FEATURE_CPUID:
		put_cpuid(file, name.machine);
		break;
	case FEATURE_TOTAL_MEM:
		put_total_mem(file);
		break;
	case FEATURE_CMDLINE:
		put_u32(file, (uint32_t)desc->argc);
		for (i = 0; i < desc->argc; i++)
			put_string(file, desc->argv[i]);
		break;
	case FEATURE_EVENT_DESC:
		put_event_desc(file, desc);
		break;
	case FEATURE_SAMPLE_TIME:
		put_u64(file, 0);
		put_u64(file, 0);
		break;
	case FEATURE_COMPRESSED:
		put_compressed(file, desc);
		break;
	}
}

/* ---- All of it ---- */

static uint64_t here(FILE *file)
{
	return (uint64_t)ftell(file);
}

/* Behind where the header will be: it is written last, when the offsets are known. */
static void put_attrs(FILE *file, const struct record_desc *desc, struct file_header *header)
{
	unsigned int i, nr = record_nr_events(desc);
	uint64_t ids = sizeof(*header), ids_size = desc->nr_rings * sizeof(uint64_t);
	union attr_wide wide;

	for (i = 0; i < nr; i++)
		put_ids(file, desc, i);
	header->attr_size = attrs_size(desc) + sizeof(struct section);
	header->attrs.offset = here(file);
	header->attrs.size = nr * header->attr_size;
	for (i = 0; i < nr; i++) {
		attr_make(&wide, desc, perfdata_event(desc, i));
		fwrite(wide.bytes, wide.attr.size, 1, file);
		put_u64(file, ids + i * ids_size);
		put_u64(file, ids_size);
	}
}

static size_t nr_features(const struct record_desc *desc)
{
	return desc->level ? NR_FEATURES : NR_FEATURES - 1;
}

static void put_features(FILE *file, const struct record_desc *desc, struct file_header *header,
			 struct section *table)
{
	size_t i;

	for (i = 0; i < nr_features(desc); i++) {
		table[i].offset = here(file);
		put_feature(file, features[i], desc);
		table[i].size = here(file) - table[i].offset;
		header->features[features[i] / 64] |= 1ULL << features[i] % 64;
	}
	while (here(file) % sizeof(uint64_t))
		fputc(0, file);
}

/* ---- The same as records, for a pipe ---- */

/* What stands behind the header of a record: of an event, or of a feature. */
typedef void (*body_fn)(FILE *file, const struct record_desc *desc, unsigned int which);

static void attr_body(FILE *file, const struct record_desc *desc, unsigned int event)
{
	union attr_wide wide;

	attr_make(&wide, desc, perfdata_event(desc, event));
	fwrite(wide.bytes, wide.attr.size, 1, file);
	put_ids(file, desc, event);
}

static void feature_body(FILE *file, const struct record_desc *desc, unsigned int which)
{
	put_u64(file, features[which]);
	put_feature(file, features[which], desc);
}

static int put_record(FILE *file, uint32_t type, body_fn body, const struct record_desc *desc,
		      unsigned int which)
{
	struct perf_event_header header = { .type = type };
	char *bytes = NULL;
	size_t len = 0;
	FILE *record = open_memstream(&bytes, &len);

	if (!record)
		return -ENOMEM;
	body(record, desc, which);
	while (here(record) % sizeof(uint64_t))
		fputc(0, record);
	if (fclose(record)) {
		free(bytes);
		return -ENOMEM;
	}
	header.size = (uint16_t)(sizeof(header) + len);
	if (sizeof(header) + len <= UINT16_MAX) {
		fwrite(&header, sizeof(header), 1, file);
		fwrite(bytes, len, 1, file);
	}
	free(bytes);
	return sizeof(header) + len > UINT16_MAX ? -E2BIG : 0;
}

/* The times of the samples and the ratio of compression are known at the end alone. */
static bool is_in_pipe(enum feature feature)
{
	return feature != FEATURE_SAMPLE_TIME && feature != FEATURE_COMPRESSED;
}

static int pipe_make(FILE *file, const struct record_desc *desc)
{
	unsigned int i;
	int ret = 0;

	fwrite("PERFILE2", 1, sizeof(uint64_t), file);
	put_u64(file, PERFDATA_PIPE_SIZE);
	for (i = 0; i < record_nr_events(desc) && !ret; i++)
		ret = put_record(file, PERFDATA_HEADER_ATTR, attr_body, desc, i);
	for (i = 0; i < NR_FEATURES && !ret; i++) {
		if (is_in_pipe(features[i]))
			ret = put_record(file, PERFDATA_HEADER_FEATURE, feature_body, desc, i);
		/* A command line that is too long for a record is left out. */
		if (ret == -E2BIG)
			ret = 0;
	}
	return ret;
}

static int pipe_head_make(struct perfdata_head *head, const struct record_desc *desc)
{
	char *bytes = NULL;
	FILE *file = open_memstream(&bytes, &head->len);
	int ret;

	if (!file)
		return -ENOMEM;
	ret = pipe_make(file, desc);
	if (fclose(file) && !ret)
		ret = -ENOMEM;
	if (ret < 0) {
		free(bytes);
		return ret;
	}
	head->bytes = (unsigned char *)bytes;
	return 0;
}

int perfdata_head_make(struct perfdata_head *head, const struct record_desc *desc)
{
	struct file_header header = { .magic = "PERFILE2", .size = sizeof(header) };
	struct section *table;
	char *bytes = NULL;
	size_t len = 0;
	FILE *file;

	memset(head, 0, sizeof(*head));
	if (desc->pipe)
		return pipe_head_make(head, desc);
	table = calloc(NR_FEATURES, sizeof(*table));
	file = open_memstream(&bytes, &len);
	if (!table || !file) {
		free(table);
		if (file)
			fclose(file);
		free(bytes);
		return -ENOMEM;
	}
	fwrite(&header, sizeof(header), 1, file);
	put_attrs(file, desc, &header);
	put_features(file, desc, &header, table);
	if (fclose(file)) {
		free(table);
		free(bytes);
		return -ENOMEM;
	}
	header.data.offset = len;
	memcpy(bytes, &header, sizeof(header));
	head->bytes = (unsigned char *)bytes;
	head->len = len;
	head->table = (unsigned char *)table;
	head->table_len = nr_features(desc) * sizeof(*table);
	head->times_at = table[NR_FEATURES - 2].offset;
	head->ratio_at = desc->level ? table[NR_FEATURES - 1].offset + RATIO_PLACE : 0;
	return 0;
}

void perfdata_head_free(struct perfdata_head *head)
{
	free(head->bytes);
	free(head->table);
}
