# SPDX-License-Identifier: GPL-2.0-only
"""The experiments: whose events, on which machines, and what the two articles say of them.

An article's figures stand here, each with the example that it is from; nothing that is measured.
"""

import collections

EVENTS_ARTICLE = "The Linux perf Event Scheduling Algorithm"
GROUPS_ARTICLE = "Perf_Event_Open - How to Monitoring Multiple Events"

# What becomes of an event: counted for a share of the time in percent (None: no figure), or not.
# perf prints a share of 0 for what waited in vain, and none for what never was enabled.
Figure = collections.namedtuple("Figure", "state share digits", defaults=(None, 1))
FULL = Figure("counted", 100.0, 0)      # no share is printed, or "no multiplexing" is said
SOME = Figure("counted", None)          # "multiplexing" is said, without a figure
STARVED = Figure("not counted", 0.0)
NEVER = Figure("not counted", None)
REFUSED = Figure("not supported", None)


def shares(*percent):
    return [Figure("counted", value, 2) for value in percent]


def turns(places, events):
    """Each of so many events of equal rank, for which there are so many places."""
    if places >= events:
        return [FULL] * events
    return [Figure("counted", 100 * places / events)] * events


# The machines of selftests/vm/machines, by what the table here calls them. Those that are
# variants take part if they are there.
#  events    whose names and constraints they have
#  variant   what sets them apart from the plain one
Machine = collections.namedtuple("Machine", "name events variant", defaults=("",))
MACHINES = {
    "snb": Machine("x86_64-snb-6.12", "snb"),
    "snb-ht": Machine("x86_64-snb-6.12-smt", "snb", "two threads a core"),
    "hsw": Machine("x86_64-hsw-6.12", "hsw"),
    "skl": Machine("x86_64-skl-6.12", "skl"),
    "skl8": Machine("x86_64-skl8-6.12", "skl", "eight general counters"),
}

# Names of the article that perf's list of a model does not have: how they are called there, or
# the code that the next model has for it.
SUBSTITUTES = {"snb": {"mem_load_uops_retired.l3_hit": "mem_load_uops_retired.llc_hit",
                       "mem_load_uops_retired.l1_miss": "r8d1"}}

# What the articles count; their dd copies so many blocks.
ARTICLE_BLOCKS = 1_000_000
DD = "dd if=/dev/zero of=/dev/null count={blocks}"

#  name      of the experiment: the number of the article's example
#  about     what it shows
#  command   what is counted
#  variants  lists of events, each for some machines, with what the article says (says); where
#            that is about another machine than this, `here` is what the same rules give on
#            this one, from its counters, and `why` the difference
#  watchdog  the states of the NMI watchdog to measure with
Case = collections.namedtuple("Case", "name about command variants watchdog", defaults=(("on",),))
Variant = collections.namedtuple("Variant", "machines events says here why", defaults=(None, ""))

ONE_PLACE = "l1d_pend_miss.pending,cycle_activity.stalls_l1d_pending"
ANY_PLACE = "l1d_pend_miss.pending,cycle_activity.stalls_l1d_miss"
LOADS = "mem_load_uops_retired.l1_hit,mem_load_uops_retired.l1_miss,mem_load_uops_retired.l2_hit"
MORE_LOADS = ("mem_load_uops_retired.l1_hit,mem_load_uops_retired.l1_miss,"
              "mem_load_uops_retired.hit_lfb,mem_load_uops_retired.l2_hit,"
              "mem_load_uops_retired.l3_hit")
WALKS = ",".join(f"{tlb}_misses.walk_completed{size}"
                 for tlb in ("dtlb_load", "dtlb_store", "itlb") for size in ("", "_4k"))
OFFCORE = "LLC-load-misses,LLC-stores,LLC-store-misses,LLC-loads"
CACHES = "L1-icache-load-misses,L1-dcache-stores,L1-dcache-load-misses,dTLB-load-misses"

NO_FIGURE = "the article has no figure for this: as many places as counters, by its rules"

