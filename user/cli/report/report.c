// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp report: read a recording, then print and draw what is in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "say/name.h"
#include "rep_options.h"
#include "report/out/draw.h"
#include "report/out/print.h"

/* Exit status: the recording is not all there. */
#define EXIT_CUT 1

struct rep_run {
	struct rep_options options;
	char *name;		/* of the input, as text */
	struct perfdata_reader reader;
	struct rep_pairs pairs;
	struct rep_data data;
	struct rep_ratios ratios;
	struct rep_summary summary;
};

/* Opens the recording, and sees whether it has what is wanted of it. */
static int open_input(struct rep_run *run)
{
	struct rep_options *o = &run->options;
	const char *missing, *no_chains;

	if (perfdata_read_open(&run->reader, o->input) < 0) {
		cli_say("%s %s", o->input, run->reader.error);
		return EXIT_TOOL;
	}
	missing = rep_keys_missing(&o->filter.keys, &run->reader);
	no_chains = rep_chains_missing(&run->reader);
	if (!missing && (o->folded || o->flame))
		missing = no_chains;
	if (missing) {
		cli_say("%s %s", o->input, missing);
		return EXIT_TOOL;
	}
	/* The page shows what there is. */
	o->filter.chains = (o->folded || o->flame || o->html) && !no_chains;
	return 0;
}

static int take(struct rep_run *run)
{
	const struct rep_options *o = &run->options;
	unsigned int i;
	int ret = open_input(run);

	if (ret)
		return ret;
	ret = rep_pairs_find(&run->pairs, &run->reader);
	for (i = 0; !ret && i < o->nr_between; i++)
		ret = rep_pairs_add(&run->pairs, &run->reader, o->between[i]);
	if (ret == -EINVAL) {
		cli_say("%s", run->pairs.error);
		return EXIT_TOOL;
	}
	run->options.filter.pairs = &run->pairs;
	if (!ret)
		ret = rep_data_take(&run->data, &run->reader, &o->filter);
	if (!ret)
		ret = rep_ratios_find(&run->ratios, &run->data);
	for (i = 0; !ret && i < o->nr_ratios; i++)
		ret = rep_ratios_add(&run->ratios, &run->data, o->ratios[i]);
	if (ret == -EINVAL) {
		cli_say("%s", run->ratios.error);
		return EXIT_TOOL;
	}
	if (!ret)
		ret = rep_summary_take(&run->summary, &run->data, &run->ratios);
	return ret < 0 ? cli_say_errno(o->input, -ret) : 0;
}

static int print(const struct rep_run *run)
{
	const struct rep_options *o = &run->options;
	uint32_t event = 0;
	FILE *file;
	int ret = 0;

	if (o->folded && rep_folded_event(&run->data, o->member, &event) < 0)
		return EXIT_TOOL;
	file = o->output ? fopen(o->output, "we") : stdout;
	if (!file)
		return cli_say_errno(o->output, errno);
	if (o->folded)
		ret = rep_folded(file, &run->data, event);
	else if (o->json)
		ret = rep_json(file, &run->summary, run->name);
	else if (o->separator)
		rep_csv(file, &run->summary, o->separator);
	else
		rep_table(file, &run->summary, run->name);
	if (ret < 0)
		cli_say_errno("cannot write", -ret);
	else if (fflush(file) || ferror(file))
		ret = cli_say_errno(o->output ? o->output : "stdout", errno);
	if (o->output)
		fclose(file);
	return ret ? EXIT_TOOL : 0;
}

/* With as many columns as suit the picture, or as are asked for. */
static int picture(const struct rep_run *run, unsigned int columns, struct rep_picture *drawn)
{
	int ret = rep_picture_take(drawn, &run->data, &run->ratios,
				   run->options.columns ? run->options.columns : columns);

	return ret < 0 ? cli_say_errno("cannot draw", -ret) : 0;
}

static int draw(const struct rep_run *run)
{
	const struct rep_options *o = &run->options;
	struct rep_picture drawn;
	int ret = 0;

	if (o->svg) {
		ret = picture(run, REP_COLUMNS_SVG, &drawn);
		if (!ret)
			ret = rep_svg(o->svg, &drawn, run->name);
		rep_picture_free(&drawn);
	}
	if (!ret && o->html) {
		ret = picture(run, REP_COLUMNS_HTML, &drawn);
		if (!ret)
			ret = rep_html(o->html, &drawn, &run->summary, run->name);
		rep_picture_free(&drawn);
	}
	if (!ret && o->flame)
		ret = rep_flame(o->flame, &run->data, run->name);
	if (!ret && o->perfetto)
		ret = rep_perfetto(o->perfetto, &run->data, &run->ratios);
	return ret ? EXIT_TOOL : 0;
}

static void run_free(struct rep_run *run)
{
	rep_summary_free(&run->summary);
	rep_ratios_free(&run->ratios);
	rep_data_free(&run->data);
	rep_pairs_free(&run->pairs);
	perfdata_read_close(&run->reader);
	rep_options_free(&run->options);
	free(run->name);
}

int report_main(int argc, char **argv)
{
	static struct rep_run run;
	int ret;

	cli_begin("report");
	ret = rep_options_parse(&run.options, argc, argv);
	if (ret <= 0) {
		rep_options_free(&run.options);
		return -ret;
	}
	run.name = name_dup(run.options.input, strlen(run.options.input));
	ret = run.name ? take(&run) : cli_say_errno(run.options.input, ENOMEM);
	if (!ret)
		ret = print(&run);
	if (!ret)
		ret = draw(&run);
	/* What could be saved is printed all the same. */
	if (!ret && (run.reader.cut || run.data.rest)) {
		cli_say("%s is cut short: what is whole of it was read", run.options.input);
		ret = EXIT_CUT;
	}
	run_free(&run);
	return ret;
}
