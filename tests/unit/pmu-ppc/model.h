/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread of a Book3S processor as far as its performance monitor goes, written
 * from the Power ISA (3.0B and 3.1, book III, "Performance Monitor Facility" and
 * "Performance Monitor Interrupt") with Microwatt's pmu.vhdl as a second opinion,
 * and not from the driver that it tests. It knows two events: instructions
 * completed, and cycles, of which an instruction takes one.
 *
 * Every access to a register is an instruction of the kernel: it is counted as
 * one, and an interrupt may come before it.
 */
#ifndef MODEL_H
#define MODEL_H

#include <linux/types.h>

struct pt_regs;

enum model_mode { USER, KERNEL, HYPERVISOR };

/**
 * struct model - the machine
 * @pmc:      PMC1 to PMC6
 * @total:    what each counted in all, whatever was written to it
 * @alerts:   that there were
 * @hypervisor: MSR[HV] is on in the kernel and its tasks
 * @mode:     MSR[HV PR] of what runs
 * @guest:    that is a guest of the kernel: without MSR[HV]
 * @leaked:   PMIs that a guest was given
 * @tb:       the timebase, a tick for each instruction
 * @pmm:      MSR[PMM] of what runs
 * @run:      CTRL[RUN]
 * @ee:       MSR[EE]
 * @masked:   PMIs are soft-masked: taken, kept for later, MSR[EE] off
 * @kept:     that happened
 * @in_pmi:   the handler runs
 * @pmis:     times that it was called
 * @handler:  it
 * @user_nip: where user mode is: an instruction more with each
 * @enabled:  the hypervisor was told so, once
 * @inuse:    it was told that the PMU is in use
 *
 * How it differs from others:
 *
 * @isa31:    there is MMCR3
 * @wide:     the upper half of a PMC counts as well and can be read
 * @late:     an alert comes so many instructions after its condition
 * @stuck:    so many writes don't clear MMCR0[PMAO]
 * @unkept:   bits of MMCR0 that can't be set
 * @own_fcece: FCECE clears on its own as it freezes
 * @no_pmao:  PMAO can't be set by software, as on early POWER8
 * @edge:     only a PMC that becomes negative raises its condition, not one that is
 * @pairs:    MMCR2[FCnP0 FCnP1] mean what MMCR0[FCP FCPC] do
 */
struct model {
	u64		pmc[6];
	u64		mmcr0;
	u64		mmcr1;
	u64		mmcr2;
	u64		mmcr3;
	u64		mmcra;
	u64		siar;
	u64		sdar;
	u64		sier;
	u64		total[6];
	unsigned int	alerts;

	bool		hypervisor;
	enum model_mode	mode;
	bool guest;
	unsigned int leaked;
	u64 tb;
	bool		pmm;
	bool		run;
	bool		ee;
	bool		masked;
	bool		kept;
	bool		in_pmi;
	unsigned int	pmis;
	void		(*handler)(struct pt_regs *regs);
	u64		user_nip;
	bool		enabled;
	bool		inuse;

	bool		isa31;
	bool		wide;
	unsigned int	late;
	unsigned int	stuck;
	u64		unkept;
	bool		own_fcece;
	bool no_pmao;
	bool		edge;
	bool		pairs;

	unsigned int	waiting;	/* of an alert: instructions to go */
	u64		fell;		/* PMCs that became negative, with @edge */
	u64		accesses;
};

extern struct model machine;

void model_reset(void);
/* Run @n instructions in @mode, with the mark or without. */
void model_run(enum model_mode mode, bool pmm, u64 n);
u64 model_mfspr(unsigned int spr);
void model_mtspr(unsigned int spr, u64 value);
void model_isync(void);
/* Soft-mask PMIs, or not: then one that was kept comes. */
void model_soft_mask(bool on);
void model_forget_kept(void);

#endif
