// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"
#include "say/name.h"

#define SIZE_LEAST 65536

static const char *const types[] = {
	[EXPOSITION_COUNTER] = "counter",
	[EXPOSITION_GAUGE] = "gauge",
	[EXPOSITION_INFO] = "info",
	[EXPOSITION_HISTOGRAM] = "histogram",
};

/* ---- The text ---- */

void exposition_begin(struct exposition *e, enum exposition_format format)
{
	e->format = format;
	e->len = 0;
	e->failed = false;
}

static bool has_room(struct exposition *e, size_t len)
{
	size_t size = e->size ? e->size : SIZE_LEAST;
	char *text;

	if (e->size - e->len >= len)
		return true;
	while (size - e->len < len)
		size *= 2;
	text = e->failed ? NULL : realloc(e->text, size);
	if (!text) {
		e->failed = true;
		return false;
	}
	e->text = text;
	e->size = size;
	return true;
}

static void put(struct exposition *e, const char *bytes, size_t len)
{
	if (!has_room(e, len))
		return;
	memcpy(e->text + e->len, bytes, len);
	e->len += len;
}

static void put_string(struct exposition *e, const char *string)
{
	put(e, string, strlen(string));
}

static void put_number(struct exposition *e, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put(e, digits + at, sizeof(digits) - at);
}

/* Nine digits tell any two shares of time apart that a graph could show apart. */
static void put_double(struct exposition *e, double value)
{
	char text[32];

	put(e, text, (size_t)snprintf(text, sizeof(text), "%.9g", value));
}

int exposition_end(struct exposition *e)
{
	if (e->format == EXPOSITION_OPENMETRICS)
		put_string(e, "# EOF\n");
	return e->failed ? -ENOMEM : 0;
}

void exposition_free(struct exposition *e)
{
	free(e->text);
	*e = (struct exposition){ 0 };
}

const char *exposition_content_type(enum exposition_format format)
{
	return format == EXPOSITION_OPENMETRICS ?
		       "application/openmetrics-text; version=1.0.0; charset=utf-8" :
		       "text/plain; version=0.0.4; charset=utf-8";
}

/* ---- Families ---- */

/* Help is escaped as a label is, but for quotes in Prometheus' format. */
static void put_help(struct exposition *e, const char *help)
{
	for (; *help; help++) {
		if (*help == '\n')
			put_string(e, "\\n");
		else if (*help == '\\' || (*help == '"' && e->format == EXPOSITION_OPENMETRICS))
			put(e, (char[]){ '\\', *help }, 2);
		else
			put(e, help, 1);
	}
}

/* In Prometheus' format a family is called as its samples are, and has no type info. */
static void put_family(struct exposition *e, const char *keyword, const char *name,
		       enum exposition_type type)
{
	bool plain = e->format == EXPOSITION_PLAIN;

	put_string(e, keyword);
	put_string(e, name);
	if (plain && type == EXPOSITION_COUNTER)
		put_string(e, "_total");
	if (plain && type == EXPOSITION_INFO)
		put_string(e, "_info");
	put(e, " ", 1);
}

void exposition_family(struct exposition *e, const char *name, enum exposition_type type,
		       const char *unit, const char *help)
{
	bool plain = e->format == EXPOSITION_PLAIN;

	put_family(e, "# TYPE ", name, type);
	put_string(e, types[plain && type == EXPOSITION_INFO ? EXPOSITION_GAUGE : type]);
	if (unit && !plain) {
		put(e, "\n", 1);
		put_family(e, "# UNIT ", name, type);
		put_string(e, unit);
	}
	put(e, "\n", 1);
	put_family(e, "# HELP ", name, type);
	put_help(e, help);
	put(e, "\n", 1);
}

/* ---- Samples ---- */

static void put_start(struct exposition *e, const char *name, const char *suffix, const char *labels)
{
	put_string(e, name);
	put_string(e, suffix);
	put_string(e, labels);
	put(e, " ", 1);
}

/* In seconds, to the millisecond. */
static void put_time(struct exposition *e, uint64_t ms)
{
	char decimals[] = { '.', (char)('0' + ms / 100 % 10), (char)('0' + ms / 10 % 10),
			    (char)('0' + ms % 10), '\n' };

	put_number(e, ms / 1000);
	put(e, decimals, sizeof(decimals));
}

