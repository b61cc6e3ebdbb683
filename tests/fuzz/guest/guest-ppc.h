/* SPDX-License-Identifier: GPL-2.0 */
/*
 * POWER's hostile guest: the kernel of one of KVM-HV, without translation. Between its calls it
 * reads and writes registers of the PMU, which KVM-HV has each guest own, as the host tells it to:
 * for PMCs values that no counter of the host's has, controls by chance, and numbers that are a
 * hypervisor's. It keeps an account of that, by which the host knows what each register had to
 * read: a PMU that is frozen what was written, whatever the host counted or lent in between.
 */
#ifndef GUEST_PPC_H
#define GUEST_PPC_H

#include <sys/auxv.h>
#include "guest.h"

#define GUEST_PAGE 0x10000
#define GUEST_READ_ONLY 0x90000
#define GUEST_HOLE 0xa0000
#define GUEST_TABLES 0xf00 /* where it is interrupted by counters */
/* KVM knows no such flag here */
#define GUEST_READ_ONLY_FLAGS 0
#define GUEST_READ_ONLY_PROT PROT_READ

#define LOGGED 0x4020 /* entries of the account */
#define TICKS 0x4024 /* of the decrementer */
#define DEEDS 0x4a00 /* with the PMU to choose from, 64: struct deed */
#define SAVED 0x4f00 /* registers, by the handler */
#define LOG 0x50000 /* struct logged */
#define LOG_MAX 2048
#define VPA 0x60000 /* what hypervisors ask about the PMU is in it */
#define VPA_IN_USE 0xbb

/* The registers, as the tables of instructions below have them. */
enum guest_reg {
	PMC1,
	PMC6 = 5,
	MMCR0,
	MMCR1,
	MMCR2,
	MMCRA,
	SIER,
	SIAR,
	SDAR,
	MMCR3, /* and what follows: POWER10 */
	SIER2,
	SIER3,
	REGS,
};

/* What is done with them: indices of these tables. */
#define READ_KERNELS 0
#define WRITE_KERNELS REGS
#define READ_USERS (2 * REGS)
#define HYPERVISORS (3 * REGS) /* reads and writes in turn */
#define HYPERVISORS_END (HYPERVISORS + 6)
#define FLIP_PMM HYPERVISORS_END
#define REGISTER_VPA (FLIP_PMM + 1)
#define SET_IN_USE (FLIP_PMM + 2)

struct deed {
	uint64_t what;
	uint64_t value;
};

struct logged {
	struct deed deed;
	uint64_t result;
};

