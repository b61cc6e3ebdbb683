// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the PMU of POWER8 to POWER10 as a device: which it is, who has it, and
 * what tasks carry for it. Locks: none of its own; the core calls in turn.
 *
 * Linux hands the PMU to one driver at a time, by reserve_pmc_hardware(). There
 * is no hard lockup detector beside perf that wants it, and no part of it that
 * could be shared.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/export.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/pev_refuse.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/firmware.h>
#include <asm/plpar_wrappers.h>
#include "cpu.h"
#include "guest_pmu.h"
#include "isa207.h"
#include "power.h"
#include "regs.h"

/* Each names what the architecture calls so: two lists that must agree. */
static_assert(M0_FC == MMCR0_FC && M0_FCM0 == MMCR0_FCM0 && M0_PMAE == MMCR0_PMXE);
static_assert(M0_FCECE == MMCR0_FCECE && M0_PMCC == MMCR0_PMCC && M0_EBE == MMCR0_EBE);
static_assert(M0_PMC1CE == MMCR0_PMC1CE);
static_assert(M0_PMCCEXT == MMCR0_PMCCEXT && M0_CC56RUN == MMCR0_C56RUN);
static_assert(M0_PMAO == MMCR0_PMAO && M0_FC56 == MMCR0_FC56 && M0_BHRBA == MMCR0_BHRBA);
static_assert(SI_PR == SIER_SIPR && SI_HV == SIER_SIHV);
static_assert(SI_SIAR_VALID == SIER_SIAR_VALID && SI_SDAR_VALID == SIER_SDAR_VALID);
static_assert(MA_SAMPLE == MMCRA_SAMPLE_ENABLE && MA_BHRBRD == MMCRA_BHRB_DISABLE);
static_assert(PPC_PEV_MSR_MARK == MSR_PMM);

/* What mfspr in problem state calls them: SPRN_PMC1 and so on are privileged. */
#define UPMC1	771

#define PMC(n) { .name = "PMC" #n, .bits = 31, .user = UPMC1 + (n) - 1 }

static const struct pev_pmu_counter counters[PEV_PMU_MAX_COUNTERS] = {
	PMC(1), PMC(2), PMC(3), PMC(4), PMC(5), PMC(6),
};

static const struct ppc_pev_model *model;

/* While pev has the PMU, KVM-HV asks it where guests begin and end. */
DEFINE_STATIC_KEY_FALSE(ppc_pev_guest_key);
EXPORT_SYMBOL_GPL(ppc_pev_guest_key);

/* The hypervisor below switches guests' registers, those of the PMU too, and tells nobody. */
static bool guests_from_below __ro_after_init;

/* Older processors run guests by another part of KVM-HV. */
static bool counts_guests(void)
{
	return IS_ENABLED(CONFIG_KVM_BOOK3S_HV_POSSIBLE) && cpu_has_feature(CPU_FTR_ARCH_300) &&
	       !guests_from_below;
}

static int encode(const struct pev_pmu_request *req, struct pev_pmu_code *code,
		  struct pev_refuse *r)
{
	return ppc_pev_check_faulty(mfspr(SPRN_PVR), req, r) ?:
	       ppc_pev_encode(model, regs_are_hypervisors(), counts_guests(), req, code, r);
}

/*
 * Whose PMIs these are. Only perf's driver reserves the PMU in Linux, but a module
 * may, too.
 */
static const char *handler_owner(perf_irq_t handler)
{
	char name[KSYM_SYMBOL_LEN];

	if (handler == ppc_pev_pmi)
		return NULL;
	if (!IS_ENABLED(CONFIG_KALLSYMS))
		return "perf, or a module";
	sprint_symbol_no_offset(name, (unsigned long)handler);
	if (str_has_prefix(name, "dummy_perf"))
		return NULL;
	return str_has_prefix(name, "perf_event_interrupt") ? "perf" : "a module";
}

static int reserve(struct pev_refuse *r)
{
	const char *owner = handler_owner(READ_ONCE(perf_irq));

	/* reserve_pmc_hardware() warns in the log where it refuses */
	if (!owner && !reserve_pmc_hardware(ppc_pev_pmi)) {
		static_branch_enable(&ppc_pev_guest_key);
		return 0;
	}
	return pev_refuse(r, EBUSY, PEV_NO_FIELD,
			  "the PMU is held by %s, which Linux lets have all of it",
			  owner ?: "another driver");
}

static void release(void)
{
	static_branch_disable(&ppc_pev_guest_key);
	release_pmc_hardware();
}

static const char *holder(unsigned int counter)
{
	return handler_owner(READ_ONCE(perf_irq));
}

/* Of the task's user state: its registers as it entered the kernel. */
static void mark(struct task_struct *task, bool on)
{
	struct pt_regs *regs = task_pt_regs(task);

	if (!regs || !(regs->msr & MSR_PMM) == !on)
		return;
	regs_set_return_msr(regs, on ? regs->msr | MSR_PMM : regs->msr & ~MSR_PMM);
}

static void grant(enum pev_pmu_grant what, struct task_struct *task, struct mm_struct *mm,
		  bool on)
{
	if (what == PEV_PMU_GRANT_MARK)
		mark(task, on);
	else if (what == PEV_PMU_GRANT_READS)
		ppc_pev_readers(on);
}

static const struct pev_pmu_ops ops = {
	.encode		= encode,
	.reserve	= reserve,
	.release	= release,
	.holder		= holder,
	.cpu_start	= ppc_pev_cpu_start,
	.cpu_stop	= ppc_pev_cpu_stop,
	.freeze		= ppc_pev_freeze,
	.thaw		= ppc_pev_thaw,
	.set		= ppc_pev_set,
	.read		= ppc_pev_read,
	.write		= ppc_pev_write,
	.grant		= grant,
};

static struct pev_pmu pmu = {
	.ops		= &ops,
	.present	= PMC_ALL,
	.counters	= counters,
	.features	= PEV_PMU_FREEZES | PEV_PMU_USER_READS | PEV_PMU_MARKS,
};

static const struct ppc_pev_model *find_model(unsigned int version)
{
	unsigned int i, j;

	for (i = 0; i < ppc_pev_nr_models; i++)
		for (j = 0; j < ARRAY_SIZE(ppc_pev_models[i].pvr); j++)
			if (ppc_pev_models[i].pvr[j] == version)
				return &ppc_pev_models[i];
	return NULL;
}

static int __init ppc_pev_init(void)
{
	unsigned int version = PVR_VER(mfspr(SPRN_PVR));
	unsigned long capabilities;

	if (!cpu_has_feature(CPU_FTR_ARCH_207S))
		return 0;
	model = find_model(version);
	if (!model) {
		pr_info("no hardware counters: unknown processor, PVR version %#x\n", version);
		return 0;
	}
	/* in that mode there is no MMCR3, and the codes are neither processor's */
	if (model->isa31 && !regs_have_isa31()) {
		pr_info("no hardware counters: this %s runs in the mode of an older processor; start the partition in its own mode\n",
			model->name);
		return 0;
	}
	guests_from_below = firmware_has_feature(FW_FEATURE_LPAR) && !regs_are_hypervisors() &&
			    plpar_guest_get_capabilities(0, &capabilities) == H_SUCCESS;
	ppc_pev_model_is(model);
	pmu.name = model->name;
	return pev_pmu_register(&pmu);
}
device_initcall(ppc_pev_init);
