// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PMCGRP_INIH
#include <ini.h>
#endif

#include "event/near.h"
#include "export_config.h"

/* libinih cuts lines of 200 bytes in two. */
#define LINE_MAX_BYTES 190
#define FILE_MAX_BYTES (1 << 20)

const char *const export_kind_names[EXPORT_KINDS] = { "machine", "cpu", "cgroup", "unit",
						      "pod", "job", "span", "section" };

enum export_kind export_kind_of(const char *name)
{
	unsigned int kind = 0;

	while (kind < EXPORT_KINDS && strcmp(export_kind_names[kind], name))
		kind++;
	return (enum export_kind)kind;
}

void export_config_init(struct export_config *config)
{
	*config = (struct export_config){ .linger = EXPORT_LINGER };
}

void export_config_free(struct export_config *config)
{
	unsigned int i;

	for (i = 0; i < config->nr; i++) {
		free(config->groups[i].name);
		free(config->groups[i].events);
		free(config->groups[i].of);
	}
	free(config->groups);
	free(config->listen);
	*config = (struct export_config){ 0 };
}

struct export_group *export_config_add(struct export_config *config, const char *name)
{
	struct export_group *groups, *group;

	if (config->nr == EXPORT_GROUPS_MAX)
		return NULL;
	groups = reallocarray(config->groups, config->nr + 1, sizeof(*groups));
	if (!groups)
		return NULL;
	config->groups = groups;
	group = &groups[config->nr];
	*group = (struct export_group){ .name = strdup(name), .kind = EXPORT_KINDS, .series = EXPORT_SERIES };
	if (!group->name)
		return NULL;
	config->nr++;
	return group;
}

#ifdef PMCGRP_INIH

struct parser {
	struct export_config *config;
	char *error;
	char section[64];
	struct export_group *group; /* NULL: [exporter], or none yet */
	char last[32];		    /* the name of the line before */
	unsigned int given;	    /* bits of the names that the section has had */
	int ret;
};

/* What a name of a line in a section sets. */
struct setting {
	const char *name;
	int (*set)(struct parser *p, const char *value);
};

static int __attribute__((format(printf, 2, 3))) wrong(struct parser *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->error, EXPORT_ERROR_SIZE, format, args);
	va_end(args);
	p->ret = -EINVAL;
	return p->ret;
}

static int set_text(struct parser *p, char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	if (!*text)
		p->ret = -ENOMEM;
	return p->ret;
}

/* A list goes on in the next line, where that is indented. */
static int set_list(struct parser *p, char **text, const char *value)
{
	const char *between = ",";
	char *longer;

	if (!*text)
		return set_text(p, text, value);
	if ((*text)[strlen(*text) - 1] == ',')
		between = "";
	if (asprintf(&longer, "%s%s%s", *text, between, value) < 0) {
		p->ret = -ENOMEM;
		return p->ret;
	}
	free(*text);
	*text = longer;
	return 0;
}

static int set_number(struct parser *p, unsigned int *number, const char *value, unsigned long max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9' || !n || n > max)
		return wrong(p, "a number of 1 or more is wanted, and one that is possible, not '%s'",
			     value);
	*number = (unsigned int)n;
	return 0;
}

static int set_listen(struct parser *p, const char *value)
{
	return set_text(p, &p->config->listen, value);
}

static int set_linger(struct parser *p, const char *value)
{
	return set_number(p, &p->config->linger, value, 86400);
}

static int set_count(struct parser *p, const char *value)
{
	char text[NEAR_TEXT];
	struct near near;
	unsigned int i;

	p->group->kind = export_kind_of(value);
	if (p->group->kind != EXPORT_KINDS)
		return 0;
	near_begin(&near, value);
	for (i = 0; i < EXPORT_KINDS; i++)
		near_offer(&near, export_kind_names[i]);
	wrong(p, "count is machine, cpu, cgroup, unit, pod, job, span or section, not '%s'", value);
	near_text(&near, text, sizeof(text));
	strncat(p->error, text, EXPORT_ERROR_SIZE - strlen(p->error) - 1);
	return p->ret;
}

static int set_events(struct parser *p, const char *value)
{
	return set_list(p, &p->group->events, value);
}

