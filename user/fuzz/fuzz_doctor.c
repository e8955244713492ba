// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What doctor reads, and how it prints: the input's first line is a key, what follows a file of
 * /proc or a kernel's configuration; all of it is the text of a finding.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "sysfile.h"
#include "say/append.h"
#include "say/name.h"
#include "doctor/config_text.h"
#include "doctor/findings.h"
#include "fuzz_args.h"

static void read_file(const char *key, const char *text)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	char path[64], value[32], all[64];
	long long number;

	must(fd >= 0);
	must(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!sysfile_value("", path, key, value, sizeof(value)))
		must(strlen(value) < sizeof(value) && !strchr(value, '\n') && strstr(text, value));
	must(!sysfile_text("", path, all, sizeof(all)));
	must(strlen(all) < sizeof(all) && !strncmp(all, text, strlen(all)));
	sysfile_number("", path, &number);
	close(fd);
}

static void read_config(const char *option, const char *text)
{
	char value[32];

	if (config_text_value(text, option, value, sizeof(value)))
		must(value[0] && strstr(text, option) && strstr(text, value));
	must(strlen(value) < sizeof(value) && !strchr(value, '\n'));
}

#define COLUMNS 80
/* Where what was found begins; advice does so behind an arrow. */
#define FOUND_AT 31
#define ADVICE_AT 34

/* No line is longer than a terminal's, unless its first word is. */
static void check_line(const char *line)
{
	const char *from = line + name_cut(line, FOUND_AT);
	size_t end = name_cut(line, COLUMNS);

	if (!strncmp(from, "-> ", 3) || !strncmp(from, "   ", 3))
		from = line + name_cut(line, ADVICE_AT);
	must(name_columns(line) <= COLUMNS || !memchr(from, ' ', (size_t)(line + end - from)));
}

static void print(const char *key, const char *text)
{
	struct findings f = { .section = SECTION_LIMITS };
	char *out, *line, *end, *shown = name_dup(key, strlen(key)), list[64] = "";
	size_t size;
	FILE *file;

	append(list, sizeof(list), "; ", "%s", key);
	append(list, sizeof(list), "; ", "%s", text);
	must(shown && strlen(list) < sizeof(list));
	findings_add(&f, DOCTOR_WARNING, key, "%s", text);
	findings_advise(&f, "%s", list);
	must(!f.failed);
	file = open_memstream(&out, &size);
	must(file);
	findings_table(file, &f, false);
	fclose(file);
	must(!strchr(out, '\033') && strlen(out) == size);
	for (line = out; *line; line = end + 1) {
		end = strchr(line, '\n');
		must(end);
		*end = '\0';
		/* A key alone may be as long as it likes. */
		if (name_columns(shown) < COLUMNS / 2)
			check_line(line);
	}
	free(shown);
	free(out);
	findings_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *key = text_of(data, size), *end = strchr(key, '\n'), *text;

	text = strdup(end ? end + 1 : "");
	must(text);
	if (end)
		*end = '\0';
	read_file(key, text);
	read_config(key, text);
	print(key, text);
	free(text);
	free(key);
	return 0;
}
