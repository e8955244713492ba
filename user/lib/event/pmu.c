// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * PMUs in sysfs.  The files are those of Documentation/ABI/testing/sysfs-bus-event_source-devices-*
 * in the kernel's source.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "pmu.h"
#include "pmu_given.h"

/* The first line of a file, without blanks at its end.  Return: 0 or a negative errno. */
static int file_line(char *buf, size_t size, const char *folder, const char *pmu, const char *name)
{
	char path[1024], *end;
	FILE *file;
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s/%s", folder, pmu, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	buf[0] = '\0';
	if (!fgets(buf, (int)size, file))
		ret = ferror(file) ? -EIO : 0;
	fclose(file);
	end = buf + strlen(buf);
	if (end == buf + size - 1)
		return -EINVAL; /* cut off */
	while (end > buf && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return ret;
}

static bool file_exists(const char *folder, const char *pmu, const char *name)
{
	char path[1024];

	return snprintf(path, sizeof(path), "%s/%s/%s", folder, pmu, name) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static int pmu_fill(struct pmu *pmu, const char *folder, const char *name)
{
	char line[4096], *end;
	int ret = file_line(line, sizeof(line), folder, name, "type");
	unsigned long type;

	if (ret < 0)
		return ret;
	errno = 0;
	type = strtoul(line, &end, 10);
	if (errno || end == line || *end || type > UINT32_MAX)
		return -EINVAL;
	pmu->type = (uint32_t)type;
	pmu->core = !strcmp(name, "cpu") || file_exists(folder, name, "cpus");
	pmu->uncore = !pmu->core && file_exists(folder, name, "cpumask");
	pmu->name = strdup(name);
	if (!pmu->name)
		return -ENOMEM;
	if (!file_line(line, sizeof(line), folder, name, pmu->uncore ? "cpumask" : "cpus")) {
		pmu->cpus = strdup(line);
		if (!pmu->cpus) {
			free(pmu->name);
			return -ENOMEM;
		}
	}
	return 0;
}

/* As perf sorts them: by name, and by the number behind it. */
static int compare(const void *a, const void *b)
{
	const struct pmu *left = a, *right = b;

	return strverscmp(left->name, right->name);
}

static int add(struct pmus *pmus, const char *name)
{
	struct pmu *at = reallocarray(pmus->at, pmus->nr + 1, sizeof(*at));
	int ret;

	if (!at)
		return -ENOMEM;
	pmus->at = at;
	at[pmus->nr] = (struct pmu){ 0 };
	ret = pmu_fill(&at[pmus->nr], pmus->folder, name);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0; /* it has no type that perf could use */
	pmus->nr_core += at[pmus->nr].core;
	pmus->nr++;
	return 0;
}

int pmus_open(struct pmus *pmus, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int ret = 0;

	*pmus = (struct pmus){ .folder = folder };
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			ret = add(pmus, entry->d_name);
	}
	closedir(dir);
	if (ret < 0) {
		pmus_close(pmus);
		return ret;
	}
	if (pmus->nr)
		qsort(pmus->at, pmus->nr, sizeof(*pmus->at), compare);
	return 0;
}

void pmus_close(struct pmus *pmus)
{
	while (pmus->nr) {
		pmus->nr--;
		free(pmus->at[pmus->nr].name);
		free(pmus->at[pmus->nr].cpus);
	}
	free(pmus->at);
	*pmus = (struct pmus){ 0 };
}

const struct pmu *pmus_find(const struct pmus *pmus, const char *name)
{
	size_t i;

	for (i = 0; i < pmus->nr; i++) {
		if (!strcmp(pmus->at[i].name, name))
			return &pmus->at[i];
	}
	return NULL;
}

static const char *without_uncore(const char *name)
{
	return strncmp(name, "uncore_", 7) ? name : name + 7;
}

/* A number with letters is in hexadecimal: an address, at least three digits long. */
static bool is_number(const char *text, size_t len)
{
	return len && (strspn(text, "0123456789") >= len || len > 2);
}

/* perf's rule: the number is behind an underscore. */
size_t pmu_kind_len(const char *name)
{
	size_t len = strlen(name), at = len;

	while (at && isxdigit((unsigned char)name[at - 1]))
		at--;
	if (at > 1 && name[at - 1] == '_' && is_number(name + at, len - at))
		return at - 1;
	return len;
}

/* Whether two names differ in their decimal numbers only. */
static bool same_but_numbers(const char *a, const char *b)
{
	while (*a || *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, "0123456789");
			b += strspn(b, "0123456789");
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return true;
}

bool pmu_same_kind(const struct pmu *a, const struct pmu *b)
{
	size_t len = pmu_kind_len(a->name);

	return (len == pmu_kind_len(b->name) && !strncmp(a->name, b->name, len)) ||
	       same_but_numbers(a->name, b->name);
}

/* Whether @name is @prefix with a number behind it, after an underscore or not. */
static bool is_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix), digits;
	const char *number;

	if (!len || strncmp(name, prefix, len))
		return false;
	number = name + len;
	if (!*number)
		return true;
	number += *number == '_';
	digits = strspn(number, "0123456789abcdefABCDEF");
	return !number[digits] && is_number(number, digits);
}