/* clang-format off */
asm(".pushsection .rodata\n"
    ".balign 4\n"
    "hostile_begin:\n"
    "	li 31, 0x4000\n"
    "	lis 3, 1\n"
    "	mtdec 3\n"
    "	bl hostile_open\n"
    /* a whole area that makes sense, or a word of one that makes none */
    "1:	bl hostile_random\n"
    "	lis 6, 4\n"
    "	andi. 4, 3, 0x3000\n"
    "	beq 2f\n"
    "	addi 5, 31, 0x400 - 4\n"
    "	addi 6, 6, -4\n"
    "	li 4, 102\n"
    "	mtctr 4\n"
    "3:	lwzu 4, 4(5)\n"
    "	stwu 4, 4(6)\n"
    "	bdnz 3b\n"
    "	b 4f\n"
    "2:	rlwinm 9, 3, 29, 24, 29\n"
    "	add 9, 9, 6\n"
    "	bl hostile_word\n"
    "	stw 3, 0(9)\n"
    /* a call that makes sense, or one that makes none */
    "4:	bl hostile_random\n"
    "	rlwinm 6, 3, 30, 24, 28\n"
    "	addi 6, 6, 0x600\n"
    "	add 6, 6, 31\n"
    "	lwz 4, 0(6)\n"
    "	lwz 5, 4(6)\n"
    "	andis. 9, 3, 0xe\n"
    "	bne 5f\n"
    "	rlwinm 6, 3, 29, 26, 29\n"
    "	addi 6, 6, 0x100\n"
    "	lwzx 9, 6, 31\n"
    "	bl hostile_word\n"
    "	mr 5, 3\n"
    "	mr 4, 9\n"
    "5:	bl hostile_call\n"
    /* some deeds, in one piece each and with their account */
    "	bl hostile_close\n"
    "	bl hostile_deeds\n"
    "	bl hostile_open\n"
    "	bl hostile_random\n"
    "	andi. 3, 3, 1023\n"
    "	addi 3, 3, 1\n"
    "	mtctr 3\n"
    "6:	bdnz 6b\n"
    "	lwz 3, 4(31)\n"
    "	cmplwi 3, 256\n"
    "	blt 1b\n"
    "	lis 3, 0x1000\n"
    "	stw 3, 0(3)\n"
    "	b 1b\n"
    /* interrupts are let in, or not */
    "hostile_open:\n"
    "	li 3, 2\n"
    "	ori 3, 3, 0x8000\n"
    "	mtmsrd 3, 1\n"
    "	blr\n"
    "hostile_close:\n"
    "	li 3, 2\n"
    "	mtmsrd 3, 1\n"
    "	blr\n"
    /* operation r4 of r5 */
    "hostile_call:\n"
    "	lis 3, 0x70\n"
    "	ori 3, 3, 0x6576\n"
    "	sc 1\n"
    "	lwz 4, 4(31)\n"
    "	addi 4, 4, 1\n"
    "	stw 4, 4(31)\n"
    "	cmpdi 3, 0\n"
    "	bgelr\n"
    "	lwz 4, 8(31)\n"
    "	addi 4, 4, 1\n"
    "	stw 4, 8(31)\n"
    "	blr\n"
    /* a word of the host's choice, or any */
    "hostile_word:\n"
    "	mflr 12\n"
    "	bl hostile_random\n"
    "	mtlr 12\n"
    "	andi. 4, 3, 0xe000\n"
    "	beq hostile_random\n"
    "	rlwinm 3, 3, 31, 24, 29\n"
    "	addi 3, 3, 0x200\n"
    "	lwzx 3, 3, 31\n"
    "	blr\n"
    /* xorshift; an interrupt in the middle makes it no less random */
    "hostile_random:\n"
    "	lwz 3, 0(31)\n"
    "	slwi 4, 3, 13\n"
    "	xor 3, 3, 4\n"
    "	srwi 4, 3, 17\n"
    "	xor 3, 3, 4\n"
    "	slwi 4, 3, 5\n"
    "	xor 3, 3, 4\n"
    "	stw 3, 0(31)\n"
    "	blr\n"
    /* up to eight; a full account is for the host to look at first */
    "hostile_deeds:\n"
    "	mflr 30\n"
    "	bl hostile_random\n"
    "	rlwinm 29, 3, 27, 29, 31\n"
    "7:	lwz 3, 0x20(31)\n"
    "	cmplwi 3, 2048\n"
    "	blt 8f\n"
    "	lis 3, 0x1000\n"
    "	stw 3, 0(3)\n"
    "8:	bl hostile_random\n"
    "	rlwinm 3, 3, 31, 22, 27\n"
    "	add 3, 3, 31\n"
    "	ld 28, 0xa00(3)\n"
    "	ld 27, 0xa08(3)\n"
    "	mr 4, 27\n"
    "	sldi 5, 28, 3\n"
    "	addi 5, 5, 0x2000 + hostile_table - hostile_begin\n"
    "	mtctr 5\n"
    /* what does not exist, or faults, leaves it */
    "	li 3, 0\n"
    "	bctrl\n"
    "	lwz 5, 0x20(31)\n"
    "	mulli 6, 5, 24\n"
    "	addis 6, 6, 5\n"
    "	std 28, 0(6)\n"
    "	std 27, 8(6)\n"
    "	std 3, 16(6)\n"
    "	addi 5, 5, 1\n"
    "	stw 5, 0x20(31)\n"
    "	addic. 29, 29, -1\n"
    "	bge 7b\n"
    "	mtlr 30\n"
    "	blr\n"
    "hostile_table:\n"
    "	.irp spr, 787, 788, 789, 790, 791, 792, 795, 798, 785, 786, 784, 796, 797, 754, 752, 753\n"
    "	mfspr 3, \\spr\n"
    "	blr\n"
    "	.endr\n"
    "	.irp spr, 787, 788, 789, 790, 791, 792, 795, 798, 785, 786, 784, 796, 797, 754, 752, 753\n"
    "	mtspr \\spr, 4\n"
    "	blr\n"
    "	.endr\n"
    "	.irp spr, 771, 772, 773, 774, 775, 776, 779, 782, 769, 770, 768, 780, 781, 738, 736, 737\n"
    "	mfspr 3, \\spr\n"
    "	blr\n"
    "	.endr\n"
    /* HFSCR, by which it would have the PMU, LPCR and PTCR */
    "	.irp spr, 190, 318, 464\n"
    "	mfspr 3, \\spr\n"
    "	blr\n"
    "	mtspr \\spr, 4\n"
    "	blr\n"
    "	.endr\n"
    "hostile_table_end:\n"
    "	b 9f\n"
    "	nop\n"
    "	b 10f\n"
    "	nop\n"
    "	lis 5, 6\n"
    "	stb 4, 0xbb(5)\n"
    "	blr\n"
    /* tasks that the host marks have that bit */
    "9:	mfmsr 3\n"
    "	xori 3, 3, 4\n"
    "	mtmsrd 3\n"
    "	blr\n"
    /* H_REGISTER_VPA */
    "10:	li 3, 0xdc\n"
    "	li 5, 0\n"
    "	lis 6, 6\n"
    "	sc 1\n"
    "	blr\n"
    /* answers some interrupts, starts again or not, and does things to its PMU or not */
    "hostile_nmi:\n"
    "	std 3, 0xf00(31)\n"
    "	std 4, 0xf08(31)\n"
    "	std 5, 0xf10(31)\n"
    "	std 6, 0xf18(31)\n"
    "	std 9, 0xf20(31)\n"
    "	std 12, 0xf28(31)\n"
    "	std 27, 0xf30(31)\n"
    "	std 28, 0xf38(31)\n"
    "	std 29, 0xf40(31)\n"
    "	std 30, 0xf48(31)\n"
    "	mfspr 3, 26\n"
    "	std 3, 0xf50(31)\n"
    "	mfspr 3, 27\n"
    "	std 3, 0xf58(31)\n"
    "	mflr 3\n"
    "	std 3, 0xf60(31)\n"
    "	mfctr 3\n"
    "	std 3, 0xf68(31)\n"
    "	mfcr 3\n"
    "	std 3, 0xf70(31)\n"
    "	lwz 3, 0xc(31)\n"
    "	addi 3, 3, 1\n"
    "	stw 3, 0xc(31)\n"
    "	bl hostile_random\n"
    "	andi. 4, 3, 0x300\n"
    "	beq 11f\n"
    "	li 4, 4\n"
    "	li 5, 1\n"
    "	bl hostile_call\n"
    "11:	bl hostile_random\n"
    "	andi. 4, 3, 0x300\n"
    "	bne 12f\n"
    "	bl hostile_word\n"
    "	mr 5, 3\n"
    "	li 4, 5\n"
    "	bl hostile_call\n"
    "12:	bl hostile_random\n"
    "	andi. 4, 3, 0x100\n"
    "	beq 13f\n"
    "	bl hostile_deeds\n"
    "13:	ld 3, 0xf70(31)\n"
    "	mtcr 3\n"
    "	ld 3, 0xf68(31)\n"
    "	mtctr 3\n"
    "	ld 3, 0xf60(31)\n"
    "	mtlr 3\n"
    "	ld 3, 0xf58(31)\n"
    "	mtspr 27, 3\n"
    "	ld 3, 0xf50(31)\n"
    "	mtspr 26, 3\n"
    "	ld 30, 0xf48(31)\n"
    "	ld 29, 0xf40(31)\n"
    "	ld 28, 0xf38(31)\n"
    "	ld 27, 0xf30(31)\n"
    "	ld 12, 0xf28(31)\n"
    "	ld 9, 0xf20(31)\n"
    "	ld 6, 0xf18(31)\n"
    "	ld 5, 0xf10(31)\n"
    "	ld 4, 0xf08(31)\n"
    "	ld 3, 0xf00(31)\n"
    "	rfid\n"
    "hostile_decrementer:\n"
    "	mtsprg 0, 3\n"
    "	lwz 3, 0x24(31)\n"
    "	addi 3, 3, 1\n"
    "	stw 3, 0x24(31)\n"
    "	lis 3, 1\n"
    "	mtdec 3\n"
    "	mfsprg 3, 0\n"
    "	rfid\n"
    /* goes on behind an instruction of the table; anything else is its ruin */
    "hostile_program:\n"
    "	mtsprg 1, 3\n"
    "	mtsprg 2, 4\n"
    "	mfcr 4\n"
    "	mtsprg 3, 4\n"
    "	mfspr 3, 26\n"
    "	cmpldi 3, 0x2000 + hostile_table - hostile_begin\n"
    "	blt hostile_ruin\n"
    "	cmpldi 3, 0x2000 + hostile_table_end - hostile_begin\n"
    "	bge hostile_ruin\n"
    "	addi 3, 3, 4\n"
    "	mtspr 26, 3\n"
    "	lwz 3, 0x14(31)\n"
    "	addi 3, 3, 1\n"
    "	stw 3, 0x14(31)\n"
    "	mfsprg 4, 3\n"
    "	mtcr 4\n"
    "	mfsprg 4, 2\n"
    "	mfsprg 3, 1\n"
    "	rfid\n"
    "hostile_ruin:\n"
    "	lis 3, 0x1000\n"
    "	stw 3, 0x1000(3)\n"
    "	b hostile_ruin\n"
    "hostile_end:\n"
    ".popsection\n");
