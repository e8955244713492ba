// SPDX-License-Identifier: GPL-2.0-only
/*
 * What KVM does with the PMU for a guest with a mediated vPMU (Linux 6.19 and later), for the
 * selftest guest_pmu, by lines that it writes to /sys/kernel/debug/pmcgrp_testguest:
 *
 *  create	there is such a guest: perf_create_mediated_pmu()
 *  run TIMES ITERATIONS
 *		so often the PMU is lent to it, while this CPU runs an empty loop, with interrupts off:
 *		perf_load_guest_context(), perf_put_guest_context()
 *  release	there is none any more: perf_release_mediated_pmu()
 *
 * A write fails with the errno of what it has done.
 *
 * The functions are exported to KVM alone, and found as kprobes are.  Without them the module cannot
 * be loaded: ENOENT.
 *
 * Context: task; one at a time.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static DEFINE_MUTEX(mutex);
static struct dentry *file;
static bool created;

static int (*create_pmu)(void);
static void (*release_pmu)(void);
static void (*load_context)(void);
static void (*put_context)(void);

static void *find(const char *name)
{
	struct kprobe probe = { .symbol_name = name };
	void *func;

	if (register_kprobe(&probe))
		return NULL;
	func = probe.addr;
	unregister_kprobe(&probe);
	return func;
}

static noinline void guest_works(unsigned int iterations)
{
	while (iterations--)
		barrier();
}

static void guest_runs(unsigned int iterations)
{
	unsigned long flags;

	local_irq_save(flags);
	load_context();
	guest_works(iterations);
	put_context();
	local_irq_restore(flags);
}

static int guest_do(const char *line)
{
	unsigned int times, iterations;
	int err;

	if (!strcmp(line, "create")) {
		err = created ? -EBUSY : create_pmu();
		created |= !err;
		return err;
	}
	if (!created)
		return -ENODEV;
	if (!strcmp(line, "release")) {
		release_pmu();
		created = false;
		return 0;
	}
	if (sscanf(line, "run %u %u", &times, &iterations) != 2)
		return -EINVAL;
	while (times--)
		guest_runs(iterations);
	return 0;
}

static ssize_t guest_write(struct file *filp, const char __user *from, size_t size, loff_t *at)
{
	char line[64];
	int err;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	mutex_lock(&mutex);
	err = guest_do(strim(line));
	mutex_unlock(&mutex);
	return err ?: size;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.write = guest_write,
};

static int __init testguest_init(void)
{
	create_pmu = find("perf_create_mediated_pmu");
	release_pmu = find("perf_release_mediated_pmu");
	load_context = find("perf_load_guest_context");
	put_context = find("perf_put_guest_context");
	if (!create_pmu || !release_pmu || !load_context || !put_context)
		return -ENOENT;
	file = debugfs_create_file("pmcgrp_testguest", 0600, NULL, NULL, &fops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit testguest_exit(void)
{
	debugfs_remove(file);
	if (created)
		release_pmu();
}

module_init(testguest_init);
module_exit(testguest_exit);
MODULE_DESCRIPTION("Lends the PMU as KVM does, for pmcgrp's selftests");
MODULE_LICENSE("GPL");
