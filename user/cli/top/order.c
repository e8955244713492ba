// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

#define ITEMS_MIN 64

static int grow(struct top_order *o)
{
	size_t max = o->max ? 2 * o->max : ITEMS_MIN;
	struct top_order_item *items = reallocarray(o->items, max, sizeof(*items));

	if (!items)
		return -ENOMEM;
	o->items = items;
	o->max = max;
	return 0;
}

int top_order_put(void *order, const struct perf_event_header *header)
{
	struct top_order_item item = { 0 };
	struct top_order *o = order;

	if (header->size < sizeof(*header) + sizeof(item.time))
		return 0;
	if (o->nr == o->max && grow(o) < 0)
		return -ENOMEM;
	item.header = malloc(header->size);
	if (!item.header)
		return -ENOMEM;
	memcpy(item.header, header, header->size);
	memcpy(&item.time, (char *)item.header + header->size - sizeof(item.time),
	       sizeof(item.time));
	item.seq = o->seq++;
	o->items[o->nr++] = item;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct top_order_item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

int top_order_flush(struct top_order *o, uint64_t before, side_put_fn put, void *arg)
{
	size_t done;
	int ret = 0;

	if (o->nr)
		qsort(o->items, o->nr, sizeof(*o->items), compare);
	for (done = 0; done < o->nr && o->items[done].time < before; done++) {
		if (ret >= 0)
			ret = put(arg, o->items[done].header);
		free(o->items[done].header);
	}
	o->nr -= done;
	if (done)
		memmove(o->items, o->items + done, o->nr * sizeof(*o->items));
	return ret < 0 ? ret : 0;
}

void top_order_free(struct top_order *o)
{
	while (o->nr)
		free(o->items[--o->nr].header);
	free(o->items);
	*o = (struct top_order){ 0 };
}