static int set_of(struct parser *p, const char *value)
{
	return set_list(p, &p->group->of, value);
}

static int set_series(struct parser *p, const char *value)
{
	return set_number(p, &p->group->series, value, EXPORT_SERIES_MAX);
}

static int set_labels(struct parser *p, const char *value)
{
	if (strcmp(value, "all") && strcmp(value, "id"))
		return wrong(p, "labels is all or id, not '%s'", value);
	p->group->by_id = !strcmp(value, "id");
	return 0;
}

static int set_background(struct parser *p, const char *value)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return wrong(p, "background is yes or no, not '%s'", value);
	p->group->background = !strcmp(value, "yes");
	return 0;
}

static const struct setting of_exporter[] = {
	{ "listen", set_listen },
	{ "linger", set_linger },
	{ NULL, NULL },
};

static const struct setting of_group[] = {
	{ "count", set_count },
	{ "events", set_events },
	{ "of", set_of },
	{ "series", set_series },
	{ "labels", set_labels },
	{ "background", set_background },
	{ NULL, NULL },
};

static int say_unknown(struct parser *p, const struct setting *settings, const char *name)
{
	char text[NEAR_TEXT];
	struct near near;

	near_begin(&near, name);
	for (; settings->name; settings++)
		near_offer(&near, settings->name);
	wrong(p, p->group ? "a group has no '%s'" : "[exporter] has no '%s'", name);
	near_text(&near, text, sizeof(text));
	strncat(p->error, text, EXPORT_ERROR_SIZE - strlen(p->error) - 1);
	return p->ret;
}

/* A name as a metric can have it: it is not changed. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++) {
		if ((*c < 'a' || *c > 'z') && (c == name || ((*c < '0' || *c > '9') && *c != '_')))
			return false;
	}
	return c > name && c[-1] != '_' && !strstr(name, "__");
}

/* Whether one is the other with _ and more behind it: their metrics could have one name. */
static bool names_meet(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b), len = len_a < len_b ? len_a : len_b;

	return len_a != len_b && !strncmp(a, b, len) && (a[len] == '_' || b[len] == '_');
}

static int section_begin(struct parser *p, const char *section)
{
	unsigned int i;

	snprintf(p->section, sizeof(p->section), "%s", section);
	p->group = NULL;
	p->last[0] = '\0';
	p->given = 0;
	if (!*section)
		return wrong(p, "a line before the first [section]");
	if (!strcmp(section, "exporter"))
		return 0;
	if (!is_name(section))
		return wrong(p, "[%s]: a group's name is a part of its metrics' names: small letters, "
				"digits and _ between them",
			     section);
	for (i = 0; i < p->config->nr; i++) {
		if (!strcmp(p->config->groups[i].name, section))
			return wrong(p, "[%s] is there twice", section);
		if (names_meet(p->config->groups[i].name, section))
			return wrong(p, "[%s] and [%s]: with _ between them, their metrics could have one name",
				     p->config->groups[i].name, section);
	}
	if (names_meet("exporter", section))
		return wrong(p, "[%s]: the exporter's own metrics begin so", section);
	p->group = export_config_add(p->config, section);
	if (!p->group && p->config->nr == EXPORT_GROUPS_MAX)
		return wrong(p, "[%s] is one group too many: 64 are the most", section);
	if (!p->group)
		p->ret = -ENOMEM;
	return p->ret;
}

/* Returns as libinih wants it: whether to go on. */
static int take_line(void *arg, const char *section, const char *name, const char *value)
{
	const struct setting *settings, *s;
	struct parser *p = arg;
	unsigned int bit;
	bool again;

	if (p->ret || ((!p->section[0] || strcmp(section, p->section)) && section_begin(p, section)))
		return 0;
	settings = p->group ? of_group : of_exporter;
	for (s = settings; s->name && strcmp(s->name, name);)
		s++;
	if (!s->name)
		return !say_unknown(p, settings, name);
	bit = 1U << (s - settings);
	again = !strcmp(p->last, name) && (s->set == set_events || s->set == set_of);
	if (p->given & bit && !again)
		return !wrong(p, "'%s' is there twice", name);
	p->given |= bit;
	snprintf(p->last, sizeof(p->last), "%s", name);
	if (!*value)
		return !wrong(p, "'%s' has no value", name);
	return !s->set(p, value);
}

