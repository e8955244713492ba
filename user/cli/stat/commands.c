// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What stat does on the commands of --control. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "args/cli.h"
#include "counters/control.h"
#include "stat_run.h"

static bool is_last(const struct counter_set *set, unsigned int i)
{
	return i + 1 == set->nr || set->counters[i + 1].group != set->counters[i].group;
}

/* As perf: a name a line, with -g each group in braces, with -v codes, too. */
static void evlist(const struct counter_set *set, const char *how)
{
	bool groups = !strcmp(how, "-g"), codes = !strcmp(how, "-v"), alone;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		const struct counter *c = &set->counters[i];

		alone = set->groups[c->group].nr == 1;
		if (groups && !alone)
			putchar(i == set->groups[c->group].first ? '{' : ',');
		fputs(c->name, stdout);
		if (codes)
			printf(": type: %u, config: 0x%llx", c->attr->type,
			       (unsigned long long)c->attr->config);
		if (groups && !alone)
			fputs(is_last(set, i) ? "}\n" : "", stdout);
		else
			putchar('\n');
	}
	fflush(stdout);
}

static bool evlist_command(const struct stat_run *st)
{
	const char *how = st->control.argument;

	if (*how && strcmp(how, "-g") && strcmp(how, "-v")) {
		cli_say("--control: evlist knows -g, groups, and -v, codes, not '%s'", how);
		return false;
	}
	evlist(&st->set, how);
	return true;
}

/* All groups, or those with the event that is named. Sets @ok if it was done. */
static int switch_groups(struct stat_run *st, bool enable, bool *ok)
{
	const char *name = st->control.argument;
	int ret;

	*ok = true;
	if (*name)
		ret = counter_set_control(&st->set, name, enable);
	else
		ret = enable ? counter_set_enable(&st->set) : counter_set_disable(&st->set);
	if (ret < 0)
		return cli_say_errno(enable ? "cannot start the counters" :
					      "cannot stop the counters", -ret);
	if (*name && !ret) {
		cli_say("--control: no event '%s' is counted", name);
		*ok = false;
	} else {
		st->commanded |= enable;
		cli_say("%s%sevents %s", name, *name ? ": its group's " : "",
			enable ? "enabled" : "disabled");
	}
	return 0;
}

int stat_commands(struct stat_run *st)
{
	enum control_command command;
	int ret = 0;
	bool ok;

	while (!ret && (command = control_read(&st->control)) != CONTROL_NONE) {
		ok = command != CONTROL_UNKNOWN;
		switch (command) {
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			ret = switch_groups(st, command == CONTROL_ENABLE, &ok);
			break;
		case CONTROL_EVLIST:
			ok = evlist_command(st);
			break;
		case CONTROL_STOP:
			st->stop = true;
			break;
		case CONTROL_SNAPSHOT:
			cli_say("--control: a count has no snapshot: -I prints intervals, and pmcgrp "
				"record takes samples");
			ok = false;
			break;
		default:
			break;
		}
		if (!ret && ok)
			control_ack(&st->control);
	}
	return ret;
}
