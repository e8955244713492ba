/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory as the models see it: spin alone would order all accesses.
 *
 * Each processor has a slot for each variable, in which a store waits.  Slots drain at any time, in
 * any order.  A processor sees its own slots.  What the kernel's barriers wait for:
 *
 *   BARRIER		smp_mb(), and smp_wmb() before a store: all own slots
 *   STORE_RELEASE	smp_store_release(): all own slots but that of the same variable
 *   UNLOCK, CALL	as a release: the next owner, or who is called, sees all that was stored
 *
 * LOCK waits for nothing: stores before it may become visible inside the section.  Loads are in
 * order, as smp_load_acquire() and smp_rmb() have it.  A mutant without one has them exchanged.
 * A store that a branch depends on comes after the branch's load here, too.
 *
 * Not here: processors that see the stores of others in different orders.
 *
 * A model defines NR_CPUS and NR_VARS first.  The processes up to NR_CPUS drain: the first process
 * of a model has number NR_CPUS.
 */
byte memory[NR_VARS];
byte slot[NR_CPUS * NR_VARS];	/* value + 1; 0: empty */
byte waiting[NR_CPUS];		/* slots that are not empty */

#define SLOT(cpu, var)	slot[(cpu) * NR_VARS + (var)]
#define LOAD(cpu, var)	(SLOT(cpu, var) -> SLOT(cpu, var) - 1 : memory[var])
#define STORE(cpu, var, value)							\
	d_step {								\
		waiting[cpu] = waiting[cpu] + (SLOT(cpu, var) == 0);		\
		SLOT(cpu, var) = (value) + 1;					\
	}
#define BARRIER(cpu)	waiting[cpu] == 0
#define STORE_RELEASE(cpu, var, value)						\
	atomic {								\
		waiting[cpu] == (SLOT(cpu, var) != 0);				\
		STORE(cpu, var, value)						\
	}

#define LOCK(lock)		atomic { !lock -> lock = true }
#define UNLOCK(cpu, lock)	atomic { waiting[cpu] == 0 -> lock = false }

/* Have a function called on another processor with interrupts off, and wait for its end. */
byte call[NR_CPUS];	/* the function, or 0 */

#define CALL(cpu, on, func)							\
	atomic { waiting[cpu] == 0 && !call[on] -> call[on] = func };		\
	!call[on]
#define CALL_END(cpu)	atomic { waiting[cpu] == 0 -> call[cpu] = 0 }

#define DRAIN(cpu, var)								\
	atomic {								\
		SLOT(cpu, var) ->						\
		memory[var] = SLOT(cpu, var) - 1;				\
		SLOT(cpu, var) = 0;						\
		waiting[cpu]--;							\
	}

active [NR_CPUS] proctype drain()
{
end:
	do
	:: DRAIN(_pid, 0)
#if NR_VARS > 1
	:: DRAIN(_pid, 1)
#endif
#if NR_VARS > 2
	:: DRAIN(_pid, 2)
#endif
#if NR_VARS > 3
	:: DRAIN(_pid, 3)
#endif
#if NR_VARS > 4
	:: DRAIN(_pid, 4)
#endif
#if NR_VARS > 5
	:: DRAIN(_pid, 5)
#endif
#if NR_VARS > 6
	:: DRAIN(_pid, 6)
#endif
#if NR_VARS > 7
	:: DRAIN(_pid, 7)
#endif
	od
}
