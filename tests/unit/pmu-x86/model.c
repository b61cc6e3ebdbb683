// SPDX-License-Identifier: GPL-2.0
/*
 * Sources, read apart from the backend:
 *
 *	[I]	Intel SDM volume 3, chapter "Performance Monitoring" (18 to 20, by
 *		edition), sections on architectural versions 1 to 5, full-width writes,
 *		and the table of IA32 MSRs in volume 4
 *	[A]	AMD APM volume 2, 13.2, and the MSR pages of the PPR of family 19h
 *		model 11h
 *	[L]	the local vector table, SDM volume 3, 11.5.1 (10.5.1 before)
 */
#include <stdarg.h>
#include <stdlib.h>
#include "model.h"
#include "others.h"

struct model m;
struct shim_cpu boot_cpu_data;
u64 shim_features, shim_now = 1000;
bool apic_is_disabled;
unsigned long watchdog_enabled;
int watchdog_thresh = 10;

/* ---- CPUID ---- */

void cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	*eax = *ebx = *ecx = *edx = 0;
	if (leaf != 10)
		return;
	/* [I] CPUID leaf 0AH: version, counters, width, length of EBX */
	*eax = m.version | m.gp << 8 | m.width << 16 | 7 << 24;
	*ebx = m.missing;
	if (m.version < 2)
		return;
	if (m.version < 5) {
		*edx = m.fixed | m.width << 5;
	} else {
		/* the first of them contiguous, all of them as bits */
		*edx = 1 | m.width << 5 | 1 << 15;
		*ecx = (1 << m.fixed) - 1;
	}
}

u32 cpuid_ebx(u32 leaf)
{
	/* [A] 8000_0022 EBX[3:0]: number of core counters */
	return leaf == 0x80000022 ? m.gp : 0;
}

#define HAS(f) (shim_features |= 1ULL << X86_FEATURE_##f)

/* They stay until the machine is booted again. */
static struct list_head nmi_handlers;
static struct nmiaction *nmi_action;

static void forget_nmi_handlers(void)
{
	if (nmi_action)
		nmi_action->list = (struct list_head)LIST_HEAD_INIT(nmi_action->list);
	nmi_action = NULL;
}

void model_boot(void)
{
	forget_nmi_handlers();
	boot_cpu_data.x86_vendor = m.amd ? X86_VENDOR_AMD : X86_VENDOR_INTEL;
	boot_cpu_data.x86 = m.family;
	boot_cpu_data.x86_model = m.number;
	boot_cpu_data.x86_vfm = IFM(m.family, m.number);
	boot_cpu_data.cpuid_level = 0xd;
	HAS(APIC);
	if (m.amd) {
		if (m.version >= 1)
			HAS(PERFCTR_CORE);
		if (m.hv_masks || m.hv_forgets)
			HAS(HYPERVISOR);
		if (m.version >= 2) {
			HAS(PERFMON_V2);
			HAS(AMD_LBR_PMC_FREEZE);
		}
	} else {
		HAS(ARCH_PERFMON);
		HAS(HYPERVISOR);
		HAS(PDCM);
	}
	if (!m.real_width)
		m.real_width = m.width;
	m.pmi_in = NEVER;
	m.lvtpc = APIC_DM_NMI;
}

void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	cap->num_counters_gp = m.gp;
}

/* ---- the interrupt ---- */

static u64 counters(void);

/*
 * Linux's handler, as it is with Intel PT: intel_pmu_handle_irq(), with late_ack, and
 * amd_pmu_v2_handle_irq().
 */
static void perf_handler(void)
{
	if (!m.perf || m.version < 2)
		return;
	m.ctrl = 0;
	m.status = 0;
	if (m.perf_all)
		m.ctrl = counters();
	m.lvtpc = APIC_DM_NMI;
	x86_pev_after_perf();
}

static int call_handlers(void)
{
	struct pt_regs regs;
	int ret = nmi_action ? nmi_action->handler(NMI_LOCAL, &regs) : NMI_DONE;

	perf_handler();
	return ret;
}

static void deliver(void)
{
	m.pmi_in = NEVER;
	if (m.in_nmi) {
		m.latched = true;
		return;
	}
	do {
		m.latched = false;
		m.in_nmi = true;
		m.nmis++;
		if (call_handlers() != NMI_HANDLED)
			m.unknown++;
		m.in_nmi = false;
	} while (m.latched);
	if (m.more) {
		m.more--;
		m.pmi_in = m.pmi_after ?: 1;
	}
}

bool model_other_nmi(void)
{
	bool taken;

	m.in_nmi = true;
	taken = call_handlers() == NMI_HANDLED;
	m.in_nmi = false;
	if (m.latched)
		deliver();
	return taken;
}

static void tick_all(void);

