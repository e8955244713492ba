// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a file to a model. */
#include <stdlib.h>

#include "event/kernel_name.h"
#include "event/near.h"
#include "model_key.h"

#define MODEL(field) offsetof(struct plan_model, field)
#define CONSTRAINT(field) offsetof(struct model_constraint, field)
#define EXTRA(field) offsetof(struct model_extra, field)
#define GENERIC(field) offsetof(struct model_generic, field)

static const struct model_key model_keys[] = {
	{ "name", MODEL_TEXT, MODEL(name), false, 0 },
	{ "cpus", MODEL_TEXT, MODEL(cpus), false, 0 },
	{ "table", MODEL_TEXT, MODEL(table), false, 0 },
	{ "pmu", MODEL_TEXT, MODEL(pmu), true, 0 },
	{ "style", MODEL_STYLE, MODEL(style), true, 0 },
	{ "counters", MODEL_COUNT, MODEL(counters), true, PMCGRP_PLAN_FIXED },
	{ "counters_ht", MODEL_COUNT, MODEL(counters_ht), false, PMCGRP_PLAN_FIXED },
	{ "fixed", MODEL_COUNT, MODEL(fixed), false, PMCGRP_PLAN_METRIC - PMCGRP_PLAN_FIXED },
	{ "metrics", MODEL_COUNT, MODEL(metrics), false, 63 - PMCGRP_PLAN_METRIC },
	{ "raw_mask", MODEL_CODE, MODEL(raw_mask), false, 0 },
	{ "in_tx_cp", MODEL_CODE, MODEL(in_tx_cp), false, 0 },
	{ "watchdog", MODEL_TEXT, MODEL(watchdog_name), false, 0 },
	{ "ht_workaround", MODEL_VERSION, MODEL(ht_workaround), false, 0 },
	{ "tfa", MODEL_VERSION, MODEL(tfa), false, 0 },
	{ "about", MODEL_ABOUT, 0, false, 0 },
	{ "extra_registers", MODEL_PART, 0, false, 0 },
	{ "extra", MODEL_PART, 0, false, 0 },
	{ "constraints", MODEL_PART, 0, false, 0 },
	{ "formats", MODEL_PART, 0, true, 0 },
	{ "generic", MODEL_PART, 0, true, 0 },
	{ "events", MODEL_PART, 0, false, 0 },
	{ NULL, MODEL_PART, 0, false, 0 },
};

static const struct model_key constraint_keys[] = {
	{ "code", MODEL_CODE, CONSTRAINT(code), true, 0 },
	{ "last", MODEL_CODE, CONSTRAINT(last), false, 0 },
	{ "cmask", MODEL_CODE, CONSTRAINT(cmask), true, 0 },
	{ "mask", MODEL_CODE, CONSTRAINT(mask), true, 0 },
	{ "when", MODEL_WHEN, CONSTRAINT(when), false, 0 },
	{ "flags", MODEL_FLAGS, CONSTRAINT(flags), false, 0 },
	{ "since", MODEL_VERSION, CONSTRAINT(since), false, 0 },
	{ "until", MODEL_VERSION, CONSTRAINT(until), false, 0 },
	{ "about", MODEL_ABOUT, 0, false, 0 },
	{ NULL, MODEL_PART, 0, false, 0 },
};

static const struct model_key extra_keys[] = {
	{ "code", MODEL_CODE, EXTRA(code), true, 0 },
	{ "cmask", MODEL_CODE, EXTRA(cmask), true, 0 },
	{ "valid", MODEL_CODE, EXTRA(valid), true, 0 },
	{ "kind", MODEL_PART, 0, true, 0 },
	{ "about", MODEL_ABOUT, 0, false, 0 },
	{ NULL, MODEL_PART, 0, false, 0 },
};

static const struct model_key generic_keys[] = {
	{ "code", MODEL_CODE, GENERIC(code), true, 0 },
	{ "config1", MODEL_CODE, GENERIC(config1), false, 0 },
	{ "about", MODEL_ABOUT, 0, false, 0 },
	{ NULL, MODEL_PART, 0, false, 0 },
};

static int no_memory(const struct model_file *file)
{
	return failure_plain(file->failure, ENOMEM, PMCGRP_WHY_NOMEM, file->path);
}

/*
 * An array's element; one that is no object is shown where the array is.
 */
