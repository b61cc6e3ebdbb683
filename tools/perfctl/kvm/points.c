// SPDX-License-Identifier: GPL-2.0
/* Tracepoints of KVM by architecture. See points.h. */
#include "points.h"

#include <string.h>

#define X86_POINTS .exit = "kvm:kvm_exit", .entry = "kvm:kvm_entry"
#define NO_GUEST "is not loaded, so that no guest runs; as root, "

static const struct kvm_points by_isa[] = {
	[GUEST_ISA_OTHER] = {
		X86_POINTS, .reason = "exit_reason", .vcpu_id = true,
		.missing = "KVM " NO_GUEST
			   "\"modprobe kvm\" loads it where the processor can run guests",
	},
	[GUEST_ISA_VMX] = {
		X86_POINTS, .reason = "exit_reason", .vcpu_id = true,
		.missing = "KVM " NO_GUEST "\"modprobe kvm_intel\" loads it",
	},
	[GUEST_ISA_SVM] = {
		X86_POINTS, .reason = "exit_reason", .vcpu_id = true,
		.missing = "KVM " NO_GUEST "\"modprobe kvm_amd\" loads it",
	},
	[GUEST_ISA_POWER] = {
		.exit = "kvm_hv:kvm_guest_exit", .entry = "kvm_hv:kvm_guest_enter",
		.reason = "trap", .vcpu_id = true,
		.missing = "KVM-HV " NO_GUEST
			   "\"modprobe kvm_hv\" loads it; guests of KVM-PR are not seen",
	},
	[GUEST_ISA_ARM64] = {
		.exit = "kvm:kvm_exit", .entry = "kvm:kvm_entry",
		.reason = "ret,esr_ec",
		.missing = "it was built without KVM, so that no guest runs",
	},
};

const struct kvm_points *kvm_points(enum guest_isa isa)
{
	return &by_isa[isa];
}

enum kvm_crossing kvm_crossing(const char *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_isa); i++) {
		if (!strcmp(event, by_isa[i].exit))
			return KVM_EXIT;
		if (!strcmp(event, by_isa[i].entry))
			return KVM_ENTRY;
	}
	return KVM_NO_CROSSING;
}

char *kvm_points_pair(const struct kvm_points *points, bool per_vcpu)
{
	return xasprintf("%s..%s by tid with %s%s", points->exit, points->entry, points->reason,
			 per_vcpu ? ",vcpu_id" : "");
}

unsigned int kvm_points_reasons(const struct kvm_points *points)
{
	unsigned int n = 1;

	for (const char *p = points->reason; *p; p++)
		n += *p == ',';
	return n;
}
