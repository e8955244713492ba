// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "order.h"

#define PART 1024		/* records */
#define BLOCK (80 << 10)	/* bytes: room for the longest record, and below malloc()'s own mmap() */

/* Blocks go once all of their records are gone. */
struct rep_order_block {
	size_t used;
	size_t records;
	_Alignas(8) unsigned char bytes[BLOCK];
};

struct rep_order_record {
	struct rep_order_record *next;	/* of its run */
	struct rep_order_block *block;
	uint64_t time;
	uint64_t nr;			/* in the file */
	struct perf_event_header header;	/* in front of the body, as in the file */
	unsigned char body[];
};

/* Records that are in order as they come. */
struct rep_order_run {
	struct rep_order_record *first;
	struct rep_order_record *last;
};

/* ---- The first time ---- */

int rep_order_note(struct rep_order *order, uint64_t time)
{
	if (order->noted % PART == 0) {
		if (!rep_grow(&order->least, &order->room_least, order->nr_least,
			      sizeof(*order->least)))
			return -ENOMEM;
		order->least[order->nr_least++] = time;
	}
	if (time < order->least[order->nr_least - 1])
		order->least[order->nr_least - 1] = time;
	order->noted++;
	return 0;
}

void rep_order_noted(struct rep_order *order)
{
	size_t i = order->nr_least;

	while (i > 1) {
		i--;
		if (order->least[i] < order->least[i - 1])
			order->least[i - 1] = order->least[i];
	}
}

/* ---- Room ---- */

static struct rep_order_record *record_new(struct rep_order *order, size_t size)
{
	size_t need = (sizeof(struct rep_order_record) + size + 7) & ~(size_t)7;
	struct rep_order_block *block = order->block;
	struct rep_order_record *record;

	if (block && !block->records)
		block->used = 0;
	if (!block || need > BLOCK - block->used) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->used = 0;
		block->records = 0;
		order->block = block;
	}
	record = (struct rep_order_record *)(void *)(block->bytes + block->used);
	record->block = block;
	block->used += need;
	block->records++;
	return record;
}

static void record_free(struct rep_order *order, struct rep_order_record *record)
{
	struct rep_order_block *block = record->block;

	if (!--block->records && block != order->block)
		free(block);
}

/* ---- Runs ---- */

static bool earlier(const struct rep_order_run *a, const struct rep_order_run *b)
{
	if (a->first->time != b->first->time)
		return a->first->time < b->first->time;
	return a->first->nr < b->first->nr;
}

static void swap(struct rep_order *order, size_t a, size_t b)
{
	struct rep_order_run *run = order->runs[a];

	order->runs[a] = order->runs[b];
	order->runs[b] = run;
}

static void sink(struct rep_order *order)
{
	size_t at = 0, child = 1;

	for (; child < order->nr_runs; at = child, child = 2 * at + 1) {
		if (child + 1 < order->nr_runs &&
		    earlier(order->runs[child + 1], order->runs[child]))
			child++;
		if (!earlier(order->runs[child], order->runs[at]))
			return;
		swap(order, at, child);
	}
}

static int run_add(struct rep_order *order, struct rep_order_record *record)
{
	struct rep_order_run *run = malloc(sizeof(*run));
	size_t at = order->nr_runs;

	if (!run || !rep_grow(&order->runs, &order->room_runs, at, sizeof(struct rep_order_run *))) {
		free(run);
		return -ENOMEM;
	}
	*run = (struct rep_order_run){ record, record };
	order->runs[order->nr_runs++] = run;
	order->last = run;
	for (; at && earlier(order->runs[at], order->runs[(at - 1) / 2]); at = (at - 1) / 2)
		swap(order, at, (at - 1) / 2);
	return 0;
}

/* The first record of the first run leaves it. */
static struct rep_order_record *take(struct rep_order *order)
{
	struct rep_order_run *run = order->runs[0];
	struct rep_order_record *record = run->first;

	run->first = record->next;
	if (!run->first) {
		if (order->last == run)
			order->last = NULL;
		free(run);
		order->runs[0] = order->runs[--order->nr_runs];
	}
	sink(order);
	return record;
}

/* ---- The second time ---- */

int rep_order_put(struct rep_order *order, uint64_t time, const struct perfdata_record *record)
{
	struct rep_order_record *copy = record_new(order, record->size);
	size_t part;

	if (!copy)
		return -ENOMEM;
	copy->next = NULL;
	copy->time = time;
	copy->nr = order->put++;
	copy->header = (struct perf_event_header){
		.type = record->type,
		.misc = record->misc,
		.size = (uint16_t)(sizeof(copy->header) + record->size),
	};
	memcpy(copy->body, record->body, record->size);
	if (order->last && time >= order->last->last->time) {
		order->last->last->next = copy;
		order->last->last = copy;
	} else if (run_add(order, copy) < 0) {
		record_free(order, copy);
		return -ENOMEM;
	}
	if (order->put % PART == 0) {
		part = order->put / PART;
		order->until = part < order->nr_least ? order->least[part] : UINT64_MAX;
	}
	return 0;
}

void rep_order_end(struct rep_order *order)
{
	order->until = UINT64_MAX;
}

bool rep_order_get(struct rep_order *order, uint64_t *time, struct perfdata_record *record)
{
	struct rep_order_record *next;

	if (order->taken)
		record_free(order, order->taken);
	order->taken = NULL;
	/* What comes later with the same time stands behind it in the file, too. */
	if (!order->nr_runs || order->runs[0]->first->time > order->until)
		return false;
	next = take(order);
	order->taken = next;
	*time = next->time;
	*record = (struct perfdata_record){
		.type = next->header.type, .misc = next->header.misc, .body = next->body,
		.size = next->header.size - sizeof(next->header),
	};
	return true;
}

void rep_order_free(struct rep_order *order)
{
	if (order->taken)
		record_free(order, order->taken);
	while (order->nr_runs)
		record_free(order, take(order));
	free(order->block);
	free(order->runs);
	free(order->least);
	memset(order, 0, sizeof(*order));
}
