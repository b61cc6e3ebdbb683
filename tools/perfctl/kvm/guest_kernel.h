/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel that a guest runs: which one it is, where it lies, and its functions. */
#ifndef PERFCTL_KVM_GUEST_KERNEL_H
#define PERFCTL_KVM_GUEST_KERNEL_H

#include "base/util.h"

/* Digits of a build id */
#define GUEST_KERNEL_ID 40

/**
 * struct guest_kernel - what files of the guest say
 * @id:      build id in hexadecimal digits, "" if it is not known
 * @text:    address of _stext, which is chosen at each boot; 0: not known
 * @symbols: lines of kallsyms, of functions
 */
struct guest_kernel {
	char id[GUEST_KERNEL_ID + 1];
	uint64_t text;
	char *symbols;
	size_t len;
};

/**
 * guest_kernel_read() - by a copy of the guest's /proc/kallsyms
 * @what: before the file's name in messages, such as "--guest-kallsyms "
 *
 * A copy of /sys/kernel/notes tells the build id: FILE.notes, or where it is below the same root.
 */
int guest_kernel_read(struct guest_kernel *k, const char *what, const char *file, struct msg *m);
/* The same by the guest's root directory, which is mounted here at @dir. */
int guest_kernel_mounted(struct guest_kernel *k, const char *dir, struct msg *m);
/* Returns the address of _stext in lines of kallsyms, 0 if it is not there. */
uint64_t guest_kernel_text(const char *symbols);
void guest_kernel_free(struct guest_kernel *k);

#endif
