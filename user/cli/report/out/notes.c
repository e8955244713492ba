// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What has to be said of functions and call chains, whichever way they are shown. */
#include <inttypes.h>
#include <stdio.h>

#include "print.h"

#define OBJECTS_MAX 5	/* that are named */

static void say_object(const struct rep_object *object,
		       void (*put)(const char *sentence, void *arg), void *arg)
{
	static const char * const why[] = {
		[REP_UNKNOWN_OTHER] = "is another build now",
		[REP_UNKNOWN_NEWER] = "was changed after the recording",
		[REP_UNKNOWN_ELSEWHERE] = "is of another machine, or the recording does not say",
	};
	char sentence[512];

	if (object->name[0] == '[')
		put("Another kernel runs now, or its addresses are hidden (kernel.kptr_restrict): its "
		    "functions are not known", arg);
	else {
		snprintf(sentence, sizeof(sentence), "%.400s %s: its functions are not known",
			 object->name, why[object->unknown]);
		put(sentence, arg);
	}
}

void rep_objects_say(const struct rep_code *code, void (*put)(const char *sentence, void *arg),
		     void *arg)
{
	char sentence[64];
	size_t i, nr = 0;

	for (i = 0; i < code->nr_objects; i++) {
		const struct rep_object *object = &code->objects[i];

		if (!object->looked || object->unknown < REP_UNKNOWN_OTHER)
			continue;
		if (nr++ < OBJECTS_MAX)
			say_object(object, put, arg);
	}
	if (nr > OBJECTS_MAX) {
		snprintf(sentence, sizeof(sentence), "So it is with %zu more", nr - OBJECTS_MAX);
		put(sentence, arg);
	}
}

void rep_chains_say(const struct rep_chains *chains, void (*put)(const char *sentence, void *arg),
		    void *arg)
{
	char sentence[200];

	if (!chains->other)
		return;
	snprintf(sentence, sizeof(sentence), "%" PRIu64 " sample%s in [other]: the tree of call chains "
		 "has its %zu nodes (--time, -C and -t take less of the recording)", chains->other,
		 chains->other == 1 ? " is" : "s are", chains->max);
	put(sentence, arg);
}
