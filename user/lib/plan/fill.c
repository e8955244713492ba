// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fill.h"

/*
 * Events by their number, not by their generic name, as those may have a counter for themselves.
 * Intel's has a threshold of 1 (cmask): no fixed counter has such a thing.
 */
#define INTEL_INSTRUCTIONS	0x010000c0
#define AMD_INSTRUCTIONS	0xc0
#define ARM_INST_RETIRED	0x08

/* Above what drivers read of the config: 16 bits on arm64, up to 48 on x86. */
#define COPY_SHIFT 48

/* A counter that pmcgrp keeps for reuse is given up within that time. */
#define IDLE_US 30000

struct perf_event_attr fill_event(const char *machine, bool amd, uint32_t type, unsigned int k)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type,
					.exclude_kernel = 1, .exclude_hv = 1 };

	if (!strcmp(machine, "x86_64"))
		attr.config = amd ? AMD_INSTRUCTIONS : INTEL_INSTRUCTIONS;
	else if (!strcmp(machine, "aarch64"))
		attr.config = ARM_INST_RETIRED;
	else
		return (struct perf_event_attr){ .size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
						 .config = PERF_COUNT_HW_INSTRUCTIONS,
						 .exclude_kernel = 1, .exclude_hv = 1 };
	attr.config |= (uint64_t)k << COPY_SHIFT;
	return attr;
}

/* A generic event; since 5.13 the config's upper half can have the PMU's type. */
static struct perf_event_attr own_event(const struct perf_event_attr *like, uint32_t type,
					enum fill_own own)
{
	static const uint64_t configs[] = {
		[FILL_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
		[FILL_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
		[FILL_REF_CYCLES] = PERF_COUNT_HW_REF_CPU_CYCLES,
	};
	struct perf_event_attr attr = *like;

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = configs[own] | (uint64_t)type << PERF_PMU_TYPE_SHIFT;
	return attr;
}

int fill_measure(struct fill *fill, const struct perf_event_attr *copies, uint32_t type,
		 fill_fits_fn fits, void *arg)
{
	struct perf_event_attr attrs[FILL_MAX + NR_FILL_OWN];
	unsigned int nr;
	enum fill_own own;
	int ret;

	memset(fill, 0, sizeof(*fill));
	for (nr = 0; nr < FILL_MAX; nr++) {
		attrs[nr] = copies[nr];
		ret = fits(arg, attrs, nr + 1);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
	}
	fill->general = nr;
	/* One after the other, each beside those that fit. An event that is not known does not. */
	for (own = 0; own < NR_FILL_OWN && nr; own++) {
		attrs[nr] = own_event(&copies[0], type, own);
		ret = fits(arg, attrs, nr + 1);
		fill->own[own] = ret > 0;
		nr += fill->own[own];
	}
	return 0;
}

static int event_open(struct perf_event_attr *attr, int leader)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int member_open(const struct perf_event_attr *like, int leader)
{
	struct perf_event_attr attr = *like;

	return event_open(&attr, leader);
}

/*
 * A group behind a software event that is off, so that nothing counts, while the others are not:
 * drivers leave those that are off out of the reckoning. Returns how many of @nr joined it, and in
 * @err the errno of the one that did not.
 */
static unsigned int group_open(int *fds, const struct perf_event_attr *attrs, unsigned int nr,
			       int *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY, .disabled = 1,
					.exclude_kernel = 1, .exclude_hv = 1,
					.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING };
	unsigned int i;

	*err = 0;
	fds[0] = event_open(&attr, -1);
	if (fds[0] < 0) {
		*err = fds[0];
		return 0;
	}
	for (i = 0; i < nr; i++) {
		fds[i + 1] = member_open(&attrs[i], fds[0]);
		if (fds[i + 1] < 0) {
			*err = fds[i + 1];
			break;
		}
	}
	return i;
}

/* The leader last: a sibling that outlives it would count by itself. */
static void group_close(const int *fds, unsigned int nr)
{
	unsigned int i;

	for (i = nr; i > 0; i--)
		close(fds[i]);
	if (fds[0] >= 0)
		close(fds[0]);
}

int fill_perf(void *arg, const struct perf_event_attr *attrs, unsigned int nr)
{
	int fds[1 + FILL_MAX + NR_FILL_OWN], err;
	unsigned int joined;

	(void)arg;
	joined = group_open(fds, attrs, nr, &err);
	group_close(fds, joined);
	if (joined == nr)
		return 1;
	/* The first one is refused for what it is, the others for want of a counter. */
	return joined ? 0 : err;
}

int fill_device(void *arg, const struct perf_event_attr *attrs, unsigned int nr)
{
	const struct fill_device *device = arg;
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_spec *spec;
	unsigned int i;
	int ret;

	ret = pmcgrp_spec_new(&spec);
	if (ret)
		return ret;
	pmcgrp_spec_set_cpu(spec, device->cpu);
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED);
	for (i = 0; i < nr && ret >= 0; i++)
		ret = pmcgrp_spec_add(spec, &attrs[i], NULL);
	if (ret >= 0)
		ret = pmcgrp_group_create(device->h, spec, &group);
	pmcgrp_spec_free(spec);
	pmcgrp_group_close(group);
	if (!ret)
		return 1;
	return pmcgrp_error_why(device->h) == PMCGRP_WHY_TOO_LARGE ? 0 : ret;
}

/*
 * Whether the group is on the PMU at once when it is enabled. That is its leader's affair: a
 * sibling that is off by itself is left out of the group, which then goes on without it.
 */
static bool goes_on(int leader, uint64_t *running)
{
	uint64_t values[3] = { 0 };
	bool went;

	if (ioctl(leader, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	if (ioctl(leader, PERF_EVENT_IOC_DISABLE, 0) ||
	    read(leader, values, sizeof(values)) != sizeof(values))
		return false;
	went = values[2] > *running;
	*running = values[2];
	return went;
}

int fill_free(const struct perf_event_attr *copies, unsigned int nr, bool patient)
{
	int fds[1 + FILL_MAX], err = 0;
	uint64_t running = 0;
	unsigned int free_now = 0;

	group_open(fds, copies, 0, &err);
	if (err)
		return err;
	while (free_now < nr && free_now < FILL_MAX) {
		fds[free_now + 1] = member_open(&copies[free_now], fds[0]);
		if (fds[free_now + 1] < 0) {
			err = fds[free_now + 1];
			break;
		}
		if (!goes_on(fds[0], &running) &&
		    !(patient && !usleep(IDLE_US) && goes_on(fds[0], &running))) {
			close(fds[free_now + 1]);
			break;
		}
		free_now++;
	}
	group_close(fds, free_now);
	return err && !free_now ? err : (int)free_now;
}
