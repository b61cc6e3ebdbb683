// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what pev asks of KVM for guests that are lent counters: their memory, an NMI, and what RDPMC
 * does. Must not know what they say to each other.
 */
#include <linux/export.h>
#include <linux/kvm_host.h>
#include <linux/pev_guest.h>
#include "x86.h"
#include "pmu.h"
#include "pev.h"

static struct kvm_vcpu *vcpu_of(struct pev_vcpu *pev)
{
	return container_of(pev, struct kvm_vcpu, arch.pev);
}

static int read_guest(struct pev_vcpu *pev, u64 from, void *to, size_t size)
{
	return kvm_vcpu_read_guest(vcpu_of(pev), from, to, size);
}

static int write_guest(struct pev_vcpu *pev, u64 to, const void *from, size_t size)
{
	return kvm_vcpu_write_guest(vcpu_of(pev), to, from, size);
}

/* Two atomic operations: it may be called in an NMI of the host's. */
static void inject_nmi(struct pev_vcpu *pev)
{
	kvm_inject_nmi(vcpu_of(pev));
}

static const struct pev_vcpu_ops ops = {
	.read	= read_guest,
	.write	= write_guest,
	.nmi	= inject_nmi,
};

long kvm_pev_call(struct kvm_vcpu *vcpu, unsigned long op, unsigned long arg)
{
	vcpu->arch.pev.ops = &ops;
	return pev_guest_call(&vcpu->arch.pev, op, arg);
}

void kvm_pev_end(struct kvm_vcpu *vcpu)
{
	pev_guest_end(&vcpu->arch.pev);
}

int kvm_pev_rdpmc(struct kvm_vcpu *vcpu, u32 reg, u64 *value)
{
	/* as the processor has it */
	if (!kvm_is_cr4_bit_set(vcpu, X86_CR4_PCE) && kvm_is_cr0_bit_set(vcpu, X86_CR0_PE) &&
	    kvm_x86_call(get_cpl)(vcpu))
		return 1;
	/* a guest of the guest's may be another one's business */
	return is_guest_mode(vcpu) || !pev_guest_read(&vcpu->arch.pev, reg, value);
}

bool kvm_pev_shown(struct kvm_vcpu *vcpu)
{
	return !vcpu_to_pmu(vcpu)->version && !is_guest_mode(vcpu) &&
	       pev_guest_shown(&vcpu->arch.pev);
}
EXPORT_SYMBOL_GPL(kvm_pev_shown);
