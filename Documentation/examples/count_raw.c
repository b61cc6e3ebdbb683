// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Counts the page faults of a piece of this program with nothing but the system
 * call: <linux/pev.h> is all it needs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/pev.h>

int main(void)
{
	union {
		struct pev_refusal refusal;
		char room[512];
	} why = { .room = "" };
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,	/* target_id 0: this thread */
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.channel_fd = -1,		/* count only */
		.group_fd = -1,
		.refusal = (unsigned long)&why,
		.refusal_size = sizeof(why),
	};
	struct pev_value value;
	int fd = syscall(__NR_pev_open, &attr, sizeof(attr), PEV_OPEN_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "pev_open: %s\n",
			why.refusal.error ? why.refusal.text : strerror(errno));
		return 1;
	}
	ioctl(fd, PEV_IOC_ENABLE, 0);
	memset(malloc(1 << 20), 1, 1 << 20);
	ioctl(fd, PEV_IOC_DISABLE, 0);
	if (read(fd, &value, sizeof(value)) != sizeof(value)) {
		perror("read");
		return 1;
	}
	printf("%llu page faults in %llu ns\n", value.value, value.time_enabled);
	return 0;
}
