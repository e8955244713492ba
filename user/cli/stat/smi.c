// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * For --smi-cost cycles must not be counted in System Management Mode, while APERF goes on there.
 * The PMU's driver has a switch for that, for all counters of the machine.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "args/cli.h"
#include "smi.h"

#define SWITCH "/sys/devices/cpu/freeze_on_smi"

static int switch_write(char value)
{
	FILE *file = fopen(SWITCH, "we");
	int ret = file ? 0 : -errno;

	if (!file)
		return ret;
	fputc(value, file);
	return fclose(file) ? -errno : 0;
}

static int switch_read(void)
{
	FILE *file = fopen(SWITCH, "re");
	int value = file ? fgetc(file) : EOF;

	if (file)
		fclose(file);
	return value;
}

int smi_freeze_on(struct smi_freeze *freeze)
{
	int value = switch_read(), ret;

	if (value == '1')
		return 0;
	if (value == EOF) {
		cli_say("--smi-cost: the PMU of this machine's CPUs cannot stop in System Management "
			"Mode (there is no %s)", SWITCH);
		return EXIT_TOOL;
	}
	ret = switch_write('1');
	if (ret < 0) {
		cli_say("--smi-cost: %s: %s; root may write it", SWITCH, strerror(-ret));
		return EXIT_TOOL;
	}
	freeze->switched_on = true;
	return 0;
}

void smi_freeze_restore(struct smi_freeze *freeze)
{
	if (freeze->switched_on && switch_write('0') < 0)
		cli_say("--smi-cost: %s stays switched on: %m", SWITCH);
	freeze->switched_on = false;
}
