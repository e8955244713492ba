// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdbool.h>
#include <stdlib.h>

#include "metric_lex.h"
#include "metric_parse.h"

#define NONE UINT32_MAX

struct parser {
	const char *text;
	struct metric_lexer lexer;
	struct metric_tree *tree;
	struct failure *failure;
	unsigned int depth;	/* of calls */
	int err;
};

/* What binds less comes first; those of a line bind alike, and from the left. */
static const struct {
	char signs[4];
	enum metric_op ops[3];
} levels[] = {
	{ "|", { METRIC_OR } },
	{ "^", { METRIC_XOR } },
	{ "&", { METRIC_AND } },
	{ "<>", { METRIC_LESS, METRIC_GREATER } },
	{ "+-", { METRIC_ADD, METRIC_SUBTRACT } },
	{ "*/%", { METRIC_MULTIPLY, METRIC_DIVIDE, METRIC_MODULO } },
};

#define LEVELS (sizeof(levels) / sizeof(levels[0]))

/* Once: the first one is the cause of any other. */
static unsigned int fail(struct parser *p, const char *what)
{
	if (p->err)
		return NONE;
	begin(p->failure, PMCGRP_WHY_NONE, -1, -1);
	say(p->failure, "metric expression, column %zu: %s", (size_t)(p->lexer.start - p->text) + 1,
	    what);
	p->err = -EINVAL;
	return NONE;
}

static unsigned int no_memory(struct parser *p)
{
	p->err = failure_plain(p->failure, ENOMEM, PMCGRP_WHY_NOMEM, "metric expression");
	return NONE;
}

static unsigned int depth_of(const struct metric_tree *tree, unsigned int node)
{
	return node == NONE ? 0 : tree->nodes[node].depth;
}

/* Arguments that are NONE come last. */
static unsigned int add(struct parser *p, enum metric_op op, unsigned int a, unsigned int b,
			unsigned int c)
{
	struct metric_tree *tree = p->tree;
	struct metric_node *node;
	unsigned int depth;

	if (p->err)
		return NONE;
	/* A power of two: the room is used up. */
	if (!(tree->nr & (tree->nr - 1))) {
		node = realloc(tree->nodes, (tree->nr ? 2 * tree->nr : 1) * sizeof(*node));
		if (!node)
			return no_memory(p);
		tree->nodes = node;
	}
	depth = depth_of(tree, a);
	if (depth < depth_of(tree, b))
		depth = depth_of(tree, b);
	if (depth < depth_of(tree, c))
		depth = depth_of(tree, c);
	if (depth >= METRIC_DEPTH_MAX)
		return fail(p, "it is too deep");
	node = &tree->nodes[tree->nr];
	*node = (struct metric_node){ .op = op, .depth = depth + 1, .args = { a, b, c } };
	return tree->nr++;
}

static void next(struct parser *p)
{
	metric_lex(&p->lexer);
}

static bool take(struct parser *p, int word)
{
	if (p->lexer.word != word)
		return false;
	next(p);
	return true;
}

static bool expect(struct parser *p, int word, const char *what)
{
	if (take(p, word))
		return true;
	fail(p, what);
	return false;
}

/* A node with the word's text, without the backslashes. */
static unsigned int add_text(struct parser *p, enum metric_op op)
{
	const char *from = p->lexer.start, *end = from + p->lexer.len;
	unsigned int node;
	char *text, *to;

	if (memchr(from, '?', p->lexer.len))
		return fail(p, "'?' stands for a number that only PowerPC has");
	node = add(p, op, NONE, NONE, NONE);
	if (node == NONE)
		return NONE;
	text = malloc(p->lexer.len + 1);
	if (!text)
		return no_memory(p);
	for (to = text; from < end; from++)
		if (*from != '\\')
			*to++ = *from;
	*to = '\0';
	p->tree->nodes[node].text = text;
	next(p);
	return node;
}

static unsigned int parse_number(struct parser *p)
{
	unsigned int node = add(p, METRIC_NUMBER, NONE, NONE, NONE);

	if (node != NONE)
		p->tree->nodes[node].number = p->lexer.number;
	next(p);
	return node;
}

static unsigned int parse_any(struct parser *p);