void exposition_counter(struct exposition *e, const char *name, const char *labels, uint64_t value,
			uint64_t created)
{
	put_start(e, name, "_total", labels);
	put_number(e, value);
	put(e, "\n", 1);
	if (e->format != EXPOSITION_OPENMETRICS)
		return;
	put_start(e, name, "_created", labels);
	put_time(e, created);
}

void exposition_gauge(struct exposition *e, const char *name, const char *labels, double value)
{
	put_start(e, name, "", labels);
	put_double(e, value);
	put(e, "\n", 1);
}

void exposition_info(struct exposition *e, const char *name, const char *labels)
{
	put_start(e, name, "_info", labels);
	put(e, "1\n", 2);
}

/* Labels as samples without `le` have them. */
static void put_plain_start(struct exposition *e, const char *name, const char *suffix,
			    const char *labels)
{
	size_t len = strlen(labels);

	put_string(e, name);
	put_string(e, suffix);
	if (len) {
		put(e, "{", 1);
		put(e, labels, len - 1);
		put(e, "}", 1);
	}
	put(e, " ", 1);
}

/* @to: NULL: all of them. A bound is a floating-point number as Go writes it. */
static void put_bucket(struct exposition *e, const char *name, const char *labels,
		       const uint64_t *to, uint64_t count)
{
	put_string(e, name);
	put_string(e, "_bucket{");
	put_string(e, labels);
	put_string(e, "le=\"");
	if (to) {
		put_number(e, *to);
		put_string(e, ".0");
	} else {
		put_string(e, "+Inf");
	}
	put_string(e, "\"} ");
	put_number(e, count);
	put(e, "\n", 1);
}

void exposition_histogram(struct exposition *e, const char *name, const char *labels,
			  const struct exposition_buckets *buckets, uint64_t created)
{
	uint64_t count = 0;
	unsigned int i;

	/* The last one has no bound. */
	for (i = 0; i < buckets->nr; i++) {
		count += buckets->bucket[i];
		put_bucket(e, name, labels, i + 1 < buckets->nr ? &buckets->to[i] : NULL, count);
	}
	put_plain_start(e, name, "_count", labels);
	put_number(e, count);
	put(e, "\n", 1);
	put_plain_start(e, name, "_sum", labels);
	put_number(e, buckets->sum);
	put(e, "\n", 1);
	if (e->format != EXPOSITION_OPENMETRICS)
		return;
	put_plain_start(e, name, "_created", labels);
	put_time(e, created);
}

/* ---- Names and labels ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void exposition_name(char *out, size_t size, const char *text)
{
	size_t len = 0;

	for (; *text && len + 1 < size; text++) {
		if (is_letter(*text) || (len && is_digit(*text)))
			out[len++] = *text;
		else if (is_digit(*text) && size > 2)
			len += (size_t)sprintf(out, "_%c", *text);
		else if (len && out[len - 1] != '_')
			out[len++] = '_';
	}
	while (len > 1 && out[len - 1] == '_')
		len--;
	if (!len && size > 1)
		out[len++] = '_';
	out[len] = '\0';
}

static size_t escape(char *out, size_t size, const char *value)
{
	size_t len = 0;

	for (; *value && len + 2 < size; value++) {
		if (*value == '\\' || *value == '"')
			out[len++] = '\\';
		out[len++] = *value;
	}
	out[len] = '\0';
	return len;
}

void labels_add(char *labels, size_t size, const char *name, const char *value)
{
	size_t len = strlen(labels), names = strlen(name), values;
	char text[NAME_PATH_SIZE];

	if (!*value)
		return;
	name_text(text, sizeof(text), value, strlen(value));
	values = strlen(text);
	if (len + names + 2 * values + sizeof(",=\"\"") > size)
		return;
	if (len)
		labels[len++] = ',';
	memcpy(labels + len, name, names);
	len += names;
	labels[len++] = '=';
	labels[len++] = '"';
	len += escape(labels + len, 2 * values + 3, text);
	labels[len++] = '"';
	labels[len] = '\0';
}
