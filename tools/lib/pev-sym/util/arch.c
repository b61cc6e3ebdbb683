// SPDX-License-Identifier: LGPL-2.1-only
/* Registers of the machines that recordings come from. */
#include <elf.h>
#include <string.h>
#include "util/arch.h"
#include "util/compiler.h"

/* asm/perf_regs.h: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8-r15 */
static const int8_t x86_perf[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15,
};

/* r0-r31 nip msr orig_r3 ctr link; ours: r0-r31, then link, then nip */
static const int8_t ppc_perf[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
	24, 25, 26, 27, 28, 29, 30, 31, 33, -1, -1, -1, 32,
};

/* the link register; the address in frames that the kernel made for signals */
static const uint8_t ppc_high[] = { 65, 67 };

/* clang-format off */

/* x0-x29 lr sp pc */
static const int8_t arm_perf[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
	24, 25, 26, 27, 28, 29, 30, 31, 32,
};

static const struct arch archs[] = {
	{
		.machine = "x86_64", .elf_machine = EM_X86_64, .record = 0xff01ff,
		.nr = 17, .sp = 7, .ip = 16, .fp = 6, .lr = 0xff,
		.perf = x86_perf, .nr_perf = ARRAY_SIZE(x86_perf), .same = 17,
	},
	{
		.machine = "ppc64le", .elf_machine = EM_PPC64, .record = 0x11ffffffff,
		.nr = 34, .sp = 1, .ip = 33, .fp = 31, .lr = 32,
		.perf = ppc_perf, .nr_perf = ARRAY_SIZE(ppc_perf), .same = 32,
		.dwarf_high = ppc_high, .nr_high = ARRAY_SIZE(ppc_high),
	},
	{
		.machine = "aarch64", .elf_machine = EM_AARCH64, .record = 0x1ffffffff,
		.nr = 33, .sp = 31, .ip = 32, .fp = 29, .lr = 30,
		.perf = arm_perf, .nr_perf = ARRAY_SIZE(arm_perf), .same = 32,
	},
};

/* clang-format on */

const struct arch *arch_find(const char *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (!strcmp(archs[i].machine, machine))
			return &archs[i];
	return NULL;
}

int arch_reg(const struct arch *a, uint64_t dwarf)
{
	if (dwarf < a->same)
		return (int)dwarf;
	for (unsigned int i = 0; i < a->nr_high; i++)
		if (a->dwarf_high[i] == dwarf)
			return a->same + (int)i;
	return -1;
}
