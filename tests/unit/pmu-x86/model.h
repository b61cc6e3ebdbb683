/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers of a PMU as the manuals describe them, with what real ones have
 * been seen to do wrong. Does not depend on the backend.
 */
#ifndef MODEL_H
#define MODEL_H

#include "shim.h"

enum { NO_FAULT = -1, NEVER = -1 };

/**
 * struct model - a processor
 * @amd:        AMD; else Intel
 * @version:    Intel: 1 to 5; AMD: 0 (K7), 1 (core counters), 2 (PerfMonV2)
 * @gp:         counters for any event
 * @fixed:      fixed counters
 * @width:      of all counters, as CPUID says
 * @real_width: and as it is; 0: the same
 * @full_write: Intel: PERF_CAPABILITIES.FW_WRITE
 * @missing:    Intel: CPUID.0AH:EBX
 * @family:     family ...
 * @number:     and model
 * @stuck:      status bits that don't go away
 * @spurious:   status bits that set themselves again once, when acknowledged
 * @recurring:  how often they do so; 0: once
 * @wedged:     status bits that don't go away while their counter has an event
 * @sticky:     Nehalem: counters don't start after a change of events, see @asleep
 * @dead:       counters for any event that stay 0
 * @no_freeze:  DEBUGCTL forgets bit 12, as hypervisors do
 * @gone:       all PMU registers fault
 * @ignored:    a hypervisor without a PMU lets MSRs be written and read, as 0; RDPMC
 *              faults
 * @perf:       perf's handler comes after every other: Intel PT or branch traces are in use
 * @perf_all:   perf has counters in use, too, as it thinks: it leaves all of them on
 * @hv_masks:   AMD: a hypervisor masks LVTPC at a PMI, as Intel's processors do
 * @hv_forgets: AMD: a hypervisor lets HG_ONLY be written, and forgets it
 * @apart:      AMD: each overflow raises a PMI of its own, however close they are
 * @drag:       each register access in an NMI takes so many instructions, which
 *              count
 * @drag_all:   not only in an NMI
 * @pmi_after:  the PMI comes after so many register accesses or occurrences
 *
 * @sel:        event selects, and so on: the registers
 * @changed:    with @sticky: counters whose event was changed since they ran last
 * @asleep:     which don't count
 * @awake:      were reset: what is changed now will count
 * @kernel:     the processor runs the kernel
 *
 * @pmi_in:     accesses and occurrences until the PMI is delivered; NEVER
 * @more:       PMIs that come after that one, with @apart
 * @latched:    an NMI waits for the end of the one that runs
 * @in_nmi:     one runs
 * @nmis:       delivered
 * @unknown:    that no event wanted
 * @lost:       PMIs while LVTPC was masked
 * @reads:      rdmsr
 * @writes:     wrmsr
 * @counts:     rdpmc
 * @faults:     that the test did not expect
 * @said:       last message of the kernel
 * @foreign_owner: what has reserved: nothing, or all counters
 */
struct model {
	bool	amd;
	int	version, gp, fixed, width, real_width;
	bool	full_write;
	u32	missing;
	int	family, number;
	u64 stuck, spurious, wedged, dead;
	int recurring;
	bool sticky;
	bool no_freeze, gone, ignored, hv_masks, hv_forgets, apart;
	bool perf, perf_all;
	int	drag;
	bool	drag_all;
	int	pmi_after;

	u64	sel[32], ctr[32], fctr[16], fctrl, ctrl, status, debugctl, efer, pebs;
	u32	lvtpc;
	u32 changed, asleep;
	bool awake;
	bool	kernel;

	int	pmi_in, more;
	bool	latched, in_nmi;
	int	nmis, unknown, lost, reads, writes, counts, faults;
	char	said[256];
	bool	foreign_owner;
	u64 reserved_ctr, reserved_sel;
	int	dirty_cleared, pce_updates, watchdog_starts;
};

extern struct model m;

/* Fill in what CPUID and the kernel say of it. */
void model_boot(void);
/* @n instructions; every counter that is on counts each. */
void model_run(u64 n);
/* Raises an NMI of another source. Return: whether the backend took it. */
bool model_other_nmi(void);
/* Deliver what waits, once and however long it takes. */
void model_settle(void);
bool model_counting(void);

#endif
