// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args/args.h"
#include "args/cli.h"
#include "control.h"

/* ---- The option ---- */

/* An argument in its parts. */
struct where {
	bool fifo;
	int fd;			/* unless fifo */
	int ack;		/* -1: none */
	const char *ack_path;	/* of a FIFO; NULL: none */
	char path[4096];
};

static int wrong(const char *text)
{
	cli_say("--control wants fd:CTL[,ACK], numbers of open descriptors, or fifo:CTL[,ACK], paths "
		"of FIFOs, not '%s'", text);
	return -EXIT_TOOL;
}

/* The numbers of both; every FIFO's path ends at the first comma, as with perf. */
static int where_parse(struct where *where, const char *text)
{
	const char *at = strchr(text, ':');
	char *comma;

	*where = (struct where){ .ack = -1 };
	where->fifo = !strncmp(text, "fifo:", 5);
	if (!where->fifo && strncmp(text, "fd:", 3))
		return wrong(text);
	if (strlen(at + 1) >= sizeof(where->path))
		return wrong(text);
	strcpy(where->path, at + 1);
	comma = strchr(where->path, ',');
	if (comma) {
		*comma = '\0';
		where->ack_path = comma + 1;
	}
	if (!where->path[0] || (comma && !where->ack_path[0]))
		return wrong(text);
	if (where->fifo)
		return 1;
	if (args_number(&where->fd, where->path, "--control fd:", "the number of a descriptor", 0, 0) < 0)
		return -EXIT_TOOL;
	return comma ? args_number(&where->ack, where->ack_path, "--control fd:CTL,",
				   "the number of a descriptor", 0, 0) : 1;
}

int control_take(void *control, const char *text)
{
	struct where where;

	*(const char **)control = text;
	return where_parse(&where, text);
}

/* Read and write: then the end of a writer is no end of file, and none need be there at first. */
static int fifo_open(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		cli_say("--control: %s: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode)) {
		cli_say("--control: '%s' is no FIFO: mkfifo(1) makes one", path);
		close(fd);
		return -1;
	}
	return fd;
}

static bool fd_is_open(int fd)
{
	if (fcntl(fd, F_GETFD) >= 0)
		return true;
	cli_say("--control: descriptor %d: %s", fd, strerror(errno));
	return false;
}

int control_open(struct control *control, const char *text)
{
	struct where where;

	*control = (struct control){ .ack = -1 };
	if (where_parse(&where, text) < 0)
		return EXIT_TOOL;
	control->own = where.fifo;
	if (where.fifo) {
		control->fd = fifo_open(where.path);
		if (control->fd < 0)
			return EXIT_TOOL;
		control->ack = where.ack_path ? fifo_open(where.ack_path) : -1;
		if (where.ack_path && control->ack < 0) {
			close(control->fd);
			return EXIT_TOOL;
		}
	} else {
		if (!fd_is_open(where.fd) || (where.ack >= 0 && !fd_is_open(where.ack)))
			return EXIT_TOOL;
		control->fd = where.fd;
		control->ack = where.ack;
	}
	control->open = true;
	return 0;
}

void control_close(struct control *control)
{
	if (control->open && control->own) {
		close(control->fd);
		if (control->ack >= 0)
			close(control->ack);
	}
	*control = (struct control){ 0 };
}

/* ---- Commands ---- */

int control_fd(const struct control *control)
{
	return control->open && !control->ended ? control->fd : -1;
}

static const char *const words[] = {
	[CONTROL_ENABLE] = "enable",
	[CONTROL_DISABLE] = "disable",
	[CONTROL_EVLIST] = "evlist",
	[CONTROL_SNAPSHOT] = "snapshot",
	[CONTROL_PING] = "ping",
	[CONTROL_STOP] = "stop",
};

/* The first @len bytes of what has come, and takes them away with @more that follow. */
static enum control_command take(struct control *control, size_t len, size_t more)
{
	enum control_command command = CONTROL_UNKNOWN;
	char line[CONTROL_LINE_MAX];
	size_t word, i;

	memcpy(line, control->line, len);
	line[len] = '\0';
	control->len -= len + more;
	memmove(control->line, control->line + len + more, control->len);
	word = strcspn(line, " \t");
	for (i = CONTROL_ENABLE; i <= CONTROL_STOP; i++) {
		if (strlen(words[i]) == word && !strncmp(line, words[i], word))
			command = i;
	}
	word += strspn(line + word, " \t");
	strcpy(control->argument, line + word);
	if (command == CONTROL_UNKNOWN)
		cli_say("--control: '%s' is no command: enable, disable, evlist, snapshot, ping and "
			"stop are", line);
	return command;
}

/* How far the first line goes that is there to its end; or all of it, if there is no room for more. */
static bool line_end(const struct control *control, size_t *len)
{
	for (*len = 0; *len < control->len; ++*len) {
		if (control->line[*len] == '\n' || !control->line[*len])
			return true;
	}
	return false;
}

/* Whether more has come. The descriptor may be another's, too, and is left to block. */
static bool receive(struct control *control)
{
	size_t room = sizeof(control->line) - 1 - control->len;
	struct pollfd poll_fd = { .fd = control->fd, .events = POLLIN };
	ssize_t ret;

	if (control->ended || !room || poll(&poll_fd, 1, 0) <= 0)
		return false;
	do {
		ret = read(control->fd, control->line + control->len, room);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0 && errno == EAGAIN)
		return false;
	control->ended = ret <= 0;
	if (ret <= 0)
		return false;
	control->len += (size_t)ret;
	return true;
}

enum control_command control_read(struct control *control)
{
	size_t len;

	if (!control->open)
		return CONTROL_NONE;
	for (;;) {
		if (line_end(control, &len)) {
			if (len)
				return take(control, len, 1);
			/* An empty line is nothing. */
			memmove(control->line, control->line + 1, --control->len);
		} else if (!receive(control)) {
			return control->len ? take(control, len, 0) : CONTROL_NONE;
		}
	}
}

/* Who has closed the other end gets no answer, and this process no SIGPIPE. */
void control_ack(const struct control *control)
{
	static const char ack[] = "ack\n";
	const struct timespec now = { 0 };
	sigset_t pipes, before;
	int err = 0;

	if (!control->open || control->ack < 0)
		return;
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipes, &before);
	if (write(control->ack, ack, sizeof(ack) - 1) < 0)
		err = errno;
	if (err == EPIPE)
		sigtimedwait(&pipes, NULL, &now);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (err)
		cli_say("--control: cannot answer: %s", strerror(err));
}
