// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "member.h"
#include "rights.h"

#define TOOL "/usr/libexec/pmcgrp/pmcgrp"
#define KEPT "PMCGRP_KEPT_"

/*
 * The loader takes these from the environment of a program that has a capability by its file, and so
 * from the command that is counted. They come by another name, and get their own back when the loader and
 * malloc have begun without them. Those that libc reads later (GCONV_PATH) do not come.
 */
static bool is_taken(const char *variable)
{
	static const char *const begins[] = { "LD_", "MALLOC_", "GLIBC_TUNABLES=", "TMPDIR=" };
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(variable, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The environment, with variables of these under the other name; NULL: no memory. */
static char **keep(void)
{
	char **all;
	size_t i;

	for (i = 0; environ[i]; i++)
		;
	all = calloc(i + 1, sizeof(*all));
	for (i = 0; all && environ[i]; i++)
		if (!is_taken(environ[i]))
			all[i] = environ[i];
		else if (asprintf(&all[i], KEPT "%s", environ[i]) < 0)
			return NULL;
	return all;
}

static void give_back(void)
{
	char **variable;

	for (variable = environ; *variable; variable++)
		if (!strncmp(*variable, KEPT, strlen(KEPT)) && is_taken(*variable + strlen(KEPT)))
			*variable += strlen(KEPT);
}

void member_begin(char **argv)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	char **environment;

	/* Once is enough, where the file's capability does not count: a mount with nosuid, no_new_privs. */
	if (started_as && !strcmp(started_as, TOOL)) {
		give_back();
		return;
	}
	if (rights_perfmon() || access(TOOL, X_OK))
		return;
	environment = keep();
	if (environment)
		execve(TOOL, argv, environment);
}
