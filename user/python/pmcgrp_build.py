# SPDX-License-Identifier: LGPL-2.1-only OR MIT
"""What cffi is told of libpmcgrp: declarations that are taken by their names from the public headers, and
held against these by the compiler once more.

The folders of the headers and of the library are PMCGRP_INCLUDE and PMCGRP_LIBDIR, or what pkg-config says.
"""

import os
import pathlib
import re
import shlex
import subprocess

import cffi

FUNCTIONS = """
pmcgrp_version pmcgrp_open pmcgrp_close pmcgrp_backend pmcgrp_strerror pmcgrp_error_why
pmcgrp_error_member pmcgrp_error_cpu pmcgrp_why_name pmcgrp_why_text
pmcgrp_cpus_parse pmcgrp_cpus_set
pmcgrp_spec_new pmcgrp_spec_free pmcgrp_spec_set_task pmcgrp_spec_set_process pmcgrp_spec_set_cpus
pmcgrp_spec_set_all_cpus pmcgrp_spec_set_cgroup pmcgrp_spec_set_flags pmcgrp_spec_add_events
pmcgrp_events_parse pmcgrp_events_free pmcgrp_events_nr pmcgrp_events_nr_groups pmcgrp_events_at
pmcgrp_events_group
pmcgrp_group_create pmcgrp_group_close pmcgrp_group_fd pmcgrp_group_nr pmcgrp_group_id
pmcgrp_group_read_format pmcgrp_group_enable pmcgrp_group_disable pmcgrp_group_reset
pmcgrp_group_reset_times pmcgrp_group_read pmcgrp_group_read_cpus
pmcgrp_read_size pmcgrp_view_init pmcgrp_view_cpu pmcgrp_view_nr pmcgrp_view_time_enabled
pmcgrp_view_time_running pmcgrp_view_value pmcgrp_view_id
pmcgrp_group_set_keys pmcgrp_keys_free pmcgrp_keys_update pmcgrp_keys_next pmcgrp_keys_drop_ended
pmcgrp_keys_dropped pmcgrp_keys_totals
pmcgrp_region_find pmcgrp_region_enter_on pmcgrp_region_leave_on pmcgrp_regions_start
pmcgrp_regions_stop pmcgrp_regions_report
pmcgrp_group_set_ring pmcgrp_rings_map pmcgrp_rings_free pmcgrp_rings_from_zero pmcgrp_rings_wait
pmcgrp_rings_flush pmcgrp_rings_update pmcgrp_group_sample pmcgrp_group_pause_rings
pmcgrp_section_read_histograms pmcgrp_section_counts_free
pmcgrp_group_add_span pmcgrp_section_next pmcgrp_section_free pmcgrp_missed_name
""".split()
STRUCTS = """
pmcgrp_cpus pmcgrp_view pmcgrp_events_error pmcgrp_event pmcgrp_event_group pmcgrp_key_options
pmcgrp_key_counts pmcgrp_key pmcgrp_key_totals pmcgrp_span_spec
""".split()
ENUMS = "pmcgrp_backend pmcgrp_event_group_flags pmcgrp_key_kind".split()
# Numbers that the compiler looks up.
CONSTANTS = """
PMCGRP_OPEN_FALLBACK PMCGRP_OPEN_PERF PMCGRP_CPUS_MAX
PMCGRP_CREATE_DISABLED PMCGRP_CREATE_ENABLE_ON_EXEC PMCGRP_CREATE_PINNED PMCGRP_CREATE_INHERIT
PMCGRP_CREATE_UNTIL_EXIT PMCGRP_CREATE_LEADER PMCGRP_CREATE_BACKGROUND
PERF_EVENT_IOC_ENABLE PERF_EVENT_IOC_DISABLE PERF_EVENT_IOC_RESET PERF_EVENT_IOC_ID
PERF_FORMAT_TOTAL_TIME_ENABLED PERF_FORMAT_TOTAL_TIME_RUNNING PERF_FORMAT_ID
PERF_SAMPLE_RAW PERF_SAMPLE_IDENTIFIER PMCGRP_RING_BACKWARD
PERF_SAMPLE_READ PERF_SAMPLE_TIME PERF_SAMPLE_TID PERF_SAMPLE_CPU PERF_SAMPLE_IP PERF_SAMPLE_ID
PMCGRP_KEY_PROCESS PMCGRP_KEY_THREAD PMCGRP_KEY_COMMAND PMCGRP_SECTION_TRACEPOINTS
PMCGRP_SECTION_USER_FUNCTION PMCGRP_SECTION_BUCKETS PMCGRP_SECTION_MEMBERS_MAX
PMCGRP_SECTION_KEY_TOTAL PMCGRP_SECTION_KEY_TASKS PMCGRP_SECTION_KEY_OVERFLOW
""".split()
# Of the ABI, whose types are the kernel's, the fields that are looked at.
ABI = """
enum pmcgrp_section_kind { PMCGRP_SECTION_FUNCTION, ... };
enum pmcgrp_span_key { PMCGRP_SPAN_KEY_TASK, ... };
enum pmcgrp_missed { PMCGRP_MISSED_BUSY, ... };
struct pmcgrp_section_stat { unsigned long long sum, min, max; unsigned long long bucket[...]; ...; };
struct pmcgrp_section_key_stat { unsigned long long sum, min, max; ...; };
struct pmcgrp_section_key {
	unsigned int cpu, kind;
	unsigned long long key[2];
	char comm[...];
	unsigned long long count;
	struct pmcgrp_section_key_stat stat[...];
	...;
};
struct pmcgrp_section_key_buckets { unsigned long long bucket[...][...]; ...; };
struct pmcgrp_section_counts {
	uint32_t by, nr_members;
	size_t nr;
	struct pmcgrp_section_key_buckets *buckets;
	struct pmcgrp_section_key entry[];
};
struct pmcgrp_section_info {
	unsigned long long id, count, in_flight;
	unsigned long long missed[...];
	...;
};
const struct pmcgrp_section_stat *pmcgrp_section_stat(const struct pmcgrp_section_info *section, uint32_t i);
"""
# What would take a call from Python for each record, and a struct with fields of bits.
HELPERS = """
int pmcgrp_python_trigger(struct pmcgrp *h, struct pmcgrp_group *group,
			  const struct perf_event_attr *event, uint64_t period, uint64_t freq,
			  const char *name);
int pmcgrp_python_add(struct pmcgrp *h, struct pmcgrp_group *group, const struct perf_event_attr *event,
		      bool disabled, const char *name);
ssize_t pmcgrp_python_samples(struct pmcgrp_rings *rings, const struct pmcgrp_group *group, uint64_t *rows,
			      size_t nr, size_t columns);
ssize_t pmcgrp_python_spans(struct pmcgrp_rings *rings, uint64_t *rows, size_t nr, size_t columns,
			    uint64_t *lost);
"""
SOURCE = """
#include <string.h>

#include <pmcgrp.h>
#include <pmcgrp_regions.h>

static struct perf_event_attr pmcgrp_python_attr(const struct perf_event_attr *event)
{
	struct perf_event_attr attr = { 0 };

	memcpy(&attr, event, event->size < sizeof(attr) ? event->size : sizeof(attr));
	attr.size = sizeof(attr);
	return attr;
}

static int pmcgrp_python_add(struct pmcgrp *h, struct pmcgrp_group *group,
			     const struct perf_event_attr *event, bool disabled, const char *name)
{
	struct perf_event_attr attr = pmcgrp_python_attr(event);

	attr.disabled = disabled;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	return pmcgrp_group_add(h, group, &attr, name);
}

static int pmcgrp_python_trigger(struct pmcgrp *h, struct pmcgrp_group *group,
				 const struct perf_event_attr *event, uint64_t period, uint64_t freq,
				 const char *name)
{
	struct perf_event_attr attr = pmcgrp_python_attr(event);

	attr.freq = freq != 0;
	attr.sample_period = freq ? freq : period;
	return pmcgrp_group_add_trigger(h, group, &attr, name);
}

/* A round of the rings ends with the call that finds no more; a full array does not end it. */
static ssize_t pmcgrp_python_samples(struct pmcgrp_rings *rings, const struct pmcgrp_group *group,
				     uint64_t *rows, size_t nr, size_t columns)
{
	const struct pmcgrp_delta *delta;
	struct pmcgrp_record record;
	size_t i = 0, k, first = 9;
	uint64_t *row;
	int ret, trigger;

	while (i < nr) {
		ret = pmcgrp_rings_next(rings, &record);
		if (ret <= 0) {
			pmcgrp_rings_consume(rings);
			return ret < 0 && !i ? ret : (ssize_t)i;
		}
		delta = pmcgrp_rings_delta(rings, record.ring);
		if (!pmcgrp_record_is_sample(&record) || !delta || !delta->valid)
			continue;
		row = rows + i++ * columns;
		row[0] = record.time;
		row[1] = record.cpu;
		row[2] = record.pid;
		row[3] = record.tid;
		row[4] = record.ip;
		trigger = pmcgrp_group_trigger(group, &record);
		row[5] = trigger < 0 ? 0 : trigger;
		row[6] = delta->enabled;
		row[7] = delta->running;
		row[8] = delta->lost;
		for (k = first; k < columns; k++)
			row[k] = k - first < delta->nr ? delta->value[k - first] : 0;
	}
	return (ssize_t)i;
}

static ssize_t pmcgrp_python_spans(struct pmcgrp_rings *rings, uint64_t *rows, size_t nr, size_t columns,
				   uint64_t *lost)
{
	struct pmcgrp_span_values span;
	struct pmcgrp_record record;
	size_t i = 0, k, first = 7;
	uint64_t *row;
	int ret;

	while (i < nr) {
		ret = pmcgrp_rings_next(rings, &record);
		if (ret <= 0) {
			pmcgrp_rings_consume(rings);
			return ret < 0 && !i ? ret : (ssize_t)i;
		}
		*lost += record.lost;
		if (pmcgrp_record_span(&record, &span))
			continue;
		row = rows + i++ * columns;
		row[0] = record.time;
		row[1] = record.cpu;
		row[2] = record.pid;
		row[3] = record.tid;
		row[4] = span.id;
		row[5] = span.begin;
		row[6] = span.duration;
		for (k = first; k < columns; k++)
			row[k] = k - first < span.nr ? span.value[k - first] : 0;
	}
	return (ssize_t)i;
}
"""
HEADERS = ("pmcgrp_events.h", "pmcgrp.h", "pmcgrp_regions.h")
# Constants that stand in their declarations.
SIZES = {"PMCGRP_CPUS_MAX / 64": "...", "PMCGRP_COMM_SIZE": "...", "PMCGRP_MEMBERS_MAX": "..."}


