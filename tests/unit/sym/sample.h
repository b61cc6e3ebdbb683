/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that objects/victim.c took of itself. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <pev/sym.h>

#if defined(__powerpc64__)
#define PEV_HOST_PPC 1
#else
#define PEV_HOST_PPC 0
#endif

/**
 * struct sample - one of them, with all that unwinding needs
 * @regs:    bx bp sp ip r12-r15
 * @program: the victim's object
 * @vdso:    of its vdso, -1: no copy
 */
struct sample {
	struct pev_syms *syms;
	struct pev_unwind *unwind;
	struct pev_unwind_sample in;
	uint64_t regs[8];
	struct pev_unwind_map maps[64];
	int n_maps;
	int program, vdso;
	uint64_t vdso_start;
	char *data;
};

/* False: there is no such sample, or no libunwind. */
bool sample_read(struct sample *s, const char *name, unsigned int flags);
void sample_free(struct sample *s);
int sample_find(void *sample, uint64_t addr, struct pev_unwind_map *map);

#endif
