// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event_table.h"
#include "table_match.h"

/* Of a MIDR; Arm writes a version as r<variant>p<revision>. */
#define MIDR_VARIANT (0xfULL << 20)
#define MIDR_REVISION 0xfULL

bool table_is_midr(const char *text)
{
	return !strncmp(text, "0x", 2) && text[2] && strlen(text) <= 18 &&
	       !text[2 + strspn(text + 2, "0123456789abcdefABCDEF")];
}

/* A repetition like "{4}" or "{1,2}", or one by a sign. */
static bool is_small_repeat(const char *text)
{
	size_t len = strspn(text + 1, "0123456789,");

	return *text != '{' || (len && len <= 3 && text[1 + len] == '}');
}

bool table_pattern_ok(const char *pattern)
{
	size_t i;

	if (!*pattern || strlen(pattern) > TABLE_PATTERN_MAX)
		return false;
	for (i = 0; pattern[i]; i++) {
		if (pattern[i] == '\\' && isdigit((unsigned char)pattern[i + 1]))
			return false;
		if (!strchr("*+?{", pattern[i]))
			continue;
		/* regcomp() copies what is repeated: that must be a character, not a group. */
		if (!i || strchr("*+?}()|^", pattern[i - 1]) || !is_small_repeat(pattern + i))
			return false;
	}
	return true;
}

/* The length of what matches, from the start of the text; -1: nothing does. */
static long match_start(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	long len = -1;

	if (!table_pattern_ok(pattern) || regcomp(&regex, pattern, REG_EXTENDED))
		return -1;
	if (!regexec(&regex, text, 1, &match, 0) && !match.rm_so)
		len = match.rm_eo;
	regfree(&regex);
	return len;
}

/* Of the same part, and not of an earlier version. */
static bool midr_matches(const char *pattern, const char *cpuid)
{
	uint64_t least = strtoull(pattern, NULL, 16), midr = strtoull(cpuid, NULL, 16);
	uint64_t version = MIDR_VARIANT | MIDR_REVISION;

	return (least & ~version) == (midr & ~version) && (midr & version) >= (least & version);
}

/* vendor-family-model-stepping */
static bool names_stepping(const char *cpuid)
{
	int dashes = 0;

	for (; *cpuid; cpuid++)
		dashes += *cpuid == '-';
	return dashes == 3;
}

bool event_cpuid_matches(const char *pattern, const char *cpuid)
{
	size_t len = strlen(cpuid);

	if (table_is_midr(pattern) && table_is_midr(cpuid))
		return midr_matches(pattern, cpuid);
	if (names_stepping(cpuid) && !names_stepping(pattern))
		len = (size_t)(strrchr(cpuid, '-') - cpuid);
	return match_start(pattern, cpuid) == (long)len;
}

bool event_table_compatible(const char *compat, const char *identifier)
{
	return match_start(compat, identifier) == (long)strlen(identifier);
}

/*
 * The number of one PMU of several. A hexadecimal one has three digits at least, as addresses of
 * devices have; what is shorter is a word.
 */
static bool is_number(const char *text)
{
	size_t decimal = strspn(text, "0123456789"), all = strspn(text, "0123456789abcdefABCDEF");

	return all && !text[all] && (decimal == all || all > 2);
}

/* The name itself, or with a number. */
static bool matches_numbered(const char *pmu, size_t len, const char *sysfs)
{
	sysfs += len;
	return !pmu[len] && (!*sysfs || is_number(*sysfs == '_' ? sysfs + 1 : sysfs));
}

bool event_table_pmu_matches(const char *pmu, const char *sysfs)
{
	size_t len = strcspn(pmu, ",");

	/* Parts between commas follow each other in the name, and the first one begins it. */
	if (!len || strncmp(sysfs, pmu, len))
		return false;
	while (sysfs && pmu[len]) {
		sysfs += len;
		pmu += len + 1;
		len = strcspn(pmu, ",");
		sysfs = memmem(sysfs, strlen(sysfs), pmu, len);
	}
	return sysfs && matches_numbered(pmu, len, sysfs);
}
