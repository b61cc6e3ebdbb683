/*
 * x86 core PMU for TCG: Intel architectural performance monitoring, versions 1
 * to 5, and AMD's PerfCtrExtCore and PerfMonV2. It counts what TCG knows
 * exactly, instructions and near branches; all other events are multiples or
 * fractions of these two. See README beside the patch.
 *
 * While a counter runs at the current privilege level, translation blocks
 * carry HF_PMU: their prologue takes the block's number of instructions off
 * env->pmu_left, and calls helper_pmu_event() when the next overflow lies
 * inside of the block or was already reached. A block left by an exception
 * gives back what it did not execute, in cpu_restore_state_from_tb(). Branches
 * count down env->pmu_br one by one (HF_PMU_BR).
 *
 * Everything else that changes what is counted (a register, the privilege
 * level, an overflow) is pmu_sync(), which adds what happened to the counters,
 * and then pmu_update(), which restarts both countdowns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/exec-all.h"
#include "hw/i386/apic.h"
#include "tcg/helper-tcg.h"

#define PMU_WIDTH       48
#define PMU_MASK        MAKE_64BIT_MASK(0, PMU_WIDTH)
#define PMU_FAR         (INT64_MAX / 2) /* a countdown that nothing waits for */

/* IA32_PERFEVTSELx and PERF_CTLx */
#define EVT_CODE        (0xffffULL | 0xfULL << 32)
#define EVT_USR         (1ULL << 16)
#define EVT_OS          (1ULL << 17)
#define EVT_EDGE        (1ULL << 18)
#define EVT_INT         (1ULL << 20)
#define EVT_EN          (1ULL << 22)
#define EVT_INV         (1ULL << 23)
#define EVT_CMASK       (0xffULL << 24)
#define EVT_GUEST       (1ULL << 40)    /* AMD */
#define EVT_HOST        (1ULL << 41)
#define EVT_VALID_INTEL 0xffffffffULL
#define EVT_VALID_AMD   (0xffffffffULL | 0xfULL << 32 | EVT_GUEST | EVT_HOST)

/* IA32_FIXED_CTR_CTRL, four bits for each counter */
#define FIX_OS          1
#define FIX_USR         2
#define FIX_ANY         4
#define FIX_PMI         8
#define FIXED           32              /* bit of fixed counter 0, everywhere */

/* the global status; the register to clear it takes the same bits */
#define ST_CTR_FRZ      (1ULL << 59)
#define ST_OTHER        MAKE_64BIT_MASK(55, 9)

#define DEBUGCTL_FREEZE_PMI     (1ULL << 12)
#define DEBUGCTL_VALID          0xffffULL
#define PERF_CAP_FW_WRITE       (1ULL << 13)

#define MSR_IA32_DEBUGCTL       0x1d9
#define MSR_PMC_FULL_WIDTH      0x4c1
#define MSR_GLOBAL_STATUS_SET   0x391
#define MSR_GLOBAL_INUSE        0x392
#define MSR_AMD_LEGACY          0xc0010000
#define MSR_AMD_CORE            0xc0010200
#define MSR_AMD_GLOBAL_STATUS   0xc0000300
#define MSR_AMD_GLOBAL_CTL      0xc0000301
#define MSR_AMD_GLOBAL_CLEAR    0xc0000302
#define MSR_AMD_GLOBAL_SET      0xc0000303

#define RDPMC_FIXED             (1u << 30)

/* Kinds of core, as CPUID leaf 0x1A has them */
#define KIND_ATOM               0x20
#define KIND_CORE               0x40
/* What a big core has more than its leaf 0xA says, which is what both have. */
#define CORE_MORE_GP            2
#define CORE_MORE_FIXED         1
/* ... and a bit of GLOBAL_CTRL, which lets PERF_METRICS count */
#define CTRL_PERF_METRICS       (1ULL << 48)

/* What an event counts: mul / div times instructions, or near branches. */
typedef struct {
    uint16_t code;
    bool branch;
    uint8_t mul, div;
} PMUEvent;

enum { RATE_CPI = 254, RATE_REF = 255 }; /* in mul: taken from a property */