/* Whether a name of a list is there twice, and which. */
static bool is_twice(const char *list, char *name, size_t size)
{
	size_t len, of_other;
	const char *other;

	for (; *list; list += len) {
		list += strspn(list, ", ");
		len = strcspn(list, ", ");
		snprintf(name, size, "%.*s", (int)len, list);
		for (other = list + len; len && *other; other += of_other) {
			other += strspn(other, ", ");
			of_other = strcspn(other, ", ");
			if (of_other == len && !strncmp(list, other, len))
				return true;
		}
	}
	return false;
}

/* Whether a group has what its kind needs, and nothing that it does not. */
static int check(struct parser *p)
{
	const struct export_group *group;
	char name[64];
	unsigned int i;

	for (i = 0; i < p->config->nr; i++) {
		group = &p->config->groups[i];
		if (group->kind == EXPORT_KINDS)
			return wrong(p, "[%s] does not say what it counts: count = machine, or another",
				     group->name);
		if (group->kind == EXPORT_SECTION && group->events)
			return wrong(p, "[%s]: what sections count is the kernel modules' choice; they "
					"take no events",
				     group->name);
		if (group->kind != EXPORT_SECTION && !group->events)
			return wrong(p, "[%s] has no events", group->name);
		if (group->kind == EXPORT_SPAN && !group->of)
			return wrong(p, "[%s] has no functions: of = vfs_read, or others", group->name);
		if (group->kind == EXPORT_SPAN && is_twice(group->of, name, sizeof(name)))
			return wrong(p, "[%s]: '%s' is there twice", group->name, name);
		if (group->kind < EXPORT_SPAN && group->of)
			return wrong(p, "[%s]: 'of' is for spans and sections", group->name);
		if (!export_by_cgroup(group->kind) && group->by_id)
			return wrong(p, "[%s]: 'labels' is for what is counted by cgroup", group->name);
	}
	return 0;
}

/* The number of a line that is too long, or has a byte that ends a string; 0: there is none. */
static unsigned int line_too_long(const char *text)
{
	unsigned int line = 1;
	size_t len;

	for (;; line++) {
		len = strcspn(text, "\n");
		if (len > LINE_MAX_BYTES)
			return line;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

static void number_line(char *error, int line)
{
	char text[EXPORT_ERROR_SIZE];

	snprintf(text, sizeof(text), "line %d: %s", line, error);
	strcpy(error, text);
}

int export_config_parse(struct export_config *config, const char *text,
			char error[EXPORT_ERROR_SIZE])
{
	struct parser parser = { .config = config, .error = error };
	unsigned int too_long = line_too_long(text);
	int line;

	error[0] = '\0';
	if (too_long) {
		strcpy(error, "it has more than 190 bytes: lists go on in the next line, if that is "
			      "indented");
		number_line(error, (int)too_long);
		return -EINVAL;
	}
	line = ini_parse_string(text, take_line, &parser);
	if (parser.ret == -ENOMEM || line == -2)
		return -ENOMEM;
	if (line && !parser.ret) {
		strcpy(error, "neither [section] nor name = value");
		parser.ret = -EINVAL;
	}
	if (line)
		number_line(error, line);
	return parser.ret ? parser.ret : check(&parser);
}

#else

int export_config_parse(struct export_config *config, const char *text,
			char error[EXPORT_ERROR_SIZE])
{
	(void)config;
	(void)text;
	strcpy(error, "this pmcgrp was built without libinih, which reads such files");
	return -EOPNOTSUPP;
}

#endif

int export_config_read(struct export_config *config, const char *path,
		       char error[EXPORT_ERROR_SIZE])
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t len = 0;
	int ret;

	error[0] = '\0';
	if (!file)
		return -errno;
	text = malloc(FILE_MAX_BYTES);
	if (text)
		len = fread(text, 1, FILE_MAX_BYTES - 1, file);
	ret = !text ? -ENOMEM : ferror(file) ? -errno :
					       0;
	fclose(file);
	if (ret >= 0) {
		text[len] = '\0';
		ret = export_config_parse(config, text, error);
	}
	free(text);
	return ret;
}
