// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Functions of the kernel by name: what the module would refuse with an errno alone, and what is
 * known of names in user space alone.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "args/cli.h"
#include "event/near.h"
#include "function.h"

#define NAME_MAX_SIZE 512

const struct function_files function_files = {
	.symbols = "/proc/kallsyms",
	.traceable = "/sys/kernel/tracing/available_filter_functions",
	.blacklist = "/sys/kernel/debug/kprobes/blacklist",
};

/* A function as it is asked for: MODULE:NAME, or NAME of anything. */
struct wanted {
	char module[64];
	const char *name;
};

static void wanted_init(struct wanted *wanted, const char *function)
{
	const char *colon = strchr(function, ':');
	size_t len = colon ? (size_t)(colon - function) : 0;

	wanted->name = colon ? colon + 1 : function;
	snprintf(wanted->module, sizeof(wanted->module), "%.*s", (int)len, function);
}

/* @module: as files have it, "[name]", or "" for the kernel itself. */
static bool is_in_module(const struct wanted *wanted, const char *module)
{
	size_t len = strlen(wanted->module);

	return !len || (module[0] == '[' && !strncmp(module + 1, wanted->module, len) &&
			module[len + 1] == ']');
}

/* What /proc/kallsyms has of a name. */
struct found {
	bool known;			/* there are names */
	unsigned int nr;		/* functions of this name */
	char variant[NAME_MAX_SIZE];	/* NAME.isra.0 and such, which the compiler made of it */
};

/* Calls back for each function; @near: offers names, too. */
static void look(const char *file_name, const struct wanted *wanted, struct found *found,
		 struct near *near)
{
	char line[NAME_MAX_SIZE + 128], name[NAME_MAX_SIZE], module[64], type;
	size_t len = strlen(wanted->name);
	FILE *file = fopen(file_name, "re");

	while (file && fgets(line, sizeof(line), file)) {
		/* Of 120,000 lines few are of interest, and sscanf() takes 2,000 instructions. */
		if (!near && found->known && !strstr(line, wanted->name))
			continue;
		module[0] = '\0';
		if (sscanf(line, "%*x %c %511s %63s", &type, name, module) < 2 ||
		    !strchr("tTwW", type) || !is_in_module(wanted, module))
			continue;
		found->known = true;
		if (!strcmp(name, wanted->name))
			found->nr++;
		else if (!strncmp(name, wanted->name, len) && name[len] == '.')
			strcpy(found->variant, name);
		if (near)
			near_offer(near, name);
	}
	if (file)
		fclose(file);
}

static int say_unknown(const struct function_files *files, const struct wanted *wanted,
		       const char *function)
{
	struct found found = { 0 };
	char text[NEAR_TEXT];
	struct near near;

	near_begin(&near, wanted->name);
	look(files->symbols, wanted, &found, &near);
	if (found.variant[0])
		cli_say("the kernel has no function '%s'; the compiler has made '%s' of it, which is "
			"what is left where it is not inlined",
			function, found.variant);
	else
		cli_say("the kernel has no function '%s', or it is inlined wherever it is called%s",
			function, near_text(&near, text, sizeof(text)));
	return EXIT_TOOL;
}

/* Whether the file lists functions that can be traced, and not this one. @near: offers those, too. */
static bool is_notrace(const char *file_name, const struct wanted *wanted, struct near *near)
{
	char line[NAME_MAX_SIZE + 128], name[NAME_MAX_SIZE], module[64];
	FILE *file = fopen(file_name, "re");
	bool any = false, listed = false;

	while (file && !listed && fgets(line, sizeof(line), file)) {
		if (!near && any && !strstr(line, wanted->name))
			continue;
		module[0] = '\0';
		if (sscanf(line, "%511s %63s", name, module) < 1)
			continue;
		any = true;
		listed = !strcmp(name, wanted->name) && is_in_module(wanted, module);
		if (near)
			near_offer(near, name);
	}
	if (file)
		fclose(file);
	return any && !listed;
}

int function_check(const struct function_files *files, const char *function)
{
	struct found found = { 0 };
	struct wanted wanted;
	char text[NEAR_TEXT];
	struct near near;

	wanted_init(&wanted, function);
	look(files->symbols, &wanted, &found, NULL);
	if (!found.known && !wanted.module[0])
		return 0;
	if (!found.nr)
		return say_unknown(files, &wanted, function);
	if (found.nr > 1) {
		cli_say("%u functions of the kernel are called '%s', and the span would be of any one of "
			"them: name another, or MODULE:%s if one is a module's",
			found.nr, function, wanted.name);
		return EXIT_TOOL;
	}
	if (is_notrace(files->traceable, &wanted, NULL)) {
		near_begin(&near, wanted.name);
		is_notrace(files->traceable, &wanted, &near);
		cli_say("'%s' is notrace: the kernel's tracers stay out of it, as they may need it "
			"themselves%s",
			function, near_text(&near, text, sizeof(text)));
		return EXIT_TOOL;
	}
	return 0;
}

const char *function_why_refused(const struct function_files *files, const char *function)
{
	char line[NAME_MAX_SIZE + 128], name[NAME_MAX_SIZE];
	FILE *file = fopen(files->blacklist, "re");
	const char *why = "";
	struct wanted wanted;

	wanted_init(&wanted, function);
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %511s", name) == 1 && !strcmp(name, wanted.name))
			why = ": it is in /sys/kernel/debug/kprobes/blacklist, for probes need it";
	}
	if (file)
		fclose(file);
	return why;
}