/* code is umask << 8 | event */
static const PMUEvent intel_events[] = {
    { 0x00c0, false, 1, 1 },            /* instructions retired */
    { 0x003c, false, RATE_CPI, 1 },     /* core cycles */
    { 0x013c, false, RATE_REF, 1 },     /* reference cycles */
    { 0x4f2e, false, 1, 16 },           /* LLC references */
    { 0x412e, false, 1, 64 },           /* LLC misses */
    { 0x00c4, true, 1, 1 },             /* branches retired */
    { 0x00c5, true, 1, 8 },             /* mispredicted branches retired */
    { }
};

/* code is the 12 bit event; the unit mask is not looked at */
static const PMUEvent amd_events[] = {
    { 0x0c0, false, 1, 1 },
    { 0x076, false, RATE_CPI, 1 },
    { 0x120, false, RATE_REF, 1 },
    { 0x060, false, 1, 16 },            /* L2 requests, Linux: references */
    { 0x064, false, 1, 64 },            /* L2 status, Linux: misses */
    { 0x0c2, true, 1, 1 },
    { 0x0c3, true, 1, 8 },
    { }
};

/* The last one, slots, is of big cores only, and never counts. */
static const PMUEvent fixed_events[] = {
    { 0, false, 1, 1 }, { 0, false, RATE_CPI, 1 }, { 0, false, RATE_REF, 1 },
    { }
};

typedef struct {
    uint64_t *val;
    uint32_t *frac;     /* of the next event, in units of 1 / div */
    const PMUEvent *ev; /* NULL: one that never happens */
    unsigned mul;
    int bit;
    bool en, os, usr, intr;
    bool here;          /* host or guest, whichever runs, is one that counts */
} PMUCounter;

static bool pmu_is_amd(CPUX86State *env)
{
    return IS_AMD_CPU(env);
}

static bool pmu_has_global(CPUX86State *env)
{
    return env_archcpu(env)->pmu_version >= 2;
}

/* How a PMI freezes: by a status bit, or (Intel 2 and 3) GLOBAL_CTRL = 0. */
static bool pmu_has_frz(CPUX86State *env)
{
    return env_archcpu(env)->pmu_version >= (pmu_is_amd(env) ? 2 : 4);
}

static bool pmu_has_anythread(CPUX86State *env)
{
    uint8_t version = env_archcpu(env)->pmu_version;

    return !pmu_is_amd(env) && (version == 3 || version == 4);
}

static int pmu_nfixed(CPUX86State *env)
{
    return !pmu_is_amd(env) && pmu_has_global(env) ?
           env_archcpu(env)->pmu_fixed : 0;
}

static uint64_t pmu_gp_mask(CPUX86State *env)
{
    return MAKE_64BIT_MASK(0, env_archcpu(env)->pmu_gp);
}

static uint64_t pmu_all(CPUX86State *env)
{
    int fixed = pmu_nfixed(env);

    return pmu_gp_mask(env) | (fixed ? MAKE_64BIT_MASK(FIXED, fixed) : 0);
}

/* What may be set in GLOBAL_CTRL. */
static uint64_t pmu_ctrl(CPUX86State *env)
{
    return pmu_all(env) |
           (env_archcpu(env)->pmu_kind == KIND_CORE ? CTRL_PERF_METRICS : 0);
}

static const PMUEvent *pmu_decode(CPUX86State *env, uint64_t sel)
{
    bool amd = pmu_is_amd(env);
    const PMUEvent *ev = amd ? amd_events : intel_events;
    unsigned code = amd ? (sel & 0xff) | ((sel >> 24) & 0xf00) : sel & 0xffff;

    if (sel & (EVT_EDGE | EVT_INV | EVT_CMASK)) {
        return NULL;
    }
    for (; ev->div; ev++) {
        if (ev->code == code) {
            return ev;
        }
    }
    return NULL;
}

