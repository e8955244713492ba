// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Sections of kernel modules, and spans. Head and values lie in one block, which the head begins: it is
 * the owner of the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "failure.h"

/* The time and eight members: more no section has as yet. */
#define STATS_GUESS 9
#define STATS_MAX (1 + PMCGRP_MEMBERS_MAX)

static const struct {
	const char *name;
	const char *text;
} missed[] = {
	[PMCGRP_MISSED_BUSY] = { "busy", "the beginning or the end interrupted a change of the "
					 "counters, or another probe" },
	[PMCGRP_MISSED_OFF] = { "off", "the group did not have its counters all the time" },
	[PMCGRP_MISSED_MOVED] = { "moved", "it ran outside of the group, or ended in another task or "
					   "on another CPU; or a module's section slept or was preempted" },
	[PMCGRP_MISSED_LIMIT] = { "limit", "more were in flight than there is room for" },
	[PMCGRP_MISSED_AGAIN] = { "again", "another one of the same key began before its end" },
	[PMCGRP_MISSED_GONE] = { "gone", "its frame has gone without a return" },
};

/* Those that this library knows. */
#define REASONS (sizeof(missed) / sizeof(missed[0]))

const char *pmcgrp_missed_name(enum pmcgrp_missed reason)
{
	return reason < REASONS ? missed[reason].name : "unknown";
}

const char *pmcgrp_missed_text(enum pmcgrp_missed reason)
{
	return reason < REASONS ? missed[reason].text : "for an unknown reason";
}

static int failure_section(struct failure *f, int err)
{
	begin(f, PMCGRP_WHY_NONE, -1, -1);
	if (err == ENOTTY) {
		say(f, "the loaded module knows no sections: it is older than this library; use a "
		       "module and a library of the same release");
	} else if (err == EACCES) {
		f->why = PMCGRP_WHY_PERMISSION;
		say(f, "not permitted to list the sections and spans of others: run as root, or with "
		       "CAP_SYS_ADMIN (CAP_PERFMON alone shows those that one has made oneself)");
	} else {
		say(f, "cannot list the sections: ");
		say_errno(f, err);
	}
	return -err;
}

static struct pmcgrp_section_info *section_new(uint64_t id, uint32_t nr_stats)
{
	size_t stats = nr_stats * sizeof(struct pmcgrp_section_stat);
	struct pmcgrp_section_info *section = calloc(1, sizeof(*section) + stats);

	if (!section)
		return NULL;
	section->size = sizeof(*section);
	section->id = id;
	section->stats = (uintptr_t)(section + 1);
	section->nr_stats = nr_stats;
	section->stat_size = sizeof(struct pmcgrp_section_stat);
	return section;
}

/* The next section may have more members than there is room for: then once more. */
static int section_fetch(int fd, uint64_t id, struct pmcgrp_section_info **out)
{
	struct pmcgrp_section_info *section;
	uint32_t room = STATS_GUESS, needed;
	int ret;

	for (;;) {
		section = section_new(id, room);
		if (!section)
			return -ENOMEM;
		ret = ioctl(fd, PMCGRP_IOC_SECTION_NEXT, section) < 0 ? -errno : 0;
		if (!ret && section->nr_members >= STATS_MAX)
			ret = -EPROTO;
		needed = ret ? 0 : section->nr_members + 1;
		if (needed <= room)
			break;
		room = needed;
		free(section);
	}
	if (ret) {
		free(section);
		return ret;
	}
	section->name[sizeof(section->name) - 1] = '\0';
	*out = section;
	return 0;
}

int pmcgrp_section_next(struct pmcgrp *h, uint64_t id, struct pmcgrp_section_info **out)
{
	int ret;

	if (!h)
		return -EINVAL;
	if (!out)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_section_next() was given no place for the section");
	*out = NULL;
	if (h->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "perf_event_open has no sections of kernel modules");
	ret = section_fetch(h->dev, id, out);
	return ret && ret != -ENOENT ? failure_section(&h->failure, -ret) : ret;
}

void pmcgrp_section_free(struct pmcgrp_section_info *section)
{
	free(section);
}
