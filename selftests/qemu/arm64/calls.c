// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU: what a function of the guest's kernel executes, all that it calls and all that
 * interrupts it included.
 *
 * Arguments: entry=ADDRESS of the function; from=, to=ADDRESS: its caller's code: as soon as that
 * goes on, the call is over; out=FILE, written when QEMU ends.  Numbers are hexadecimal.  Lines of
 * the file, a block of instructions each:
 *
 *	all ADDRESS INSTRUCTIONS TIMES		of all calls
 *	longest ADDRESS INSTRUCTIONS TIMES	of the longest one
 *	calls NUMBER INSTRUCTIONS MOST		last: all calls, of the longest one
 *
 * One processor (-icount).
 */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

struct block {
	uint64_t address;
	uint64_t insns;
	uint64_t times;		/* in all calls */
	uint64_t now;		/* in this one */
	uint64_t longest;	/* in the longest one */
};

static uint64_t entry, from, to;
static char *out;
static GPtrArray *blocks;
static GPtrArray *seen;	/* in this call */
static bool inside;
static uint64_t insns, calls, all, most;

static void call_ends(void)
{
	bool is_longest = insns > most;
	struct block *block;
	unsigned int i;

	inside = false;
	calls++;
	all += insns;
	if (is_longest) {
		most = insns;
		for (i = 0; i < blocks->len; i++)
			((struct block *)blocks->pdata[i])->longest = 0;
	}
	for (i = 0; i < seen->len; i++) {
		block = seen->pdata[i];
		block->times += block->now;
		if (is_longest)
			block->longest = block->now;
		block->now = 0;
	}
	g_ptr_array_set_size(seen, 0);
}

static void block_executes(unsigned int cpu, void *data)
{
	struct block *block = data;

	if (!inside && block->address == entry) {
		inside = true;
		insns = 0;
	} else if (inside && block->address >= from && block->address < to) {
		call_ends();
	}
	if (!inside)
		return;
	insns += block->insns;
	if (!block->now++)
		g_ptr_array_add(seen, block);
}

static void block_is_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct block *block = g_new0(struct block, 1);

	block->address = qemu_plugin_tb_vaddr(tb);
	block->insns = qemu_plugin_tb_n_insns(tb);
	g_ptr_array_add(blocks, block);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_executes, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void qemu_ends(qemu_plugin_id_t id, void *data)
{
	FILE *file = fopen(out, "w");
	struct block *block;
	unsigned int i;

	for (i = 0; file && i < blocks->len; i++) {
		block = blocks->pdata[i];
		if (block->times)
			fprintf(file, "all %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", block->address,
				block->insns, block->times);
		if (block->longest)
			fprintf(file, "longest %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
				block->address, block->insns, block->longest);
	}
	if (file)
		fprintf(file, "calls %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", calls, all, most);
	if (!file || ferror(file) || fclose(file))
		fprintf(stderr, "calls: cannot write %s\n", out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
		else if (!strncmp(argv[i], "entry=", 6))
			entry = strtoull(argv[i] + 6, NULL, 16);
		else if (!strncmp(argv[i], "from=", 5))
			from = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "to=", 3))
			to = strtoull(argv[i] + 3, NULL, 16);
	}
	if (!out || !entry || from >= to) {
		fprintf(stderr, "calls: wants out=, entry=, from= and to=\n");
		return 1;
	}
	blocks = g_ptr_array_new();
	seen = g_ptr_array_new();
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_is_translated);
	qemu_plugin_register_atexit_cb(id, qemu_ends, NULL);
	return 0;
}
