// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The ways into the kernel's pev: the system call, and the device of the module, which no
 * other file needs to tell apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "sys/entry.h"

/* Modules have this file, what is built into the kernel has not. */
#define MODULE_STATE "/sys/module/pev/initstate"

/* What was found; threads that search at once find the same. */
static _Atomic uint32_t found = PEV_WAY_NONE;

static int by_call(const struct pev_attr *attr, size_t size, uint32_t flags)
{
	long ret = syscall(__NR_pev_open, attr, size, flags);

	return ret < 0 ? -errno : (int)ret;
}

/*
 * The device is opened each time: a descriptor that is kept would keep the module, too, and
 * would be another file's in programs that close what they have not opened.
 */
static int open_device(void)
{
	int fd = open(PEV_DEVICE, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int by_device(int device, const struct pev_attr *attr, size_t size, uint32_t flags)
{
	struct pev_open_arg arg = {
		.attr = (uintptr_t)attr,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.flags = flags,
	};
	int ret = ioctl(device, PEV_IOC_OPEN, &arg);

	ret = ret < 0 ? -errno : ret;
	close(device);
	return ret;
}

/* Both refuse an attr of no size, before they look at anything else. */
static int try_call(void)
{
	int error = -by_call(NULL, 0, 0);

	return error == ENOSYS || error == EPERM ? error : 0;
}

static int try_device(void)
{
	int error, fd = open_device();

	if (fd < 0)
		return -fd;
	error = -by_device(fd, NULL, 0, 0);
	return error == ENOTTY || error == EPERM ? error : 0;
}

static enum pev_way way_of(int call, int device)
{
	return !call ? PEV_WAY_CALL : !device ? PEV_WAY_DEVICE : PEV_WAY_NONE;
}

PEV_EXPORT enum pev_way pev_way(int *call, int *device)
{
	int call_error = try_call(), device_error = try_device();

	if (call)
		*call = call_error;
	if (device)
		*device = device_error;
	return way_of(call_error, device_error);
}

/* What pev_open() returns if there is no way. */
static int closed(int call, int device)
{
	switch (device) {
	case ENOENT:
	case ENOTDIR:
	case ENODEV:
	case ENXIO:
	case ENOTTY:
		return -call;
	case EPERM:
		return -EACCES;
	default:
		return -device;
	}
}

PEV_EXPORT int pev_open(const struct pev_attr *attr, size_t size, uint32_t flags)
{
	uint32_t way = atomic_load_explicit(&found, memory_order_relaxed);
	int call = ENOSYS, device = ENOENT;

	if (way == PEV_WAY_NONE) {
		call = try_call();
		/* opening it may load the module */
		if (call)
			device = try_device();
		way = way_of(call, device);
		if (way == PEV_WAY_NONE)
			return closed(call, device);
		atomic_store_explicit(&found, way, memory_order_relaxed);
	}
	if (way == PEV_WAY_CALL)
		return by_call(attr, size, flags);
	device = open_device();
	if (device >= 0)
		return by_device(device, attr, size, flags);
	/* the module has gone; the next call searches */
	atomic_store_explicit(&found, PEV_WAY_NONE, memory_order_relaxed);
	return closed(call, -device);
}

bool entry_reason(char *text, size_t size)
{
	int call, device;

	if (pev_way(&call, &device) != PEV_WAY_NONE)
		return false;
	if (device == EACCES || device == EPERM)
		snprintf(text, size,
			 "pev is a module here, and you may not open " PEV_DEVICE
			 " (%s): everyone may with its usual mode, 0666; "
			 "containers have to be given the device",
			 strerror(device));
	else if (device == ENOTTY)
		snprintf(text, size,
			 PEV_DEVICE
			 " is not the device of the module pev, or of "
			 "another version of it: unload it and load that of this kernel");
	else if (call == EPERM)
		snprintf(
			text, size,
			"the system call %d, pev_open, is forbidden here, as by a "
			"container's seccomp profile: allow it there, or give the container " PEV_DEVICE,
			__NR_pev_open);
	else if (!access(MODULE_STATE, F_OK))
		snprintf(text, size,
			 "the module pev is loaded, but " PEV_DEVICE " is not there "
			 "(%s): give it to the container, or let udev make it",
			 strerror(device));
	else
		snprintf(text, size,
			 "this kernel has no pev: neither the system call %d nor " PEV_DEVICE
			 " is there",
			 __NR_pev_open);
	return true;
}
