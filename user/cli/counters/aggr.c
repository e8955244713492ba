// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggr.h"
#include "topology.h"

static int compare(const struct aggr_id *a, const struct aggr_id *b)
{
	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	if (a->cache_level != b->cache_level)
		return a->cache_level < b->cache_level ? -1 : 1;
	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
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
	return aggr_init_cache(aggr, mode, 0, cpus, folder, bad);
}

int aggr_init_cache(struct aggr *aggr, enum aggr_mode mode, int level,
		    const struct pmcgrp_cpus *cpus, const char *folder, int *bad)
{
	struct aggr_id id = AGGR_ID_NONE;
	int cpu, ret = 0;

	*aggr = (struct aggr){ .mode = mode, .cache_level = level, .folder = folder };
	*bad = -1;
	if (mode == AGGR_GLOBAL) {
		ret = line_add(aggr, &id);
		return ret < 0 ? ret : 0;
	}
	for (cpu = pmcgrp_cpus_next(cpus, 0); cpu >= 0 && ret >= 0;
	     cpu = pmcgrp_cpus_next(cpus, cpu + 1)) {
		ret = topology_place(aggr->folder, aggr->mode, aggr->cache_level, cpu, &id);
		if (ret < 0)
			*bad = cpu;
		else
			ret = line_take(aggr, cpu, &id);
	}
	if (ret < 0)
		aggr_free(aggr);
	return ret < 0 ? ret : 0;
}

int aggr_init_threads(struct aggr *aggr, const int *tids, unsigned int nr, const char *folder)
{
	struct aggr_id id = AGGR_ID_NONE;
	unsigned int i;
	int line;

	*aggr = (struct aggr){ .mode = AGGR_THREAD, .folder = folder };
	for (i = 0; i < nr; i++) {
		id.tid = tids[i];
		line = line_add(aggr, &id);
		if (line < 0) {
			aggr_free(aggr);
			return line;
		}
		topology_comm(folder, tids[i], aggr->lines[line].comm,
			      sizeof(aggr->lines[line].comm));
	}
	return 0;
}

int aggr_init_names(struct aggr *aggr, enum aggr_mode mode, const char *const *names,
		    unsigned int nr)
{
	struct aggr_id id = AGGR_ID_NONE;
	unsigned int i;
	int line;

	*aggr = (struct aggr){ .mode = mode };
	for (i = 0; i < nr; i++) {
		line = line_add(aggr, &id);
		if (line < 0) {
			aggr_free(aggr);
			return line;
		}
		aggr->lines[line].name = names[i];
	}
	return 0;
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

	if (!aggr_of_cpus(aggr))
		return 0;
	if (aggr->line_of[cpu])
		return (int)aggr->line_of[cpu] - 1;
	/* It may have gone again, and its folder with it. */
	if (topology_place(aggr->folder, aggr->mode, aggr->cache_level, cpu, &id) < 0)
		id = AGGR_ID_NONE;
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
	case AGGR_DIE:
		snprintf(buf, size, "S%d-D%d", id->socket, id->die);
		break;
	case AGGR_CLUSTER:
		snprintf(buf, size, "S%d-D%d-CLS%d", id->socket, id->die, id->cluster);
		break;
	case AGGR_CACHE:
		snprintf(buf, size, "S%d-D%d-L%d-ID%d", id->socket, id->die, id->cache_level,
			 id->cache);
		break;
	case AGGR_NODE:
		snprintf(buf, size, "N%d", id->node);
		break;
	case AGGR_THREAD:
		snprintf(buf, size, "%s-%d", aggr->lines[line].comm, id->tid);
		break;
	default:
		buf[0] = '\0';
	}
}
