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

#include "axis.h"
#include "clip.h"
#include "args/cli.h"
#include "draw.h"
#include "svg_colors.h"

/* Pixels. To the right of the plots there is room for the legends, of 24 letters and more. */
#define WIDTH 1200
#define PLOT_HEIGHT 170
#define GAP 70
#define TOP 80
#define BOTTOM 84
#define LEFT 0.065
#define RIGHT 0.81

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

/* A mark where something goes on above the frame, at @y. */
static void arrows(FILE *plots, FILE *file, const struct rep_picture *picture,
		   const struct rep_plot *plot, const struct rep_clip *clip, double y)
{
	unsigned int i;
	double x;

	if (!clip->above)
		return;
	fprintf(file, "$above << EOD\n");
	for (i = 0; i < picture->nr_columns; i++) {
		x = 0.5 * (rep_picture_x(picture, i) + rep_picture_x(picture, i + 1));
		if (rep_clip_column(plot, i) > clip->top)
			fprintf(file, "%.9g %.9g\n", x, y);
	}
	fprintf(file, "EOD\n");
	fprintf(plots, ", $above using 1:2 with points pointtype 9 pointsize 0.7 linecolor rgb '%s' "
		"notitle", rep_colors[REP_COLOR_MARK].light);
}

static void draw_line(FILE *plots, FILE *file, const struct rep_picture *picture,
		      const struct rep_line *line, const char *name, unsigned int n)
{
	data_block(file, picture, name, line->columns);
	if (band_block(file, picture, name, line->columns))
		fprintf(plots, "$band_%s using 1:3:1:2:3:4 with boxxyerror fillstyle transparent solid "
			"0.25 noborder linecolor rgb '%s' notitle, ", name, rep_colors[n].light);
	/* More than four differ by being dashed, too. */
	fprintf(plots, "$mean_%s using 1:2 with lines linewidth 1.4 linecolor rgb '%s' dashtype %s "
		"title ", name, rep_colors[n].light, n < REP_LINES_MAX / 2 ? "solid" : "(8,4)");
	quote(plots, line->label);
	fputs(" noenhanced", plots);
}

/* ---- Axes ---- */

static void axis_value(char *text, enum rep_form form, double value)
{
	if (form == REP_FORM_CLOCK)
		axis_time(text, value / 1e9, 3);
	else
		axis_number(text, value, 3);
	if (form == REP_FORM_PERCENT)
		strcat(text, " %");
}

/* What lies at 0 or at the top is no part of the frame; what is cut off ends there. */
#define BELOW 0.05
#define ABOVE 1.08

static void values_axis(FILE *file, const struct rep_plot *plot, double top)
{
	double step = axis_step(top, 4);
	char text[AXIS_TEXT_SIZE + 4];
	unsigned int i;

	fprintf(file, "set yrange [%.9g:%.9g]\nset ytics ('0' 0", -BELOW * top, ABOVE * top);
	for (i = 1; i * step <= 1.05 * top; i++) {
		axis_value(text, plot->form, i * step);
		/* gnuplot takes a label of a tic for a format. */
		fprintf(file, ", '%s%s' %.9g", text, plot->form == REP_FORM_PERCENT ? "%" : "",
			i * step);
	}
	fputs(")\n", file);
}

/* At the right of the plot's title. */
static void say_clip(FILE *file, const struct rep_plot *plot, const struct rep_clip *clip)
{
	char top[AXIS_TEXT_SIZE + 8], most[AXIS_TEXT_SIZE + 8], text[3 * AXIS_TEXT_SIZE + 80];

	if (!clip->above) {
		fputs("unset label 3\n", file);
		return;
	}
	axis_value(top, plot->form, clip->top);
	axis_value(most, plot->form, clip->most);
	snprintf(text, sizeof(text), "clipped at %s: %u of %u columns above, up to %s", top, clip->above,
		 clip->nr, most);
	fputs("set label 3 ", file);
	quote(file, text);
	fputs(" at graph 1,graph 1 right offset 0,0.7 noenhanced font ',12'\n", file);
}

static void time_axis(FILE *file, const struct rep_picture *picture)
{
	double length = rep_picture_x(picture, picture->nr_columns), step = axis_step(length, 10);
	char text[AXIS_TEXT_SIZE];
	unsigned int i;

	fprintf(file, "set xrange [0:%.9g]\nset xtics ('0' 0", length);
	for (i = 1; i * step <= length * 1.000001; i++) {
		axis_time(text, i * step, 4);
		fprintf(file, ", '%s' %.9g", text, i * step);
	}
	fputs(")\n", file);
}

static void put_title(FILE *file, const struct rep_plot *plot)
{
	char *text;

	switch (plot->form) {
	case REP_FORM_RATE:
		quote(file, plot->unit);
		return;
	case REP_FORM_CLOCK:
		if (asprintf(&text, "%s, time a second", plot->title) < 0)
			text = NULL;
		break;
	default:
		if (asprintf(&text, "%s (%s)", plot->title, plot->unit) < 0)
			text = NULL;
		/* One that was asked for has its name for a unit. */
		if (text && !strcmp(plot->title, plot->unit))
			text[strlen(plot->title)] = '\0';
	}
	quote(file, text ? text : plot->title);
	free(text);
}

