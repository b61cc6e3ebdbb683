// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what pev asks of KVM-HV for guests that are lent counters: their memory, and an interrupt,
 * which arch/powerpc/pev asserts where the guest is entered next. Must not know what they say to
 * each other.
 */
#include <linux/cleanup.h>
#include <linux/kvm_host.h>
#include <linux/pev_guest.h>
#include <linux/srcu.h>
#include <asm/kvm_book3s.h>
#include <asm/kvm_ppc.h>
#include "pev.h"

static struct kvm_vcpu *vcpu_of(struct pev_vcpu *pev)
{
	return container_of(pev, struct kvm_vcpu, arch.pev);
}

static int read_guest(struct pev_vcpu *pev, u64 from, void *to, size_t size)
{
	struct kvm_vcpu *vcpu = vcpu_of(pev);

	guard(srcu)(&vcpu->kvm->srcu);
	return kvm_vcpu_read_guest(vcpu, from, to, size);
}

static int write_guest(struct pev_vcpu *pev, u64 to, const void *from, size_t size)
{
	struct kvm_vcpu *vcpu = vcpu_of(pev);

	guard(srcu)(&vcpu->kvm->srcu);
	return kvm_vcpu_write_guest(vcpu, to, from, size);
}

/* Two stores: it may be called in a PMI that interrupts anything. */
static void owe_interrupt(struct pev_vcpu *pev)
{
	WRITE_ONCE(pev->due, true);
	/* a guest that is about to sleep, does not */
	vcpu_of(pev)->arch.prodded = 1;
}

static const struct pev_vcpu_ops ops = {
	.read	= read_guest,
	.write	= write_guest,
	.nmi	= owe_interrupt,
};

/*
 * Has the guest asked why, or is there nothing to ask for any more? All that it is lent stands
 * still then. An overflow that comes behind a question that found none is due.
 */
static bool is_answered(const struct pev_vcpu *pev, unsigned long op, unsigned long arg,
			long result)
{
	if (!pev->lease || op == PEV_GUEST_ATTACH || result == -ENODEV)
		return true;
	return op == PEV_GUEST_STOP && arg == PEV_GUEST_NMI && result;
}

static long call(struct kvm_vcpu *vcpu, unsigned long op, unsigned long arg)
{
	struct pev_vcpu *pev = &vcpu->arch.pev;
	long result;

	/* all words are of the host's order */
	if (kvmppc_need_byteswap(vcpu))
		return -EOPNOTSUPP;
	pev->ops = &ops;
	result = pev_guest_call(pev, op, arg);
	if (is_answered(pev, op, arg, result))
		WRITE_ONCE(pev->due, false);
	return result;
}

int kvm_pev_call(struct kvm_vcpu *vcpu)
{
	long result = call(vcpu, kvmppc_get_gpr(vcpu, 4), kvmppc_get_gpr(vcpu, 5));

	kvmppc_set_gpr(vcpu, 3, result);
	vcpu->arch.hcall_needed = 0;
	return RESUME_GUEST;
}

void kvm_pev_end(struct kvm_vcpu *vcpu)
{
	pev_guest_end(&vcpu->arch.pev);
}