/* AMD's GuestOnly and HostOnly; a counter with one of them needs SVM. */
static bool pmu_guest_host(CPUX86State *env, uint64_t sel)
{
    if (!pmu_is_amd(env) || !(sel & (EVT_GUEST | EVT_HOST))) {
        return true;
    }
    return (env->efer & MSR_EFER_SVME) &&
           (sel & (env->hflags & HF_GUEST_MASK ? EVT_GUEST : EVT_HOST));
}

/* i counts the general counters, then the fixed ones; false: no more */
static bool pmu_counter(CPUX86State *env, int i, PMUCounter *c)
{
    X86CPU *cpu = env_archcpu(env);
    uint64_t sel;

    if (i < cpu->pmu_gp) {
        sel = env->msr_gp_evtsel[i];
        c->val = &env->msr_gp_counters[i];
        c->frac = &env->pmu_frac[i];
        c->bit = i;
        c->ev = pmu_decode(env, sel);
        c->os = sel & EVT_OS;
        c->usr = sel & EVT_USR;
        c->en = sel & EVT_EN;
        c->here = pmu_guest_host(env, sel);
        c->intr = sel & EVT_INT;
    } else {
        i -= cpu->pmu_gp;
        if (i >= pmu_nfixed(env)) {
            return false;
        }
        sel = env->msr_fixed_ctr_ctrl >> (4 * i);
        c->val = &env->msr_fixed_counters[i];
        c->frac = &env->pmu_frac[MAX_GP_COUNTERS + i];
        c->bit = FIXED + i;
        c->ev = fixed_events[i].div ? &fixed_events[i] : NULL;
        c->os = sel & FIX_OS;
        c->usr = sel & FIX_USR;
        c->en = sel & (FIX_OS | FIX_USR);
        c->here = true;
        c->intr = sel & FIX_PMI;
    }
    if (c->ev) {
        c->mul = c->ev->mul == RATE_CPI ? cpu->pmu_cpi :
                 c->ev->mul == RATE_REF ? cpu->pmu_ref : c->ev->mul;
    }
    if (pmu_has_global(env)) {
        c->en &= (env->msr_global_ctrl >> c->bit) & 1;
    }
    if (pmu_has_frz(env) && (env->msr_global_status & ST_CTR_FRZ)) {
        c->en = false;
    }
    return true;
}

/* Adds what was retired since the last call to the running counters. */
static void pmu_sync(CPUX86State *env)
{
    uint64_t insns = env->pmu_left0 - env->pmu_left;
    uint64_t branches = env->pmu_br0 - env->pmu_br;
    PMUCounter c;
    int i;

    env->pmu_left0 = env->pmu_left;
    env->pmu_br0 = env->pmu_br;
    for (i = 0; env->pmu_active && pmu_counter(env, i, &c); i++) {
        uint64_t n;

        if (!(env->pmu_active & (1ULL << c.bit))) {
            continue;
        }
        n = (c.ev->branch ? branches : insns) * c.mul + *c.frac;
        *c.frac = n % c.ev->div;
        n = *c.val + n / c.ev->div;
        *c.val = n & PMU_MASK;
        if (n <= PMU_MASK) {
            continue;
        }
        env->msr_global_status |= 1ULL << c.bit;
        if (c.intr && !env->pmu_pending) {
            env->pmu_pending = true;
            env->pmu_skid = env_archcpu(env)->pmu_skid + insns;
        }
    }
    if (env->pmu_pending) {
        env->pmu_skid -= insns;
    }
}

/* Instructions, or branches, until this counter overflows. */
static int64_t pmu_room(PMUCounter *c)
{
    return DIV_ROUND_UP((PMU_MASK + 1 - *c->val) * c->ev->div - *c->frac,
                        c->mul);
}

