/* SPDX-License-Identifier: GPL-2.0 */
/* Guests that are lent counters by pev: what KVM passes on. */
#ifndef ARCH_X86_KVM_PEV_H
#define ARCH_X86_KVM_PEV_H

#include <linux/kvm_host.h>

#ifdef CONFIG_PEV_GRANT

/* The guest's kernel made the hypercall PEV_GUEST_CALL. Return: what it is to get. */
long kvm_pev_call(struct kvm_vcpu *vcpu, unsigned long op, unsigned long arg);
/* The virtual processor is reset, or is no more. */
void kvm_pev_end(struct kvm_vcpu *vcpu);
/* The guest of a machine without counters executed RDPMC. Return: 0, or it is not to. */
int kvm_pev_rdpmc(struct kvm_vcpu *vcpu, u32 reg, u64 *value);
/* May it execute RDPMC without an exit? It is about to be entered, no interrupt can come. */
bool kvm_pev_shown(struct kvm_vcpu *vcpu);

#else

static inline long kvm_pev_call(struct kvm_vcpu *vcpu, unsigned long op, unsigned long arg)
{
	return -KVM_ENOSYS;
}

static inline void kvm_pev_end(struct kvm_vcpu *vcpu) { }

static inline int kvm_pev_rdpmc(struct kvm_vcpu *vcpu, u32 reg, u64 *value)
{
	return 1;
}

#endif

#endif