static void draw_plot(FILE *file, const struct rep_picture *picture, unsigned int n)
{
	const struct rep_plot *plot = &picture->plots[n];
	char *text = NULL, name[32];
	size_t size = 0;
	FILE *plots = open_memstream(&text, &size);
	struct rep_clip clip;
	unsigned int i;
	double top;

	if (!plots)
		return;
	if (rep_clip_take(&clip, picture, plot) < 0)
		clip = (struct rep_clip){ .top = 1.0 };
	top = clip.top > 0.0 ? clip.top : 1.0;
	for (i = 0; i < plot->nr_lines; i++) {
		snprintf(name, sizeof(name), "%u_%u", n, i);
		fputs(i ? ", " : "plot ", plots);
		draw_line(plots, file, picture, &plot->lines[i], name, i);
	}
	arrows(plots, file, picture, plot, &clip, 0.5 * (1.0 + ABOVE) * top);
	/* gnuplot has nothing to draw axes for in a plot of nothing. */
	fputs(plot->nr_lines ? "\n" : "plot NaN notitle\n", plots);
	fclose(plots);
	/* A title of gnuplot's would be in the middle. */
	fputs("set label 2 ", file);
	put_title(file, plot);
	fputs(" at graph 0,graph 1 left offset 0,0.7 noenhanced font ',14'\n", file);
	say_clip(file, plot, &clip);
	values_axis(file, plot, top);
	if (n + 1 == picture->nr_plots)
		fprintf(file, "set xlabel 'time since %.6f s' offset 0,0.3\n",
			(double)picture->start / 1e9);
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
	fprintf(file, " noenhanced font ',15' layout %u,1 margins %g,%g,%.5f,%.5f spacing 0,%.5f\n",
		picture->nr_plots, LEFT, RIGHT, (double)BOTTOM / height, 1.0 - (double)TOP / height,
		(double)GAP / height);
	fputs("set label 1 ", file);
	quote(file, note);
	fputs(" at screen 0.02,screen 0.0 offset 0,0.8 noenhanced font ',11'\n", file);
	fprintf(file, "set key at graph 1.012,graph 1 left top Left reverse samplen 2\n"
		"set border 31 linecolor rgb '%s' linewidth 0.8\n"
		"set tics out nomirror scale 0.5 textcolor rgb '%s'\nset xtics offset 0,0.3\n"
		"set grid linecolor rgb '%s' linetype 1 linewidth 0.8 back\n",
		rep_colors[REP_COLOR_FRAME].light, rep_colors[REP_COLOR_TEXT].light,
		rep_colors[REP_COLOR_GRID].light);
	time_axis(file, picture);
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

/* Its last line, if it failed: warnings are of no use to who has not written the script. */
static void say_why(FILE *said)
{
	char line[200] = "";

	rewind(said);
	/* An error is said in the last line. */
	while (fgets(line, sizeof(line), said))
		;
	line[strcspn(line, "\n")] = '\0';
	cli_say("gnuplot failed%s%s", *line ? ": " : "", line + strspn(line, " "));
}

/* Its stdin is the script, its stdout the file. */
static int gnuplot(FILE *script, int out, FILE *said)
{
	char *const argv[] = { "gnuplot", "-d", NULL };
	posix_spawn_file_actions_t actions;
	int ret, status;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions))
		return say_errno("gnuplot", ENOMEM);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, fileno(said), 2);
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
	say_why(said);
	return -1;
}

static int draw(const char *path, FILE *script, FILE *drawn, FILE *said)
{
	FILE *file = fopen(path, "we");
	int ret, err;

	if (!file)
		return say_errno(path, errno);
	ret = gnuplot(script, fileno(drawn), said);
	if (!ret) {
		rewind(drawn);
		err = rep_svg_themed(drawn, file);
		ret = err ? say_errno(path, -err) : 0;
	}
	if (fclose(file) && !ret)
		ret = say_errno(path, errno);
	if (ret < 0)
		unlink(path);
	return ret;
}

int rep_svg(const char *path, const struct rep_picture *picture, const char *recording)
{
	FILE *script, *drawn, *said;
	int ret;

	if (!picture->nr_plots) {
		cli_say("--svg: there is nothing to draw: not two samples with counts");
		return -1;
	}
	script = tmpfile();
	drawn = tmpfile();
	said = tmpfile();
	if (script)
		rep_svg_script(script, picture, recording);
	if (!script || !drawn || !said || fflush(script) || ferror(script) ||
	    lseek(fileno(script), 0, SEEK_SET) < 0)
		ret = say_errno("a temporary file", errno);
	else
		ret = draw(path, script, drawn, said);
	if (script)
		fclose(script);
	if (drawn)
		fclose(drawn);
	if (said)
		fclose(said);
	return ret;
}
