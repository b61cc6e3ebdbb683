/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of what guests of KVM run: their kernels' functions by a kallsyms file of theirs. What
 * their programs are, only the guest knows.
 */
#ifndef PERFCTL_SESSION_GUEST_H
#define PERFCTL_SESSION_GUEST_H

#include "cli/opt.h"

/* The objects of addresses in guests, in the kernel and in programs */
#define GUEST_KERNEL "[guest.kernel]"
#define GUEST_USER "[guest.user]"

/* --guest-kallsyms: of the guest that was recorded */
#define GUEST_KALLSYMS_OPT                                                      \
	{                                                                       \
		0, OPT_CALL, "guest-kallsyms", "FILE",                          \
			"name functions of a recorded guest's kernel by FILE, " \
			"a copy of /proc/kallsyms that root made there",        \
			0, guest_kallsyms                                       \
	}
int guest_kallsyms(void *opts, const char *arg, struct msg *m);
/* Returns the function at an address of the guest's kernel, NULL: it is not known. */
const char *guest_function(uint64_t addr);

#endif
