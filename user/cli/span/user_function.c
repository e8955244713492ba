// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Functions of programs and libraries by name, from the symbols of ELF files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "event/near.h"
#include "function/go_table.h"
#include "user_function.h"

/* So many addresses of one name are told apart. */
#define VALUES_MAX	4

/* What the tables have of a name. */
struct found {
	const char *name;
	struct near near;
	uint64_t value[VALUES_MAX];	/* of the functions */
	unsigned int nr;
	bool is_elsewhere;		/* undefined: of another file */
	bool is_indirect;		/* IFUNC */
	bool is_data;
	bool has_all;			/* not only what others may call */
	unsigned int functions;		/* of any name */
};

bool user_function_is(const char *point)
{
	return point[0] == '/' || point[0] == '.';
}

static int open_file(struct image *image, const char *path)
{
	int ret = image_open(image, path);

	if (ret == -ENOEXEC)
		cli_say("%s: this is no program or library (ELF) of 64 bits for this processor", path);
	else if (ret < 0)
		cli_say_errno(path, -ret);
	return ret < 0 ? EXIT_TOOL : 0;
}

static void look_at(const struct image_symbol *symbol, struct found *found)
{
	unsigned int i;

	if (!symbol->is_defined) {
		found->is_elsewhere = true;
	} else if (symbol->type == STT_GNU_IFUNC) {
		found->is_indirect = true;
	} else if (symbol->type != STT_FUNC && symbol->type != STT_NOTYPE) {
		found->is_data = true;
	} else {
		for (i = 0; i < found->nr; i++)
			if (found->value[i] == symbol->value)
				return;
		if (found->nr < VALUES_MAX)
			found->value[found->nr++] = symbol->value;
	}
}

static bool look(const struct image_symbol *symbol, void *data)
{
	struct found *found = data;

	found->has_all |= symbol->is_local;
	if (!strcmp(symbol->name, found->name))
		look_at(symbol, found);
	if (symbol->type == STT_FUNC && symbol->is_defined) {
		found->functions++;
		near_offer(&found->near, symbol->name);
	}
	return true;
}

/* 0xOFFSET; other names are no offsets. */
static bool parse_offset(const char *text, uint64_t *offset)
{
	char *end;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !text[2])
		return false;
	errno = 0;
	*offset = strtoull(text + 2, &end, 16);
	return !errno && !*end && text[2] != '-' && text[2] != '+' && text[2] != ' ';
}

static int say_several(const char *path, const char *name, const struct found *found,
		       const struct image *image)
{
	char text[VALUES_MAX * 24] = "";
	const Elf64_Phdr *segment;
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < found->nr; i++) {
		segment = image_code(image, found->value[i], true);
		if (segment)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " 0x%llx",
					       (unsigned long long)(found->value[i] - segment->p_vaddr +
								    segment->p_offset));
	}
	cli_say("%s: several functions are called '%s': name one by its offset in the file, as in "
		"%s:0xOFFSET; they are at%s",
		path, name, path, text);
	return EXIT_TOOL;
}

static int say_not_found(const char *path, const char *name, const struct found *found)
{
	char text[NEAR_TEXT];

	near_text(&found->near, text, sizeof(text));
	if (found->is_indirect)
		cli_say("%s: '%s' is chosen among several functions as the program is loaded (IFUNC): "
			"name the one that this processor gets%s",
			path, name, text);
	else if (found->is_elsewhere)
		cli_say("%s: '%s' is called there, and is of another file: name the library that has it",
			path, name);
	else if (found->is_data)
		cli_say("%s: '%s' is no function%s", path, name, text);
	else if (!found->functions)
		cli_say("%s: the file has no names of functions: it is stripped; name the place as "
			"PATH:0xOFFSET, by its offset in the file",
			path);
	else
		cli_say("%s: there is no function '%s'%s%s", path, name,
			found->has_all ? ", or it is inlined wherever it is called" :
					    " among those that others may call; the file is stripped",
			text);
	return EXIT_TOOL;
}

static int find_name(const struct image *image, const char *name, struct user_function *function)
{
	struct found found = { .name = name };
	const Elf64_Phdr *segment;

	near_begin(&found.near, name);
	image_symbols(image, look, &found);
	/* An IFUNC beside a function of the name: that is for programs of long ago (memcpy). */
	if (!found.nr || found.is_indirect)
		return say_not_found(function->path, name, &found);
	if (found.nr > 1)
		return say_several(function->path, name, &found, image);
	segment = image_code(image, found.value[0], true);
	if (!segment) {
		cli_say("%s: '%s' is not in the code that is loaded", function->path, name);
		return EXIT_TOOL;
	}
	function->offset = found.value[0] - segment->p_vaddr + segment->p_offset;
	return 0;
}

static int find_in(const struct image *image, const char *name, struct user_function *function)
{
	if (!parse_offset(name, &function->offset))
		return find_name(image, name, function);
	if (image_code(image, function->offset, false))
		return 0;
	cli_say("%s: at %s there is no code that is loaded", function->path, name);
	return EXIT_TOOL;
}

/* "/lib/libc.so.6:qsort" without the folders. */
static const char *label_of(const char *point, const char *colon)
{
	const char *label = colon;

	while (label > point && label[-1] != '/')
		label--;
	return label;
}

/* What else is refused can be measured without the exits that nobody can be sure of. */
static int say_exits(const char *path, const char *name, const struct function_exits *exits, int err)
{
	if (!exits->why[0])
		return cli_say_errno(path, -err);
	cli_say("%s: '%s' cannot be measured: %s%s", path, name, exits->why,
		err == -EOPNOTSUPP && exits->can_force ?
			"; --force measures without that exit, and misses the calls that take it" :
			"");
	return EXIT_TOOL;
}

static int find_all(const struct image *image, const char *name, bool force,
		    struct user_function *function)
{
	int ret = find_in(image, name, function);

	if (ret)
		return ret;
	ret = function_exits_find(image, function->offset, force, &function->exits);
	return ret < 0 ? say_exits(function->path, name, &function->exits, ret) : 0;
}

void user_function_free(struct user_function *function)
{
	free(function->path);
	free(function->exits.exit);
}

int user_function_find(const char *point, bool force, struct user_function *function)
{
	const char *colon = strrchr(point, ':');
	struct image image;
	int ret;

	*function = (struct user_function){ .path = NULL };
	if (!colon || !colon[1]) {
		cli_say("'%s' names a file without a function: PATH:FUNCTION or PATH:0xOFFSET", point);
		return EXIT_TOOL;
	}
	function->path = strndup(point, (size_t)(colon - point));
	if (!function->path)
		return cli_say_errno(point, ENOMEM);
	function->label = label_of(point, colon);
	ret = open_file(&image, function->path);
	if (!ret) {
		ret = find_all(&image, colon + 1, force, function);
		image_close(&image);
	}
	if (ret) {
		user_function_free(function);
		*function = (struct user_function){ .path = NULL };
	}
	return ret;
}