/* Time passes: an access or an occurrence. */
static void pass(void)
{
	static bool dragging;
	int i;

	if ((m.in_nmi || m.drag_all) && !dragging) {
		dragging = true;
		for (i = 0; i < m.drag; i++)
			tick_all();
		dragging = false;
	}
	if (m.pmi_in > 0)
		m.pmi_in--;
	if (!m.pmi_in)
		deliver();
}

void model_settle(void)
{
	while (m.pmi_in != NEVER)
		pass();
}

static bool has_global(void)
{
	return m.version >= 2;
}

/* [I] and [A]: from version 4 on, and PerfMonV2, the status stops the counters. */
static u64 frozen_bit(void)
{
	return m.amd ? (m.version >= 2 ? BIT_ULL(59) : 0) : m.version >= 4 ? BIT_ULL(59) : 0;
}

static void pmi(void)
{
	if (m.lvtpc & APIC_LVT_MASKED) {
		m.lost++;
		return;
	}
	/* [L] Intel masks the entry when it delivers a PMI */
	if (!m.amd || m.hv_masks)
		m.lvtpc |= APIC_LVT_MASKED;
	if (m.debugctl & BIT(12) && has_global()) {
		if (frozen_bit())
			m.status |= frozen_bit();
		else
			m.ctrl = 0;
	}
	/* one that comes before the last was delivered is the same */
	if (m.pmi_in == NEVER)
		m.pmi_in = m.pmi_after;
	else if (m.apart)
		m.more++;
}

/* ---- counting ---- */

static bool mode_on(bool os, bool usr)
{
	return m.kernel ? os : usr;
}

static bool globally_on(int bit)
{
	if (!has_global())
		return true;
	if (m.status & frozen_bit())
		return false;
	return m.ctrl >> bit & 1;
}

static bool gp_on(int i)
{
	u64 s = m.sel[i];
	u64 guests = s >> 40 & 3;

	if (m.asleep >> i & 1 || m.dead >> i & 1)
		return false;
	/* [A] HG_ONLY: host only counts the host, if there can be guests */
	if (m.amd && guests && !(guests & 2 && m.efer & EFER_SVME))
		return false;
	return s & BIT(22) && mode_on(s & BIT(17), s & BIT(16)) && globally_on(i);
}

static bool fixed_on(int i)
{
	u64 f = m.fctrl >> 4 * i;

	return mode_on(f & 1, f & 2) && globally_on(32 + i);
}

bool model_counting(void)
{
	int i;

	for (i = 0; i < m.gp; i++)
		if (gp_on(i))
			return true;
	for (i = 0; i < m.fixed; i++)
		if (fixed_on(i))
			return true;
	return false;
}

static u64 mask(void)
{
	return ~0ULL >> (64 - m.real_width);
}

/* Return: does it ask for a PMI? */
static bool tick(u64 *counter, int bit, bool interrupt)
{
	*counter = (*counter + 1) & mask();
	if (*counter)
		return false;
	if (has_global())
		m.status |= BIT_ULL(bit);
	return interrupt;
}

/* One occurrence: all counters see it before any of them stops another. */
static void tick_all(void)
{
	int wanted = 0;
	int i;

	for (i = 0; i < m.gp; i++)
		if (gp_on(i))
			wanted += tick(&m.ctr[i], i, m.sel[i] & BIT(20));
	for (i = 0; i < m.fixed; i++)
		if (fixed_on(i))
			wanted += tick(&m.fctr[i], 32 + i, m.fctrl >> 4 * i & 8);
	while (wanted--)
		pmi();
}

/* Room until something can happen. */
static u64 quiet(void)
{
	u64 room = ~0ULL;
	int i;

	if (m.pmi_in != NEVER || m.latched)
		return 1;
	for (i = 0; i < m.gp; i++)
		if (gp_on(i))
			room = min(room, mask() - m.ctr[i]);
	for (i = 0; i < m.fixed; i++)
		if (fixed_on(i))
			room = min(room, mask() - m.fctr[i]);
	return room;
}

void model_run(u64 n)
{
	u64 jump;
	int i;

	while (n) {
		jump = min(quiet(), n - 1);
		for (i = 0; i < m.gp; i++)
			if (gp_on(i))
				m.ctr[i] += jump;
		for (i = 0; i < m.fixed; i++)
			if (fixed_on(i))
				m.fctr[i] += jump;
		n -= jump + 1;
		if (jump && m.pmi_in > 0)
			m.pmi_in -= min(jump, (u64)m.pmi_in - 1);
		tick_all();
		pass();
	}
}

