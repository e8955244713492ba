/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Objects of a model's file, whose keys are a table. */
#ifndef PMCGRP_PLAN_MODEL_KEY_H
#define PMCGRP_PLAN_MODEL_KEY_H

#include "model.h"

enum model_kind {
	MODEL_TEXT,
	MODEL_COUNT,		/* of counters */
	MODEL_CODE,		/* "0x1b7", or a number */
	MODEL_VERSION,
	MODEL_STYLE,
	MODEL_WHEN,
	MODEL_FLAGS,
	MODEL_ABOUT,		/* for who reads the file */
	MODEL_PART,		/* an object or array that has a function of its own */
};

/**
 * struct model_key - a key that an object may have
 * @kind: enum model_kind
 * @offset: where the value goes
 * @needed: there is no model without it
 * @most: of MODEL_COUNT
 */
struct model_key {
	const char *name;
	enum model_kind kind;
	size_t offset;
	bool needed;
	unsigned int most;
};

/* A word that a value may be; the last has no name. */
struct model_name {
	const char *name;
	unsigned int value;
};

/* An object that is read. */
struct model_at {
	const struct model_file *file;
	json_t *object;
	const char *where;
};

#define MODEL_WRONG(at, key, ...) model_wrong((at)->file, (at)->object, (at)->where, key, __VA_ARGS__)

/* Each returns 0; or -EINVAL, and has said what is wrong. */

/* All keys but those of kind MODEL_PART, into a record. @keys: the last has no name */
int model_read_object(const struct model_at *at, const struct model_key *keys, void *record);

/* One of some words. */
int model_read_name(const struct model_at *at, const char *key, const json_t *value,
		    const struct model_name *names, unsigned int *to);

int model_read_code(const struct model_at *at, const char *key, const json_t *value, uint64_t *to);
int model_read_count(const struct model_at *at, const struct model_key *key, const json_t *value,
		     unsigned int *to);

#endif