def flags():
    """(folders of headers, folders of libraries, options of the linker)"""
    include, libdir = os.environ.get("PMCGRP_INCLUDE"), os.environ.get("PMCGRP_LIBDIR")
    if include and libdir:
        return include.split(":"), [libdir], []

    def ask(*options):
        return subprocess.run(["pkg-config", *options, "libpmcgrp"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    folders = [ask("--variable=includedir").strip(), *(o[2:] for o in shlex.split(ask("--cflags-only-I")))]
    return (folders, [o[2:] for o in shlex.split(ask("--libs-only-L"))],
            shlex.split(ask("--libs-only-other")))


def text_of(folders):
    """The headers without comments and lines of the preprocessor."""
    text = ""
    for header in HEADERS:
        (file, *_) = [f for f in (pathlib.Path(folder) / header for folder in folders) if f.exists()]
        text += file.read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^#.*(\\\n.*)*$", "", re.sub(r"//.*", "", text), flags=re.M)


def found(pattern, name, text):
    match = re.search(pattern, text, re.M | re.S)
    if not match:
        raise LookupError(f"{name} is not declared in {', '.join(HEADERS)}")
    return match[0]


def declarations(text):
    """What cffi parses. Structs may have more fields: the compiler knows where each lies."""
    parts = [f"#define {name} ..." for name in CONSTANTS]
    parts += [found(rf"^enum {name} \{{.*?^\}};", name, text) for name in ENUMS]
    parts += ["enum pmcgrp_why { PMCGRP_WHY_NONE, ... };", "struct perf_event_attr;", "typedef int... pid_t;",
              "enum pmcgrp_key_type { PMCGRP_KEY_CGROUP, ... };", "extern int pmcgrp_regions_on;"]
    parts.append(ABI)
    for name in STRUCTS:
        struct = found(rf"^struct {name} \{{.*?^\}};", name, text)
        parts.append(re.sub(r"^\};", "\t...;\n};", struct, flags=re.M))
    parts += [found(rf"^(?:(?:const|struct|enum|unsigned) )*\w+ \**{name}\([^;{{]*\);", name, text)
              for name in FUNCTIONS]
    cdef = "\n".join([*parts, HELPERS])
    for size, value in SIZES.items():
        cdef = cdef.replace(size, value)
    return cdef


def builder():
    folders, libraries, options = flags()
    made = cffi.FFI()
    made.cdef(declarations(text_of(folders)))
    made.set_source("pmcgrp._native", SOURCE, libraries=["pmcgrp"], include_dirs=folders,
                    library_dirs=libraries, extra_link_args=options,
                    extra_compile_args=["-std=gnu11", "-Werror=incompatible-pointer-types",
                                        "-Werror=int-conversion", "-Werror=implicit-function-declaration"])
    return made


ffi = builder()