u64 model_rdpmc(u32 index)
{
	u32 i = index & 0xffff;
	u64 value;

	m.counts++;
	if (m.ignored) {
		model_fault(index);
		return 0;
	}
	if (index & BIT(30)) {
		if (i >= m.fixed || m.amd)
			model_fault(index);
		value = m.fctr[i & 15];
	} else {
		if (i >= m.gp)
			model_fault(index);
		value = m.ctr[i & 31];
	}
	pass();
	return value;
}

/* ---- MSRs ---- */

void model_fault(u32 msr)
{
	m.faults++;
	printf("# fault at %#x\n", msr);
}

/**
 * struct reg - what a register number means
 * @value:    where it is
 * @reserved: bits that fault
 * @ro:       writes fault
 */
struct reg {
	u64	*value;
	u64	reserved;
	bool	ro;
};

static u64 counters(void)
{
	u64 set = (1ULL << m.gp) - 1;

	if (!m.amd)
		set |= ((1ULL << m.fixed) - 1) << 32;
	return set;
}

static bool find_intel(u32 msr, struct reg *r)
{
	if (msr >= 0x186 && msr < 0x186 + m.gp) {
		r->value = &m.sel[msr - 0x186];
		/* [I] bits 63:32 are reserved; AnyThread is of version 3 and 4 */
		r->reserved = ~0xffffffffULL;
		if (m.version < 3 || m.version > 4)
			r->reserved |= BIT(21);
		return true;
	}
	if (msr >= 0xc1 && msr < 0xc1 + m.gp) {
		r->value = &m.ctr[msr - 0xc1];
		return true;
	}
	if (m.full_write && msr >= 0x4c1 && msr < 0x4c1 + m.gp) {
		/* [I] "Full-Width Writes": bits beyond the width are reserved */
		r->value = &m.ctr[msr - 0x4c1];
		r->reserved = ~mask();
		return true;
	}
	if (m.version < 2)
		return false;
	if (msr >= 0x309 && msr < 0x309 + m.fixed) {
		r->value = &m.fctr[msr - 0x309];
		r->reserved = ~mask();
		return true;
	}
	switch (msr) {
	case 0x38d:
		r->value = &m.fctrl;
		r->reserved = ~((1ULL << 4 * m.fixed) - 1) | (m.version < 3 ? 0x4444 : 0);
		return true;
	case 0x38e:
		r->value = &m.status;
		r->ro = true;
		return true;
	case 0x38f:
		r->value = &m.ctrl;
		r->reserved = ~counters();
		return true;
	}
	return false;
}

static bool find_amd(u32 msr, struct reg *r)
{
	u32 base = m.version ? 0xc0010200 : 0xc0010000, i = msr - base;

	/* [A] bits 63:42, 39:36, 21 and 19 of an event select are reserved */
	if (m.version ? msr >= base && i < 2 * m.gp : msr >= base && i < 8) {
		if (m.version ? i & 1 : i >= 4) {
			r->value = &m.ctr[m.version ? i / 2 : i - 4];
			return true;
		}
		r->value = &m.sel[m.version ? i / 2 : i];
		r->reserved = ~0x30fffffffffULL | BIT(21) | BIT(19) | 0xf000000000ULL;
		return true;
	}
	if (msr == 0xc0000080) {
		r->value = &m.efer;
		return true;
	}
	if (m.version < 2)
		return false;
	switch (msr) {
	case 0xc0000300:
		r->value = &m.status;
		r->ro = true;
		return true;
	case 0xc0000301:
		r->value = &m.ctrl;
		r->reserved = ~counters();
		return true;
	}
	return false;
}

static bool find(u32 msr, struct reg *r)
{
	if (msr == 0x1d9) {
		r->value = &m.debugctl;
		return true;
	}
	if (m.gone)
		return false;
	return m.amd ? find_amd(msr, r) : find_intel(msr, r);
}

int model_read(u32 msr, u64 *value)
{
	struct reg r = { };

	m.reads++;
	*value = 0;
	if (msr == 0x345 && !m.amd) {
		*value = m.full_write ? BIT(13) : 0;
		return 0;
	}
	if (!find(msr, &r))
		return -EIO;
	*value = m.ignored ? 0 : *r.value;
	pass();
	return 0;
}

/* Bits of counters that have an event. */
static u64 in_use(void)
{
	u64 set = 0;
	int i;

	for (i = 0; i < m.gp; i++)
		set |= m.sel[i] ? BIT_ULL(i) : 0;
	for (i = 0; i < m.fixed; i++)
		set |= m.fctrl >> 4 * i & 15 ? BIT_ULL(32 + i) : 0;
	return set;
}

static void acknowledge(u64 bits)
{
	m.status &= ~bits | m.stuck | (m.wedged & in_use());
	m.status |= bits & m.spurious;
	if (bits & m.spurious && --m.recurring <= 0)
		m.spurious &= ~bits;
}

