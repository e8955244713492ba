/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The switch by which a PMU's counters stop in System Management Mode. */
#ifndef STAT_SMI_H
#define STAT_SMI_H

#include <stdbool.h>

/**
 * struct smi_freeze - the switch while stat counts
 * @switched_on: it was off, and is to be so again
 */
struct smi_freeze {
	bool switched_on;
};

/*
 * smi_freeze_on - switch it on for --smi-cost
 *
 * Errors are reported.  Return: 0, then smi_freeze_restore() leaves it as it was; or the exit
 * status.
 */
int smi_freeze_on(struct smi_freeze *freeze);

void smi_freeze_restore(struct smi_freeze *freeze);

#endif
