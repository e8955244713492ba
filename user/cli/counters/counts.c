// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What counters have come to: from a reading to statistics. */
#include "counter_set.h"

void counts_take(struct counts *counts, struct reading reading, double value)
{
	stats_update(&counts->enabled, (double)reading.enabled);
	stats_update(&counts->running, (double)reading.running);
	counts->waited |= reading.enabled > 0;
	counts->ran |= reading.running > 0;
	if (reading.running)
		stats_update(&counts->value, value);
}

void counts_update(struct counts *counts, struct reading reading)
{
	double scaled = (double)reading.value;

	if (reading.running && reading.running < reading.enabled)
		scaled = scaled * (double)reading.enabled / (double)reading.running;
	counts_take(counts, reading, scaled);
}

void counts_update_unscaled(struct counts *counts, struct reading reading)
{
	counts_take(counts, reading, (double)reading.value);
}

double counts_running_percent(const struct counts *counts)
{
	if (counts->running.mean == counts->enabled.mean)
		return 100.0;
	return 100.0 * counts->running.mean / counts->enabled.mean;
}
