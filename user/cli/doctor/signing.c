// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which modules the kernel takes, and whether it trusts the key that DKMS signs with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"
#include "sections.h"
#include "rights.h"

/* shim's variables: the keys that are enrolled, and those that wait for the next boot. */
#define SHIM_VARIABLE(name) "/sys/firmware/efi/efivars/" name "-605dab50-e046-4300-abb6-3dd810dd8b23"

#define CERTIFICATE_MAX 8192
#define VARIABLE_MAX 65536

/* Whether modules have to be signed because of module.sig_enforce. */
static bool signatures(struct doctor *d)
{
	static const char path[] = "/sys/module/module/parameters/sig_enforce";
	struct findings *f = &d->findings;
	char value[16];
	int err;

	err = sysfile_text(d->root, path, value, sizeof(value));
	if (err == -ENOENT) {
		findings_add(f, DOCTOR_OK, "module signatures", "are not checked (no %s)", path);
	} else if (err) {
		findings_add(f, DOCTOR_UNKNOWN, "module signatures", "%s: %s", path,
			     strerror(-err));
		findings_advise(f, "look at it as root");
	} else if (value[0] != 'Y' && value[0] != '1') {
		findings_add(f, DOCTOR_OK, "module signatures", "are not enforced");
	} else {
		findings_add(f, d->dev ? DOCTOR_OK : DOCTOR_WARNING, "module signatures",
			     "are enforced: a module without one is not loaded");
		if (!d->dev)
			findings_advise(f, "see \"key of DKMS\"");
		return true;
	}
	return false;
}

/* Whether they have to because of the kernel's lockdown. */
static bool lockdown(struct doctor *d)
{
	static const char path[] = "/sys/kernel/security/lockdown";
	struct findings *f = &d->findings;
	const char *chosen;
	char text[128];
	int err;

	err = sysfile_text(d->root, path, text, sizeof(text));
	chosen = rights_lockdown_of(text);
	if (err == -ENOENT) {
		findings_add(f, DOCTOR_OK, "lockdown", "none (no %s)", path);
		return false;
	}
	if (err || !chosen) {
		findings_add(f, DOCTOR_UNKNOWN, "lockdown", "%s: %s", path,
			     err ? strerror(-err) : "no mode in brackets");
		findings_advise(f, "look at it as root");
		return false;
	}
	if (!strcmp(chosen, "none")) {
		findings_add(f, DOCTOR_OK, "lockdown", "none");
		return false;
	}
	if (!strcmp(chosen, "confidentiality")) {
		findings_add(f, DOCTOR_WARNING, "lockdown",
			     "confidentiality: modules need a signature, and tracefs is closed: no "
			     "tracepoints by name, no probes");
		findings_advise(f, "boot with lockdown=integrity, or without");
	} else {
		findings_add(f, d->dev ? DOCTOR_OK : DOCTOR_WARNING, "lockdown",
			     "%s: modules need a signature", chosen);
		if (!d->dev)
			findings_advise(f, "see \"key of DKMS\"");
	}
	return true;
}

/* All of a file, or as much as fits; 0: it cannot be read. */
static size_t bytes_of(const struct doctor *d, const char *path, char *bytes, size_t size)
{
	FILE *file = sysfile_open(d->root, path);
	size_t len = 0;

	if (file) {
		len = fread(bytes, 1, size, file);
		fclose(file);
	}
	return len;
}

/* Whether shim's variable has the certificate: its lists of keys are these, one behind the other. */
static bool variable_has(const struct doctor *d, const char *path, const char *certificate, size_t len)
{
	char *variable = malloc(VARIABLE_MAX);
	bool has;

	if (!variable)
		return false;
	has = memmem(variable, bytes_of(d, path, variable, VARIABLE_MAX), certificate, len);
	free(variable);
	return has;
}

/* The certificate of what DKMS signs with, if there is one: its own, or Ubuntu's. */
static void key(struct doctor *d)
{
	static const char *const paths[] = { "/var/lib/dkms/mok.pub", "/var/lib/shim-signed/mok/MOK.der" };
	char certificate[CERTIFICATE_MAX];
	struct findings *f = &d->findings;
	const char *path = NULL;
	size_t len = 0, i;

	for (i = 0; !len && i < sizeof(paths) / sizeof(paths[0]); i++) {
		path = paths[i];
		len = bytes_of(d, path, certificate, sizeof(certificate));
	}
	if (!len) {
		findings_add(f, DOCTOR_WARNING, "key of DKMS", "there is none: it signs nothing");
		findings_advise(f, "install openssl and mokutil; then: dkms build --force, and dkms install "
				"--force (user/doc/secure-boot.md)");
	} else if (variable_has(d, SHIM_VARIABLE("MokListRT"), certificate, len)) {
		findings_add(f, DOCTOR_OK, "key of DKMS",
			     "%s is enrolled; \"modinfo -F signer pmcgrp\" says whether it has signed the module",
			     path);
	} else if (variable_has(d, SHIM_VARIABLE("MokNew"), certificate, len)) {
		findings_add(f, DOCTOR_WARNING, "key of DKMS", "%s waits to be enrolled", path);
		findings_advise(f, "reboot, and choose \"Enroll MOK\" (user/doc/secure-boot.md)");
	} else {
		findings_add(f, DOCTOR_WARNING, "key of DKMS", "%s is not enrolled", path);
		findings_advise(f, "mokutil --import %s; then reboot, and choose \"Enroll MOK\" "
				"(user/doc/secure-boot.md)", path);
	}
}

void doctor_signing(struct doctor *d)
{
	bool enforced = signatures(d);

	if ((lockdown(d) || enforced) && !d->dev)
		key(d);
}
