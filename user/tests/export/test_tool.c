// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp export, as a user calls it, where there is no module. */
#include "test.h"

#include "tool.h"

static void called_wrongly(void **state)
{
	(void)state;
	expect("$T export --bogus", 125, "--help");
	expect("$T export --stdout --textfile x", 125, "one at a time");
	expect("$T export --stdout --check", 125, "one at a time");
	expect("$T export --from unix:/x -e cycles", 125, "the running exporter's matter");
	expect("$T export -c x -e cycles", 125, "events are in the file, or behind -e");
	expect("$T export --by unit", 125, "of which events?");
	expect("$T export -e cycles --by units", 125, "unit");
	expect("$T export -e cycles --by span", 125, "span");
	expect("$T export -e cycles -I 5", 125, "who scrapes has the interval");
	expect("$T export -e cycles -- true", 125, "with --stdout alone");
	expect("$T export -e cycles -v", 125, "it is for --stdout");
	expect("$T export --stdout -e cycels", 125, "did you mean");
	expect("$T export --stdout -e '{page-faults}'", 125, "^");
	expect("$T export --stdout -e page-faults,page-faults", 125, "would both be "
								     "pmcgrp_machine_page_faults_total");
	expect("$T export -c /nonexistent/x", 125, "/nonexistent/x: No such file");
}

static void file(void **state)
{
	(void)state;
	expect("printf '[a]\\ncount = machine\\nevents = page-faults\\n' >/tmp/pmcgrp-export-$$ && "
	       "$T export -c /tmp/pmcgrp-export-$$ --check; s=$?; rm /tmp/pmcgrp-export-$$; exit $s",
	       0, "");
	expect("printf '[a]\\ncuont = machine\\n' >/tmp/pmcgrp-export-$$; $T export -c /tmp/pmcgrp-export-$$;"
	       " s=$?; rm /tmp/pmcgrp-export-$$; exit $s",
	       125,
	       "line 2: a group has no 'cuont': did you mean 'count'?");
	/* Events go on in the next line, and are looked up. */
	expect("printf '[a]\\ncount = machine\\nevents = page-faults,\\n  cpu-clock\\n' >/tmp/pmcgrp-export-$$ && "
	       "$T export -c /tmp/pmcgrp-export-$$ --check; s=$?; rm /tmp/pmcgrp-export-$$; exit $s",
	       0, "");
	expect("printf '[a]\\ncount = machine\\nevents = page-fualts\\n' >/tmp/pmcgrp-export-$$; "
	       "$T export -c /tmp/pmcgrp-export-$$ --check; s=$?; rm /tmp/pmcgrp-export-$$; exit $s",
	       125, "did you mean");
	expect("$T export -c /dev/null", 125, "/dev/null: there is no group in it");
}

static void nobody_answers(void **state)
{
	(void)state;
	expect("$T export --from unix:/nonexistent/x", 125, "unix:/nonexistent/x: No such file");
	expect("$T export --from 192.0.2.1:9807", 125, "127.0.0.1:PORT");
	expect("$T export --from unix:", 125, "unix:PATH");
	expect("$T export --from localhost:70000", 125, "127.0.0.1:PORT");
	expect("$T export --from '[::1]:1'", 125, "[::1]:1: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(called_wrongly),
		cmocka_unit_test(file),
		cmocka_unit_test(nobody_answers),
	};

	tool_init();
	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
