// SPDX-License-Identifier: GPL-2.0
/* Owns where the guest was that KVM-HV has just left on each processor. */
#include <linux/export.h>
#include <linux/pev_guest_hit.h>

DEFINE_PER_CPU(struct pev_guest_hit, pev_guest_hit);
EXPORT_PER_CPU_SYMBOL_GPL(pev_guest_hit);
