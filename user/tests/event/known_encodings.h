/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where perf's tables and libpfm4 have two codes for one name, and why. */
#ifndef KNOWN_ENCODINGS_H
#define KNOWN_ENCODINGS_H

#include <fnmatch.h>

#include "event/pfm.h"
#include "pmcgrp.h"

/* What of an attr differs. */
enum {
	TYPE = 1 << 0,
	EVENT = 1 << 1,
	UMASK = 1 << 2,
	CMASK = 1 << 3,
	FLAGS = 1 << 4,		/* edge, any, inv, and what else is in config */
	CONFIG1 = 1 << 5,
	CONFIG2 = 1 << 6,
};

static const char *const field_names[] = {
	"type", "event", "umask", "cmask", "flags", "config1", "config2"
};

static const char *const reasons[] = {
	"a fixed counter: perf asks for the event that the kernel places on it, "
	"libpfm4 by a code of its own",
	"counted by two codes, of which one list has the one, and the other list the other",
	"another unit mask: the lists are of different editions of Intel's",
	"another edge, inversion or counter mask: the lists are of different editions of Intel's",
	"a unit mask of several fields: libpfm4 adds its defaults to those that are not named",
	"the slots of top-down analysis: libpfm4 has the code of their fixed counter",
	"libpfm4 has the code of another event",
	"libpfm4 has what belongs to config1 in the unit mask, or the other way round",
};

enum reason {
	FIXED,
	TWO_CODES,
	UMASK_CHANGED,
	FLAGS_CHANGED,
	DEFAULTS,
	SLOTS,
	PFM_CODE,
	PFM_CONFIG1
};

/* Differences that are known: of these PMUs and events (patterns), in these fields and no others. */
static const struct known {
	const char *pmu;
	const char *event;
	unsigned int fields;
	enum reason reason;
} known[] = {
	{ "@(wsm|wsm_dp)", "inst_retired.@(any|any_p)", UMASK, FIXED },
	{ "@(icl|icx)", "inst_retired.any", EVENT | UMASK, FIXED },
	{ "spr", "inst_retired.any", UMASK, FIXED },
	{ "@(spr|glm)", "cpu_clk_unhalted.@(thread|core)", EVENT | UMASK, FIXED },
	{ "@(slm|tmt)", "cpu_clk_unhalted.ref", EVENT | UMASK, FIXED },
	{ "glm", "cpu_clk_unhalted.ref", UMASK, FIXED },
	{ "@(nhm|nhm_ex|wsm|wsm_dp|snb|snb_ep)", "br_inst_retired.all_branches", UMASK, TWO_CODES },
	{ "@(wsm|wsm_dp|snb|snb_ep)", "br_misp_retired.all_branches", UMASK, TWO_CODES },
	{ "atom", "br_inst_retired.mispred", EVENT | UMASK, TWO_CODES },
	{ "@(ivb|ivb_ep)", "move_elimination.int_@(eliminated|not_eliminated)", UMASK,
	  UMASK_CHANGED },
	{ "ivb_ep", "mem_load_uops_llc_miss_retired.local_dram", UMASK, UMASK_CHANGED },
	{ "@(hsw|hsw_ep|bdw|bdw_ep)",
	  "l2_rqsts.@(code_rd_hit|demand_data_rd_hit|rfo_hit|l2_pf_hit|l2_pf_miss)", UMASK,
	  UMASK_CHANGED },
	{ "@(skl|skx|clx)", "uops_retired.stall_cycles", UMASK, UMASK_CHANGED },
	{ "@(skl|skx|clx)", "uops_retired.total_cycles", UMASK | CMASK, UMASK_CHANGED },
	{ "spr", "mem_trans_retired.store_sample", UMASK, UMASK_CHANGED },
	{ "atom", "@(bogus_br|cycles_div_busy|hw_int_rcv)", UMASK, UMASK_CHANGED },
	{ "@(hsw|hsw_ep|bdw|bdw_ep)", "uops_retired.total_cycles", CMASK, FLAGS_CHANGED },
	{ "spr", "arith.@(idiv_active|int_divider_active)", CMASK, FLAGS_CHANGED },
	{ "knl", "page_walks.@(d_side_walks|i_side_walks|walks)", CMASK, FLAGS_CHANGED },
	{ "atom", "uops_retired.stalled_cycles", CMASK | FLAGS, FLAGS_CHANGED },
	{ "atom", "uops_retired.stalls", CMASK | FLAGS, FLAGS_CHANGED },
	{ "atom", "bus_*.@(self|all_agents)", UMASK, DEFAULTS },
	{ "atom", "snoop_stall_drv.self", UMASK, DEFAULTS },
	{ "atom", "l1d_cache.@(ld|st)", UMASK, DEFAULTS },
	{ "atom", "prefetch.@(prefetchnta|prefetcht0|sw_l2)", UMASK, DEFAULTS },
	{ "@(icl|icx|spr)", "topdown.*_slots", EVENT, SLOTS },
	{ "@(nhm|nhm_ex)", "macro_insts.fusions_decoded", EVENT, PFM_CODE },
	{ "@(icl|icx)", "mem_load_misc_retired.uc", EVENT, PFM_CODE },
	{ "glm", "cpu_clk_unhalted.core_p", EVENT, PFM_CODE },
	{ "spr", "exe.amx_busy", CONFIG1, PFM_CONFIG1 },
	{ "spr", "@(int_misc.unknown_branch_cycles|uops_retired.ms)", UMASK | CONFIG1,
	  PFM_CONFIG1 },
};

static inline unsigned int differing(const struct perf_event_attr *attr, const struct pfm_code *code)
{
	static const struct {
		uint64_t bits;
		unsigned int field;
	} parts[] = {
		{ 0xfULL << 32 | 0xff, EVENT },
		{ 0xff00, UMASK },
		{ 0xff000000, CMASK },
		{ ~(0xfULL << 32 | 0xff00ffff), FLAGS },
	};
	unsigned int fields = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		fields |= (attr->config ^ code->config[0]) & parts[i].bits ? parts[i].field : 0;
	fields |= attr->type != code->type ? TYPE : 0;
	fields |= attr->config1 != code->config[1] ? CONFIG1 : 0;
	fields |= attr->config2 != code->config[2] ? CONFIG2 : 0;
	return fields;
}

/* NULL: it is not known. */
static inline const struct known *explained(const char *pmu, const char *event, unsigned int fields)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].fields == fields && !fnmatch(known[i].pmu, pmu, FNM_EXTMATCH) &&
		    !fnmatch(known[i].event, event, FNM_EXTMATCH))
			return &known[i];
	}
	return NULL;
}

#endif
