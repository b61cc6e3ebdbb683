/* SPDX-License-Identifier: GPL-2.0 */
/* The two tracepoints of KVM between which a processor is outside of its guest. */
#ifndef PERFCTL_KVM_POINTS_H
#define PERFCTL_KVM_POINTS_H

#include "kvm/reasons.h"

/**
 * struct kvm_points - what they are called
 * @reason:  fields of @exit, separated by commas: each behind the first is a byte more of the code
 *           that guest_reason() takes
 * @vcpu_id: both have the virtual processor's number
 * @missing: why there are none, to go on with "this kernel has no tracepoint NAME: "
 */
struct kvm_points {
	const char *exit;
	const char *entry;
	const char *reason;
	bool vcpu_id;
	const char *missing;
};

enum kvm_crossing { KVM_NO_CROSSING, KVM_EXIT, KVM_ENTRY };

const struct kvm_points *kvm_points(enum guest_isa isa);
/* Which of the two an event is, of a recording of any machine. */
enum kvm_crossing kvm_crossing(const char *event);
/* The pair as --latency takes it, with what is kept of the exit; it is the caller's. */
char *kvm_points_pair(const struct kvm_points *points, bool per_vcpu);
/* How many fields the reason has. */
unsigned int kvm_points_reasons(const struct kvm_points *points);

#endif
