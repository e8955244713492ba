/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fuzzer does with descriptors, one operation at a time. */
#ifndef FUZZ_OPS_H
#define FUZZ_OPS_H

#include "led.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* A file for spans of functions, which nobody executes. */
#define SPAN_FILE	"/tmp/fuzz.span"

static void check_words(struct worker *w, const struct made *made, const uint64_t *word,
			struct last *now)
{
	unsigned int i, n = 0, nr = 1;
	bool group = made->read_format & PERF_FORMAT_GROUP;

	if (group) {
		nr = made->nr;
		if (word[n++] != nr)
			found(w, "read: nr %llu, not %u", (unsigned long long)word[0], nr);
	} else {
		now->value[0] = word[n++];
	}
	if (made->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		now->enabled = word[n++];
	if (made->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		now->running = word[n++];
	for (i = 0; i < nr; i++) {
		if (group)
			now->value[i] = word[n++];
		if ((made->read_format & PERF_FORMAT_ID) && word[n++] != made->id[i])
			found(w, "read: another id of member %u", i);
		/* With the first stands what the group's rings have lost. */
		if ((made->read_format & PERF_FORMAT_LOST) && word[n++] && i)
			found(w, "read: member %u has lost samples", i);
		if (now->value[i] != now->value[made->same[i]])
			found(w, "read: members %u and %u are the same event", made->same[i], i);
	}
	if ((made->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) && now->running > now->enabled)
		found(w, "read: running %llu of %llu ns", (unsigned long long)now->running,
		      (unsigned long long)now->enabled);
}

/* Nothing goes backwards, but counts by a reset. */
static void check_progress(struct worker *w, const struct made *made, const struct last *last,
			   const struct last *now)
{
	unsigned int i, nr = made->read_format & PERF_FORMAT_GROUP ? made->nr : 1;

	if (last->serial != now->serial)
		return;
	if (now->enabled < last->enabled || now->running < last->running)
		found(w, "read: time goes backwards");
	if (!last->steady || resets_of(made)->begun != last->resets)
		return;
	for (i = 0; i < nr; i++)
		if (now->value[i] < last->value[i])
			found(w, "read: member %u of %u goes from %llu to %llu", i, nr,
			      (unsigned long long)last->value[i],
			      (unsigned long long)now->value[i]);
}

static size_t size_of_read(const struct made *made)
{
	return read_bytes(made->read_format, made->nr);
}

static void op_read(struct worker *w)
{
	unsigned int k = below(&w->rng, SEATS), gen;
	enum place place = chance(&w->rng, 80) ? below(&w->rng, 3) : below(&w->rng, PLACES);
	uint64_t odd = odd_number(&w->rng), any = below(&w->rng, 2000), address;
	bool exact = chance(&w->rng, 40), large = chance(&w->rng, 60), writable;
	uint64_t word[3 + 3 * PMCGRP_MEMBERS_MAX] = {};
	struct resets *resets;
	struct last now = {};
	struct made made;
	size_t size, need;
	ssize_t ret;
	bool known;
	int fd;

	known = seat_look(&w->seat[k], &gen, &fd, &made);
	need = size_of_read(&made);
	size = exact ? need : large ? 2048 : chance(&w->rng, 80) ? any : odd;
	address = zone_address(&w->zones.buf, &w->rng, place, size < 4096 ? size : 4096);
	writable = zone_writable(&w->zones.buf, address, size);
	if (known) {
		resets = resets_of(&made);
		now.resets = __atomic_load_n(&resets->begun, __ATOMIC_ACQUIRE);
		now.steady = now.resets == __atomic_load_n(&resets->done, __ATOMIC_ACQUIRE);
	}
	ret = syscall(SYS_read, fd, address, size);
	if (!known || !seat_unchanged(&w->seat[k], gen))
		return;
	count(&shared->reads);
	if (ret < 0) {
		if (made.led)
			need = 2048;	/* at least, for all that there can be */
		if (!(errno == ENOSPC && size < need) && !(errno == EFAULT && !writable) &&
		    !(errno == EINVAL && (ssize_t)size < 0))
			found(w, "read: errno %d for %zu bytes, needs %zu", errno, size, need);
		return;
	}
	if (!ret) {
		if (!made.pinned)
			found(w, "read: end of file, and the group is not pinned");
		return;
	}
	if (made.led) {
		if (zone_writable(&w->zones.buf, address, ret)) {
			memcpy(word, (void *)(uintptr_t)address, ret);
			check_led(w, &made, word, ret);
		}
		return;
	}
	if ((size_t)ret != need || size < need) {
		found(w, "read: %zd of %zu bytes, needs %zu", ret, size, need);
		return;
	}
	if (!zone_writable(&w->zones.buf, address, need)) {
		found(w, "read: %zd bytes to where they cannot be", ret);
		return;
	}
	memcpy(word, (void *)(uintptr_t)address, need);
	now.serial = made.serial;
	check_words(w, &made, word, &now);
	check_progress(w, &made, &w->last[k], &now);
	w->last[k] = now;
}

static void op_control(struct worker *w)
{
	static const unsigned long cmds[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
					      PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_RESET };
	unsigned int k = below(&w->rng, SEATS), gen;
	unsigned long cmd = cmds[below(&w->rng, COUNT(cmds))];
	uint64_t arg = chance(&w->rng, 90) ? below(&w->rng, 2) : odd_number(&w->rng);
	bool reset = cmd == PERF_EVENT_IOC_RESET;
	struct resets *resets;
	struct made made;
	int fd, err;

	/* One reset in four tries: counts shall also have time to go backwards. */
	if (reset && !chance(&w->rng, 25))
		cmd = PERF_EVENT_IOC_ENABLE;
	reset = cmd == PERF_EVENT_IOC_RESET;
	if (!seat_look(&w->seat[k], &gen, &fd, &made) && reset)
		return;		/* it would not be known whose */
	resets = resets_of(&made);
	if (reset)
		__atomic_fetch_add(&resets->begun, 1, __ATOMIC_ACQ_REL);
	err = ioctl(fd, cmd, arg) ? errno : 0;
	if (reset)
		__atomic_fetch_add(&resets->done, 1, __ATOMIC_ACQ_REL);
	if (made.serial && seat_unchanged(&w->seat[k], gen) && err != (arg > 1 ? EINVAL : 0))
		found(w, "ioctl %#lx with %llx: errno %d", cmd, (unsigned long long)arg, err);
}

/* Numbers that mean something, here or to perf, and others. */
static unsigned int random_cmd(struct rng *r)
{
	switch (below(r, 6)) {
	case 5:
		return PMCGRP_IOC_SPAN;
	case 0:
		return _IO(PMCGRP_IOC_TYPE, below(r, 256));
	case 1:
		return _IOC(below(r, 4), PMCGRP_IOC_TYPE, below(r, 4), below(r, 256));
	case 2:
		return _IO('$', below(r, 12));
	case 3:
		return _IOC(below(r, 4), '$', below(r, 12), below(r, 2) * 8);
	default:
		return PERF_EVENT_IOC_ID;
	}
}

/* A span of a function of a file: nothing that anyone executes. */
static void span_write(struct worker *w, uint64_t address)
{
	static const char *const path[] = { "/", "", "/nosuch", "/dev/null", "/proc/version",
					    "/proc/self/maps", SPAN_FILE };
	static uint64_t exits[4];
	struct pmcgrp_span_add add = {
		.size = sizeof(add),
		.kind = PMCGRP_SECTION_USER_FUNCTION,
		.exits = chance(&w->rng, 95) ? (uintptr_t)exits : odd_number(&w->rng),
		.nr_exits = chance(&w->rng, 95) ? 1 + below(&w->rng, COUNT(exits)) :
						  odd_number(&w->rng),
		.max_active = chance(&w->rng, 50) ? 0 : below(&w->rng, 200),
		.begin = (uintptr_t)path[below(&w->rng, COUNT(path))],
		.offset = chance(&w->rng, 80) ? below(&w->rng, 5000) : odd_number(&w->rng),
		.key = chance(&w->rng, 5) ? below(&w->rng, 4) : 0,
	};
	unsigned int i;

	for (i = 0; i < COUNT(exits); i++)
		exits[i] = (i ? exits[i - 1] : 0) + below(&w->rng, 1500);
	if (chance(&w->rng, 2) && !truncate(SPAN_FILE, below(&w->rng, 8192)))
		return;
	if (chance(&w->rng, 2))
		add.begin = odd_number(&w->rng);
	zone_write(&w->zones.buf, address, &add, sizeof(add));
}

static void op_ioctl(struct worker *w)
{
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	unsigned int cmd = random_cmd(&w->rng), gen;
	uint64_t address = zone_address(&w->zones.buf, &w->rng, below(&w->rng, PLACES), 8), id;
	struct made made;
	bool known;
	int fd, err;

	if (cmd == PERF_EVENT_IOC_RESET)
		cmd = PERF_EVENT_IOC_REFRESH;	/* resets are accounted for */
	if (cmd == PMCGRP_IOC_ADD)
		cmd = PMCGRP_IOC_READ_CPUS;	/* it would return a descriptor */
	if (cmd == PMCGRP_IOC_RING || cmd == PMCGRP_IOC_TRIGGER || cmd == PMCGRP_IOC_SAMPLE ||
	    cmd == PERF_EVENT_IOC_PAUSE_OUTPUT || cmd == PMCGRP_IOC_READER)
		cmd = PMCGRP_IOC_INFO;		/* ring.h and reader.h have these */
	if (chance(&w->rng, 30)) {
		if (cmd != PMCGRP_IOC_QUERY && cmd != PMCGRP_IOC_CREATE &&
		    cmd != PMCGRP_IOC_INFO_NEXT && cmd != PMCGRP_IOC_SECTION_NEXT &&
		    cmd != PMCGRP_IOC_SECTION_KEYS && cmd != PMCGRP_IOC_READ_MANY &&
		    (ioctl(w->dev, cmd, address) != -1 || errno != ENOTTY))
			found(w, "ioctl %#x on the device: errno %d", cmd, errno);
		return;
	}
	if (cmd == PMCGRP_IOC_SPAN && chance(&w->rng, 90))
		span_write(w, address);
	known = seat_look(s, &gen, &fd, &made);
	err = ioctl(fd, cmd, address) ? errno : 0;
	if (!known || !seat_unchanged(s, gen))
		return;
	if (cmd == PERF_EVENT_IOC_ENABLE || cmd == PERF_EVENT_IOC_DISABLE) {
		if (err != (address > 1 ? EINVAL : 0))
			found(w, "ioctl %#x: errno %d", cmd, err);
	} else if (cmd == PMCGRP_IOC_INFO || (cmd == PMCGRP_IOC_READ_CPUS && !made.member)) {
		if (err && err != EINVAL && err != E2BIG && err != EFAULT && err != ENOSPC)
			found(w, "ioctl %#x: errno %d", cmd, err);
	} else if (cmd == PMCGRP_IOC_KEYS || cmd == PMCGRP_IOC_KEYS_FLUSH) {
		if (err != EINVAL && err != E2BIG && err != EFAULT && err != EACCES &&
		    err != EBUSY && err != EOPNOTSUPP && err != ENOTTY)
			found(w, "ioctl %#x: errno %d", cmd, err);
	} else if (cmd == PMCGRP_IOC_SPAN && !made.member) {
		if (err && err != EINVAL && err != E2BIG && err != EFAULT && err != EOPNOTSUPP &&
		    err != ENOENT && err != EISDIR && err != EIO && err != ENOSPC && err != EACCES)
			found(w, "ioctl %#x: errno %d", cmd, err);
	} else if (cmd != PERF_EVENT_IOC_ID) {
		if (err != ENOTTY)
			found(w, "ioctl %#x on a group: errno %d", cmd, err);
	} else if (err != (zone_writable(&w->zones.buf, address, 8) ? 0 : EFAULT)) {
		found(w, "PERF_EVENT_IOC_ID: errno %d", err);
	} else if (!err && (memcpy(&id, (void *)(uintptr_t)address, 8), id != made.id[0])) {
		found(w, "PERF_EVENT_IOC_ID: another id");
	}
}

static void op_query(struct worker *w)
{
	struct {
		struct pmcgrp_query query;
		uint64_t tail[2];
	} q = { .query.size = sizeof(q.query) };
	const struct zone *z = &w->zones.create;
	enum place place = below(&w->rng, PLACES);
	uint64_t address;
	int expect = 0, err;

	switch (below(&w->rng, 6)) {
	case 0:
		q.query.size = below(&w->rng, PMCGRP_QUERY_SIZE_VER0);
		expect = EINVAL;
		break;
	case 1:
		q.query.flags = 1 << below(&w->rng, 32);
		expect = EINVAL;
		break;
	case 2:
		q.query.size += 16;
		break;
	case 3:
		q.query.size += 16;
		q.tail[below(&w->rng, 2)] = 1ULL << below(&w->rng, 64);
		expect = E2BIG;
		break;
	}
	address = zone_address(z, &w->rng, place, sizeof(q));
	zone_write(z, address, &q, sizeof(q));
	err = ioctl(w->dev, PMCGRP_IOC_QUERY, address) ? errno : 0;
	if (!zone_writable(z, address, sizeof(q)) ? err != EFAULT && err != expect :
						    err != expect)
		found(w, "QUERY: errno %d, not %d", err, expect);
	if (err || !zone_writable(z, address, sizeof(q)))
		return;
	memcpy(&q, (void *)(uintptr_t)address, sizeof(q));
	if (q.query.size != sizeof(q.query) || q.query.abi_version != PMCGRP_ABI_VERSION ||
	    q.query.members_max != PMCGRP_MEMBERS_MAX || !memchr(q.query.release, 0, 32))
		found(w, "QUERY: size %u, version %u", q.query.size, q.query.abi_version);
}

/* What a file can be asked for and a group or the device does not have. */
static void op_other_call(struct worker *w)
{
	struct perf_event_attr software = sw(PERF_COUNT_SW_DUMMY);
	struct epoll_event event = { .events = EPOLLIN };
	bool on_dev = chance(&w->rng, 20), bad = false;
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	size_t size = below(&w->rng, 20000);
	uint64_t n = odd_number(&w->rng);
	int pipes[2] = { -1, -1 }, fd;
	char *buf = w->zones.buf.mem;
	struct pollfd poll_fd;
	struct made made;
	struct stat st;
	unsigned int gen;
	const char *what = "";
	bool known;
	void *mem;
	long ret;

	known = seat_look(s, &gen, &fd, &made) || on_dev;
	if (on_dev)
		fd = w->dev;
	switch (below(&w->rng, 12)) {
	case 0:
		what = "mmap";
		mem = mmap(NULL, size, PROT_READ | (n & PROT_WRITE),
			   n & 4 ? MAP_SHARED : MAP_PRIVATE, fd, n & 0xff000);
		bad = mem != MAP_FAILED && on_dev;
		if (mem != MAP_FAILED)
			munmap(mem, size);
		break;
	case 1:
		poll_fd = (struct pollfd){ .fd = fd, .events = n };
		poll(&poll_fd, 1, 0);
		break;
	case 2:
		lseek(fd, n, n % 5);
		break;
	case 3:
		what = "write";
		bad = write(fd, buf, size % 8192) != -1;
		break;
	case 4:
		what = "ftruncate";
		bad = ftruncate(fd, n) != -1;
		break;
	case 5:
		what = "splice";
		if (!pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
			bad = splice(fd, NULL, pipes[1], NULL, 1 + size, SPLICE_F_NONBLOCK) > 0;
		break;
	case 6:
		what = "pread";
		/* Positions mean nothing to a group: it is a read like any other. */
		ret = pread(fd, buf, 2048, n >> 1);
		known &= on_dev || !made.led;
		bad = ret > 0 && (on_dev || (known && (size_t)ret != size_of_read(&made)));
		break;
	case 7:
		what = "readv";
		/* Without read_iter it is one read() for each part: of the first alone. */
		ret = readv(fd, (struct iovec[]){ { buf, 2048 }, { buf + 2048, 16 } }, 2);
		bad = ret > 0 && (on_dev || (size_t)ret < size_of_read(&made));
		break;
	case 8:
		pipes[0] = epoll_create1(EPOLL_CLOEXEC);
		epoll_ctl(pipes[0], EPOLL_CTL_ADD, fd, &event);
		break;
	case 9:
		/* A descriptor that is another by now must not begin to block. */
		bad = fstat(fd, &st) || fcntl(fd, F_SETFL, O_NONBLOCK | (n & O_APPEND));
		what = "fstat";
		break;
	case 10:
		what = "sendfile";
		if (!pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
			bad = sendfile(pipes[1], fd, NULL, size + 1) > 0;
		break;
	case 11:
		what = "perf_event_open beside it";
		fd = perf_open(&software, 0, -1, fd);
		bad = fd >= 0;
		close(fd);
		break;
	}
	close(pipes[0]);
	close(pipes[1]);
	if (bad && known && (on_dev || seat_unchanged(s, gen)))
		found(w, "%s succeeds on %s", what, on_dev ? "the device" : "a group");
}

static void op_close(struct worker *w)
{
	unsigned int first = below(&w->rng, SEATS);
	unsigned int nr = chance(&w->rng, 90) ? 1 : 1 + below(&w->rng, SEATS / 4);

	while (nr--)
		seat_put(&w->seat[first++ % SEATS], -1, NULL);
}

static void op_dup(struct worker *w)
{
	struct seat *from = &w->seat[below(&w->rng, SEATS)], *to = &w->seat[below(&w->rng, SEATS)];
	struct made made;
	unsigned int gen;
	bool known;
	int fd;

	known = seat_look(from, &gen, &fd, &made);
	fd = chance(&w->rng, 50) ? dup(fd) : fcntl(fd, F_DUPFD_CLOEXEC, 64);
	if (known && seat_unchanged(from, gen))
		seat_put(to, fd, &made);
	else
		close(fd);
}

static void send_fd(int socket, int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct msghdr msg = { .msg_iov = &(struct iovec){ "", 1 }, .msg_iovlen = 1,
			      .msg_control = &control, .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	sendmsg(socket, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int receive_fd(int socket)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	char byte;
	struct msghdr msg = { .msg_iov = &(struct iovec){ &byte, 1 }, .msg_iovlen = 1,
			      .msg_control = &control, .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1 ||
	    control.header.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

/* Some descriptors stay under way, and die there with the sockets. */
static void op_pass_on(struct worker *w)
{
	struct seat *from = &w->seat[below(&w->rng, SEATS)], *to = &w->seat[below(&w->rng, SEATS)];
	bool receive = chance(&w->rng, 75), hang_up = chance(&w->rng, 10);
	struct made made;
	unsigned int gen;
	int fd;

	if (w->socket[0] < 0 &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, w->socket))
		return;
	seat_look(from, &gen, &fd, &made);
	send_fd(w->socket[0], fd);
	/* What comes out may have been sent long ago: it is not known whose it is. */
	if (receive)
		seat_put(to, receive_fd(w->socket[1]), NULL);
	if (hang_up) {
		close(w->socket[0]);
		close(w->socket[1]);
		w->socket[0] = -1;
		w->socket[1] = -1;
	}
}

#endif /* FUZZ_OPS_H */