/* A glob that begins with "uncore_" stands for such names alone; perf takes "uncore_*" for all. */
bool pmu_matches(const struct pmu *pmu, const char *name)
{
	const char *own = without_uncore(pmu->name);

	if (is_numbered(own, without_uncore(name)))
		return true;
	return strpbrk(name, "*?[") && (!fnmatch(name, pmu->name, 0) || !fnmatch(name, own, 0));
}

/* Parse "3" or "0-7" into bits.  Return the text behind it, or NULL. */
static const char *range_parse(const char *text, uint64_t *bits)
{
	unsigned long first, last;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	first = last = strtoul(text, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return NULL;
		last = strtoul(end + 1, &end, 10);
	}
	if (first > last || last > 63)
		return NULL;
	*bits |= (last == 63 ? ~0ULL : (1ULL << (last + 1)) - 1) & ~((1ULL << first) - 1);
	return end;
}

int pmu_format_parse(const char *text, struct pmu_format *format)
{
	*format = (struct pmu_format){ 0 };
	if (strncmp(text, "config", 6))
		return -EINVAL;
	text += 6;
	if (*text >= '1' && *text <= '3')
		format->config = (unsigned int)(*text++ - '0');
	/* Of newer kernels; counter groups have none (uapi/linux/pmcgrp.h). */
	else if (*text == '4' && text[1] == ':')
		return -EOPNOTSUPP;
	if (*text != ':')
		return -EINVAL;
	do {
		text = range_parse(text + 1, &format->bits);
		if (!text)
			return -EINVAL;
	} while (*text == ',');
	return *text ? -EINVAL : 0;
}

/* Names are those of files in one folder. */
static bool is_file_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

int pmu_format(const struct pmus *pmus, const struct pmu *pmu, const char *term,
	       struct pmu_format *format)
{
	char name[300], line[300];
	const char *text;
	int ret;

	if (pmus->given) {
		text = pmu_given_format(pmus->given, term);
		return text ? pmu_format_parse(text, format) : -ENOENT;
	}
	if (!is_file_name(term) ||
	    snprintf(name, sizeof(name), "format/%s", term) >= (int)sizeof(name))
		return -ENOENT;
	ret = file_line(line, sizeof(line), pmus->folder, pmu->name, name);
	if (ret < 0)
		return ret == -EINVAL ? ret : -ENOENT;
	return pmu_format_parse(line, format);
}

static DIR *folder_of(const struct pmus *pmus, const struct pmu *pmu, const char *what)
{
	char path[1024];

	if (snprintf(path, sizeof(path), "%s/%s/%s", pmus->folder, pmu->name, what) >=
	    (int)sizeof(path))
		return NULL;
	return opendir(path);
}

