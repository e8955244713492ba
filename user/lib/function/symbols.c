// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "go_table.h"
#include "image.h"

void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *data), void *data)
{
	if (!image_tables_walk(image, each, data))
		go_table_walk(image, each, data);
}