static int element(const struct model_file *file, const char *array, json_t *object, size_t i,
		   char *where, size_t size, struct model_at *at)
{
	snprintf(where, size, "%s[%zu]", array, i);
	*at = (struct model_at){ file, object, where };
	if (!json_is_object(object))
		return model_wrong(file, file->root, "", array, "element %zu is to be an object", i);
	return 0;
}

/* The array of a key, if there is one. */
static int array_of(const struct model_file *file, const char *key, size_t most, json_t **array)
{
	*array = json_object_get(file->root, key);
	if (*array && !json_is_array(*array))
		return model_wrong(file, file->root, "", key, "it is to be an array: [...]");
	if (json_array_size(*array) > most)
		return model_wrong(file, file->root, "", key, "it has more than %zu elements", most);
	return 0;
}

static int read_kind(const struct model_at *at, const struct plan_model *model, unsigned int *to)
{
	struct model_name names[PMCGRP_PLAN_EXTRA_MAX + 1] = { 0 };
	unsigned int i;

	for (i = 0; i < model->nr_kinds; i++)
		names[i] = (struct model_name){ model->kinds[i].name, i };
	if (!i)
		return MODEL_WRONG(at, "kind", "the file has no \"extra_registers\"");
	return model_read_name(at, "kind", json_object_get(at->object, "kind"), names, to);
}

static int read_kinds(const struct model_file *file, struct plan_model *model)
{
	struct model_key key = { NULL, MODEL_COUNT, 0, true, 64 };
	struct model_at at = { file, json_object_get(file->root, "extra_registers"), "extra_registers" };
	const char *name;
	json_t *value;

	if (!at.object)
		return 0;
	if (!json_is_object(at.object))
		return model_wrong(file, file->root, "", at.where, "it is to be an object: {...}");
	json_object_foreach(at.object, name, value) {
		if (model->nr_kinds == PMCGRP_PLAN_EXTRA_MAX)
			return MODEL_WRONG(&at, name, "there are more than %d kinds", PMCGRP_PLAN_EXTRA_MAX);
		key.name = name;
		model->kinds[model->nr_kinds].name = name;
		if (model_read_count(&at, &key, value, &model->kinds[model->nr_kinds++].nr))
			return -EINVAL;
	}
	return 0;
}

static int read_extras(const struct model_file *file, struct plan_model *model)
{
	json_t *array, *object;
	char where[48];
	struct model_at at;
	size_t i;

	if (array_of(file, "extra", MODEL_EXTRAS_MAX, &array))
		return -EINVAL;
	json_array_foreach(array, i, object) {
		struct model_extra *extra = &model->extras[model->nr_extras++];

		if (element(file, "extra", object, i, where, sizeof(where), &at) ||
		    model_read_object(&at, extra_keys, extra) || read_kind(&at, model, &extra->kind))
			return -EINVAL;
	}
	return 0;
}

static int read_constraints(const struct model_file *file, struct plan_model *model)
{
	json_t *array, *object;
	char where[48];
	struct model_at at;
	size_t i;

	if (array_of(file, "constraints", MODEL_CONSTRAINTS_MAX, &array))
		return -EINVAL;
	json_array_foreach(array, i, object) {
		struct model_constraint *c = &model->constraints[model->nr_constraints++];

		if (element(file, "constraints", object, i, where, sizeof(where), &at) ||
		    model_read_object(&at, constraint_keys, c))
			return -EINVAL;
		if (!json_object_get(object, "last"))
			c->last = c->code;
	}
	return 0;
}

static int offer(void *near, const char *name, const char *alias)
{
	near_offer(near, name);
	near_offer(near, alias);
	return 0;
}

static int unknown_generic(const struct model_at *at, const char *name)
{
	char near_names[NEAR_TEXT];
	struct near near;

	near_begin(&near, name);
	kernel_name_each(PERF_TYPE_HARDWARE, offer, &near);
	kernel_name_each(PERF_TYPE_HW_CACHE, offer, &near);
	return MODEL_WRONG(at, name, "the kernel has no such event for all PMUs%s",
			   near_text(&near, near_names, sizeof(near_names)));
}

/* A code, or an object that has one. */
static int read_generic(const struct model_at *at, const char *name, json_t *value,
			struct model_generic *generic)
{
	const struct model_at inner = { at->file, value, name };

