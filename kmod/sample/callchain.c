// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call chain of a sample, as perf core's perf_callchain() makes it, which is not exported.
 *
 * The kernel's part is stack_trace_save()'s.  That begins at its caller, so what lies above the
 * function that was interrupted is cut off.  User space's part follows frame pointers.  As for
 * perf, a program that was built without them has a chain that ends early.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include "platform/recursion.h"
#include "sample/callchain.h"

/*
 * A kprobe's handler sees the address of the probe.  Where the function's tracing hook calls it the
 * stack has the address behind the hook's call.
 */
#define HOOK_SIZE 16

/* What a function's frame pointer points to, on arm64 and on x86-64. */
struct user_frame {
	unsigned long next;
	unsigned long return_address;
};

static void put(struct pmcgrp_callchain *chain, u64 word)
{
	chain->word[1 + chain->word[0]++] = word;
}

/* Return the index of the frame that follows that of @ip, or @nr. */
static unsigned int frame_after(const unsigned long *frame, unsigned int nr, unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (frame[i] == ip)
			return i + 1;
	for (i = 0; i < nr; i++)
		if (frame[i] - ip <= HOOK_SIZE)
			return i + 1;
	return nr;
}

/* Return how many addresses were added, @most at most. */
static unsigned int take_kernel(struct pmcgrp_callchain *chain, struct pt_regs *regs,
				unsigned int most)
{
	unsigned long ip = instruction_pointer(regs);
	unsigned int i, nr, left = most;

	nr = stack_trace_save(chain->frame, ARRAY_SIZE(chain->frame), 0);
	put(chain, PERF_CONTEXT_KERNEL);
	put(chain, ip);
	left--;
	for (i = frame_after(chain->frame, nr, ip); i < nr && left; i++, left--)
		put(chain, chain->frame[i]);
	return most - left;
}

/* Remove a pointer authentication code: XPACLRI, which is no operation where there are none. */
static __always_inline unsigned long strip(unsigned long address)
{
#ifdef CONFIG_ARM64
	register unsigned long lr asm("x30") = address;

	asm("hint #7" : "+r"(lr));
	return lr;
#else
	return address;
#endif
}

/* Whether frames are as struct user_frame says. */
static bool has_frames(struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return !compat_user_mode(regs);
#elif defined(CONFIG_X86_64)
	return user_64bit_mode(regs);
#else
	return false;
#endif
}

/* The stack grows down: a frame that does not lie above the one before it is none. */
static void take_user(struct pmcgrp_callchain *chain, struct pt_regs *regs, unsigned int most)
{
	unsigned long at = frame_pointer(regs);
	struct user_frame frame;

	put(chain, PERF_CONTEXT_USER);
	put(chain, instruction_pointer(regs));
	if (!has_frames(regs))
		return;
	while (--most && at && IS_ALIGNED(at, sizeof(at))) {
		if (copy_from_user_nofault(&frame, (const void __user *)at, sizeof(frame)) ||
		    !frame.return_address)
			return;
		put(chain, strip(frame.return_address));
		if (frame.next <= at)
			return;
		at = frame.next;
	}
}

/**
 * pmcgrp_callchain_take - take the call chain of the task that runs
 * @chain: out: the chain, with PMCGRP_CALLCHAIN_MAX addresses at most; the kernel's come first
 * @event: event of the trigger: its exclude_callchain_* leave out one part
 * @regs: registers at the overflow, or NULL: an empty chain
 *
 * Context: interrupts off, in a recursion section; NMI included.
 */
void pmcgrp_callchain_take(struct pmcgrp_callchain *chain, const struct perf_event *event,
			   struct pt_regs *regs)
{
	unsigned int left = PMCGRP_CALLCHAIN_MAX;

	pmcgrp_assert_recursion();
	chain->word[0] = 0;
	if (!regs)
		return;
	if (!user_mode(regs) && !event->attr.exclude_callchain_kernel)
		left -= take_kernel(chain, regs, left);
	if (!left || event->attr.exclude_callchain_user || !current->mm ||
	    current->flags & (PF_KTHREAD | PF_EXITING))
		return;
	if (!user_mode(regs))
		regs = task_pt_regs(current);
	if (user_mode(regs))
		take_user(chain, regs, left);
}
