// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* ELF files: a build-id is of some bytes, or there is none. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "perfdata/buildid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char id[PERFDATA_BUILDID_MAX];
	int fd = memfd_create("elf", MFD_CLOEXEC);

	must(fd >= 0);
	must(write(fd, data, size) == (ssize_t)size);
	must(perfdata_buildid(fd, id) <= sizeof(id));
	close(fd);
	return 0;
}
