/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What a function prints on stderr, and a command line for those that parse one. */
#ifndef HEAR_H
#define HEAR_H

#include <unistd.h>

#define ARGS_MAX 32

struct hear {
	FILE *file;
	int saved;
};

/* stderr goes to a file until hear_end(). */
static inline struct hear hear_begin(void)
{
	struct hear h = { .file = tmpfile(), .saved = dup(2) };

	assert_non_null(h.file);
	dup2(fileno(h.file), 2);
	return h;
}

/* What has been printed goes to @said. */
static inline void hear_end(struct hear *h, char *said, size_t size)
{
	size_t len;

	dup2(h->saved, 2);
	close(h->saved);
	rewind(h->file);
	len = fread(said, 1, size - 1, h->file);
	said[len] = '\0';
	fclose(h->file);
}

/* What an expression is; what it prints on stderr goes to @said. */
#define hear(expression, said, size)					\
	({								\
		struct hear hear_file = hear_begin();			\
		__typeof__(expression) hear_value = (expression);	\
		hear_end(&hear_file, said, size);			\
		hear_value;						\
	})

struct words {
	int argc;
	char *argv[ARGS_MAX + 1];
	char copy[1024];
};

/* Splits a subcommand's line at blanks. */
static inline void split_words(struct words *w, const char *subcommand, const char *line)
{
	char *word;

	snprintf(w->copy, sizeof(w->copy), "%s %s", subcommand, line);
	w->argc = 0;
	for (word = strtok(w->copy, " "); word && w->argc < ARGS_MAX; word = strtok(NULL, " "))
		w->argv[w->argc++] = word;
	w->argv[w->argc] = NULL;
}

#endif