/* Which counters run now, and how far is the next overflow? */
static void pmu_update(CPUX86State *env)
{
    bool usr = (env->hflags & HF_CPL_MASK) != 0;
    int64_t left = PMU_FAR, br = PMU_FAR;
    PMUCounter c;
    int i;

    env->pmu_active = 0;
    env->pmu_on = env->pmu_pending;
    env->hflags &= ~(HF_PMU_MASK | HF_PMU_BR_MASK);
    for (i = 0; pmu_counter(env, i, &c); i++) {
        if (!c.en || !c.ev) {
            continue;
        }
        env->pmu_on = true;
        if (!c.here || !(usr ? c.usr : c.os)) {
            continue;
        }
        env->pmu_active |= 1ULL << c.bit;
        if (c.ev->branch) {
            env->hflags |= HF_PMU_BR_MASK;
            br = MIN(br, pmu_room(&c));
        } else {
            left = MIN(left, pmu_room(&c));
        }
    }
    if (env->pmu_pending) {
        left = MIN(left, MAX(env->pmu_skid, 0));
    }
    if (env->pmu_active || env->pmu_pending) {
        env->hflags |= HF_PMU_MASK;
    }
    env->pmu_left = env->pmu_left0 = left;
    env->pmu_br = env->pmu_br0 = br;
}

void x86_pmu_refresh(CPUX86State *env)
{
    pmu_sync(env);
    pmu_update(env);
}

/*
 * VMRUN counts for the guest, at the level that it leads to, as an instruction
 * and as a branch. Called before and after SS is loaded, which switches from
 * the host's counters to the guest's; #VMEXIT does so, too, and is nothing
 * that counts.
 */
void x86_pmu_vmrun(CPUX86State *env, bool entered)
{
    if (env->hflags & HF_PMU_MASK) {
        env->pmu_left += entered ? -1 : 1;
    }
    if (entered && (env->hflags & HF_PMU_BR_MASK)) {
        env->pmu_br--;
    }
}

/*
 * Intel: "sets bits n-1:0", the n general counters; Linux's KVM does the same
 * for PerfMonV2. The rest of the registers is zero.
 */
void x86_pmu_reset(CPUX86State *env)
{
    if (env_archcpu(env)->enable_pmu && pmu_has_global(env)) {
        env->msr_global_ctrl = pmu_gp_mask(env);
    }
}

/* As Alder Lake: the small cores come last, and are half as fast. */
static void pmu_make_hybrid(X86CPU *cpu, Error **errp)
{
    if (IS_AMD_CPU(&cpu->env) || cpu->pmu_version != 5 ||
        cpu->pmu_gp + CORE_MORE_GP > 8 || cpu->pmu_fixed != 3) {
        error_setg(errp, "x-pmu-pcores needs x-pmu-version=5, x-pmu-gp of 6 "
                   "at most and x-pmu-fixed=3");
    } else if (CPU(cpu)->cpu_index < cpu->pmu_pcores) {
        cpu->pmu_kind = KIND_CORE;
        cpu->pmu_gp += CORE_MORE_GP;
        cpu->pmu_fixed += CORE_MORE_FIXED;
    } else {
        cpu->pmu_kind = KIND_ATOM;
        cpu->pmu_cpi *= 2;
        cpu->pmu_ref *= 2;
    }
}

void x86_pmu_check(X86CPU *cpu, Error **errp)
{
    bool amd = IS_AMD_CPU(&cpu->env);

    if (!cpu->enable_pmu) {
        return;
    }
    if (cpu->pmu_version < 1 || cpu->pmu_version > (amd ? 2 : 5)) {
        error_setg(errp, "x-pmu-version must be 1 to %d", amd ? 2 : 5);
    } else if (cpu->pmu_gp < (amd ? 4 : 1) || cpu->pmu_gp > (amd ? 6 : 8)) {
        error_setg(errp, "x-pmu-gp must be %s", amd ? "4 to 6" : "1 to 8");
    } else if (cpu->pmu_fixed > 3) {
        error_setg(errp, "x-pmu-fixed must be 0 to 3");
    } else if (!cpu->pmu_cpi || !cpu->pmu_ref) {
        error_setg(errp, "x-pmu-cpi and x-pmu-ref must not be 0");
    } else if (cpu->pmu_pcores) {
        pmu_make_hybrid(cpu, errp);
    }
}

