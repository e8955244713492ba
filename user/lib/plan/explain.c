// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "sim.h"
void sim_explain(const struct sim *sim, struct pmcgrp_plan *plan,
		 const struct pmcgrp_plan_group *groups, unsigned int nr)
{
	(void)sim; (void)plan; (void)groups; (void)nr;
}