/* clang-format on */

extern const uint8_t hostile_begin[], hostile_nmi[], hostile_decrementer[], hostile_program[],
	hostile_ruin[], hostile_end[];

_Static_assert(sizeof(struct pev_guest_area) == 102 * 4 && BATCH == 256 && REGS == 16 &&
		       LOG_MAX == 2048 && sizeof(struct logged) == 24,
	       "the guest's code has other numbers");

/* ---- what the host has it do ---- */

/* MMCR0 */
#define FC 0x80000000U
#define PMAE 0x04000000U
#define FCECE 0x02000000U
#define PMAO 0x80U
#define CONDITIONS 0xc000U

/* Both are of no counter of the host's, which begin at 0 or at 2^30, but of some that are lent. */
static uint64_t some_pmc(void)
{
	return below(2) ? 0x50000000 | (rnd() & 0xfffffff) : 0x7fffffff - below(5000);
}

static bool is_some_pmc(uint64_t value)
{
	return !value || (value >= 0x50000000 && value < 0x70000000) ||
	       (value >= 0x7ff00000 && value < 0x90000000);
}

/* This guest's PMU counts nothing, until it is set up again. */
static bool calm;

static uint64_t some_mmcr0(void)
{
	uint32_t some = (uint32_t)rnd();

	/* an interrupt by its own hand is one after the other, until it takes that back */
	if (below(8))
		some &= ~PMAO;
	if (calm)
		return FC | (some & ~PMAE);
	switch (below(4)) {
	case 0:
		return FC;
	case 1:
		return FC | some;
	case 2:
		return (PMAE | FCECE | CONDITIONS) & (below(4) ? ~0U : some);
	default:
		return some;
	}
}

