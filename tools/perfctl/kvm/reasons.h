/* SPDX-License-Identifier: GPL-2.0 */
/* What the numbers mean that kvm:kvm_exit has, by AMD's and Intel's manuals. */
#ifndef PERFCTL_KVM_REASONS_H
#define PERFCTL_KVM_REASONS_H

#include "base/util.h"

#define GUEST_REASON_TEXT 64

enum guest_isa {
	GUEST_ISA_OTHER,
	GUEST_ISA_VMX,
	GUEST_ISA_SVM,
};

/* By which instructions this machine runs guests. */
enum guest_isa guest_isa_here(void);
/* Returns @buf with the name of a reason, or its number. */
const char *guest_reason(char buf[GUEST_REASON_TEXT], enum guest_isa isa, uint64_t code);

#endif
