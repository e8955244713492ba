// SPDX-License-Identifier: LGPL-2.1-only OR MIT
// Regions by class: they end with their block, by an exception, too.
#include <stdexcept>

#include <pmcgrp_regions.hpp>

static void step()
{
	static const pmcgrpxx::region_handle handle("step");
	pmcgrpxx::region region(handle);
}

static void leave()
{
	pmcgrpxx::region region("left by an exception");

	throw std::runtime_error("leave");
}

int main()
{
	pmcgrpxx::region region("main");

	for (int i = 0; i < 10; i++)
		step();
	try {
		leave();
	} catch (const std::runtime_error &) {
		return 0;
	}
	return 1;
}