static uint64_t some_mmcr1(void)
{
	/* events of POWER9: instructions, cycles */
	static const uint8_t events[] = { 0x02, 0x1e, 0xf0, 0xfa, 0xfe };
	uint64_t mmcr1 = below(2) ? rnd() & ~0xffffffffULL : 0;

	for (unsigned int i = 0; i < 4; i++)
		mmcr1 |= (uint64_t)events[below(sizeof(events))] << (8 * i);
	return below(4) ? mmcr1 : rnd();
}

static uint64_t some_value(enum guest_reg reg)
{
	switch (reg) {
	case PMC1 ... PMC6:
		return some_pmc();
	case MMCR0:
		return some_mmcr0();
	case MMCR1:
		return some_mmcr1();
	case SIAR:
	case SDAR:
		/* no address of a kernel */
		return (uint32_t)rnd();
	default:
		return below(2) ? rnd() : 0;
	}
}

static enum guest_reg some_reg(void)
{
	return below(2) ? PMC1 + below(PMC6 - PMC1 + 1) : below(REGS);
}

static struct deed some_deed(void)
{
	/* register, and, as often, deregister */
	static const uint64_t functions[] = { 1ULL << 45, 5ULL << 45 };
	enum guest_reg reg = some_reg();

	switch (below(16)) {
	case 0 ... 6:
		return (struct deed){ READ_KERNELS + reg, 0 };
	case 7 ... 8:
		return (struct deed){ READ_USERS + reg, 0 };
	case 9 ... 12:
		return (struct deed){ WRITE_KERNELS + reg, some_value(reg) };
	case 13:
		return (struct deed){ WRITE_KERNELS + MMCR0, some_mmcr0() };
	case 14:
		return (struct deed){ HYPERVISORS + below(HYPERVISORS_END - HYPERVISORS), rnd() };
	default:
		if (!below(4))
			return (struct deed){ FLIP_PMM, 0 };
		if (!below(3))
			return (struct deed){ REGISTER_VPA, functions[below(2)] };
		return (struct deed){ SET_IN_USE, below(2) };
	}
}

