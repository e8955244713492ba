// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggr.h"

/* A number in a CPU's topology folder. Returns 0 or a negative errno. */
static int topology_number(const struct aggr *aggr, int cpu, const char *name, int *value)
{
	char path[512];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/cpu%d/topology/%s", aggr->folder, cpu, name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	ret = fscanf(file, "%d", value) == 1 ? 0 : -EINVAL;
	fclose(file);
	/* A machine that does not know has one of it. */
	if (!ret && *value < 0)
		*value = 0;
	return ret;
}

/* Where the CPU is, as far as the mode asks. A core's number is unique in its die. */
static int place(const struct aggr *aggr, int cpu, struct aggr_id *id)
{
	int ret;

	*id = (struct aggr_id){ -1, -1, -1, -1 };
	if (aggr->mode == AGGR_NONE) {
		id->cpu = cpu;
		return 0;
	}
	ret = topology_number(aggr, cpu, "physical_package_id", &id->socket);
	if (ret || aggr->mode == AGGR_SOCKET)
		return ret;
	/* Only some architectures have dies. */
	ret = topology_number(aggr, cpu, "die_id", &id->die);
	if (ret == -ENOENT) {
		id->die = 0;
		ret = 0;
	}
	return ret ? ret : topology_number(aggr, cpu, "core_id", &id->core);
}

static int compare(const struct aggr_id *a, const struct aggr_id *b)
{
	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static int line_add(struct aggr *aggr, const struct aggr_id *id)
{
	struct aggr_line *lines;
	unsigned int *order, at;

	lines = reallocarray(aggr->lines, aggr->nr + 1, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	aggr->lines = lines;
	order = reallocarray(aggr->order, aggr->nr + 1, sizeof(*order));
	if (!order)
		return -ENOMEM;
	aggr->order = order;
	lines[aggr->nr] = (struct aggr_line){ .id = *id };
	for (at = aggr->nr; at && compare(id, &lines[order[at - 1]].id) < 0; at--)
		order[at] = order[at - 1];
	order[at] = aggr->nr;
	return (int)aggr->nr++;
}

static int line_find(struct aggr *aggr, const struct aggr_id *id)
{
	unsigned int i;

	for (i = 0; i < aggr->nr; i++) {
		if (!compare(&aggr->lines[i].id, id))
			return (int)i;
	}
	return line_add(aggr, id);
}

static int line_take(struct aggr *aggr, int cpu, const struct aggr_id *id)
{
	int line = line_find(aggr, id);

	if (line < 0)
		return line;
	aggr->line_of[cpu] = (unsigned int)line + 1;
	aggr->lines[line].nr_cpus++;
	return line;
}

int aggr_init(struct aggr *aggr, enum aggr_mode mode, const struct pmcgrp_cpus *cpus,
	      const char *folder, int *bad)
{
	struct aggr_id id = { -1, -1, -1, -1 };
	int cpu, ret = 0;

	*aggr = (struct aggr){ .mode = mode, .folder = folder };
	*bad = -1;
	if (mode == AGGR_GLOBAL) {
		ret = line_add(aggr, &id);
		return ret < 0 ? ret : 0;
	}
	for (cpu = pmcgrp_cpus_next(cpus, 0); cpu >= 0 && ret >= 0;
	     cpu = pmcgrp_cpus_next(cpus, cpu + 1)) {
		ret = place(aggr, cpu, &id);
		if (ret < 0)
			*bad = cpu;
		else
			ret = line_take(aggr, cpu, &id);
	}
	if (ret < 0)
		aggr_free(aggr);
	return ret < 0 ? ret : 0;
}

void aggr_free(struct aggr *aggr)
{
	free(aggr->lines);
	free(aggr->order);
	memset(aggr, 0, sizeof(*aggr));
}

int aggr_line(struct aggr *aggr, int cpu)
{
	struct aggr_id id;

	if (aggr->mode == AGGR_GLOBAL)
		return 0;
	if (aggr->line_of[cpu])
		return (int)aggr->line_of[cpu] - 1;
	/* It may have gone again, and its folder with it. */
	if (place(aggr, cpu, &id) < 0)
		id = (struct aggr_id){ -1, -1, -1, -1 };
	return line_take(aggr, cpu, &id);
}

void aggr_label(const struct aggr *aggr, unsigned int line, char *buf, size_t size)
{
	const struct aggr_id *id = &aggr->lines[line].id;

	switch (aggr->mode) {
	case AGGR_NONE:
		snprintf(buf, size, "CPU%d", id->cpu);
		break;
	case AGGR_CORE:
		snprintf(buf, size, "S%d-D%d-C%d", id->socket, id->die, id->core);
		break;
	case AGGR_SOCKET:
		snprintf(buf, size, "S%d", id->socket);
		break;
	default:
		buf[0] = '\0';
	}
}
