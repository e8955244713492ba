// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_data.h"
#include "page_json.h"
#include "print.h"

static int put_string(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\"%s\":", key);
	return rep_page_string(file, text);
}

/* One of the three numbers of all columns. */
static void put_numbers(FILE *file, const char *key, const struct rep_picture *picture,
			const struct rep_line *line, size_t offset)
{
	unsigned int i;

	fprintf(file, ",\"%s\":[", key);
	for (i = 0; i < picture->nr_columns; i++) {
		double value;

		memcpy(&value, (const char *)&line->columns[i] + offset, sizeof(value));
		if (i)
			fputc(',', file);
		if (isnan(value))
			fputs("null", file);
		else
			fprintf(file, "%.5g", value);
	}
	fputc(']', file);
}

static bool has_band(const struct rep_picture *picture, const struct rep_line *line)
{
	unsigned int i;

	/* No column without a value is greater than anything. */
	for (i = 0; i < picture->nr_columns; i++) {
		if (line->columns[i].high > line->columns[i].low)
			return true;
	}
	return false;
}

static void put_off(FILE *file, const struct rep_picture *picture, const struct rep_line *line)
{
	unsigned int i, end;
	bool any = false;

	fputs(",\"off\":[", file);
	for (i = 0; i < picture->nr_columns; i = end + 1) {
		for (end = i; end < picture->nr_columns && line->columns[end].off; end++)
			;
		if (end > i) {
			fprintf(file, "%s%u,%u", any ? "," : "", i, end - i);
			any = true;
		}
	}
	fputc(']', file);
}

static int put_line(FILE *file, const struct rep_picture *picture, const struct rep_line *line)
{
	int ret;

	fputs("\n{", file);
	ret = put_string(file, "label", line->label);
	put_numbers(file, "mean", picture, line, offsetof(struct rep_column, mean));
	if (!picture->heat && has_band(picture, line)) {
		put_numbers(file, "low", picture, line, offsetof(struct rep_column, low));
		put_numbers(file, "high", picture, line, offsetof(struct rep_column, high));
	}
	put_off(file, picture, line);
	fputc('}', file);
	return ret;
}

static int put_plot(FILE *file, const struct rep_picture *picture, const struct rep_plot *plot)
{
	static const char * const forms[] = {
		[REP_FORM_RATE] = "rate",
		[REP_FORM_CLOCK] = "clock",
		[REP_FORM_RATIO] = "ratio",
		[REP_FORM_PERCENT] = "percent",
	};
	unsigned int i;
	int ret;

	fputs("\n{", file);
	ret = put_string(file, "title", plot->title);
	fputc(',', file);
	ret |= put_string(file, "unit", plot->unit);
	fprintf(file, ",\"form\":\"%s\",\"streams\":%zu,\"lines\":[", forms[plot->form],
		plot->nr_streams);
	for (i = 0; i < plot->nr_lines; i++) {
		if (i)
			fputc(',', file);
		ret |= put_line(file, picture, &plot->lines[i]);
	}
	fputs("]}", file);
	return ret;
}

static int put_plots(FILE *file, const struct rep_picture *picture)
{
	unsigned int i;
	int ret = 0;

	fprintf(file, "\"columns\":%u,\"plots\":[", picture->nr_columns);
	for (i = 0; i < picture->nr_plots; i++) {
		if (i)
			fputc(',', file);
		ret |= put_plot(file, picture, &picture->plots[i]);
	}
	fputc(']', file);
	return ret;
}

static int put_lane(FILE *file, const struct rep_picture *picture, const struct rep_lane *lane)
{
	bool any = false;
	unsigned int i;
	int ret;

	fprintf(file, "\n{\"kind\":\"%s\",\"total\":%" PRIu64 ",", rep_lane_names[lane->kind],
		lane->total);
	ret = put_string(file, "label", lane->label);
	fputs(",\"nr\":[", file);
	for (i = 0; i < picture->nr_columns; i++) {
		if (!lane->nr[i])
			continue;
		fprintf(file, "%s%u,%" PRIu64, any ? "," : "", i, lane->nr[i]);
		any = true;
	}
	fputs("]}", file);
	return ret;
}

int rep_page_data(FILE *file, const struct rep_picture *picture, const struct rep_picture *heat,
		  const struct rep_lanes *lanes)
{
	unsigned int i;
	int ret = 0;

	fprintf(file, "{\"start\":\"%.6f\",\"seconds\":%.9g,\"lanes\":[",
		(double)picture->start / 1e9, rep_picture_x(picture, picture->nr_columns));
	for (i = 0; i < lanes->nr; i++) {
		if (i)
			fputc(',', file);
		ret |= put_lane(file, picture, &lanes->rows[i]);
	}
	fputs("],", file);
	ret |= put_plots(file, picture);
	fputs(",\"heat\":", file);
	if (heat->nr_plots) {
		fputc('{', file);
		ret |= put_plots(file, heat);
		fputc('}', file);
	} else {
		fputs("null", file);
	}
	fputs("}\n", file);
	return ret;
}

int rep_page_summary(FILE *file, const struct rep_summary *summary, const char *recording)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	int ret;

	if (!memory)
		return -ENOMEM;
	ret = rep_json(memory, summary, recording);
	if (fclose(memory))
		ret = -ENOMEM;
	if (!ret)
		rep_page_tagless(file, text);
	free(text);
	return ret;
}
