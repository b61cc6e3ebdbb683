// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out how to count an event: what the user means, whether this processor has
 * it, on which counters. Touches no register.
 */
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/pev_refuse.h>
#include <linux/string.h>
#include "encode.h"
#include "hw.h"

#define hw	(&x86_pev_hw)

/* Codes of the fixed counters in Intel's event lists: event 0, unit mask 1 and on. */
#define FIXED_CODE(i)	(((i) + 1) << 8)

static int pick_generic(const struct pev_pmu_request *req, u64 *config, struct pev_refuse *r)
{
	const struct x86_pev_model *model = hw->model;

	*config = hw->arch[req->config] ?: model->events[req->config];
	if (*config)
		return 0;
	if (!model->name)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s: pev has no table of this processor's events, and what the processor itself says has none for it; give its code by PEV_TYPE_RAW",
				  req->name);
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
			  "%s: the %s has no event for it", req->name, model->name);
}

/* What is not part of an event's code, and why. */
static const struct {
	u64		bits;
	const char	*why;
} not_event[] = {
	{ SEL_USR | SEL_OS,
	  "PEV_F_EXCLUDE_USER and PEV_F_EXCLUDE_KERNEL choose user and kernel mode" },
	{ SEL_EN | SEL_INT, "pev starts the counter and takes its interrupt without being asked" },
	{ SEL_PC, "pin control would drive a pin of the processor" },
	{ SEL_ANY, "the other thread of the core may run another user's task" },
};

static int check_raw(u64 config, struct pev_refuse *r)
{
	u64 bad = config & ~hw->raw;
	const char *why = "the processor has no such bits, or gives them another meaning";
	unsigned int i;

	if (hw->model->no_raw)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(type),
				  "raw codes: on the %s each event has counters of its own, which pev does not know",
				  hw->model->name);
	if (!bad)
		return 0;
	for (i = 0; i < ARRAY_SIZE(not_event); i++) {
		/* the host and guest bits of AMD and others lie elsewhere */
		if (bad & not_event[i].bits) {
			why = not_event[i].why;
			bad &= not_event[i].bits;
			break;
		}
	}
	return pev_refuse(r, EINVAL, PEV_FIELD(config),
			  "bits %#llx of code %#llx: %s (allowed: %#llx, which is event, unit mask, edge, invert, counter mask)",
			  bad, config, why, hw->raw);
}

/* Which domains count: bits of the event select. */
static int pick_domains(u64 flags, u64 *sel, struct pev_refuse *r)
{
	u64 guests = flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST);

	if (flags & PEV_F_MARKED)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_MARKED: x86 processors have no mark by which they tell tasks apart");
	*sel = 0;
	if (!(flags & PEV_F_EXCLUDE_USER))
		*sel |= SEL_USR;
	if (!(flags & PEV_F_EXCLUDE_KERNEL))
		*sel |= SEL_OS;
	if (!*sel || guests == (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "the event excludes all that it could count");
	/* what a hypervisor does in x86's root mode, no guest's counter sees */
	if (!guests)
		return 0;
	if (!hw->guests) {
		if (guests == PEV_F_EXCLUDE_GUEST)
			return 0;
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_EXCLUDE_HOST: this processor can't run guests, there is nothing to count");
	}
	if (!hw->tells_guests)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "%s: the counters of this processor can't tell host and guests apart%s",
				  guests == PEV_F_EXCLUDE_HOST ? "PEV_F_EXCLUDE_HOST" :
								 "PEV_F_EXCLUDE_GUEST",
				  hw->kvm_switches ?
				  ", but KVM switches those that perf's driver has: sysctl kernel.pev_pmu=perf" :
				  "");
	*sel |= guests == PEV_F_EXCLUDE_HOST ? SEL_GUEST : SEL_HOST;
	return 0;
}

