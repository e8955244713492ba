// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "refused.h"

#define NO_SCREEN "is a way to browse a report, and this one is text"
#define A_PAGE "--html FILE writes a page to zoom and search in"
#define NO_CHOICE "leaves out lines of the table"
#define CHOOSE "-s KEYS -x , has all, for grep(1), awk(1) and others"
#define CHAINS "--folded prints call chains, --flame and --html draw them"

static const struct refused_option options[] = {
	{ "tui", no_argument, 0, NO_SCREEN, A_PAGE },
	{ "gtk", no_argument, 0, NO_SCREEN, A_PAGE },
	{ "show-nr-samples", no_argument, 'n', "adds a column of samples, which is there anyway",
	  "leave it out" },
	{ "call-graph", optional_argument, 'g', "shows call chains below each line", CHAINS },
	{ "inverted", no_argument, 'G', "shows call chains below each line", CHAINS },
	{ "children", no_argument, 0, "adds what is called to its callers", CHAINS },
	{ "no-children", no_argument, 0, "leaves out what is called, as is done anyway",
	  "leave it out" },
	{ "fields", required_argument, 'F', "chooses columns", "-s KEYS, and -x or -j for programs" },
	{ "symbols", required_argument, 'S', NO_CHOICE, CHOOSE },
	{ "dsos", required_argument, 'd', NO_CHOICE, CHOOSE },
	{ "comms", required_argument, 'c', NO_CHOICE, CHOOSE },
	{ "parent", required_argument, 'p', NO_CHOICE, CHOOSE },
	{ "percent-limit", required_argument, 0, NO_CHOICE, CHOOSE },
	{ "hierarchy", no_argument, 0, "shows keys within keys", "-s with all keys in that order" },
	{ "dump-raw-trace", no_argument, 0, "prints each record of the file",
	  "\"perf script -D\" reads the file" },
	{ "header", no_argument, 0, "prints the head of the file",
	  "\"perf report --header-only\" reads the file" },
	{ "header-only", no_argument, 0, "prints the head of the file",
	  "\"perf report --header-only\" reads the file" },
	{ "quiet", no_argument, 'q', "leaves out the headlines", "-x or -j are for programs" },
	{ "force", no_argument, 'f', "reads files of others, which is done anyway", "leave it out" },
	{ "vmlinux", required_argument, 'k', "names the kernel's file",
	  "leave it out: names are those of /proc/kallsyms" },
	{ "verbose", no_argument, 'v', "tells more", "-j has all that is known" },
};

const struct refused rep_refused = { options, sizeof(options) / sizeof(options[0]) };