static void guest_fill(struct vmm *m)
{
	struct deed *deeds = (struct deed *)(m->memory + DEEDS);

	for (unsigned int i = 0; i < 64; i++)
		deeds[i] = some_deed();
}

/* ---- what it must have read ---- */

/* As many a PMC counts from one read to the next, and far more. */
#define AHEAD (1U << 28)

/**
 * enum knowledge - what is known of a register
 * @NOTHING: but that its value is the guest's
 * @SINCE:   of a PMC: it was this, and may have counted since
 * @WRITTEN: this was written, of which the processor may keep only some bits
 * @EXACT:   it is this
 */
enum knowledge {
	NOTHING,
	SINCE,
	WRITTEN,
	EXACT,
};

/*
 * The guest's PMU. @frozen: it is known that nothing counts or overflows. A guest whose VPA says that
 * the PMU is not in use may find what it wrote, or older values of its own. @ran: something counted
 * since all was set. KVM-HV lets that count in its own last steps into the guest and its first out of it,
 * and overflow there, so that SIAR is of these.
 */
static struct {
	uint64_t value[REGS];
	enum knowledge known[REGS];
	bool frozen;
	bool ran;
	bool has_vpa;
	bool in_use;
} pmu;

static bool is_kept(void)
{
	return !pmu.has_vpa || pmu.in_use;
}

/* The processor changes these on its own unless it is frozen. */
static bool changes(enum guest_reg reg)
{
	return reg <= PMC6 || reg == SIER || reg == SIAR || reg == SDAR || reg == MMCRA ||
	       reg >= SIER2;
}

static void forget(void)
{
	memset(pmu.known, 0, sizeof(pmu.known));
	pmu.frozen = false;
}

static void wrote(enum guest_reg reg, uint64_t value)
{
	bool stops = value & FC && !(value & PMAE);

	pmu.ran |= reg == MMCR0 && !stops;
	if (!is_kept())
		return;
	pmu.value[reg] = value;
	pmu.known[reg] = reg <= PMC6 ? EXACT : WRITTEN;
	if (reg != MMCR0) {
		if (!pmu.frozen && changes(reg))
			pmu.known[reg] = reg <= PMC6 ? SINCE : NOTHING;
		return;
	}
	pmu.frozen = stops;
	for (unsigned int i = 0; !pmu.frozen && i < REGS; i++)
		if (changes(i) && pmu.known[i])
			pmu.known[i] = i <= PMC6 ? SINCE : NOTHING;
}

/* Can the guest have found @value? */
static bool may_read(enum guest_reg reg, uint64_t value)
{
	uint64_t diff = value ^ pmu.value[reg];

	if (reg <= PMC6 && !is_some_pmc(value))
		return false;
	if ((reg == SIAR || reg == SDAR) && value >> 32 && !pmu.ran)
		return false;
	/* bits 0-31 are reserved */
	if (reg == MMCR0 && pmu.known[reg])
		diff &= pmu.frozen ? ~PMAO : ~(FC | PMAE | FCECE | PMAO);
	switch (pmu.known[reg]) {
	case SINCE:
		return (uint32_t)(value - pmu.value[reg]) < AHEAD;
	case WRITTEN:
		return !(value & diff);
	case EXACT:
		return !diff;
	default:
		return true;
	}
}

static bool found(enum guest_reg reg, uint64_t value)
{
	if (!may_read(reg, value))
		return false;
	if (!is_kept())
		return true;
	pmu.value[reg] = value;
	if (pmu.frozen || !changes(reg))
		pmu.known[reg] = EXACT;
	else if (reg <= PMC6)
		pmu.known[reg] = SINCE;
	return true;
}

/* By the number that is user mode's, which has not all bits of MMCR0 and MMCR2, nor POWER10's here. */
static bool found_as_user(enum guest_reg reg, uint64_t value)
{
	if (reg == MMCR0 || reg == MMCR2 || reg >= MMCR3)
		return true;
	/* the emulator's is as old as its last change of another mode */
	if (pmu.known[reg] == SINCE)
		return is_some_pmc(value);
	return may_read(reg, value);
}

/* Returns false: the guest saw what is not its own. */
static bool judge(const struct logged *l)
{
	unsigned int what = l->deed.what;

	if (what < WRITE_KERNELS)
		return found(what, l->result);
	if (what < READ_USERS)
		wrote(what - WRITE_KERNELS, l->deed.value);
	else if (what < HYPERVISORS)
		return found_as_user(what - READ_USERS, l->result);
	else if (what < HYPERVISORS_END)
		return !l->result;
	else if (what == REGISTER_VPA && !l->result)
		pmu.has_vpa = l->deed.value >> 45 == 1;
	else if (what == SET_IN_USE)
		pmu.in_use = l->deed.value;
	if (what >= REGISTER_VPA)
		forget();
	return true;
}

