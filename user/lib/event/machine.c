// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where events are looked up: read when it is asked for, as most lists need none of it. */
#include <linux/perf_event.h>

#include "machine.h"

#ifndef PERF_PMU_TYPE_SHIFT
#define PERF_PMU_TYPE_SHIFT 32
#endif

struct event_machine event_machine_here = {
	.devices = PMUS_FOLDER,
	.tracing = tracefs_events,
};

const struct pmus *event_machine_pmus(struct event_machine *machine)
{
	if (!machine->known && pmus_open(&machine->pmus, machine->devices) < 0)
		return NULL;
	machine->known = true;
	return &machine->pmus;
}

uint64_t event_machine_extended(struct event_machine *machine, const struct pmu *pmu)
{
	const struct pmus *pmus = event_machine_pmus(machine);

	if (!pmus || !pmu || !pmu->core || pmus->nr_core < 2)
		return 0;
	return (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
}

void event_machine_close(struct event_machine *machine)
{
	pmus_close(&machine->pmus);
	machine->known = false;
}
