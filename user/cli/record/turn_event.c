// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * It is an event of perf that takes a sample each time, on each CPU: of the command and what it
 * creates, else of all tasks, from which those that are recorded are chosen by their numbers.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "args/cli.h"
#include "record_run.h"
#include "turn_event.h"

struct turn_sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint32_t cpu, reserved;
};

int record_turn_event_init(struct record_run *r)
{
	const char *text = r->options.turn.event;
	struct pmcgrp_events_error error;
	int ret;

	if (!text)
		return 0;
	ret = trigger_on(&r->turn_trigger, text, &error);
	if (ret == -EINVAL) {
		cli_say("--switch-output-event: %s", error.text);
		cli_point(text, error.column);
		return EXIT_TOOL;
	}
	return ret < 0 ? cli_say_errno("--switch-output-event", -ret) : 0;
}

int record_turn_event_open(struct record_run *r, pid_t child)
{
	union attr_wide wide = r->turn_trigger.wide;
	struct epoll_event event = { .events = EPOLLIN };
	unsigned int i;
	int ret;

	if (!r->options.turn.event)
		return 0;
	wide.attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	wide.attr.wakeup_events = 1;
	wide.attr.disabled = !!child;
	wide.attr.enable_on_exec = !!child;
	wide.attr.inherit = child && !r->options.no_inherit;
	ret = side_open(&r->turn_rings, &wide.attr, child);
	if (ret < 0) {
		cli_say("--switch-output-event: perf events refused %s: %s", r->options.turn.event,
			strerror(-ret));
		return EXIT_TOOL;
	}
	for (i = 0; i < r->turn_rings.nr; i++) {
		event.data.fd = pmcgrp_ring_fd(r->turn_rings.rings[i]);
		if (epoll_ctl(r->ready, EPOLL_CTL_ADD, event.data.fd, &event) < 0)
			return cli_say_errno("--switch-output-event", errno);
	}
	return 0;
}

static bool has_id(const struct args_ids *ids, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < ids->nr; i++) {
		if ((uint32_t)ids->id[i] == id)
			return true;
	}
	return false;
}

struct search {
	const struct record_options *options;
	bool found;
};

static int look(void *arg, const struct perf_event_header *header)
{
	struct search *search = arg;
	const struct record_options *o = search->options;
	struct turn_sample sample;

	if (header->type != PERF_RECORD_SAMPLE || header->size < sizeof(sample))
		return 0;
	memcpy(&sample, header, sizeof(sample));
	if (o->pids.nr)
		search->found |= has_id(&o->pids, sample.pid);
	else if (o->tids.nr)
		search->found |= has_id(&o->tids, sample.tid);
	else
		search->found |= !o->has_cpus || pmcgrp_cpus_test(&o->cpus, (int)sample.cpu);
	return 0;
}

/* What there was no room for may have been one of them. */
bool record_turn_event_came(struct record_run *r)
{
	struct search search = { .options = &r->options };
	bool lost;

	side_drain(&r->turn_rings, look, &search);
	lost = r->turn_rings.lost;
	r->turn_rings.lost = 0;
	return search.found || lost;
}

bool record_turn_event_has(const struct record_run *r, int fd)
{
	unsigned int i;

	for (i = 0; i < r->turn_rings.nr; i++) {
		if (pmcgrp_ring_fd(r->turn_rings.rings[i]) == fd)
			return true;
	}
	return false;
}
