// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What record does on the commands of --control. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "args/cli.h"
#include "record_run.h"

int record_control_open(struct record_run *r)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ret;

	if (!r->options.control)
		return 0;
	ret = control_open(&r->control, r->options.control);
	if (ret)
		return ret;
	event.data.fd = control_fd(&r->control);
	r->control_waited = event.data.fd;
	if (epoll_ctl(r->ready, EPOLL_CTL_ADD, event.data.fd, &event) < 0)
		return cli_say_errno("--control: cannot wait for commands", errno);
	return 0;
}

static void print_event(const struct record_event *event, bool codes)
{
	fputs(event->name, stdout);
	if (codes)
		printf(": type: %u, config: 0x%llx", event->attr.type,
		       (unsigned long long)event->attr.config);
}

/* As perf: a name a line, with -g the group in braces, with -v codes, too. The triggers are first. */
static bool evlist(const struct record_run *r)
{
	const struct record_desc *desc = &r->desc;
	const char *how = r->control.argument;
	bool group = !strcmp(how, "-g") && desc->nr_members > 1, codes = !strcmp(how, "-v");
	unsigned int i;

	if (*how && strcmp(how, "-g") && !codes) {
		cli_say("--control: evlist knows -g, groups, and -v, codes, not '%s'", how);
		return false;
	}
	for (i = 0; i < desc->nr_triggers; i++) {
		print_event(&desc->triggers[i], codes);
		putchar('\n');
	}
	for (i = 0; i < desc->nr_members; i++) {
		if (group)
			putchar(i ? ',' : '{');
		print_event(&desc->members[i], codes);
		fputs(!group ? "\n" : i + 1 == desc->nr_members ? "}\n" : "", stdout);
	}
	fflush(stdout);
	return true;
}

/* All is one group: an event's name switches it as a whole. Sets @ok if it was done. */
static int switch_groups(struct record_run *r, bool enable, bool *ok)
{
	const char *name = r->control.argument;
	unsigned int i;
	int ret;

	for (i = 0; *name && i < r->desc.nr_members && strcmp(r->members[i].name, name); i++)
		;
	*ok = !*name || i < r->desc.nr_members;
	if (!*ok) {
		cli_say("--control: no event '%s' is recorded", name);
		return 0;
	}
	ret = enable ? record_groups_enable(r) : record_groups_disable(r);
	if (ret < 0)
		return ret;
	r->commanded = true;
	if (!r->options.quiet)
		cli_say("events %s", enable ? "enabled" : "disabled");
	return 0;
}

static int snapshot(struct record_run *r, bool *ok)
{
	*ok = r->options.overwrite || record_turns_files(&r->options);
	if (*ok)
		return record_file_snapshot(r);
	cli_say("--control: snapshot writes a dump with --overwrite, or goes on in another file with "
		"--switch-output");
	return 0;
}

static int carry_out(struct record_run *r, enum control_command command, bool *ok)
{
	switch (command) {
	case CONTROL_ENABLE:
	case CONTROL_DISABLE:
		return switch_groups(r, command == CONTROL_ENABLE, ok);
	case CONTROL_EVLIST:
		*ok = evlist(r);
		return 0;
	case CONTROL_SNAPSHOT:
		return snapshot(r, ok);
	case CONTROL_STOP:
		r->stop = true;
		return 0;
	default:
		return 0;
	}
}

int record_commands(struct record_run *r)
{
	enum control_command command;
	int ret = 0;
	bool ok;

	while (!ret && (command = control_read(&r->control)) != CONTROL_NONE) {
		ok = command != CONTROL_UNKNOWN;
		ret = carry_out(r, command, &ok);
		if (!ret && ok)
			control_ack(&r->control);
	}
	/* Its end would be seen for ever. */
	if (r->control_waited >= 0 && control_fd(&r->control) < 0) {
		epoll_ctl(r->ready, EPOLL_CTL_DEL, r->control_waited, NULL);
		r->control_waited = -1;
	}
	return ret;
}
