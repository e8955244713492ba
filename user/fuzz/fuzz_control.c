// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The argument of --control: the input's first line. And what comes by its descriptor: the rest,
 * in two writes.
 */
#include <unistd.h>

#include "counters/control.h"
#include "fuzz_args.h"

#define PIPE_ROOM 4096

static void read_all(const uint8_t *data, size_t size)
{
	struct control control = { .open = true, .ack = -1 };
	size_t first = size / 2, part, nr = 0;
	int ends[2], half;

	must(!pipe(ends));
	control.fd = ends[0];
	for (half = 0; half < 2; half++) {
		part = half ? size - first : first;
		must(write(ends[1], half ? data + first : data, part) == (ssize_t)part);
		while (control_read(&control) != CONTROL_NONE) {
			must(strlen(control.argument) < sizeof(control.argument));
			control_ack(&control);
			must(++nr <= size);
		}
		must(!control.len);
	}
	close(ends[1]);
	must(control_read(&control) == CONTROL_NONE);
	must(control_fd(&control) < 0);
	close(ends[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), *end = strchr(text, '\n');
	size_t line = end ? (size_t)(end - text) : strlen(text);
	const char *argument;
	int ret;

	text[line] = '\0';
	ret = control_take(&argument, text);
	must(ret == 1 || ret == -EXIT_TOOL);
	if (line < size && size - line - 1 <= PIPE_ROOM)
		read_all(data + line + 1, size - line - 1);
	free(text);
	return 0;
}
