// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling is work-conserving: while groups of all kinds come, go, sleep and are
 * multiplexed at random on a PMU with constraints, no waiting group would fit with
 * those that are on. The test computes that by its own matching.
 *
 * With many groups some are left to rotations (rest.c), so that a switch takes no longer:
 * there one that fits has to have its turn within some rotations.
 *
 * needs: testpmu=yes
 */
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#define ROOM_EVENTS	13
#define ROOM_GROUPS	12
#define ROOM_MEMBERS	5
#define ROTATION_NS	(4 * NSEC_PER_MSEC)
#define ROTATIONS	4	/* in which all groups of the backlog are tried */

FIXTURE(work_conserving)
{
	struct testpmu pmu;
	int dev;
};

/* Of @few one is on and the others wait: PMCGRP_WAITING_MOST (rest.h). */
FIXTURE_VARIANT(work_conserving)
{
	unsigned int groups;
};

FIXTURE_VARIANT_ADD(work_conserving, few) { .groups = 5 };
FIXTURE_VARIANT_ADD(work_conserving, many) { .groups = ROOM_GROUPS };

FIXTURE_SETUP(work_conserving)
{
	self->dev = -1;
	if (!testpmu_open(&self->pmu))
		SKIP(return, TESTPMU_MISSING);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_TRUE(stay_on(0));
}

FIXTURE_TEARDOWN(work_conserving)
{
	if (self->dev < 0)
		return;
	EXPECT_EQ(self->pmu.faults, testpmu_faults());
	close(self->dev);
	close(self->pmu.ticks);
}

/* The events that groups may count: the number tells all about the event. */
static const uint64_t room_mask[ROOM_EVENTS] = { 0x1, 0x2, 0x3, 0x4, 0xc, 0xf, 0xf, 0x6, 0x9,
						 FIXED(0), FIXED(0) | 0xf, FIXED(1) | FIXED(2),
						 FIXED(2) };

struct room_group {
	int fd;			/* -1: there is none */
	unsigned int nr;
	unsigned int event[ROOM_MEMBERS];
	bool enabled;
	bool pinned;
	bool on;		/* at the last tick */
	uint64_t ticks;		/* that it has counted */
};

struct room {
	struct room_group group[ROOM_GROUPS];
	unsigned int nr;
	uint64_t random;
	uint64_t placed, waited, refused, left;
};

static unsigned int room_random(struct room *room, unsigned int below)
{
	room->random = room->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (room->random >> 33) % below;
}

static uint32_t room_rate(unsigned int event)
{
	return event % 5 + 1;
}

/* Whether event e gets a counter if others move: a depth-first search. */
static bool room_seat(unsigned int e, int *owner, uint64_t *seen)
{
	unsigned int c;

	for (c = 0; c < 64; c++) {
		uint64_t bit = 1ULL << c;

		if (!(room_mask[e] & bit) || *seen & bit)
			continue;
		*seen |= bit;
		if (owner[c] < 0 || room_seat(owner[c], owner, seen)) {
			owner[c] = e;
			return true;
		}
	}
	return false;
}

static bool room_fits(uint64_t events)
{
	int owner[64];
	uint64_t seen;
	unsigned int e;

	memset(owner, -1, sizeof(owner));
	for (e = 0; e < ROOM_EVENTS; e++) {
		seen = 0;
		if (events & 1ULL << e && !room_seat(e, owner, &seen))
			return false;
	}
	return true;
}

static uint64_t room_events_of(const struct room_group *group)
{
	uint64_t events = 0;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		events |= 1ULL << group->event[i];
	return events;
}

static void room_draw(const struct testpmu *pmu, struct room *room, struct room_group *group,
		      struct perf_event_attr *attr, struct ask *ask)
{
	unsigned int i;

	*group = (struct room_group){ .nr = 1 + room_random(room, ROOM_MEMBERS) };
	for (i = 0; i < group->nr; i++) {
		group->event[i] = room_random(room, ROOM_EVENTS);
		attr[i] = test_event(pmu, group->event[i], room_rate(group->event[i]),
				     room_mask[group->event[i]]);
	}
	group->enabled = room_random(room, 4);
	group->pinned = !room_random(room, 8);
	*ask = (struct ask){
		.attr = attr,
		.nr = group->nr,
		.flags = (group->enabled ? 0 : PMCGRP_CREATE_DISABLED) |
			 (group->pinned ? PMCGRP_CREATE_PINNED : 0),
		.target_type = room_random(room, 2) ? PMCGRP_TARGET_CPU : PMCGRP_TARGET_TASK,
	};
}

/* Opens one that is not refused: only groups that do not fit the empty PMU may be. */
static void room_open(struct __test_metadata *_metadata, const struct testpmu *pmu, int dev,
		      struct room *room, struct room_group *group)
{
	struct perf_event_attr attr[ROOM_MEMBERS];
	struct ask ask;

	do {
		room_draw(pmu, room, group, attr, &ask);
		group->fd = ask_group(dev, &ask);
		if (group->fd >= 0)
			return;
		ASSERT_EQ(-EINVAL, group->fd);
		ASSERT_EQ(PMCGRP_WHY_TOO_LARGE, ask.create.why);
		ASSERT_FALSE(room_fits(room_events_of(group)));
		room->refused++;
	} while (1);
}

