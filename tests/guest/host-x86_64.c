// SPDX-License-Identifier: GPL-2.0
/* Registers of linux_vmm.c's own, see linux_vmm.h */
#include "host.h"
#include "linux_vmm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int msr;

static void tell(uint32_t reg, uint64_t value)
{
	if (pwrite(msr, &value, sizeof(value), reg) != sizeof(value))
		perror("init: a register of the VMM's");
}

/* Where the page is in the guest's memory */
static uint64_t physical(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	pread(fd, &entry, sizeof(entry), (uintptr_t)page / HOST_PAGE * sizeof(entry));
	close(fd);
	return (entry & ((1ULL << 55) - 1)) * HOST_PAGE;
}

void host_open(void)
{
	msr = open("/dev/cpu/0/msr", O_WRONLY | O_CLOEXEC);
	if (msr < 0)
		die("init: /dev/cpu/0/msr: %m");
}

void host_send(enum host_stream to, const void *page, size_t size)
{
	tell(to == HOST_STDOUT ? MSR_STDOUT : MSR_FILE, physical(page) + size - 1);
}

void host_end(int status)
{
	tell(MSR_STATUS, status);
	for (;;)
		pause();
}
