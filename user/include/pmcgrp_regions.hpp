/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * pmcgrp_regions.hpp - regions of a program, for C++11 and later
 *
 *	void solve()
 *	{
 *		pmcgrpxx::region region("solve");	// ends with the block, by an exception, too
 *		...
 *	}
 *
 * For hot code a handle saves the search for the name:
 *
 *	static const pmcgrpxx::region_handle step("step");
 *	pmcgrpxx::region region(step);
 *
 * <pmcgrp_regions.h> describes the rest. The namespace is that of <pmcgrp.hpp>.
 */
#ifndef PMCGRP_REGIONS_HPP
#define PMCGRP_REGIONS_HPP

#include <pmcgrp_regions.h>

namespace pmcgrpxx
{

/** class region_handle - pmcgrp_region_find() */
class region_handle {
public:
	explicit region_handle(const char *name) noexcept : object(pmcgrp_region_find(name))
	{
	}

	struct pmcgrp_region *get() const noexcept
	{
		return object;
	}

private:
	struct pmcgrp_region *object;
};

/** class region - from its construction to its end, in one thread */
class region {
public:
	/* @name is to live as long as the region, as that of a literal does. */
	explicit region(const char *name) noexcept : object(nullptr), by_name(name)
	{
		pmcgrp_region_begin(name);
	}

	explicit region(const region_handle &handle) noexcept
		: object(handle.get()), by_name(nullptr)
	{
		pmcgrp_region_enter(object);
	}

	~region()
	{
		if (by_name)
			pmcgrp_region_end(by_name);
		else
			pmcgrp_region_leave(object);
	}

	region(const region &) = delete;
	region &operator=(const region &) = delete;

private:
	struct pmcgrp_region *object;
	const char *by_name;
};

} /* namespace pmcgrpxx */

#endif