/* Linux's driver found out which four events awake them: intel_pmu_nhm_workaround(). */
static bool awakes(u64 ctrl)
{
	static const u32 events[] = { 0xb5, 0xd2, 0xb1, 0xb1 };
	int i;

	for (i = 0; i < 4; i++)
		if ((m.sel[i] & 0xff) != events[i] || !(m.sel[i] & ctrl >> i << 22 & BIT(22)))
			return false;
	return true;
}

/* What was changed does not count, unless all were awakened since. */
static void start(u64 ctrl)
{
	if (awakes(ctrl)) {
		m.asleep = 0;
		m.awake = true;
		return;
	}
	if (!m.awake)
		m.asleep |= m.changed;
	m.changed = 0;
	m.awake = false;
}

int model_write(u32 msr, u64 value)
{
	struct reg r = { };

	m.writes++;
	pass();		/* what comes may come before it and after it */
	if (has_global() && !m.gone && msr == (m.amd ? 0xc0000302 : 0x390)) {
		/* [I] IA32_PERF_GLOBAL_OVF_CTRL, _STATUS_RESET; [A] StatusClr */
		if (value & ~(counters() | BIT_ULL(63) | BIT_ULL(62) | frozen_bit()))
			return -EIO;
		acknowledge(value);
		pass();
		return 0;
	}
	if (!find(msr, &r) || r.ro || value & r.reserved)
		return -EIO;
	if (m.ignored)
		return 0;
	if (m.hv_forgets && r.value >= m.sel && r.value < m.sel + 32)
		value &= ~(BIT_ULL(40) | BIT_ULL(41));
	if (m.sticky && r.value >= m.sel && r.value < m.sel + 32 && (*r.value ^ value) & 0xffff)
		m.changed |= BIT(r.value - m.sel);
	if (m.sticky && r.value == &m.ctrl && value)
		start(value);
	if (msr == 0x1d9 && m.no_freeze)
		value &= ~BIT(12);
	/* [I] the old addresses take 32 bits and extend the sign */
	if (!m.amd && msr >= 0xc1 && msr < 0xc1 + m.gp)
		value = (u64)(s64)(s32)value;
	if (r.value >= m.ctr && r.value < m.ctr + 32)
		value = m.dead >> (r.value - m.ctr) & 1 ? 0 : value & mask();
	*r.value = value;
	pass();
	return 0;
}

/* ---- the local APIC ---- */

int lapic_get_maxlvt(void)
{
	return 5;
}

u32 apic_read(u32 reg)
{
	return m.lvtpc;
}

void apic_write(u32 reg, u32 value)
{
	m.lvtpc = value;
	pass();
}

/* ---- the kernel around it ---- */

int shim_say(const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(m.said, sizeof(m.said), fmt, args);
	va_end(args);
	return len;
}

int param_set_bool(const char *value, const struct kernel_param *param)
{
	extern bool x86_pev_freeze_wanted;

	x86_pev_freeze_wanted = *value == '1';
	return 0;
}

int param_get_bool(char *buffer, const struct kernel_param *param)
{
	return 0;
}

void perf_clear_dirty_counters(void)
{
	m.dirty_cleared++;
}

void cr4_update_pce(void *unused)
{
	m.pce_updates++;
}

static int reserve(u64 *set, u32 number)
{
	if (m.foreign_owner || *set >> number & 1)
		return 0;
	*set |= BIT_ULL(number);
	return 1;
}

static u32 sel_number(u32 msr)
{
	return m.amd ? (m.version ? (msr - 0xc0010200) / 2 : msr - 0xc0010000) : msr - 0x186;
}

static u32 ctr_number(u32 msr)
{
	return m.amd ? (m.version ? (msr - 0xc0010201) / 2 : msr - 0xc0010004) : msr - 0xc1;
}

/* It would find no counter while any is reserved. */
void lockup_detector_reconfigure(void)
{
	m.watchdog_starts += !(m.reserved_ctr | m.reserved_sel);
}

int reserve_perfctr_nmi(u32 msr)
{
	return reserve(&m.reserved_ctr, ctr_number(msr));
}

int reserve_evntsel_nmi(u32 msr)
{
	return reserve(&m.reserved_sel, sel_number(msr));
}

void release_perfctr_nmi(u32 msr)
{
	m.reserved_ctr &= ~BIT_ULL(ctr_number(msr));
}

void release_evntsel_nmi(u32 msr)
{
	m.reserved_sel &= ~BIT_ULL(sel_number(msr));
}

int __register_nmi_handler(unsigned int type, struct nmiaction *action)
{
	if (!list_empty(&action->list) || nmi_action || action->flags != NMI_FLAG_FIRST)
		return -EINVAL;
	nmi_action = action;
	action->list = (struct list_head){ &nmi_handlers, &nmi_handlers };
	return 0;
}
