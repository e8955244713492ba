/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Functions of the kernel by name. */
#ifndef SPAN_FUNCTION_H
#define SPAN_FUNCTION_H

/* Files of the kernel, or a test's own. */
struct function_files {
	const char *symbols;	/* /proc/kallsyms */
	const char *traceable;	/* available_filter_functions, in tracefs */
	const char *blacklist;	/* of kprobes, in debugfs */
};

extern const struct function_files function_files;

/*
 * function_check - whether a function can have a span, as far as files say
 *
 * A file that cannot be read says nothing. Returns 0, or EXIT_TOOL after what is wrong was reported,
 * with names that are close.
 */
int function_check(const struct function_files *files, const char *function);

/* function_why_refused - more on what the kernel has refused, as the end of a sentence; or "" */
const char *function_why_refused(const struct function_files *files, const char *function);

#endif
