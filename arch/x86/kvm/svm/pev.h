/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guests that read counters which pev lends them, without an exit. RDPMC shows all counters of the
 * processor, and it is let through for one run of the guest at a time, from where no interrupt can
 * change them any more: in a VMCB that does not run it is intercepted.
 */
#ifndef __SVM_PEV_H
#define __SVM_PEV_H

#include "../pev.h"
#include "svm.h"

#ifdef CONFIG_PEV_GRANT

/* GIF is 0: the guest is entered. */
static __always_inline void svm_pev_enter(struct vcpu_svm *svm)
{
	if (!static_branch_unlikely(&pev_lent_key) || !svm->vcpu.arch.pev.lease ||
	    !kvm_pev_shown(&svm->vcpu))
		return;
	vmcb_clr_intercept(&svm->vmcb->control, INTERCEPT_RDPMC);
	vmcb_mark_dirty(svm->vmcb, VMCB_INTERCEPTS);
}

/* GIF is 0: it was left. The key stays on for as long as anything is lent to it. */
static __always_inline void svm_pev_exit(struct vcpu_svm *svm)
{
	if (!static_branch_unlikely(&pev_lent_key) ||
	    vmcb_is_intercept(&svm->vmcb->control, INTERCEPT_RDPMC))
		return;
	vmcb_set_intercept(&svm->vmcb->control, INTERCEPT_RDPMC);
	vmcb_mark_dirty(svm->vmcb, VMCB_INTERCEPTS);
}

#else

static inline void svm_pev_enter(struct vcpu_svm *svm) { }
static inline void svm_pev_exit(struct vcpu_svm *svm) { }

#endif

#endif
