// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* One column in a hundred is an outlier, if it is one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "clip.h"

#define OUTLIERS 100	/* one of so many columns, rounded up */
#define TIMES 2.0	/* as high as the rest */
#define FEWEST 10	/* columns: of fewer, none is the exception */

double rep_clip_column(const struct rep_plot *plot, unsigned int column)
{
	double most = NAN;
	unsigned int i;

	/* fmax() leaves out what is no number. */
	for (i = 0; i < plot->nr_lines; i++)
		most = fmax(most, plot->lines[i].columns[column].high);
	return most;
}

static int higher_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

int rep_clip_take(struct rep_clip *clip, const struct rep_picture *picture,
		  const struct rep_plot *plot)
{
	double *values = malloc(picture->nr_columns * sizeof(*values) + 1);
	unsigned int i, left_out;

	if (!values)
		return -ENOMEM;
	*clip = (struct rep_clip){ 0 };
	for (i = 0; i < picture->nr_columns; i++) {
		values[clip->nr] = rep_clip_column(plot, i);
		clip->nr += !isnan(values[clip->nr]);
	}
	qsort(values, clip->nr, sizeof(*values), higher_first);
	clip->most = clip->nr ? values[0] : 0.0;
	clip->top = clip->most;
	left_out = (clip->nr + OUTLIERS - 1) / OUTLIERS;
	if (clip->nr >= FEWEST && values[left_out] > 0.0 &&
	    clip->most > TIMES * values[left_out]) {
		clip->top = values[left_out];
		while (values[clip->above] > clip->top)
			clip->above++;
	}
	free(values);
	return 0;
}
