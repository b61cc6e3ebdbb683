/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pev_open(2) as tests of the kernel call it, without a library: where pev is a module, by its
 * device.
 */
#ifndef PEV_ENTER_H
#define PEV_ENTER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/pev.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors below are left to the tests, which expect the lowest free one. */
#define PEV_ENTER_DEVICE 1000

/* The device, opened once, as the tests lower limits and give up rights: it needs neither. */
__attribute__((unused)) static int pev_enter_device(void)
{
	static int device = -1;
	int fd, high;

	if (device >= 0)
		return device;
	fd = open(PEV_DEVICE, O_RDONLY | O_CLOEXEC);
	high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, PEV_ENTER_DEVICE);
	if (high >= 0)
		close(fd);
	device = high >= 0 ? high : fd;
	return device;
}

/* As syscall(): returns -1 and sets errno, ENOSYS if there is neither way. */
__attribute__((unused)) static int pev_enter(const void *attr, size_t size, uint32_t flags)
{
	int ret = syscall(__NR_pev_open, attr, size, flags);
	struct pev_open_arg arg = { .attr = (uintptr_t)attr, .flags = flags };

	if (ret >= 0 || errno != ENOSYS)
		return ret;
	arg.size = size > UINT32_MAX ? UINT32_MAX : size;
	if (pev_enter_device() >= 0)
		return ioctl(pev_enter_device(), PEV_IOC_OPEN, &arg);
	errno = ENOSYS;
	return -1;
}

#endif