CASES = (
    Case("1", "two events that only one counter can count; on Skylake any can", DD, (
        Variant("snb snb-ht hsw", ONE_PLACE, shares(49.93, 50.07)),
        Variant("skl", ANY_PLACE, [FULL] * 2))),
    Case("2", "the same, the second one pinned", DD, (
        Variant("snb snb-ht hsw", f"{ONE_PLACE}:D", [STARVED, FULL]),
        Variant("skl", f"{ANY_PLACE}:D", [FULL] * 2))),
    Case("3", "the first one in a group with a software event, and a third one with room", DD, (
        Variant("snb snb-ht hsw", "{l1d_pend_miss.pending,faults},"
                "cycle_activity.stalls_l1d_pending:D,mem_uops_retired.all_loads",
                [STARVED, STARVED, FULL, *shares(49.91)]),
        Variant("skl", "{l1d_pend_miss.pending,faults},cycle_activity.stalls_l1d_miss:D,"
                "mem_inst_retired.all_loads", [FULL] * 4))),
    # While threads share the core, one that counts such an event has half of the general counters.
    Case("4", "three events of the erratum of threads that share a core", DD, (
        Variant("snb hsw", LOADS, [FULL] * 3),
        Variant("snb-ht", LOADS, shares(66.61, 66.73, 66.66)),
        Variant("skl", LOADS.replace("_uops", ""), [FULL] * 3))),
    Case("4, text", "a group that fits if who has least choice is placed first", DD, (
        Variant("hsw", f"{{{LOADS},l1d_pend_miss.pending}}", [FULL] * 4),)),
    Case("5", "five events that only the first four counters can count", DD, (
        Variant("snb hsw", MORE_LOADS, None, lambda general: turns(min(general, 4), 5),
                f"one thread a core; {NO_FIGURE}"),
        Variant("snb-ht", MORE_LOADS, shares(40.01, 40.01, 40.00, 39.99, 40.00)),
        Variant("skl skl8", MORE_LOADS.replace("_uops", "").replace("hit_lfb", "fb_hit"),
                shares(79.81, 79.90, 80.21, 80.21, 79.87)))),
    Case("6", "six events for which any counter will do", DD, (
        Variant("hsw skl", WALKS, [SOME] * 6, lambda general: turns(general, 6),
                NO_FIGURE),
        Variant("skl8", WALKS, [FULL] * 6))),
    Case("7", "the same as one group", DD, (
        Variant("hsw skl", f"{{{WALKS}}}", [NEVER] * 4 + [REFUSED] * 2),
        Variant("skl8", f"{{{WALKS}}}", [NEVER] * 4 + [REFUSED] * 2,
                lambda general: turns(general, 6),
                "the article's reason is that there are four counters; here are eight")),
         ("on", "off")),
    Case("8", "six events and instructions, of a task that sleeps", "sleep 1", (
        Variant("hsw skl", f"instructions,{WALKS}", [FULL] * 5 + [STARVED] * 2),
        Variant("skl8", f"instructions,{WALKS}", None, lambda general: [FULL] + turns(general, 6),
                "the article's output is that of four counters; here are eight"))),
    Case("caches", "four events, none of them of the last cache", "sleep 2", (
        Variant("snb hsw skl", CACHES, [FULL] * 4),)),
    Case("offcore", "four values for two offcore registers, of a task that sleeps", "sleep 2", (
        Variant("hsw skl", OFFCORE, [FULL] * 2 + [STARVED] * 2),
        Variant("snb", OFFCORE, [FULL] * 2 + [STARVED] * 2, lambda general: [REFUSED, FULL] * 2,
                "for a miss there the kernel sets bits that its mask for this model forbids"))),
    Case("offcore, dd", "the same of one that works", DD, (
        Variant("hsw skl", OFFCORE, None, lambda general: turns(2, 4),
                "not in the article, which counts a task that sleeps: two registers, by its rules"),
    )),
    Case("offcore, group", "the same as one group", DD, (
        Variant("hsw skl", f"{{{OFFCORE}}}", None, lambda general: [NEVER] * 2 + [REFUSED] * 2,
                "not in the article, but its subject: two registers"),), ("on", "off")),
    Case("1, group", "the two events of example 1 as one group", DD, (
        Variant("snb hsw", f"{{{ONE_PLACE}}}", None, lambda general: [NEVER, REFUSED],
                "not in the article: what it says of how a group is checked"),), ("on", "off")),
    Case("4, group", "the three events of example 4 as one group", DD, (
        Variant("snb-ht", f"{{{LOADS}}}", None, lambda general: [STARVED] * 3,
                "not in the article: what it says of how a group is checked, without its step 3"),),
         ("on", "off")),
)