static void pmu_deliver(CPUX86State *env)
{
    bool locked = qemu_mutex_iothread_locked();

    env->pmu_pending = false;
    qemu_log_mask(CPU_LOG_INT, "PMI: status %016" PRIx64 " pc "
                  TARGET_FMT_lx "\n", env->msr_global_status, env->eip);
    if (env->msr_ia32_debugctl & DEBUGCTL_FREEZE_PMI) {
        if (pmu_has_frz(env)) {
            env->msr_global_status |= ST_CTR_FRZ;
        } else {
            env->msr_global_ctrl = 0;
        }
    }
    /* This is between two instructions: icount may be told of interrupts. */
    env_cpu(env)->can_do_io = 1;
    if (!locked) {
        qemu_mutex_lock_iothread();
    }
    apic_deliver_pmi(env_archcpu(env)->apic_state, !pmu_is_amd(env));
    if (!locked) {
        qemu_mutex_unlock_iothread();
    }
}

/*
 * Between two instructions: takes note of an overflow and raises its PMI.
 * Called before other interrupts are looked at, for an NMI goes first, and on
 * the way into HLT, when whatever is on its way arrives now.
 */
void x86_pmu_poll(CPUX86State *env, bool halting)
{
    if (!(env->hflags & HF_PMU_MASK) ||
        (env->pmu_left > 0 && env->pmu_br > 0 && !halting)) {
        return;
    }
    pmu_sync(env);
    if (env->pmu_pending && (env->pmu_skid <= 0 || halting)) {
        pmu_deliver(env);
    }
    pmu_update(env);
}

/* A block's prologue found that an overflow is due, or lies inside of it. */
G_NORETURN void helper_pmu_event(CPUX86State *env)
{
    CPUState *cs = env_cpu(env);

    /* The state before the block; this gives the block's count back. */
    cpu_restore_state(cs, GETPC());

    if (env->pmu_left > 0 && env->pmu_br > 0) {
        /* As icount does: a block of exactly as many as remain. */
        cs->cflags_next_tb = (curr_cflags(cs) & ~CF_COUNT_MASK) |
                             env->pmu_left;
    } else {
        x86_pmu_poll(env, false);
    }
    cpu_loop_exit(cs);
}

/* A register: where it lives, and the bits that may be written without #GP. */
typedef struct {
    uint64_t *reg;
    uint64_t valid;
    enum { REG_PLAIN, REG_COUNTER, REG_LEGACY, REG_SELECT,
           REG_CLEAR, REG_SET, REG_INUSE } kind;
} PMUReg;

static bool pmu_gp_reg(CPUX86State *env, uint32_t i, PMUReg *r, int kind,
                       uint64_t valid)
{
    r->reg = kind == REG_SELECT ? &env->msr_gp_evtsel[i]
                                : &env->msr_gp_counters[i];
    r->kind = kind;
    r->valid = valid;
    return true;
}

static bool pmu_status_reg(CPUX86State *env, PMUReg *r, int kind)
{
    r->reg = &env->msr_global_status;
    r->kind = kind;
    r->valid = kind == REG_PLAIN ? 0 : pmu_all(env) | ST_OTHER;
    return true;
}

static bool pmu_plain_reg(PMUReg *r, uint64_t *reg, uint64_t valid)
{
    r->reg = reg;
    r->kind = REG_PLAIN;
    r->valid = valid;
    return true;
}

static bool pmu_amd_reg(CPUX86State *env, uint32_t msr, PMUReg *r)
{
    uint32_t i = msr - MSR_AMD_CORE;    /* PERF_CTL0, PERF_CTR0, PERF_CTL1 */

    if (i < 2 * env_archcpu(env)->pmu_gp) {
        return i & 1 ? pmu_gp_reg(env, i / 2, r, REG_COUNTER, ~0ULL)
                     : pmu_gp_reg(env, i / 2, r, REG_SELECT, EVT_VALID_AMD);
    }
    i = msr - MSR_AMD_LEGACY;           /* four selects, then four counters */
    if (i < 8) {
        return i < 4 ? pmu_gp_reg(env, i, r, REG_SELECT, EVT_VALID_AMD)
                     : pmu_gp_reg(env, i - 4, r, REG_COUNTER, ~0ULL);
    }
    if (!pmu_has_global(env)) {
        return false;
    }
    switch (msr) {
    case MSR_AMD_GLOBAL_STATUS:
        return pmu_status_reg(env, r, REG_PLAIN);
    case MSR_AMD_GLOBAL_CLEAR:
        return pmu_status_reg(env, r, REG_CLEAR);
    case MSR_AMD_GLOBAL_SET:
        return pmu_status_reg(env, r, REG_SET);
    case MSR_AMD_GLOBAL_CTL:
        return pmu_plain_reg(r, &env->msr_global_ctrl, pmu_all(env));
    }
    return false;
}

