/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What doctor has found, line by line, until it is printed. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum verdict {
	DOCTOR_OK,
	DOCTOR_WARNING,
	DOCTOR_PROBLEM,
	DOCTOR_UNKNOWN,
	NR_VERDICTS
};

enum section {
	SECTION_MACHINE,
	SECTION_CONFIG,
	SECTION_MODULE,
	SECTION_RIGHTS,
	SECTION_PMUS,
	SECTION_HOLDERS,
	SECTION_USER_READ,
	SECTION_LIMITS,
	SECTION_SELFTEST,
	NR_SECTIONS
};

#define FINDING_VALUES 8

/* A number that a finding's text has, for programs. */
struct finding_value {
	const char *name;
	long long number;
};

struct finding {
	enum section section;
	enum verdict verdict;
	char *what;		/* was looked at: the same on each machine */
	char *found;
	char *advice;		/* what to do; NULL: nothing */
	struct finding_value value[FINDING_VALUES];
	unsigned int nr_values;
};

struct findings {
	struct finding *at;
	size_t nr;
	enum section section;	/* of what is added next */
	bool failed;		/* out of memory: it is not complete */
};

/* findings_add - one more, the last one; printed like printf(3) */
void findings_add(struct findings *f, enum verdict verdict, const char *what, const char *found,
		  ...)
	__attribute__((format(printf, 4, 5)));

/* findings_advise - what to do about the last one */
void findings_advise(struct findings *f, const char *advice, ...)
	__attribute__((format(printf, 2, 3)));

/* findings_value - a number of the last one; @name lives as long as the findings */
void findings_value(struct findings *f, const char *name, long long number);

/* How many have that verdict. */
size_t findings_count(const struct findings *f, enum verdict verdict);

const char *verdict_name(enum verdict verdict);
const char *section_name(enum section section);
const char *section_title(enum section section);

void findings_free(struct findings *f);

/* findings_table - for people, in 80 columns. @color: the verdicts in colours of a terminal */
void findings_table(FILE *file, const struct findings *f, bool color);

/* findings_json - one object; returns 0 or -ENOMEM */
int findings_json(FILE *file, const struct findings *f);

#endif
