// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/cli.h"
#include "user.h"

/* Of a number the number; a name is looked up in the file alone: a static tool has no NSS. */
static bool user_find(const char *user, uid_t *uid)
{
	struct passwd *entry = NULL;
	unsigned long number;
	FILE *file;
	char *end;

	errno = 0;
	number = strtoul(user, &end, 10);
	if (isdigit((unsigned char)*user) && !*end) {
		*uid = (uid_t)number;
		return !errno && *uid == number && number != (uid_t)-1;
	}
	file = fopen("/etc/passwd", "re");
	while (file && (entry = fgetpwent(file)) && strcmp(entry->pw_name, user))
		;
	if (entry)
		*uid = entry->pw_uid;
	if (file)
		fclose(file);
	return entry;
}

static int pid_add(struct args_ids *pids, int pid)
{
	int *more = reallocarray(pids->id, pids->nr + 1, sizeof(*more));

	if (!more)
		return cli_say_errno("-u", ENOMEM);
	pids->id = more;
	more[pids->nr++] = pid;
	return 0;
}

int user_processes(struct args_ids *pids, const char *user)
{
	struct dirent *entry;
	struct stat st;
	int ret = 0, pid;
	uid_t uid;
	DIR *proc;

	if (!user_find(user, &uid)) {
		cli_say("-u: no user '%s' in /etc/passwd: a number is taken, too (id -u NAME)", user);
		return EXIT_TOOL;
	}
	proc = opendir("/proc");
	if (!proc)
		return cli_say_errno("/proc", errno);
	while (!ret && (entry = readdir(proc))) {
		pid = atoi(entry->d_name);
		if (pid > 0 && pid != getpid() && !fstatat(dirfd(proc), entry->d_name, &st, 0) &&
		    st.st_uid == uid)
			ret = pid_add(pids, pid);
	}
	closedir(proc);
	if (!ret && !pids->nr) {
		cli_say("-u: user '%s' has no process; -a records whatever runs", user);
		ret = EXIT_TOOL;
	}
	return ret;
}
