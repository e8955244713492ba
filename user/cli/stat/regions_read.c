// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Reading what processes have written of their regions. A program could have written anything to
 * that file, and may have been killed meanwhile: nothing of a line is believed.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "region_reports.h"

struct reader {
	struct regions_reports *reports;
	struct region_set *set;		/* of the report that is being read, or NULL */
	unsigned int nr_names;		/* of its values, so far */
	unsigned long lines;		/* of it, so far */
	char *rest;			/* of the line */
};

/* ---- Words of a line ---- */

/* The next word; NULL: there is none. */
static char *word(struct reader *r)
{
	char *start = r->rest, *end;

	if (!start || !*start)
		return NULL;
	end = strchr(start, ' ');
	if (end)
		*end = '\0';
	r->rest = end ? end + 1 : NULL;
	return start;
}

static bool number(struct reader *r, uint64_t max, uint64_t *value)
{
	const char *c = word(r);

	*value = 0;
	if (!c)
		return false;
	do {
		if (*c < '0' || *c > '9' || *value > max / 10)
			return false;
		*value *= 10;
		if (*value > max - (uint64_t)(*c - '0'))
			return false;
		*value += (uint64_t)(*c - '0');
	} while (*++c);
	return true;
}

static bool numbers(struct reader *r, uint64_t *values, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!number(r, UINT64_MAX, &values[i]))
			return false;
	}
	return true;
}