static void tell_leak(const struct logged *l)
{
	static const char *const names[REGS] = {
		"PMC1",	 "PMC2",  "PMC3", "PMC4", "PMC5", "PMC6",  "MMCR0", "MMCR1",
		"MMCR2", "MMCRA", "SIER", "SIAR", "SDAR", "MMCR3", "SIER2", "SIER3",
	};
	unsigned int what = l->deed.what, reg = what % REGS;

	if (what >= HYPERVISORS)
		printf("# a guest read %#llx of a register of hypervisors\n",
		       (unsigned long long)l->result);
	else
		printf("# a guest read %#llx of %s%s, %sfrozen, after %#llx (%d)\n",
		       (unsigned long long)l->result, names[reg],
		       what < READ_USERS ? "" : " by user mode's number", pmu.frozen ? "" : "not ",
		       (unsigned long long)pmu.value[reg], pmu.known[reg]);
}

static void guest_judge(struct vmm *m)
{
	const struct logged *log = (const struct logged *)(m->memory + LOG);
	uint32_t *logged = (uint32_t *)(m->memory + LOGGED);
	uint32_t *leaks = (uint32_t *)(m->memory + LEAKS);
	uint32_t *reads = (uint32_t *)(m->memory + READS);

	for (; *logged; (*logged)--, log++) {
		*reads += log->deed.what <= READ_KERNELS + PMC6 && log->result;
		if (judge(log))
			continue;
		if (!(*leaks)++)
			tell_leak(log);
	}
}

/* ---- its machine ---- */

static int guest_open(struct vmm *m)
{
	return vmm_open(m, false) || vmm_little_endian(m) ? -1 : 0;
}

static int set_pmu(struct vmm *m)
{
	static const uint64_t ids[REGS] = {
		KVM_REG_PPC_PMC1,  KVM_REG_PPC_PMC2,  KVM_REG_PPC_PMC3,	 KVM_REG_PPC_PMC4,
		KVM_REG_PPC_PMC5,  KVM_REG_PPC_PMC6,  KVM_REG_PPC_MMCR0, KVM_REG_PPC_MMCR1,
		KVM_REG_PPC_MMCR2, KVM_REG_PPC_MMCRA, KVM_REG_PPC_SIER,	 KVM_REG_PPC_SIAR,
		KVM_REG_PPC_SDAR,  KVM_REG_PPC_MMCR3, KVM_REG_PPC_SIER2, KVM_REG_PPC_SIER3,
	};
	bool isa31 = getauxval(AT_HWCAP2) & PPC_FEATURE2_ARCH_3_1;

	forget();
	pmu.frozen = is_kept();
	pmu.ran = false;
	for (unsigned int i = 0; i < (isa31 ? REGS : MMCR3); i++) {
		uint64_t value = i == MMCR0 ? FC : some_value(i);
		/* PMCs are words, the first in memory */
		struct kvm_one_reg reg = { .id = ids[i], .addr = (uintptr_t)&value };

		if (ioctl(m->vcpu, KVM_SET_ONE_REG, &reg))
			return -1;
		wrote(i, value);
	}
	return 0;
}

/* Its memory is new. */
static int guest_set_up(struct vmm *m)
{
	uint8_t *vpa = m->memory + VPA;

	vmm_load(m, hostile_begin, hostile_end - hostile_begin);
	/* whatever else interrupts it */
	for (uint32_t vector = 0x100; vector < VMM_CODE; vector += 0x20)
		vmm_give_vector(m, vector, VMM_CODE + (hostile_ruin - hostile_begin));
	vmm_give_vector(m, 0x700, VMM_CODE + (hostile_program - hostile_begin));
	vmm_give_vector(m, 0x900, VMM_CODE + (hostile_decrementer - hostile_begin));
	vmm_give_vector(m, 0xf00, VMM_CODE + (hostile_nmi - hostile_begin));
	calm = below(2);
	*(uint16_t *)(vpa + 4) = htobe16(640);
	pmu.in_use = below(4);
	vpa[VPA_IN_USE] = pmu.in_use;
	return vmm_set_registers(m, false) || set_pmu(m);
}

#endif
