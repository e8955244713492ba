// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Models that are installed, and that of this machine. */
#include <dirent.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "event/event_table.h"
#include "event/near.h"
#include "model.h"
#include "share_path.h"

#define FOLDER "models"
#define SUFFIX ".json"

/* Larger ones are refused: those of the tool have less than 8 kB. */
#define FILE_MAX_SIZE (1U << 20)

/* The general-purpose counters of a PMU of which nothing is known. */
#define PLAIN_COUNTERS 4

const char *plan_model_name(const struct plan_model *model)
{
	return model->name;
}

bool plan_model_is_plain(const struct plan_model *model)
{
	return model->is_plain;
}

/* All of a file, up to the most that is taken and one character. */
static int read_text(FILE *file, char **text, size_t *size)
{
	struct stat status;

	if (fstat(fileno(file), &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size > FILE_MAX_SIZE)
		return -EFBIG;
	*size = (size_t)status.st_size;
	*text = malloc(*size + 1);
	if (!*text)
		return -ENOMEM;
	*size = fread(*text, 1, *size, file);
	(*text)[*size] = '\0';
	return 0;
}

static int open_file(struct plan_model **out, const char *path, struct failure *failure)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	int ret = file ? read_text(file, &text, &size) : -errno;

	if (file)
		fclose(file);
	if (ret)
		return failure_plain(failure, -ret, PMCGRP_WHY_NONE, path);
	ret = plan_model_read(out, text, size, path, failure);
	free(text);
	return ret;
}

static int is_model(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(SUFFIX) && !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX);
}

/* Those that are installed: the folder's entries, by name, for free_models(). */
struct models {
	char *folder;
	struct dirent **at;
	int nr;
};

static void free_models(struct models *models)
{
	while (models->nr > 0)
		free(models->at[--models->nr]);
	free(models->at);
	free(models->folder);
}

static int list_models(struct models *models, struct failure *failure)
{
	*models = (struct models){ .folder = share_path(FOLDER) };
	if (!models->folder) {
		begin(failure, PMCGRP_WHY_NONE, -1, -1);
		say(failure, "no models of PMUs are installed: \"make install\" in the sources of pmcgrp "
			     "puts them into share/pmcgrp/" FOLDER);
		return -ENOENT;
	}
	models->nr = scandir(models->folder, &models->at, is_model, alphasort);
	if (models->nr >= 0)
		return 0;
	models->at = NULL;
	return failure_plain(failure, errno, PMCGRP_WHY_NONE, models->folder);
}

static int open_entry(struct plan_model **out, const struct models *models, int i,
		      struct failure *failure)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/%s", models->folder, models->at[i]->d_name) < 0)
		return failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, models->folder);
	ret = open_file(out, path, failure);
	free(path);
	return ret;
}

/* Without the suffix. */
static const char *entry_name(const struct models *models, int i, char *name, size_t size)
{
	const char *file = models->at[i]->d_name;

	snprintf(name, size, "%.*s", (int)(strlen(file) - strlen(SUFFIX)), file);
	return name;
}

static int open_named(struct plan_model **out, const struct models *models, const char *wanted,
		      struct failure *failure)
{
	char name[256], near_names[NEAR_TEXT];
	struct near near;
	int i;

	near_begin(&near, wanted);
	for (i = 0; i < models->nr; i++) {
		near_offer(&near, entry_name(models, i, name, sizeof(name)));
		if (!strcasecmp(name, wanted))
			return open_entry(out, models, i, failure);
	}
	begin(failure, PMCGRP_WHY_NONE, -1, -1);
	say(failure, "there is no model '%.64s'%s; those of %.160s are", wanted,
	    near_text(&near, near_names, sizeof(near_names)), models->folder);
	for (i = 0; i < models->nr; i++)
		say(failure, "%s %s", i ? "," : "", entry_name(models, i, name, sizeof(name)));
	return -ENOENT;
}

static bool is_path(const char *name)
{
	const char *point = strrchr(name, '.');

	return strchr(name, '/') || (point && !strcmp(point, SUFFIX));
}

int plan_model_open(struct plan_model **out, const char *name, struct failure *failure)
{
	struct models models;
	int ret;

	*out = NULL;
	if (is_path(name))
		return open_file(out, name, failure);
	ret = list_models(&models, failure);
	if (!ret)
		ret = open_named(out, &models, name, failure);
	free_models(&models);
	return ret;
}

int plan_model_each(void (*each)(void *ctx, const char *name), void *ctx, struct failure *failure)
{
	struct models models;
	char name[256];
	int i, ret = list_models(&models, failure);

	for (i = 0; i < models.nr && !ret; i++)
		each(ctx, entry_name(&models, i, name, sizeof(name)));
	free_models(&models);
	return ret;
}

/* Nothing but counters; its events are this machine's. */
static int plain_model(struct plan_model **out, struct failure *failure)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return failure_plain(failure, ENOMEM, PMCGRP_WHY_NOMEM, "a model");
	**out = (struct plan_model){
		.name = "this machine",
		.counters = PLAIN_COUNTERS,
		.fixed = 3,
		.raw_mask = UINT64_MAX,
		.is_here = true,
		.is_plain = true,
	};
	return 0;
}

/* The first that is of this CPU, or none. */
static int find_here(struct plan_model **out, const struct models *models, const char *cpuid,
		     struct failure *failure)
{
	struct plan_model *model;
	int i, ret;

	for (i = 0; i < models->nr; i++) {
		ret = open_entry(&model, models, i, failure);
		if (ret)
			return ret;
		if (model->cpus && event_cpuid_matches(model->cpus, cpuid)) {
			model->is_here = true;
			*out = model;
			return 0;
		}
		plan_model_close(model);
	}
	return 0;
}

int plan_model_here(struct plan_model **out, struct failure *failure)
{
	struct models models;
	char cpuid[128];
	int ret;

	*out = NULL;
	if (event_cpuid(cpuid, sizeof(cpuid)))
		return plain_model(out, failure);
	ret = list_models(&models, failure);
	if (!ret)
		ret = find_here(out, &models, cpuid, failure);
	free_models(&models);
	/* Where none are installed the counters are known at least. */
	if (ret == -ENOENT)
		ret = 0;
	return ret || *out ? ret : plain_model(out, failure);
}
