// SPDX-License-Identifier: GPL-2.0
/* See model.h. Bits are numbered as in the Power ISA, 0 being the first. */
#include <stdio.h>
#include <stdlib.h>
#include <asm/ptrace.h>
#include "model.h"

#define B(n)		(1ULL << (63 - (n)))

struct model machine;

static bool m0(unsigned int bit)
{
	return machine.mmcr0 & B(bit);
}

static unsigned int bits(u64 reg, unsigned int first, unsigned int last)
{
	return reg >> (63 - last) & ((1U << (last - first + 1)) - 1);
}

void model_reset(void)
{
	memset(&machine, 0, sizeof(machine));
	machine.mmcr0 = B(32);
	machine.mode = KERNEL;
	machine.run = true;
	machine.ee = true;
	machine.user_nip = 0x10000000;
}

/* MSR[HV PR] */
static unsigned int hv_pr(void)
{
	bool hv = machine.hypervisor && !machine.guest;

	switch (machine.mode) {
	case USER:
		return hv ? 3 : 1;
	case KERNEL:
		return hv ? 2 : 0;
	default:
		return 2;
	}
}

/* FCP, with the condition that FCPC adds: only if MSR[HV] is the same as FCP */
static bool problem_frozen(bool fcp, bool fcpc)
{
	unsigned int state = hv_pr();

	return fcpc ? state == (fcp ? 3 : 1) : fcp && state & 1;
}

/* MMCR0's conditions for all PMCs: FC, FCS, FCP with FCPC, FCM1, FCM0, FCH */
static bool all_frozen(void)
{
	unsigned int state = hv_pr();

	return m0(32) || (m0(33) && state == 0) || problem_frozen(m0(34), m0(51)) ||
	       (m0(35) && machine.pmm) || (m0(36) && !machine.pmm) || (m0(63) && state == 2);
}

/* MMCR2: FCnS FCnP0 FCnP1 FCnM1 FCnM0 FCnWAIT FCnH, nine bits for each PMC */
static bool one_frozen(unsigned int i)
{
	u64 fc = machine.mmcr2 << (9 * i);
	unsigned int state = hv_pr();
	bool problem = (fc & B(1) && state == 1) || (fc & B(2) && state == 3);

	if (machine.pairs)
		problem = problem_frozen(fc & B(1), fc & B(2));
	return problem || (fc & B(0) && state == 0) || (fc & B(3) && machine.pmm) ||
	       (fc & B(4) && !machine.pmm) || (fc & B(5) && !machine.run) ||
	       (fc & B(6) && state == 2);
}

/* Does PMC @i + 1 count an instruction (or its cycle)? */
static bool counts(unsigned int i)
{
	/* PMC5 and PMC6 are apart from the PMU */
	if (m0(44) && m0(45) && i >= 4)
		return machine.run;
	if (all_frozen() || one_frozen(i))
		return false;
	/* TRIGGER: only PMC1, until it is negative */
	if (m0(50) && i)
		return false;
	if (i >= 4)
		return !m0(59) && (machine.run || m0(55));
	if (m0(58) || (m0(62) && !machine.run))
		return false;
	switch (bits(machine.mmcr1, 32 + 8 * i, 39 + 8 * i)) {
	case 0x02:
	case 0x1e:
		return true;
	case 0xf4:
		return i == 1 && machine.run;
	case 0xfa:
		return i == 3 && machine.run;
	default:
		return false;
	}
}

static bool negative(unsigned int i)
{
	return machine.pmc[i] >> 31 & 1 && (!machine.edge || machine.fell >> i & 1);
}

static bool condition(void)
{
	unsigned int i, last = m0(44) && m0(45) ? 3 : 5;

	if (m0(48) && negative(0))
		return true;
	for (i = 1; i <= last; i++)
		if (m0(49) && negative(i))
			return true;
	return false;
}

/* What an enabled condition does, as long as it is there. */
static void alert(void)
{
	bool trigger = m0(50);

	if (!condition()) {
		machine.waiting = machine.late;
		return;
	}
	if (machine.waiting) {
		machine.waiting--;
		return;
	}
	machine.mmcr0 &= ~B(50);
	if (m0(38) && !trigger) {
		machine.mmcr0 |= B(32);
		if (machine.own_fcece)
			machine.mmcr0 &= ~B(38);
	}
	if (!m0(37))
		return;
	machine.mmcr0 &= ~B(37);
	machine.mmcr0 |= B(56);
	machine.fell = 0;
	machine.alerts++;
	machine.siar = machine.mode == USER ? machine.user_nip : 0xc000000000001000ULL;
	machine.sier = B(41) | (machine.mode == USER ? B(38) : 0) | (hv_pr() & 2 ? B(39) : 0);
	machine.waiting = machine.late;
}