/* Number of the fixed counter for @config, -1: none. */
static int fixed_for(u64 config)
{
	unsigned int i;

	for (i = 0; hw->present >> (X86_PEV_FIXED + i); i++)
		if (config == FIXED_CODE(i))
			return hw->present & BIT_ULL(X86_PEV_FIXED + i) ? i : -1;
	if (!(hw->present >> X86_PEV_FIXED))
		return -1;
	switch (config) {
	case 0x00c0:	/* INST_RETIRED */
		i = 0;
		break;
	case 0x003c:	/* CPU_CLK_UNHALTED.THREAD */
		i = 1;
		break;
	case 0x013c:	/* CPU_CLK_UNHALTED.REF, which has another rate on most */
		if (!hw->model->ref_tsc)
			return -1;
		i = 2;
		break;
	default:
		return -1;
	}
	return hw->present & BIT_ULL(X86_PEV_FIXED + i) ? i : -1;
}

/* Code of the same event for the other counters, 0: there is none. */
static u64 gp_code(u64 config)
{
	switch (config) {
	case FIXED_CODE(0):
		config = hw->arch[PEV_HW_INSTRUCTIONS];
		break;
	case FIXED_CODE(1):
		config = hw->arch[PEV_HW_CYCLES];
		break;
	case FIXED_CODE(2):
		config = hw->model->ref_tsc ? 0x013c : 0;
		break;
	}
	/* event 0 is the fixed counters' */
	return config & 0xff ? config : 0;
}

/* What is special about @config; the counters of one that is not are all. */
static struct x86_pev_rule gp_rule(u64 config)
{
	const struct x86_pev_rule *rule = hw->model->rules;
	u16 event = (config & 0xff) | (config >> 24 & 0xf00), umask = config >> 8 & 0xff;

	for (; rule && rule->last; rule++)
		if (event >= rule->first && event <= rule->last &&
		    (rule->umask < 0 || rule->umask == umask))
			return *rule;
	return (struct x86_pev_rule){ .counters = hw->present & X86_PEV_GP_MASK };
}

/*
 * CPUID shares eight counters out among the threads of a core: with four there are
 * two of them, or firmware or a hypervisor that does not say.
 */
static bool leaks(u64 config)
{
	return hw->model->smt_leak && (config & 0xff) >= 0xd0 && (config & 0xff) <= 0xd3 &&
	       hweight64(hw->present & X86_PEV_GP_MASK) <= 4;
}

int x86_pev_encode(const struct pev_pmu_request *req, struct pev_pmu_code *code,
		   struct pev_refuse *r)
{
	struct pev_pmu_alt *alt = code->alt;
	u64 config = req->config, domains = 0, gp;
	struct x86_pev_rule rule;
	bool needs_more = false;
	int err, fixed = -1;

	if (req->type == PEV_TYPE_HARDWARE)
		err = pick_generic(req, &config, r);
	else
		err = check_raw(config, r);
	if (err)
		return err;
	err = pick_domains(req->flags, &domains, r);
	if (err)
		return err;

	if (leaks(config))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "code %#llx: on the %s with hyper-threading it would also change the counts of the core's other thread; switch hyper-threading off in the firmware",
				  config, hw->model->name);

	memset(code, 0, sizeof(*code));
	code->period_min = hw->model->period_min ?: 2;
	if (hw->present >> X86_PEV_FIXED)
		fixed = fixed_for(config);
	if (fixed >= 0) {
		alt->counters = BIT_ULL(X86_PEV_FIXED + fixed);
		alt->config = FIXED_INT | (domains & SEL_OS ? FIXED_OS : 0) |
			      (domains & SEL_USR ? FIXED_USR : 0);
		alt++;
	}
	gp = hw->present >> X86_PEV_FIXED ? gp_code(config) : config;
	if (gp) {
		rule = gp_rule(gp);
		needs_more = !rule.counters;
		alt->counters = hw->present & rule.counters;
		alt->config = gp | domains | SEL_INT;
		if (alt->counters && rule.period_min) {
			code->period_min = rule.period_min;
			code->period_low = hw->model->period_low;
		}
	}
	if (code->alt[0].counters)
		return 0;
	if (needs_more)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "code %#llx: the event needs a register besides its own event select, which pev does not set",
				  config);
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
			  "code %#llx: this processor has no counter for it", config);
}
