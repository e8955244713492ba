/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Fields of JSON that may be wrong: the first error is kept, with the path of its field. */
#ifndef PLAN_FIELD_H
#define PLAN_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* An error's characters, with its end. */
#define FIELD_ERROR 256

/**
 * struct field - where an object is
 * @path: "pmu.events.cycles"; cut if it is too long
 * @error: FIELD_ERROR characters for all objects of a text; "": there is none
 */
struct field {
	char path[128];
	char *error;
};

/* The whole text's object; @error is emptied. */
struct field field_root(char *error);

/* One that is in it: by @name, and if that is an object or a list itself, @entry of it; or NULL. */
struct field field_in(const struct field *at, const char *name, const char *entry);

/* Returns false. @name: a field of it, or NULL: itself. "pmu.n_gp is no number" */
bool field_wrong(struct field *at, const char *name, const char *is);
bool field_no_memory(struct field *at);

/* The value of a field, or @other where there is none, or null, or after an error. */
const char *field_string(struct field *at, json_t *json, const char *name, const char *other);
bool field_bool(struct field *at, json_t *json, const char *name, bool other);
uint64_t field_number(struct field *at, json_t *json, const char *name, uint64_t other, uint64_t max);

/* The same, as a number or as a string, "0x3f". */
uint64_t field_mask(struct field *at, json_t *json, const char *name, uint64_t other);

/* An object that has to be there; NULL after an error. */
json_t *field_object(struct field *at, json_t *json, const char *name);

#endif
