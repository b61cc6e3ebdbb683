/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of what guests of KVM run: their kernels' functions by files of theirs, which are named by
 * options, or which "record --guest-mount" left in the recording. What their programs are, only
 * the guest knows.
 */
#ifndef PERFCTL_SESSION_GUEST_H
#define PERFCTL_SESSION_GUEST_H

#include "cli/opt.h"

#include <pev/pev.h>

/* The objects of addresses in guests, in the kernel and in programs */
#define GUEST_KERNEL "[guest.kernel]"
#define GUEST_USER "[guest.user]"
#define GUEST_WHOLE "[guest of "

/* What "record --guest-mount" leaves in a recording: a file, and the kernel's build id */
#define GUEST_KALLSYMS_FILE "guest_kallsyms"
#define GUEST_BUILD_ID "guest_build_id"

/* --guest-kallsyms, --guest-mount: of the guest that was recorded */
#define GUEST_KALLSYMS_OPT                                                      \
	{                                                                       \
		0, OPT_CALL, "guest-kallsyms", "FILE",                          \
			"name functions of a recorded guest's kernel by FILE, " \
			"a copy of /proc/kallsyms that root made there; "       \
			"FILE.notes may be one of /sys/kernel/notes",           \
			0, guest_kallsyms                                       \
	}
#define GUEST_MOUNT_OPT                                                           \
	{                                                                         \
		0, OPT_CALL, "guest-mount", "DIR",                                \
			"the same by the guest's root, mounted here at DIR with " \
			"its proc and sys, e.g. by sshfs",                        \
			0, guest_mount                                            \
	}
int guest_kallsyms(void *opts, const char *arg, struct msg *m);
int guest_mount(void *opts, const char *arg, struct msg *m);
/*
 * Takes the names of a recording's guest, unless options named others, which must be of the same
 * kernel as far as is known. Returns 0, or -ESTALE with a sentence.
 */
int guest_names_open(const struct pev_trace *trace, struct msg *m);
/* Returns the function at an address of the guest's kernel, NULL: it is not known. */
const char *guest_function(uint64_t addr);

#endif