/* source_count(), aggr_nr(), has_event(), strcmp_cpuid_str() */
static unsigned int parse_of_name(struct parser *p, enum metric_op op)
{
	unsigned int node;

	next(p);
	if (!expect(p, '(', "'(' is expected"))
		return NONE;
	if (p->lexer.word != WORD_ID)
		return fail(p, "a name is expected");
	node = add_text(p, op);
	return expect(p, ')', "')' is expected") ? node : NONE;
}

/* min(), max(), d_ratio() */
static unsigned int parse_of_two(struct parser *p, enum metric_op op)
{
	unsigned int a, b;

	next(p);
	if (!expect(p, '(', "'(' is expected"))
		return NONE;
	a = parse_any(p);
	if (!expect(p, ',', "',' is expected"))
		return NONE;
	b = parse_any(p);
	return expect(p, ')', "')' is expected") ? add(p, op, a, b, NONE) : NONE;
}

static unsigned int parse_one(struct parser *p)
{
	unsigned int node;

	switch (p->lexer.word) {
	case WORD_NUMBER:
		return parse_number(p);
	case WORD_ID:
		return add_text(p, METRIC_ID);
	case WORD_LITERAL:
		return add_text(p, METRIC_LITERAL);
	case WORD_SOURCE_COUNT:
		return parse_of_name(p, METRIC_SOURCE_COUNT);
	case WORD_AGGR_NR:
		return parse_of_name(p, METRIC_AGGR_NR);
	case WORD_HAS_EVENT:
		return parse_of_name(p, METRIC_HAS_EVENT);
	case WORD_CPUID:
		return parse_of_name(p, METRIC_CPUID);
	case WORD_MIN:
		return parse_of_two(p, METRIC_MIN);
	case WORD_MAX:
		return parse_of_two(p, METRIC_MAX);
	case WORD_RATIO:
		return parse_of_two(p, METRIC_RATIO);
	case '(':
		next(p);
		node = parse_any(p);
		return expect(p, ')', "')' is expected") ? node : NONE;
	case WORD_END:
		return fail(p, "an event, a number or '(' is expected, and it ends");
	case WORD_UNKNOWN:
		return fail(p, "a character that no expression has");
	default:
		return fail(p, "an event, a number or '(' is expected");
	}
}

static unsigned int parse_signed(struct parser *p)
{
	bool negative = false;
	unsigned int node;

	while (take(p, '-'))
		negative = !negative;
	node = parse_one(p);
	return negative ? add(p, METRIC_NEGATE, node, NONE, NONE) : node;
}

static unsigned int parse_level(struct parser *p, size_t level)
{
	unsigned int node, other;
	const char *sign;

	if (level == LEVELS)
		return parse_signed(p);
	node = parse_level(p, level + 1);
	while (!p->err && p->lexer.word > 0 && p->lexer.word < 128) {
		sign = strchr(levels[level].signs, p->lexer.word);
		if (!sign)
			break;
		next(p);
		other = parse_level(p, level + 1);
		node = add(p, levels[level].ops[sign - levels[level].signs], node, other, NONE);
	}
	return node;
}

/* a if b else c, where c may be the same again. */
static unsigned int parse_any(struct parser *p)
{
	unsigned int node, condition, other;

	/* Each level of a tree is at least one of calls. */
	if (p->depth == METRIC_DEPTH_MAX / 4)
		return fail(p, "it is too deep");
	p->depth++;
	node = parse_level(p, 0);
	if (!p->err && take(p, WORD_IF)) {
		condition = parse_level(p, 0);
		if (expect(p, WORD_ELSE, "'else' is expected")) {
			other = parse_any(p);
			node = add(p, METRIC_IF, node, condition, other);
		}
	}
	p->depth--;
	return node;
}

void metric_tree_free(struct metric_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr; i++)
		free(tree->nodes[i].text);
	free(tree->nodes);
	*tree = (struct metric_tree){ 0 };
}

int metric_parse(struct metric_tree *tree, const char *text, struct failure *failure)
{
	struct parser p = {
		.text = text, .lexer.text = text, .tree = tree, .failure = failure
	};

	*tree = (struct metric_tree){ 0 };
	p.lexer.start = text;
	if (strlen(text) > METRIC_TEXT_MAX) {
		fail(&p, "it is too long");
		return p.err;
	}
	next(&p);
	tree->root = parse_any(&p);
	if (!p.err && p.lexer.word != WORD_END)
		fail(&p, "an operator is expected");
	if (p.err)
		metric_tree_free(tree);
	return p.err;
}
