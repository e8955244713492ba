/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Members of the group pmcgrp count without being root: Debian's package has the tool a second time, with
 * CAP_PERFMON, for them alone to execute (user/packaging/debian/pmcgrp.postinst).
 */
#ifndef MEMBER_H
#define MEMBER_H

/*
 * member_begin - goes on as that one, if this process may not count and its user is a member
 * @argv: of main()
 *
 * It comes back for all others, and in that one.
 */
void member_begin(char **argv);

#endif