static void take_pmi(void)
{
	struct pt_regs regs = {
		.nip = machine.mode == USER ? machine.user_nip : 0xc000000000002000ULL,
		.msr = machine.mode == USER ? B(49) : 0,
	};
	enum model_mode mode = machine.mode;
	bool pmm = machine.pmm, ee = machine.ee;

	/* the interrupt: privileged, MSR[EE] and MSR[PMM] off */
	machine.mode = KERNEL;
	machine.pmm = false;
	machine.ee = false;
	if (machine.masked) {
		machine.kept = true;
		ee = false;
	} else {
		if (++machine.pmis > 1000000) {
			printf("# PMIs don't end\n");
			exit(2);
		}
		machine.in_pmi = true;
		if (machine.handler)
			machine.handler(&regs);
		else
			machine.mmcr0 &= ~B(56);
		machine.in_pmi = false;
	}
	machine.mode = mode;
	machine.pmm = pmm;
	machine.ee = ee;
}

/* Before each instruction. The hypervisor lets none through to its guest. */
static void interrupts(void)
{
	if (machine.guest) {
		machine.leaked += m0(56);
		return;
	}
	while (m0(56) && machine.ee && (machine.hypervisor || machine.mode != HYPERVISOR))
		take_pmi();
}

static void step(void)
{
	unsigned int i;

	interrupts();
	machine.tb++;
	for (i = 0; i < 6; i++) {
		if (!counts(i))
			continue;
		machine.pmc[i]++;
		if ((u32)machine.pmc[i] == 1U << 31)
			machine.fell |= 1ULL << i;
		if (!machine.wide)
			machine.pmc[i] = (u32)machine.pmc[i];
		machine.total[i]++;
	}
	alert();
	if (machine.mode == USER)
		machine.user_nip += 4;
}

/* Of the next @n instructions: how many change nothing but counts, as no counter gets to bit 32. */
static u64 uneventful(u64 n)
{
	if (m0(56) || condition())
		return 0;
	for (unsigned int i = 0; i < 6; i++) {
		u64 left = (1ULL << 31) - (machine.pmc[i] & ((1ULL << 31) - 1));

		if (left <= n && counts(i))
			n = left - 1;
	}
	return n;
}

/* These, as step() would one by one: most of a long run. */
static void skip(u64 n)
{
	machine.tb += n;
	for (unsigned int i = 0; i < 6; i++) {
		if (!counts(i))
			continue;
		machine.pmc[i] += n;
		machine.total[i] += n;
	}
	machine.waiting = machine.late;
	if (machine.mode == USER)
		machine.user_nip += 4 * n;
}

void model_run(enum model_mode mode, bool pmm, u64 n)
{
	enum model_mode old = machine.mode;
	bool old_pmm = machine.pmm;
	u64 few;

	machine.mode = mode;
	machine.pmm = pmm;
	while (n) {
		few = uneventful(n);
		if (few)
			skip(few);
		n -= few;
		if (!n)
			break;
		step();
		n--;
	}
	interrupts();
	machine.mode = old;
	machine.pmm = old_pmm;
}

/* The driver's own instructions are the kernel's. */
static void access(void)
{
	machine.accesses++;
	step();
	interrupts();
}

static u64 *reg(unsigned int spr)
{
	static u64 none;

	switch (spr) {
	case 754:	/* nothing happens where it is not there; reads give anything */
		none = 0x5555555555555555ULL;
		return machine.isa31 ? &machine.mmcr3 : &none;
	case 784:
		return &machine.sier;
	case 785:
		return &machine.mmcr2;
	case 786:
		return &machine.mmcra;
	case 787 ... 792:
		return &machine.pmc[spr - 787];
	case 795:
		return &machine.mmcr0;
	case 796:
		return &machine.siar;
	case 797:
		return &machine.sdar;
	case 798:
		return &machine.mmcr1;
	}
	printf("# there is no SPR %u\n", spr);
	exit(2);
}

u64 model_mfspr(unsigned int spr)
{
	access();
	return *reg(spr);
}

void model_mtspr(unsigned int spr, u64 value)
{
	access();
	if (spr == 795) {
		if (machine.stuck && m0(56) && !(value & B(56))) {
			machine.stuck--;
			value |= B(56);
		}
		if (machine.no_pmao && !m0(56))
			value &= ~B(56);
		value = (u32)value & ~machine.unkept;
	} else if (spr >= 787 && spr <= 792 && !machine.wide) {
		value = (u32)value;
	}
	*reg(spr) = value;
	alert();
}

void model_isync(void)
{
	interrupts();
}

void model_forget_kept(void)
{
	/* it may only be touched while MSR[EE] is off */
	if (machine.ee) {
		printf("# the kept PMI is forgotten with MSR[EE] on\n");
		exit(2);
	}
	machine.kept = false;
}

void model_soft_mask(bool on)
{
	machine.masked = on;
	if (on)
		return;
	/* what Linux does when it unmasks: replay, then let interrupts in */
	if (machine.kept) {
		machine.kept = false;
		machine.ee = false;
		take_pmi();
	}
	machine.ee = true;
	interrupts();
}
