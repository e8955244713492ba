// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Call chains as lines, for flamegraph.pl, speedscope and others. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "print.h"

/* The names of all members, for an error. */
static void say_members(const struct rep_data *data, const char *member)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	unsigned int i;

	if (!memory)
		return;
	for (i = 0; i < data->nr_events; i++) {
		if (data->events[i].member)
			fprintf(memory, "%s, ", data->events[i].name);
	}
	if (!fclose(memory))
		cli_say("--folded=%s: there is no such member; there are %ssamples", member, text);
	free(text);
}

int rep_folded_event(const struct rep_data *data, const char *member, uint32_t *event)
{
	unsigned int i;

	for (i = 0; i < data->nr_events; i++) {
		if (data->events[i].member && (!member || !strcmp(member, data->events[i].name))) {
			*event = i;
			return 0;
		}
	}
	if (!member) {
		cli_say("--folded: no sample has counts (PERF_SAMPLE_READ); --folded=samples is how many "
			"samples each call chain has");
		return -1;
	}
	if (strcmp(member, "samples")) {
		say_members(data, member);
		return -1;
	}
	*event = REP_CHAIN_SAMPLES;
	return 0;
}

/* The names from the thread's to that of a node; the root has none. */
static void put_path(FILE *file, const struct rep_chains *chains, const size_t *path, uint32_t depth)
{
	uint32_t i;

	for (i = 1; i <= depth; i++)
		fprintf(file, "%s%s%s", i > 1 ? ";" : "", rep_chain_name(chains, path[i]),
			chains->nodes[path[i]].kind == REP_CHAIN_KERNEL ? "_[k]" : "");
}

static void say(const char *sentence, void *arg)
{
	(void)arg;
	cli_say("%s", sentence);
}

int rep_folded(FILE *file, const struct rep_data *data, uint32_t event)
{
	const struct rep_chains *chains = &data->chains;
	size_t *path = calloc(chains->nr + 1, sizeof(*path)), i;
	uint64_t count;

	if (!path)
		return -ENOMEM;
	for (i = 0; i < chains->nr; i++) {
		path[chains->nodes[i].depth] = i;
		count = rep_chain_self(chains, i, event);
		if (!count)
			continue;
		put_path(file, chains, path, chains->nodes[i].depth);
		fprintf(file, " %" PRIu64 "\n", count);
	}
	free(path);
	rep_objects_say(&data->code, say, NULL);
	rep_chains_say(chains, say, NULL);
	return 0;
}