/* Reads what a group counted since the last check: nothing, or the whole tick. */
static void room_look(struct __test_metadata *_metadata, struct room_group *group,
		      uint64_t passed)
{
	struct group_values v;
	uint64_t ticks;
	unsigned int i;

	group->on = false;
	if (group->fd < 0)
		return;
	if (!group_values(group->fd, group->nr, &v)) {
		/* in error, until it is enabled anew */
		ASSERT_TRUE(group->pinned);
		group->enabled = false;
		return;
	}
	ticks = v.m[0].value / room_rate(group->event[0]);
	for (i = 0; i < group->nr; i++)
		ASSERT_EQ(ticks * room_rate(group->event[i]), v.m[i].value);
	ASSERT_TRUE(ticks == group->ticks || ticks == group->ticks + passed) {
		TH_LOG("%llu after %llu", (unsigned long long)ticks,
		       (unsigned long long)group->ticks);
	}
	group->on = ticks != group->ticks;
	group->ticks = ticks;
	if (!group->enabled)
		ASSERT_FALSE(group->on);
}

/* Reads all groups after a tick. Returns the events of those that are on, which fit. */
static uint64_t room_look_at_all(struct __test_metadata *_metadata, struct room *room)
{
	uint64_t on = 0;
	unsigned int g;

	for (g = 0; g < room->nr; g++) {
		room_look(_metadata, &room->group[g], 1);
		if (room->group[g].on) {
			on |= room_events_of(&room->group[g]);
			room->placed++;
		}
	}
	EXPECT_TRUE(room_fits(on));
	return on;
}

static bool room_waits(const struct room_group *group)
{
	return group->fd >= 0 && group->enabled && !group->on;
}

/* Checks that a group that fits counts within some rotations, or finds others on. */
static void room_await(struct __test_metadata *_metadata, const struct testpmu *pmu,
		       struct room *room, const struct room_group *group)
{
	uint64_t events = room_events_of(group), on;
	unsigned int i = 0;

	do {
		spin_ns(ROTATION_NS);
		ASSERT_TRUE(tick(pmu, 1));
		on = room_look_at_all(_metadata, room);
	} while (!group->on && room_fits(on | events) && ++i < ROTATIONS);
	ASSERT_LT(i, ROTATIONS);
	room->left++;
}

/* Checks after a tick: the groups that are on fit, and no waiting group fits with them. */
static void room_check(struct __test_metadata *_metadata, const struct testpmu *pmu,
		       struct room *room)
{
	uint64_t on = room_look_at_all(_metadata, room);
	unsigned int g;

	for (g = 0; g < room->nr; g++) {
		const struct room_group *group = &room->group[g];

		if (!room_waits(group))
			continue;
		room->waited++;
		if (!room_fits(on | room_events_of(group)))
			continue;
		if (room->nr == ROOM_GROUPS) {
			room_await(_metadata, pmu, room, group);
			return;
		}
		TH_LOG("group %u (%s) of events %llx waits, with %llx on", g,
		       group->pinned ? "pinned" : "flexible",
		       (unsigned long long)room_events_of(group), (unsigned long long)on);
		ASSERT_TRUE(false);
	}
}

static void room_step(struct __test_metadata *_metadata, const struct testpmu *pmu, int dev,
		      struct room *room)
{
	struct room_group *group = &room->group[room_random(room, room->nr)];
	unsigned long request;

	switch (room_random(room, 10)) {
	case 0:
		if (group->fd >= 0) {
			close(group->fd);
			group->fd = -1;
		} else {
			room_open(_metadata, pmu, dev, room, group);
		}
		break;
	case 1:
		if (group->fd < 0)
			break;
		group->enabled = !group->enabled;
		request = group->enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
		ASSERT_EQ(0, ioctl(group->fd, request, 0));
		break;
	case 2:
		spin_ns(room_random(room, 3000) * 1000);
		break;
	case 3:
		/* scheduled out and in: with a pinned group while perf core holds the PMU */
		sleep_ns(room_random(room, 300) * 1000);
		break;
	default:
		ASSERT_TRUE(tick(pmu, 1));
		room_check(_metadata, pmu, room);
		break;
	}
}

TEST_F_TIMEOUT(work_conserving, nobody_waits_for_what_is_free, 180)
{
	struct room room = { .random = 20261120, .nr = variant->groups };
	uint64_t end = now_ns() + 20 * NSEC_PER_SEC;
	unsigned int g;
	int rounds;

	for (g = 0; g < room.nr; g++)
		room.group[g].fd = -1;
	for (rounds = 0; rounds < 10000 && now_ns() < end; rounds++)
		room_step(_metadata, &self->pmu, self->dev, &room);
	printf("# work_conserving: %d rounds\n", rounds);
	TH_LOG("%llu times a tick was counted, %llu not; %llu refused, %llu left to rotations",
	       (unsigned long long)room.placed, (unsigned long long)room.waited,
	       (unsigned long long)room.refused, (unsigned long long)room.left);
	EXPECT_GT(room.placed, 0);
	EXPECT_GT(room.waited, 0);
	EXPECT_GT(room.refused, 0);
	for (g = 0; g < room.nr; g++)
		if (room.group[g].fd >= 0)
			close(room.group[g].fd);
}

TEST_HARNESS_MAIN