void pmu_formats_list(const struct pmus *pmus, const struct pmu *pmu, char *buf, size_t size)
{
	DIR *dir = folder_of(pmus, pmu, "format");
	struct dirent *entry;
	size_t used = 0;
	int len;

	if (pmus->given) {
		pmu_given_formats_list(pmus->given, buf, size);
		return;
	}
	buf[0] = '\0';
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		len = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", entry->d_name);
		if ((size_t)len >= size - used) {
			if (size > 4)
				memcpy(buf + size - 4, "...", 4);
			break;
		}
		used += (size_t)len;
	}
	if (dir)
		closedir(dir);
}

/* The event's name as the folder has it.  Return: 0 or -ENOENT. */
static int alias_name(const struct pmus *pmus, const struct pmu *pmu, const char *name,
		      char *found, size_t size)
{
	struct dirent *entry;
	int ret = -ENOENT;
	DIR *dir;

	snprintf(found, size, "events/%s", name);
	if (file_exists(pmus->folder, pmu->name, found))
		return 0;
	dir = folder_of(pmus, pmu, "events");
	while (dir && ret && (entry = readdir(dir))) {
		if (strcasecmp(entry->d_name, name))
			continue;
		snprintf(found, size, "events/%s", entry->d_name);
		ret = 0;
	}
	if (dir)
		closedir(dir);
	return ret;
}

/* A file beside an event's own: NAME.unit. */
static int beside(char *buf, size_t size, const struct pmus *pmus, const struct pmu *pmu,
		  const char *name, const char *suffix)
{
	char path[320];

	if (snprintf(path, sizeof(path), "%s%s", name, suffix) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return file_line(buf, size, pmus->folder, pmu->name, path);
}

/* A number as the kernel writes it: with a point, whatever the locale. */
static double scale_of(const char *text)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before;
	double scale;

	if (!c)
		return strtod(text, NULL);
	before = uselocale(c);
	scale = strtod(text, NULL);
	uselocale(before);
	freelocale(c);
	return scale;
}

int pmu_alias(const struct pmus *pmus, const struct pmu *pmu, const char *name,
	      struct pmu_alias *alias)
{
	char file[300], line[64];
	int ret;

	if (pmus->given)
		return pmu_given_alias(pmus->given, name, alias);
	*alias = (struct pmu_alias){ .scale = 1.0 };
	if (!is_file_name(name) || strlen(name) > 255 || strchr(name, '.'))
		return -ENOENT;
	ret = alias_name(pmus, pmu, name, file, sizeof(file));
	if (ret < 0)
		return ret;
	ret = file_line(alias->terms, sizeof(alias->terms), pmus->folder, pmu->name, file);
	if (ret < 0)
		return ret == -EINVAL ? ret : -ENOENT;
	if (!beside(line, sizeof(line), pmus, pmu, file, ".scale"))
		alias->scale = scale_of(line);
	if (!(alias->scale != 0.0))
		alias->scale = 1.0;
	if (beside(alias->unit, sizeof(alias->unit), pmus, pmu, file, ".unit") < 0)
		alias->unit[0] = '\0';
	alias->snapshot = !beside(line, sizeof(line), pmus, pmu, file, ".snapshot");
	alias->per_pkg = !beside(line, sizeof(line), pmus, pmu, file, ".per-pkg");
	return 0;
}

int pmu_identifier(const struct pmus *pmus, const struct pmu *pmu, char *buf, size_t size)
{
	return pmus->given ? -ENOENT :
			     file_line(buf, size, pmus->folder, pmu->name, "identifier");
}

int pmu_each_alias(const struct pmus *pmus, const struct pmu *pmu,
		   int (*each)(void *ctx, const struct pmu *pmu, const char *name), void *ctx)
{
	struct dirent **entries;
	int nr, i, ret = 0;
	char path[1024];

	if (pmus->given)
		return pmu_given_each_alias(pmus->given, pmu, each, ctx);
	if (snprintf(path, sizeof(path), "%s/%s/events", pmus->folder, pmu->name) >=
	    (int)sizeof(path))
		return 0;
	nr = scandir(path, &entries, NULL, alphasort);
	if (nr < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (i = 0; i < nr; i++) {
		/* Those with a dot are units and the like. */
		if (!ret && !strchr(entries[i]->d_name, '.'))
			ret = each(ctx, pmu, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return ret;
}
