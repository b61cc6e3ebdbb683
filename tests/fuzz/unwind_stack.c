// SPDX-License-Identifier: GPL-2.0
/* Registers and stacks: chains over the fuzz target's own maps. */
// FUZZ-SOURCES: tools/lib/pev-sym/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev-sym -Itools/lib/pev-sym/include -iquote tools/lib/pev -Itools/lib/pev/include
// FUZZ-LIBS: -ldw -lelf -liberty
#include <pev/sym.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGS 17

static struct pev_unwind_map maps[256];
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
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	char line[600], path[500], perms[5];

	while (f && n_maps < 256 && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %499s", &start, &end, perms, &offset,
			   path) == 5 && perms[2] == 'x')
			maps[n_maps++] = (struct pev_unwind_map){
				start, end, offset, pev_syms_object(syms, path, NULL, 0) };
	if (f)
		fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words below 2^20 become addresses in code, so that chains go somewhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pev_syms *syms;
	static struct pev_unwind *unwind[2];
	uint64_t words[600], chain[128];
	size_t n = size / 8 < 600 ? size / 8 : 600;
	struct pev_unwind_sample s = { .size = sizeof(s), .regs = words, .nr_regs = REGS, .stack = words + REGS,
				       .find = find };
	enum pev_unwind_end end;

	if (!syms) {
		pev_syms_new(0, &syms);
		read_maps(syms);
		pev_unwind_new(syms, "x86_64", pev_unwind_regs("x86_64"), 0, &unwind[0]);
		pev_unwind_new(syms, "ppc64le", 0x1ffff, 0, &unwind[1]);
	}
	if (n < REGS || !n_maps)
		return 0;
	memcpy(words, data, n * 8);
	for (size_t i = 0; i < n; i++)
		if (words[i] < 1 << 20)
			words[i] += maps[words[i] % (unsigned int)n_maps].start;
	s.stack_len = (n - REGS) * 8;
	if (unwind[0])
		pev_unwind_chain(unwind[0], &s, chain, 128, &end);
	if (unwind[1])
		pev_unwind_chain(unwind[1], &s, chain, 128, &end);
	return 0;
}