static bool id(struct reader *r, pid_t *pid)
{
	uint64_t value;

	if (!number(r, INT_MAX, &value))
		return false;
	*pid = (pid_t)value;
	return true;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* As text: it goes to a terminal, too. */
static bool string(struct reader *r, char *out, size_t size)
{
	const char *c = word(r);
	size_t len = 0;
	char *bytes;
	int value;

	if (!c || *c != ':')
		return false;
	for (c++; *c; c++) {
		value = (unsigned char)*c;
		if (value == '%') {
			if (hex(c[1]) < 0 || hex(c[2]) < 0)
				return false;
			value = hex(c[1]) * 16 + hex(c[2]);
			c += 2;
		}
		if (len + 1 >= size)
			return false;
		out[len++] = (char)value;
	}
	bytes = strndup(out, len);
	if (!bytes)
		return false;
	name_text(out, size, bytes, len);
	free(bytes);
	return true;
}

static bool at_end(const struct reader *r)
{
	return !r->rest || !*r->rest;
}

/* ---- Lines ---- */

static struct regions_process *process_of(struct regions_reports *reports, pid_t pid)
{
	struct regions_process *more;
	unsigned int i;

	for (i = 0; i < reports->nr_processes; i++) {
		if (reports->processes[i].pid == pid)
			return &reports->processes[i];
	}
	more = reallocarray(reports->processes, reports->nr_processes + 1, sizeof(*more));
	if (!more)
		return NULL;
	reports->processes = more;
	more += reports->nr_processes++;
	*more = (struct regions_process){ .pid = pid };
	return more;
}

/* Each returns 1, 0 for a line that is malformed, or -ENOMEM. */

static int begin_report(struct reader *r, pid_t pid, const char *comm)
{
	struct regions_reports *reports = r->reports;
	struct region_set *more;
	uint64_t nr;

	if (!number(r, REGION_VALUES_MAX, &nr) || !nr || !at_end(r))
		return 0;
	more = reallocarray(reports->sets, reports->nr_sets + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	reports->sets = more;
	r->set = &more[reports->nr_sets];
	if (region_set_init(r->set, (unsigned int)nr)) {
		r->set = NULL;
		return -ENOMEM;
	}
	reports->nr_sets++;
	r->set->pid = pid;
	snprintf(r->set->comm, sizeof(r->set->comm), "%s", comm);
	r->nr_names = 0;
	r->lines = 0;
	return 1;
}

static int head(struct reader *r)
{
	struct regions_process *process;
	const char *what;
	uint64_t version;
	char comm[64];
	pid_t pid;

	if (!number(r, UINT64_MAX, &version) || version != REGION_TEXT_VERSION)
		return 0;
	what = word(r);
	if (!what || !id(r, &pid) || !string(r, comm, sizeof(comm)))
		return 0;
	if (!strcmp(what, "report"))
		return begin_report(r, pid, comm);
	if (strcmp(what, "start") || !at_end(r))
		return 0;
	process = process_of(r->reports, pid);
	if (!process)
		return -ENOMEM;
	snprintf(process->comm, sizeof(process->comm), "%s", comm);
	process->starts++;
	return 1;
}

static int value_line(struct reader *r)
{
	char name[512];

	if (r->nr_names == r->set->nr_values || !string(r, name, sizeof(name)))
		return 0;
	r->set->values[r->nr_names] = strdup(name);
	return r->set->values[r->nr_names++] ? 1 : -ENOMEM;
}

static int thread_line(struct reader *r)
{
	struct region_set_thread *thread = region_set_add_thread(r->set);
	uint64_t direct;

	if (!thread)
		return -ENOMEM;
	thread->pid = r->set->pid;
	if (!id(r, &thread->tid) || !number(r, 1, &direct))
		return 0;
	thread->direct = direct;
	return string(r, thread->why, sizeof(thread->why));
}

static int region_line(struct reader *r)
{
	struct region_row *row;
	unsigned int i;

	/* Its values stand behind all of their names. */
	if (r->nr_names != r->set->nr_values)
		return 0;
	row = region_set_add_row(r->set);
	if (!row)
		return -ENOMEM;
	row->pid = r->set->pid;
	row->nr_threads = 1;
	if (!id(r, &row->tid) || !string(r, row->name, sizeof(row->name)))
		return 0;
	if (!number(r, UINT64_MAX, &row->calls) || !number(r, UINT64_MAX, &row->counted) ||
	    !number(r, UINT64_MAX, &row->renewed) || !number(r, UINT64_MAX, &row->self_missed) ||
	    !number(r, UINT64_MAX, &row->enabled) || !number(r, UINT64_MAX, &row->running) ||
	    !numbers(r, row->missed, PMCGRP_REGION_REASONS))
		return 0;
	for (i = 0; i < r->set->nr_values; i++) {
		struct region_value *value = &row->values[i];

		if (!number(r, UINT64_MAX, &value->sum) || !number(r, UINT64_MAX, &value->self) ||
		    !number(r, UINT64_MAX, &value->min) || !number(r, UINT64_MAX, &value->max))
			return 0;
	}
	return 1;
}

static int end_line(struct reader *r)
{
	struct regions_process *process;
	uint64_t lines;

	if (!number(r, UINT64_MAX, &lines) || lines != r->lines - 1 ||
	    r->nr_names != r->set->nr_values)
		return 0;
	process = process_of(r->reports, r->set->pid);
	if (!process)
		return -ENOMEM;
	process->reports++;
	r->set = NULL;
	return 1;
}

/* A line within a report. */
static int body(struct reader *r, const char *kind)
{
	struct region_set *set = r->set;

	r->lines++;
	if (!strcmp(kind, "value"))
		return value_line(r);
	if (!strcmp(kind, "thread"))
		return thread_line(r);
	if (!strcmp(kind, "region"))
		return region_line(r);
	if (!strcmp(kind, "backend"))
		return string(r, set->backend, sizeof(set->backend));
	if (!strcmp(kind, "failure"))
		return string(r, set->failure, sizeof(set->failure));
	if (!strcmp(kind, "refused"))
		return numbers(r, set->refused, REGION_REFUSED_REASONS);
	return strcmp(kind, "end") ? 0 : end_line(r);
}

static int take_line(struct reader *r, char *text)
{
	const char *kind;
	int ret;

	r->rest = text;
	kind = word(r);
	if (!kind)
		return 0;
	if (r->set)
		ret = body(r, kind);
	else
		ret = strcmp(kind, "pmcgrp-regions") ? 0 : head(r);
	return ret == 1 && !at_end(r) ? 0 : ret;
}

/* ---- The file ---- */

/* A report that does not end is none. */
static void drop_unfinished(struct reader *r)
{
	if (!r->set)
		return;
	region_set_free(r->set);
	r->reports->nr_sets--;
	r->set = NULL;
}

static const char *read_line(FILE *file, char *line, size_t *size)
{
	size_t len;

	if (!fgets(line, REGIONS_LINE_MAX, file))
		return NULL;
	len = strlen(line);
	*size += len;
	if (*size > REGIONS_FILE_MAX)
		return "the file is too large";
	if (!len || line[len - 1] != '\n')
		return "the line does not end, or is too long";
	line[len - 1] = '\0';
	return "";
}

int regions_read(struct regions_reports *reports, FILE *file)
{
	struct reader r = { .reports = reports };
	static char line[REGIONS_LINE_MAX];
	unsigned long nr = 0;
	const char *what;
	size_t size = 0;
	int ret = 1;

	*reports = (struct regions_reports){ 0 };
	while (ret == 1 && (what = read_line(file, line, &size))) {
		nr++;
		ret = *what ? 0 : take_line(&r, line);
		if (ret)
			continue;
		reports->line = nr;
		reports->what = *what ? what : "it is none of a report of this version";
	}
	if (ret == 1 && r.set) {
		reports->line = nr;
		reports->what = "the report does not end";
	}
	drop_unfinished(&r);
	if (ferror(file))
		return -EIO;
	return ret < 0 ? ret : 0;
}

void regions_reports_free(struct regions_reports *reports)
{
	unsigned int i;

	for (i = 0; i < reports->nr_sets; i++)
		region_set_free(&reports->sets[i]);
	free(reports->sets);
	free(reports->processes);
	*reports = (struct regions_reports){ 0 };
}
