// SPDX-License-Identifier: GPL-2.0
/*
 * Prints its own call chain: registers and a piece of the stack, as a record
 * with PEV_SAMPLE_UREGS and PEV_SAMPLE_USTACK_DUMP has them, to functions.
 * x86_64. cc chains.c -lpev-sym
 */
#include <pev/sym.h>
#include <stdio.h>
#include <string.h>

static struct pev_unwind_map maps[64];
static int n_maps;

static int find(void *arg, uint64_t addr, struct pev_unwind_map *map)
{
	(void)arg;
	for (int i = 0; i < n_maps; i++)
		if (addr >= maps[i].start && addr < maps[i].end) {
			*map = maps[i];
			return 1;
		}
	return 0;
}

static void read_maps(struct pev_syms *syms)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset;
	char line[600], path[500], perms[5];

	while (f && n_maps < 64 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %499s", &start, &end, perms, &offset,
			   path) == 5 && perms[2] == 'x')
			maps[n_maps++] = (struct pev_unwind_map){
				start, end, offset, pev_syms_object(syms, path, NULL, 0) };
	if (f)
		fclose(f);
}

int main(void)
{
	/* bp, sp and ip in asm/perf_regs.h, in this order */
	uint64_t mask = 1 << 6 | 1 << 7 | 1 << 8, regs[3] = { 0 }, chain[64], stack[512] = { 0 };
	struct pev_unwind_sample sample = { .size = sizeof(sample), .regs = regs, .nr_regs = 3, .stack = stack,
					    .stack_len = sizeof(stack), .find = find };
	struct pev_unwind *unwind;
	enum pev_unwind_end end;
	struct pev_syms *syms;
	int n;

#ifdef __x86_64__
	__asm__ volatile("mov %%rbp, %0\n\tmov %%rsp, %1\n\tlea 0(%%rip), %2"
			 : "=r"(regs[0]), "=r"(regs[1]), "=r"(regs[2]));
#endif
	for (int i = 0; i < 512; i++)
		stack[i] = ((const uint64_t *)regs[1])[i];
	if (pev_syms_new(0, &syms) || pev_unwind_new(syms, "x86_64", mask, 0, &unwind))
		return 1;
	read_maps(syms);
	n = pev_unwind_chain(unwind, &sample, chain, 64, &end);
	for (int i = 0; i < n; i++) {
		struct pev_unwind_map map;
		struct pev_sym sym;
		const char *name = "?";

		/* return addresses lie behind the call */
		if (find(NULL, chain[i], &map) &&
		    pev_sym_find(syms, map.object, chain[i] - !!i - map.start + map.offset, &sym) == 1)
			name = pev_sym_name(syms, sym.object, sym.index);
		printf("%016llx %s\n", (unsigned long long)chain[i], name);
	}
	pev_unwind_free(unwind);
	pev_syms_free(syms);
	return 0;
}