static bool pmu_intel_global_reg(CPUX86State *env, uint32_t msr, PMUReg *r)
{
    uint64_t fixed = MAKE_64BIT_MASK(0, 4 * pmu_nfixed(env));

    switch (msr) {
    case MSR_CORE_PERF_FIXED_CTR_CTRL:
        return pmu_plain_reg(r, &env->msr_fixed_ctr_ctrl, pmu_nfixed(env) ?
                             fixed & (pmu_has_anythread(env) ? 0xffff : 0xbbbb) :
                             0);
    case MSR_CORE_PERF_GLOBAL_CTRL:
        return pmu_plain_reg(r, &env->msr_global_ctrl, pmu_ctrl(env));
    case MSR_CORE_PERF_GLOBAL_STATUS:
        return pmu_status_reg(env, r, REG_PLAIN);
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:         /* 4: GLOBAL_STATUS_RESET */
        return pmu_status_reg(env, r, REG_CLEAR);
    case MSR_GLOBAL_STATUS_SET:
        pmu_status_reg(env, r, REG_SET);
        return env_archcpu(env)->pmu_version >= 4;
    case MSR_GLOBAL_INUSE:
        r->kind = REG_INUSE;
        r->valid = 0;
        return env_archcpu(env)->pmu_version >= 4;
    }
    return false;
}

static bool pmu_intel_reg(CPUX86State *env, uint32_t msr, PMUReg *r)
{
    uint32_t i, gp = env_archcpu(env)->pmu_gp;

    i = msr - MSR_P6_PERFCTR0;
    if (i < gp) {
        return pmu_gp_reg(env, i, r, REG_LEGACY, ~0ULL);
    }
    i = msr - MSR_PMC_FULL_WIDTH;
    if (i < gp) {
        return pmu_gp_reg(env, i, r, REG_COUNTER, PMU_MASK);
    }
    i = msr - MSR_P6_EVNTSEL0;
    if (i < gp) {
        return pmu_gp_reg(env, i, r, REG_SELECT, EVT_VALID_INTEL);
    }
    i = msr - MSR_CORE_PERF_FIXED_CTR0;
    if (i < pmu_nfixed(env)) {
        return pmu_plain_reg(r, &env->msr_fixed_counters[i], PMU_MASK);
    }
    return pmu_has_global(env) && pmu_intel_global_reg(env, msr, r);
}

/* false: not a register of this CPU's PMU */
static bool pmu_reg(CPUX86State *env, uint32_t msr, PMUReg *r)
{
    if (!env_archcpu(env)->enable_pmu) {
        return false;
    }
    if (msr == MSR_IA32_DEBUGCTL) {
        return pmu_plain_reg(r, &env->msr_ia32_debugctl, DEBUGCTL_VALID);
    }
    return pmu_is_amd(env) ? pmu_amd_reg(env, msr, r)
                           : pmu_intel_reg(env, msr, r);
}

/* IA32_PERF_GLOBAL_INUSE: which counters are configured, and the PMI. */
static uint64_t pmu_inuse(CPUX86State *env)
{
    uint64_t val = 0, pmi = 0;
    int i;

    for (i = 0; i < env_archcpu(env)->pmu_gp; i++) {
        val |= (uint64_t)!!(env->msr_gp_evtsel[i] & 0xff) << i;
        pmi |= env->msr_gp_evtsel[i] & EVT_INT;
    }
    for (i = 0; i < pmu_nfixed(env); i++) {
        uint64_t ctl = env->msr_fixed_ctr_ctrl >> (4 * i);

        val |= (uint64_t)!!(ctl & (FIX_OS | FIX_USR)) << (FIXED + i);
        pmi |= ctl & FIX_PMI;
    }
    return val | (uint64_t)!!pmi << 63;
}

