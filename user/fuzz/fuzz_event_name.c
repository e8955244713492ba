// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a name to a code: rNNN is what it says; another name is libpfm4's to know. */
#include <errno.h>

#include "event/event_name.h"
#include "fuzz.h"

#define DIGITS "0123456789abcdefABCDEF"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = text_of(data, size), text[200];
	struct event_code code, again;
	size_t digits = *name == 'r' ? strspn(name + 1, DIGITS) : 0;
	int ret;

	memset(text, 'x', sizeof(text));
	ret = event_name_encode(name, &code, text, sizeof(text));
	must(!ret || ret == -ENOENT);
	if (ret)
		must(memchr(text, '\0', sizeof(text)) && text[0]);
	if (digits && !name[1 + digits]) {
		must(!ret == (digits <= 16));
		must(ret || (code.type == 4 && code.config == strtoull(name + 1, NULL, 16)));
	}
	/* The same name is the same event, also where there is no room for a reason. */
	must(event_name_encode(name, &again, text, 1) == ret);
	must(ret || (again.type == code.type && again.config == code.config));
	free(name);
	return 0;
}
