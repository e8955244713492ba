/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CALLCHAIN_H
#define PMCGRP_CALLCHAIN_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct pt_regs;

/* As kernel.perf_event_max_stack has it by default; the two contexts are not counted. */
#define PMCGRP_CALLCHAIN_MAX PERF_MAX_STACK_DEPTH
#define PMCGRP_CALLCHAIN_WORDS (1 + PMCGRP_CALLCHAIN_MAX + 2)

/* What stack_trace_save() finds above the interrupted function: the handler and what calls it. */
#define PMCGRP_CALLCHAIN_ABOVE 48

/**
 * struct pmcgrp_callchain - a call chain that is being made; this CPU, in a recursion section
 * @word: the chain as PERF_SAMPLE_CALLCHAIN has it: the number of words, then so many
 * @frame: what stack_trace_save() has found
 */
struct pmcgrp_callchain {
	u64 word[PMCGRP_CALLCHAIN_WORDS];
	unsigned long frame[PMCGRP_CALLCHAIN_MAX + PMCGRP_CALLCHAIN_ABOVE];
};

void pmcgrp_callchain_take(struct pmcgrp_callchain *chain, const struct perf_event *event,
			   struct pt_regs *regs);

/* The number of words that PERF_SAMPLE_CALLCHAIN has; without a chain: of an empty one. */
static inline unsigned int pmcgrp_callchain_words(const struct pmcgrp_callchain *chain)
{
	return 1 + (chain ? chain->word[0] : 0);
}

#endif /* PMCGRP_CALLCHAIN_H */
