/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sample modules (samples/pev): one with markers, one with a function on a marker.
 */
#ifndef PEV_SAMPLE_H
#define PEV_SAMPLE_H

#include "pev_util.h"

#define SAMPLE_FIRE	"/sys/kernel/debug/pev_sample/fire"

/* @params: "name=value" of the module, or "" */
static UNUSED int pev_sample_insert(const char *name, const char *params)
{
	const char *dir = getenv("PEV_MODULES");
	char path[512];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s.ko", dir ?: "/run/pev/modules", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(__NR_finit_module, fd, params, 0))
		err = -errno;
	close(fd);
	return err;
}

static UNUSED int pev_sample_load(void)
{
	int err = pev_sample_insert("pev-sample", "");

	return err == -EEXIST ? 0 : err;
}

static UNUSED int pev_sample_unload(void)
{
	return syscall(__NR_delete_module, "pev_sample", O_NONBLOCK) ? -errno : 0;
}

/* @file: "fire" of a module */
static UNUSED int pev_module_fire(const char *file, const char *context, unsigned int nr)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
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

static UNUSED int pev_sample_fire(const char *context, unsigned int nr)
{
	return pev_module_fire(SAMPLE_FIRE, context, nr);
}

/* Connect the function of the other module; @params: see there. */
static UNUSED int pev_connect_load(const char *params)
{
	return pev_sample_insert("pev-connect", params);
}

static UNUSED int pev_connect_unload(void)
{
	return syscall(__NR_delete_module, "pev_connect", O_NONBLOCK) ? -errno : 0;
}

/* @what: calls, task, softirq, irq or nmi. Return: how often the function was called. */
static UNUSED int pev_connect_read(const char *what)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/pev_connect/%s", what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text) - 1) < 0)
		strcpy(text, "-1");
	close(fd);
	return atoi(text);
}

#endif
