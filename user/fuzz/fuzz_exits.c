// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* ELF files, and where a function in them is: its exits are in the file and in order, or refused. */
#include "function/exits.h"
#include "fuzz.h"

/* The first bytes: where the function is, and whether exits can be left out. */
struct head {
	uint16_t offset;
	uint8_t force;
	uint8_t unused[5];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct function_exits exits;
	struct image image;
	struct head head;
	unsigned int i;
	char *bytes;

	if (size <= sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	size -= sizeof(head);
	bytes = malloc(size);
	must(bytes);
	memcpy(bytes, data + sizeof(head), size);
	image = (struct image){ .at = bytes, .size = size, .head = (void *)bytes };
	if (image_is_known(&image)) {
		if (function_exits_find(&image, head.offset, head.force & 1, &exits)) {
			must(exits.why[0] && !exits.exit);
		} else {
			must(exits.nr && !exits.why[0]);
			for (i = 1; i < exits.nr; i++)
				must(exits.exit[i - 1] < exits.exit[i]);
			free(exits.exit);
		}
	}
	free(bytes);
	return 0;
}
