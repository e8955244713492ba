// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "counters/workload.h"
#include "wait.h"

#define SECOND_NS 1000000000

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int others[] = { SIGTSTP, SIGCONT, SIGWINCH };

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	ended = signal;
}

/* Without a handler it would not end the wait. */
static void on_other(int signal)
{
	(void)signal;
}

static void signals_take(sigset_t *mask)
{
	struct sigaction action = { .sa_handler = on_end }, before;
	sigset_t block;
	size_t i;

	sigemptyset(&block);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		/* nohup(1) works by an ignored SIGHUP. */
		sigaction(ends[i], NULL, &before);
		if (ends[i] == SIGHUP && before.sa_handler == SIG_IGN)
			continue;
		sigaction(ends[i], &action, NULL);
		sigaddset(&block, ends[i]);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		sigaddset(&block, others[i]);
	action.sa_handler = on_other;
	sigaction(SIGCONT, &action, NULL);
	sigprocmask(SIG_BLOCK, &block, mask);
	/* Who was started with them blocked could not be ended. */
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigdelset(mask, ends[i]);
}

int top_wait_init(struct top_wait *wait, bool keyboard)
{
	*wait = (struct top_wait){ .fds = calloc(1, sizeof(*wait->fds)), .nr = 1 };
	if (!wait->fds)
		return -ENOMEM;
	wait->fds[0] = (struct pollfd){ .fd = keyboard ? STDIN_FILENO : -1, .events = POLLIN };
	ended = 0;
	signals_take(&wait->mask);
	return 0;
}

void top_wait_free(struct top_wait *wait)
{
	free(wait->fds);
	wait->fds = NULL;
}

int top_wait_ring(struct top_wait *wait, int fd)
{
	struct pollfd *fds = reallocarray(wait->fds, wait->nr + 1, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	wait->fds = fds;
	fds[wait->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return 0;
}

void top_wait_no_rings(struct top_wait *wait)
{
	wait->nr = 1;
}

enum top_event top_wait(struct top_wait *wait, int64_t until)
{
	int64_t left = until - clock_now();
	struct timespec time = { 0 };
	int ready;

	if (left > 0) {
		time.tv_sec = left / SECOND_NS;
		time.tv_nsec = left % SECOND_NS;
	}
	ready = ppoll(wait->fds, wait->nr, &time, &wait->mask);
	if (ended)
		return TOP_EVENT_END;
	if (ready < 0)
		return TOP_EVENT_SIGNAL;
	if (!ready)
		return TOP_EVENT_TIME;
	/* A terminal that is gone can be read as well: the end of the file, for ever. */
	if (wait->fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return TOP_EVENT_END;
	return wait->fds[0].revents ? TOP_EVENT_KEY : TOP_EVENT_RINGS;
}
