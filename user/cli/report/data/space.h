/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is mapped where in a process. */
#ifndef REPORT_SPACE_H
#define REPORT_SPACE_H

#include <stddef.h>
#include <stdint.h>

struct rep_range {
	uint64_t start;
	uint64_t end;		/* the first address behind it */
	uint64_t offset;	/* of start, in the object */
	unsigned int object;
};

/* All zero at first. */
struct rep_space {
	struct rep_range *rows;	/* by their addresses; none lies in another */
	size_t nr;
	size_t room;
};

/* A new range takes the place of what was there. Returns 0, or -ENOMEM. */
int rep_space_add(struct rep_space *space, const struct rep_range *range);

/* NULL: nothing is mapped there. */
const struct rep_range *rep_space_find(const struct rep_space *space, uint64_t address);

/* Returns 0, or -ENOMEM: then @to is empty. */
int rep_space_copy(struct rep_space *to, const struct rep_space *from);

void rep_space_free(struct rep_space *space);

#endif
