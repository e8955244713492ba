// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The picture as SVG: a script for gnuplot, which is given it on stdin. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli.h"
#include "draw.h"

/* Pixels. */
#define WIDTH 1200
#define PLOT_HEIGHT 170
#define GAP 65
#define TOP 60
#define BOTTOM 75

extern char **environ;

/* In gnuplot's single quotes only the quote itself means something. */
static void quote(FILE *file, const char *text)
{
	fputc('\'', file);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', file);
		fputc(*text == '\n' ? ' ' : *text, file);
	}
	fputc('\'', file);
}

/*
 * A column is a step from its left edge to its right one. An empty line interrupts what is
 * drawn: where there is no value there is no line.
 */
static void data_block(FILE *file, const struct rep_picture *picture, const char *name,
		       const struct rep_column *columns)
{
	unsigned int i, edge;

	fprintf(file, "$mean_%s << EOD\n", name);
	for (i = 0; i < picture->nr_columns; i++) {
		if (isnan(columns[i].mean))
			fputc('\n', file);
		for (edge = i; !isnan(columns[i].mean) && edge <= i + 1; edge++)
			fprintf(file, "%.9g %.6g\n", rep_picture_x(picture, edge), columns[i].mean);
	}
	fputs("EOD\n", file);
}

/* Rectangles; returns whether there are any. */
static bool band_block(FILE *file, const struct rep_picture *picture, const char *name,
		       const struct rep_column *columns)
{
	bool any = false;
	unsigned int i;

	fprintf(file, "$band_%s << EOD\n", name);
	for (i = 0; i < picture->nr_columns; i++) {
		/* No column without a value is greater than anything. */
		if (!(columns[i].high > columns[i].low))
			continue;
		any = true;
		fprintf(file, "%.9g %.9g %.6g %.6g\n", rep_picture_x(picture, i),
			rep_picture_x(picture, i + 1), columns[i].low, columns[i].high);
	}
	fputs("EOD\n", file);
	return any;
}

static void draw_line(FILE *plots, FILE *file, const struct rep_picture *picture,
		      const struct rep_line *line, const char *name, unsigned int color)
{
	data_block(file, picture, name, line->columns);
	if (band_block(file, picture, name, line->columns))
		fprintf(plots, "$band_%s using 1:3:1:2:3:4 with boxxyerror fillstyle transparent solid "
			"0.3 noborder linecolor %u notitle, ", name, color);
	fprintf(plots, "$mean_%s using 1:2 with lines linecolor %u title ", name, color);
	quote(plots, line->label);
	fputs(" noenhanced", plots);
}

static void draw_plot(FILE *file, const struct rep_picture *picture, unsigned int n)
{
	const struct rep_plot *plot = &picture->plots[n];
	char *text = NULL, name[32];
	size_t size = 0;
	FILE *plots = open_memstream(&text, &size);
	unsigned int i;

	if (!plots)
		return;
	for (i = 0; i < plot->nr_lines; i++) {
		snprintf(name, sizeof(name), "%u_%u", n, i);
		fputs(i ? ", " : "plot ", plots);
		draw_line(plots, file, picture, &plot->lines[i], name, i + 1);
	}
	/* gnuplot has nothing to draw axes for in a plot of nothing. */
	fputs(plot->nr_lines ? "\n" : "plot NaN notitle\n", plots);
	fclose(plots);
	fputs("set title ", file);
	quote(file, plot->title);
	fputs(" noenhanced\nset ylabel ", file);
	quote(file, plot->unit);
	fputs(" noenhanced\n", file);
	if (n + 1 == picture->nr_plots)
		fprintf(file, "set xlabel 'seconds since %.6f'\n", (double)picture->start / 1e9);
	fputs(text, file);
	free(text);
}

void rep_svg_script(FILE *file, const struct rep_picture *picture, const char *recording)
{
	unsigned int i, height = TOP + BOTTOM + (PLOT_HEIGHT + GAP) * picture->nr_plots - GAP;
	char note[400];

	rep_picture_note(picture, note, sizeof(note));
	fprintf(file, "set terminal svg size %d,%u dynamic background rgb 'white' font "
		"'sans-serif,12'\n", WIDTH, height);
	fputs("set multiplot title ", file);
	quote(file, recording);
	fprintf(file, " noenhanced font ',14' layout %u,1 margins 0.1,0.88,%.5f,%.5f spacing 0,%.5f\n",
		picture->nr_plots, (double)BOTTOM / height, 1.0 - (double)TOP / height,
		(double)GAP / height);
	fputs("set label 1 ", file);
	quote(file, note);
	fputs(" at screen 0.02,screen 0.0 offset 0,0.8 noenhanced font ',10'\n", file);
	fputs("set key outside right top\nset grid\nset format y '%.1s%c'\n", file);
	fprintf(file, "set xrange [0:%.9g]\nset yrange [0:*]\n",
		rep_picture_x(picture, picture->nr_columns));
	for (i = 0; i < picture->nr_plots; i++) {
		draw_plot(file, picture, i);
		/* It belongs to the picture, not to each of its plots. */
		fputs("unset label 1\n", file);
	}
	fputs("unset multiplot\n", file);
}

static int say_errno(const char *what, int err)
{
	cli_say("%s: %s", what, strerror(err));
	return -1;
}

/* Its stdin is the script, its stdout the file. */
static int gnuplot(FILE *script, int out)
{
	char *const argv[] = { "gnuplot", "-d", NULL };
	posix_spawn_file_actions_t actions;
	int ret, status;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions))
		return say_errno("gnuplot", ENOMEM);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	ret = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret == ENOENT) {
		cli_say("--svg needs gnuplot, which is not installed: Debian has it as gnuplot-nox");
		return -1;
	}
	if (ret)
		return say_errno("gnuplot", ret);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return say_errno("gnuplot", errno);
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	cli_say("gnuplot failed");
	return -1;
}

int rep_svg(const char *path, const struct rep_picture *picture, const char *recording)
{
	FILE *script;
	int out, ret;

	if (!picture->nr_plots) {
		cli_say("--svg: there is nothing to draw: not two samples with counts");
		return -1;
	}
	script = tmpfile();
	if (!script)
		return say_errno("a temporary file", errno);
	rep_svg_script(script, picture, recording);
	if (fflush(script) || ferror(script) || lseek(fileno(script), 0, SEEK_SET) < 0) {
		ret = say_errno("a temporary file", errno);
		fclose(script);
		return ret;
	}
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out < 0) {
		ret = say_errno(path, errno);
	} else {
		ret = gnuplot(script, out);
		close(out);
		if (ret < 0)
			unlink(path);
	}
	fclose(script);
	return ret;
}