/* false: not a register of the PMU */
bool x86_pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
    PMUReg r;

    if (msr == MSR_IA32_PERF_CAPABILITIES && env_archcpu(env)->enable_pmu &&
        !pmu_is_amd(env)) {
        *val = PERF_CAP_FW_WRITE;
        return true;
    }
    if (!pmu_reg(env, msr, &r)) {
        return false;
    }
    x86_pmu_refresh(env);
    if (r.kind == REG_INUSE) {
        *val = pmu_inuse(env);
    } else if (r.kind == REG_CLEAR || r.kind == REG_SET) {
        *val = 0;
    } else {
        *val = *r.reg;
    }
    return true;
}

/* false: #GP */
bool x86_pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
    PMUReg r;

    if (!pmu_reg(env, msr, &r)) {
        return true;
    }
    if (!r.valid || (val & ~r.valid)) {
        return false;
    }
    pmu_sync(env);
    switch (r.kind) {
    case REG_CLEAR:
        env->msr_global_status &= ~val;
        break;
    case REG_SET:
        env->msr_global_status |= val;
        break;
    case REG_LEGACY:                    /* 32 bits, sign-extended */
        val = (int64_t)(int32_t)val;
        /* fall through */
    case REG_COUNTER:
        *r.reg = val & PMU_MASK;
        break;
    case REG_SELECT:
        /* Stopped and started again, it goes on from its fraction. */
        if ((*r.reg ^ val) & EVT_CODE) {
            env->pmu_frac[r.reg - env->msr_gp_evtsel] = 0;
        }
        *r.reg = val;
        break;
    default:
        *r.reg = val;
        break;
    }
    pmu_update(env);
    return true;
}

void helper_rdpmc(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);
    uint32_t i = env->regs[R_ECX];
    uint64_t val;

    if ((!(env->cr[4] & CR4_PCE_MASK) && (env->hflags & HF_CPL_MASK)) ||
        !cpu->enable_pmu) {
        raise_exception_ra(env, EXCP0D_GPF, GETPC());
    }
    cpu_svm_check_intercept_param(env, SVM_EXIT_RDPMC, 0, GETPC());

    x86_pmu_refresh(env);
    if (i < cpu->pmu_gp) {
        val = env->msr_gp_counters[i];
    } else if (i - RDPMC_FIXED < pmu_nfixed(env)) {
        val = env->msr_fixed_counters[i - RDPMC_FIXED];
    } else {
        raise_exception_ra(env, EXCP0D_GPF, GETPC());
    }
    env->regs[R_EAX] = (uint32_t)val;
    env->regs[R_EDX] = (uint32_t)(val >> 32);
}

/* CPUID leaves 0xA and 0x80000022; the caller has cleared the registers. */
void x86_pmu_cpuid(CPUX86State *env, uint32_t index, uint32_t *eax,
                   uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    X86CPU *cpu = env_archcpu(env);
    int gp = cpu->pmu_gp, fixed = cpu->pmu_fixed;

    if (cpu->pmu_kind == KIND_CORE) {
        gp -= CORE_MORE_GP;
        fixed -= CORE_MORE_FIXED;
    }
    if (index == 0xA && !pmu_is_amd(env)) {
        /* seven architectural events, none of them absent */
        *eax = cpu->pmu_version | gp << 8 | PMU_WIDTH << 16 | 7 << 24;
        if (cpu->pmu_version >= 2) {
            *edx = fixed | PMU_WIDTH << 5;
        }
        if (cpu->pmu_version >= 5) {
            *ecx = fixed ? MAKE_64BIT_MASK(0, fixed) : 0;
            *edx |= 1 << 15;            /* AnyThread is no more */
        }
    } else if (index == 0x80000022 && pmu_is_amd(env) &&
               cpu->pmu_version >= 2) {
        *eax = 1 << 0 | 1 << 2;         /* PerfMonV2, freeze on PMI */
        *ebx = cpu->pmu_gp;
    }
}