	generic->name = name;
	if (!kernel_name_encode(name, &generic->type, &generic->config) ||
	    generic->type == PERF_TYPE_SOFTWARE)
		return unknown_generic(at, name);
	if (json_is_object(value))
		return model_read_object(&inner, generic_keys, generic);
	return model_read_code(at, name, value, &generic->code);
}

static int read_generics(const struct model_file *file, struct plan_model *model)
{
	struct model_at at = { file, json_object_get(file->root, "generic"), "generic" };
	const char *name;
	json_t *value;

	if (!json_is_object(at.object))
		return model_wrong(file, file->root, "", at.where, "it is to be an object: {...}");
	model->generics = calloc(json_object_size(at.object) + 1, sizeof(*model->generics));
	if (!model->generics)
		return no_memory(file);
	json_object_foreach(at.object, name, value) {
		if (read_generic(&at, name, value, &model->generics[model->nr_generics++]))
			return -EINVAL;
	}
	return 0;
}

/* An object of texts, which end with one that has no name. */
static int read_texts(const struct model_file *file, const char *key, struct pmu_text **texts)
{
	struct model_at at = { file, json_object_get(file->root, key), key };
	const char *name;
	json_t *value;
	size_t i = 0;

	if (at.object && !json_is_object(at.object))
		return model_wrong(file, file->root, "", key, "it is to be an object: {...}");
	*texts = calloc(json_object_size(at.object) + 1, sizeof(**texts));
	if (!*texts)
		return no_memory(file);
	json_object_foreach(at.object, name, value) {
		(*texts)[i++] = (struct pmu_text){ name, json_string_value(value) };
		if (!json_string_length(value))
			return MODEL_WRONG(&at, name, "it is to be a text");
	}
	return 0;
}

static int read_all(const struct model_file *file, struct plan_model *model)
{
	const struct model_at at = { file, file->root, "" };
	int ret = model_read_object(&at, model_keys, model);

	if (!ret)
		ret = read_kinds(file, model);
	if (!ret)
		ret = read_extras(file, model);
	if (!ret)
		ret = read_constraints(file, model);
	if (!ret)
		ret = read_generics(file, model);
	if (!ret)
		ret = read_texts(file, "formats", &model->formats);
	return ret ? ret : read_texts(file, "events", &model->events);
}

/* Lines that begin with # are blanked: JSON has no comments. */
static void blank_comments(char *text)
{
	char *line, *end;

	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		line += strspn(line, " \t");
		if (*line == '#')
			memset(line, ' ', (size_t)(end - line));
	}
}

static void finish(struct plan_model *model, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t i;

	if (!model->name)
		model->name = slash ? slash + 1 : path;
	if (!model->raw_mask)
		model->raw_mask = UINT64_MAX;
	for (i = 0; i < model->nr_generics && model->watchdog_name; i++) {
		if (!strcmp(model->generics[i].name, model->watchdog_name))
			model->watchdog = &model->generics[i];
	}
	model->given = (struct pmu_given){
		.model = model->name,
		.name = model->pmu,
		.formats = model->formats,
		.events = model->events,
	};
}

static int read_json(struct plan_model *model, const char *text, const char *path,
		     struct failure *failure)
{
	struct model_file file = { .path = path, .text = text, .failure = failure };
	json_error_t error;
	int ret;

	file.root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	model->json = file.root;
	if (!file.root) {
		begin(failure, PMCGRP_WHY_NONE, -1, -1);
		say(failure, "%.160s:%d: %s", path, error.line > 0 ? error.line : 1, error.text);
		return -EINVAL;
	}
	ret = read_all(&file, model);
	if (ret)
		return ret;
	finish(model, path);
	return model_check(&file, model);
}

void plan_model_close(struct plan_model *model)
{
	if (!model)
		return;
	json_decref(model->json);
	free(model->generics);
	free(model->formats);
	free(model->events);
	free(model);
}

int plan_model_read(struct plan_model **out, const char *text, size_t size, const char *path,
		    struct failure *failure)
{
	char *plain = strndup(text, size);
	int ret;

	*out = calloc(1, sizeof(**out));
	if (!*out || !plain) {
		ret = failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, path);
	} else {
		blank_comments(plain);
		ret = read_json(*out, plain, path, failure);
	}
	free(plain);
	if (ret) {
		plan_model_close(*out);
		*out = NULL;
	}
	return ret;
}
