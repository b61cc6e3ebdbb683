/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sample module (samples/pev) and its markers.
 */
#ifndef PEV_SAMPLE_H
#define PEV_SAMPLE_H

#include "pev_util.h"

#define SAMPLE_FIRE	"/sys/kernel/debug/pev_sample/fire"

static UNUSED int pev_sample_load(void)
{
	const char *dir = getenv("PEV_MODULES");
	char path[512];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/pev-sample.ko", dir ?: "/run/pev/modules");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(__NR_finit_module, fd, "", 0) && errno != EEXIST)
		err = -errno;
	close(fd);
	return err;
}

static UNUSED int pev_sample_unload(void)
{
	return syscall(__NR_delete_module, "pev_sample", O_NONBLOCK) ? -errno : 0;
}

static UNUSED int pev_sample_fire(const char *context, unsigned int nr)
{
	int fd = open(SAMPLE_FIRE, O_WRONLY | O_CLOEXEC);
	char text[64];
	int err = 0;

	if (fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%s %u", context, nr);
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

#endif
