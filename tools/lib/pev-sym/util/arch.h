/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Registers of the machines that recordings come from.
 */
#ifndef _PEV_SYM_UTIL_ARCH_H
#define _PEV_SYM_UTIL_ARCH_H

#include <stdint.h>

#define REGS_MAX	34

/**
 * struct arch - registers of a machine, numbered by us
 * @nr:    of registers
 * @sp, ip, fp: ours; ip is where the return address is on entry
 * @perf:  our number of each register of asm/perf_regs.h, -1: of no use
 * @dwarf_high: DWARF's numbers behind the first @same, which are ours, too
 */
struct arch {
	const char	*machine;
	unsigned int	elf_machine;
	uint64_t	record;
	uint8_t		nr;
	uint8_t		sp;
	uint8_t		ip;
	uint8_t		fp;
	uint8_t		lr;	/* 0xff: return addresses are on the stack */
	const int8_t	*perf;
	uint8_t		nr_perf;
	uint8_t		same;
	const uint8_t	*dwarf_high;
	uint8_t		nr_high;
};

const struct arch *arch_find(const char *machine);
/* Returns our number of a DWARF register, -1 for one that does not matter. */
int arch_reg(const struct arch *a, uint64_t dwarf);

#endif /* _PEV_SYM_UTIL_ARCH_H */
