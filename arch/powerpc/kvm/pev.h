/* SPDX-License-Identifier: GPL-2.0 */
/* Guests of KVM-HV that are lent counters by pev: what KVM passes on. */
#ifndef ARCH_POWERPC_KVM_PEV_H
#define ARCH_POWERPC_KVM_PEV_H

#include <linux/kvm_host.h>

#ifdef CONFIG_PEV_GRANT

/* The guest's kernel made the hypercall PEV_GUEST_CALL. Return: RESUME_GUEST. */
int kvm_pev_call(struct kvm_vcpu *vcpu);
/* The virtual processor is no more. */
void kvm_pev_end(struct kvm_vcpu *vcpu);

#else

static inline int kvm_pev_call(struct kvm_vcpu *vcpu)
{
	return RESUME_HOST;
}

static inline void kvm_pev_end(struct kvm_vcpu *vcpu) { }

#endif

#endif
