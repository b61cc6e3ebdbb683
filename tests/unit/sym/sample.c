// SPDX-License-Identifier: GPL-2.0
/* Reads samples. See sample.h. */
#include "sample.h"
#include "lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* bx bp sp ip r12-r15 in asm/perf_regs.h */
#define REGS (1ull << 1 | 1ull << 6 | 1ull << 7 | 1ull << 8 | 0xfull << 20)

int sample_find(void *sample, uint64_t addr, struct pev_unwind_map *map)
{
	const struct sample *s = sample;

	for (int i = 0; i < s->n_maps; i++)
		if (addr >= s->maps[i].start && addr < s->maps[i].end) {
			*map = s->maps[i];
			return 1;
		}
	return 0;
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *data = f ? calloc(1, 1 << 20) : NULL;

	*len = data ? fread(data, 1, (1 << 20) - 1, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static void add_map(struct sample *s, const char *line, const char *program)
{
	unsigned long start, end, offset;
	char perms[8], path[512] = "";
	struct pev_unwind_map *m;

	if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &start, &end, perms, &offset, path) < 4 ||
	    perms[2] != 'x' || s->n_maps == 64)
		return;
	m = &s->maps[s->n_maps++];
	*m = (struct pev_unwind_map){ start, end, offset, 0 };
	m->object = pev_syms_object(s->syms, path, NULL, 0);
	if (!strcmp(path, program))
		s->program = m->object;
	if (!strcmp(path, "[vdso]")) {
		s->vdso = m->object;
		s->vdso_start = start;
	}
}

bool sample_read(struct sample *s, const char *name, unsigned int flags)
{
	char file[4300], program[4200];
	uint64_t n, len;
	size_t size;
	char *at;

	memset(s, 0, sizeof(*s));
	s->vdso = -1;
	snprintf(program, sizeof(program), "%s", object_path(name));
	snprintf(file, sizeof(file), "%s.sample", program);
	s->data = read_file(file, &size);
	if (size < 16 + sizeof(s->regs))
		goto none;
	pev_syms_new(0, &s->syms);
	if (pev_unwind_new(s->syms, "x86_64", REGS, flags, &s->unwind))
		goto none;
	memcpy(&n, s->data, 8);
	memcpy(s->regs, s->data + 8, sizeof(s->regs));
	at = s->data + 8 + n * 8;
	memcpy(&len, at, 8);
	at += 8;
	s->in = (struct pev_unwind_sample){ .size = sizeof(s->in), .regs = s->regs,
					    .nr_regs = (unsigned int)n,
					    .stack = at, .stack_len = len, .find = sample_find,
					    .arg = s, .space = 7 };
	for (at += len; *at; at = strchr(at, '\n') + 1)
		add_map(s, at, program);
	snprintf(file, sizeof(file), "%s.sample.vdso", program);
	if (!access(file, R_OK))
		pev_syms_set_vdso(s->syms, file);
	return true;
none:
	sample_free(s);
	return false;
}

void sample_free(struct sample *s)
{
	pev_unwind_free(s->unwind);
	pev_syms_free(s->syms);
	free(s->data);
	memset(s, 0, sizeof(*s));
}
