/* SPDX-License-Identifier: GPL-2.0 */
/* What the numbers mean that KVM's tracepoints have, by the manuals of processors. */
#ifndef PERFCTL_KVM_REASONS_H
#define PERFCTL_KVM_REASONS_H

#include "base/util.h"

#define GUEST_REASON_TEXT 64

enum guest_isa {
	GUEST_ISA_OTHER,
	GUEST_ISA_VMX,
	GUEST_ISA_SVM,
	GUEST_ISA_POWER,
	GUEST_ISA_ARM64,
};

/* By which instructions this machine runs guests. */
enum guest_isa guest_isa_here(void);
/* ... by its /proc/cpuinfo, which is not kept as it is. */
enum guest_isa guest_isa_of(char *cpuinfo);
/* Returns @buf with the name of a reason, or its number. */
const char *guest_reason(char buf[GUEST_REASON_TEXT], enum guest_isa isa, uint64_t code);
/* The same of what PEV_SAMPLE_EXIT brings, of any machine. */
const char *guest_exit_reason(char buf[GUEST_REASON_TEXT], uint64_t exit);

#endif
