// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* "Did you mean": the first line is what was written, the second the names that there are. */
#include "event/near.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), *list = text, *word = strsep(&list, "\n");
	char says[NEAR_TEXT];
	unsigned int distance;
	struct near near;
	size_t i;

	list = list ? list : word;
	distance = near_distance(word, list);
	must(distance == near_distance(list, word) && !near_distance("cycles", "CYCLES"));
	if (strlen(word) <= NEAR_LENGTH && strlen(list) <= NEAR_LENGTH) {
		must(distance <= strlen(word) || distance <= strlen(list));
		must(distance + strlen(word) >= strlen(list));
	}
	near_begin(&near, word);
	near_offer_list(&near, list);
	near_offer_list(&near, list);
	must(near.nr <= NEAR_MAX);
	for (i = 0; i < near.nr; i++) {
		must(strstr(list, near.at[i].name));
		must(near.at[i].distance == near_distance(word, near.at[i].name));
		must(!i || near.at[i - 1].distance <= near.at[i].distance);
		must(!i || strcasecmp(near.at[i - 1].name, near.at[i].name));
	}
	near_text(&near, says, sizeof(says));
	must(!near.nr == !says[0] && strlen(says) < sizeof(says));
	must(!says[0] || says[strlen(says) - 1] == '?');
	free(text);
	return 0;
}
