/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The text that is scraped: OpenMetrics 1.0, or Prometheus' text format 0.0.4. What readers do with
 * it is in user/doc/export.md. There are no timestamps and no exemplars, and the caller writes no
 * series twice.
 */
#ifndef EXPOSITION_H
#define EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exposition_format {
	EXPOSITION_OPENMETRICS,
	EXPOSITION_PLAIN, /* 0.0.4 */
};

struct exposition {
	enum exposition_format format;
	char *text;
	size_t len;
	size_t size;
	bool failed; /* there was no memory: the text is not complete */
};

enum exposition_type {
	EXPOSITION_COUNTER,
	EXPOSITION_GAUGE,
	EXPOSITION_INFO,
	EXPOSITION_HISTOGRAM,
};

/* Empties it; what it has allocated is kept. */
void exposition_begin(struct exposition *e, enum exposition_format format);

/* Returns 0, or -ENOMEM for all that had no memory before. */
int exposition_end(struct exposition *e);

void exposition_free(struct exposition *e);

/* What the HTTP header Content-Type says of a format. */
const char *exposition_content_type(enum exposition_format format);

/*
 * exposition_family - the lines before the samples of a family
 * @name: without _total and _info; @unit: what it ends with, or NULL
 */
void exposition_family(struct exposition *e, const char *name, enum exposition_type type,
		       const char *unit, const char *help);

/*
 * One sample of the family @name. @labels: with its braces, or "".
 *
 * @created: in ms since 1970; what was counted since then. Prometheus' format has no place for it.
 */
void exposition_counter(struct exposition *e, const char *name, const char *labels, uint64_t value,
			uint64_t created);
void exposition_gauge(struct exposition *e, const char *name, const char *labels, double value);
void exposition_info(struct exposition *e, const char *name, const char *labels);

/* A histogram: @bucket[i] is what is in bucket i alone, whose largest value is @to[i]. */
struct exposition_buckets {
	const uint64_t *to;
	const uint64_t *bucket;
	unsigned int nr;
	uint64_t sum;
};

/* @labels: without braces, "" or a comma at its end */
void exposition_histogram(struct exposition *e, const char *name, const char *labels,
			  const struct exposition_buckets *buckets, uint64_t created);

/* ---- Names and labels ---- */

/*
 * exposition_name - make any text a part of a metric's name: letters, digits and _, the first of
 *	which is no digit
 */
void exposition_name(char *out, size_t size, const char *text);

/* Room for the labels of a row: a path's bytes become two at most, or four of what is no UTF-8. */
#define LABELS_SIZE (4 * 4096 + 2048)

/*
 * labels_add - one label more in @labels, which begins as ""; without braces
 *
 * An empty value is no label. What has no room is left out.
 */
void labels_add(char *labels, size_t size, const char *name, const char *value);

#endif
