/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A machine made of files, for the sections of doctor. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/sections.h"

struct fixture {
	char root[32];
	struct doctor d;
};

static inline void fixture_begin(struct fixture *x, const char *machine, const char *release)
{
	memset(x, 0, sizeof(*x));
	umask(022);
	strcpy(x->root, "/tmp/doctor.XXXXXX");
	assert_non_null(mkdtemp(x->root));
	x->d.root = x->root;
	x->d.machine = machine;
	x->d.release = release;
	x->d.kernel_version = "#1 SMP";
	x->d.dev_err = -ENOENT;
	x->d.dev_says = "the module is not loaded";
}

static inline void make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
}

/* A file with this text, and its folders. */
static inline void put(const struct fixture *x, const char *path, const char *text)
{
	char whole[PATH_MAX];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", x->root, path);
	make_folders(whole);
	file = fopen(whole, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	fclose(file);
}

static inline void put_link(const struct fixture *x, const char *path, const char *to)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", x->root, path);
	make_folders(whole);
	assert_int_equal(symlink(to, whole), 0);
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void fixture_end(struct fixture *x)
{
	assert_int_equal(nftw(x->root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	assert_false(x->d.findings.failed);
	findings_free(&x->d.findings);
}

/* The @nth finding about this, from 0. */
static inline const struct finding *nth(const struct fixture *x, const char *what, unsigned int n)
{
	const struct findings *f = &x->d.findings;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		if (!strcmp(f->at[i].what, what) && !n--)
			return &f->at[i];
	}
	return NULL;
}

/* It was looked at, with this verdict, and the text is in what was found; all but ok advise. */
static inline void expect_nth(const struct fixture *x, const char *what, unsigned int n,
			      enum verdict verdict, const char *text)
{
	const struct finding *finding = nth(x, what, n);

	if (!finding)
		fail_msg("nothing was said of %s", what);
	if (finding->verdict != verdict || !strstr(finding->found, text))
		fail_msg("%s: %s: %s", what, verdict_name(finding->verdict), finding->found);
	if (!!finding->advice != (verdict != DOCTOR_OK))
		fail_msg("%s: advice: %s", what, finding->advice ? finding->advice : "none");
}

static inline void expect_finding(const struct fixture *x, const char *what, enum verdict verdict,
				  const char *text)
{
	expect_nth(x, what, 0, verdict, text);
}

static inline void expect_advice(const struct fixture *x, const char *what, const char *text)
{
	const struct finding *finding = nth(x, what, 0);

	assert_non_null(finding);
	if (!finding->advice || !strstr(finding->advice, text))
		fail_msg("%s: advice: %s", what, finding->advice ? finding->advice : "none");
}

static inline long long value_of(const struct fixture *x, const char *what, const char *name)
{
	const struct finding *finding = nth(x, what, 0);
	unsigned int i;

	assert_non_null(finding);
	for (i = 0; i < finding->nr_values; i++) {
		if (!strcmp(finding->value[i].name, name))
			return finding->value[i].number;
	}
	fail_msg("%s has no value %s", what, name);
	return -1;
}

/* A machine that there is nothing to say about: Intel, one kind of core. */
static inline void put_intel(const struct fixture *x)
{
	put(x, "/proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
	    "model name\t: Intel(R) Core(TM) i7-6700\nstepping\t: 3\n"
	    "flags\t\t: fpu vme arch_perfmon\n");
	put(x, "/sys/devices/system/cpu/online", "0-7\n");
	put(x, DOCTOR_PMUS "/cpu/type", "4\n");
	put(x, DOCTOR_PMUS "/cpu/rdpmc", "1\n");
	put(x, DOCTOR_PMUS "/software/type", "1\n");
	put(x, DOCTOR_PMUS "/uncore_imc/type", "12\n");
	put(x, DOCTOR_PMUS "/uncore_imc/cpumask", "0\n");
}

#endif
