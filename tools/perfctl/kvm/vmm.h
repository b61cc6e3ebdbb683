/* SPDX-License-Identifier: GPL-2.0 */
/* Which processes run virtual machines of KVM (VMMs), and by which threads, as /proc tells it. */
#ifndef PERFCTL_KVM_VMM_H
#define PERFCTL_KVM_VMM_H

#include "base/util.h"

/**
 * struct vcpu - a thread that runs a virtual CPU
 * @tid:   0: not known
 * @id:    as KVM numbers it, -1: the thread ran a guest, but does not say which CPU of it
 * @ticks: that it spent in the guest, in clock ticks of sysconf(3)
 */
struct vcpu {
	int tid;
	int id;
	uint64_t ticks;
};

/**
 * struct vmm - a process that has a virtual machine open
 * @comm:     its name
 * @name:     of the machine, as its command line says it; NULL: it does not
 * @machines: it has open, more than one with some VMMs
 * @vcpus:    the kernel's virtual CPUs that are open, with the threads that are known
 */
struct vmm {
	int pid;
	char *comm;
	char *name;
	unsigned int machines;
	struct vcpu *vcpus;
	size_t n_vcpus;
	size_t cap_vcpus;
};

struct vmms {
	struct vmm *v;
	size_t n;
	size_t cap;
};

/* Returns the number of the virtual processor that a thread's name says, -1: it says none. */
int vmm_vcpu_of_thread(const char *comm);
/* Returns whether a process has a virtual machine open, true where that cannot be known. */
bool vmm_runs_machine(int pid);
/* Returns 0, -ESRCH: it has none or has ended, or -errno: it cannot be known. */
int vmm_look(struct vmm *vmm, int pid);
void vmm_free(struct vmm *vmm);
/* Finds those that you may see, in the order of their numbers. */
void vmms_find(struct vmms *vmms);
void vmms_free(struct vmms *vmms);

#endif
