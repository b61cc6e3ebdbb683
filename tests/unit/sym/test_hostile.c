// SPDX-License-Identifier: GPL-2.0
/* Files and stacks that were cut or bent: nothing may be read that is not there. */
#include "dwarf/cfi_row.h"
#include "lookup.h"
#include "sample.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t seed = 1;

static uint32_t roll(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static char *slurp(const char *name, size_t *len)
{
	FILE *f = fopen(object_path(name), "re");
	char *data = malloc(1 << 21);

	*len = f ? fread(data, 1, 1 << 21, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static void spill(const char *name, const char *data, size_t len)
{
	FILE *f = fopen(object_path(name), "we");

	fwrite(data, 1, len, f);
	fclose(f);
}

/* The sample of "plain" with another program in its place. */
static int unwind_with(const char *program, uint64_t *chain)
{
	enum pev_unwind_end end;
	struct pev_sym_line l[4];
	struct pev_sym sym;
	struct sample s;
	int n, other;

	if (!sample_read(&s, "plain", 0))
		return -1;
	other = pev_syms_object(s.syms, object_path(program), NULL, 0);
	for (int i = 0; i < s.n_maps; i++)
		if (s.maps[i].object == s.program)
			s.maps[i].object = other;
	n = pev_unwind_chain(s.unwind, &s.in, chain, 64, &end);
	pev_sym_find(s.syms, other, 0x1200, &sym);
	pev_sym_lines(s.syms, other, 0x1200, l, 4);
	sample_free(&s);
	return n;
}

static void bent(void)
{
	size_t len;
	char *good = slurp("plain", &len), *bad = malloc(len);
	uint64_t chain[64];
	int least = 64, most = 0;

	for (int round = 0; round < 60; round++) {
		memcpy(bad, good, len);
		for (int i = 0; i < 400; i++)
			bad[roll((uint32_t)len)] = (char)roll(256);
		/* what makes it an ELF file stays */
		memcpy(bad, good, 64);
		spill("bent", bad, len);
		int n = unwind_with("bent", chain);

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	OK(least >= 1 && most <= 64, "60 bent programs: chains of %d to %d frames", least, most);
	for (size_t part = 0; part < 16; part++) {
		spill("bent", good, len * part / 16);
		least = unwind_with("bent", chain) < 1 ? 0 : least;
	}
	OK(least >= 1, "16 programs that were cut: each has a chain");
	free(good);
	free(bad);
}

/* Tables by themselves: every cut and many bends of a real one. */
static void tables(void)
{
	size_t len;
	char *good = slurp("eh_frame", &len);
	struct cfi whole, c;
	bool in_order = true;
	size_t rows = 0;
	struct row row;

	cfi_index(&whole, &(struct bytes){ (uint8_t *)good, len, 0x10000 }, true);
	OK(whole.fdes.n >= 6, "a real .eh_frame has %zu functions", whole.fdes.n);
	for (size_t cut = 0; cut < len; cut++) {
		/* of its own size, so that a byte too many is seen */
		uint8_t *part = malloc(cut ? cut : 1);

		memcpy(part, good, cut);
		cfi_index(&c, &(struct bytes){ part, cut, 0x10000 }, true);
		in_order &= c.fdes.n <= whole.fdes.n;
		for (size_t i = 0; i < c.fdes.n; i++)
			rows += cfi_row(&c, &c.fdes.p[i], c.fdes.p[i].end - 1,
					arch_find("x86_64"), &row);
		cfi_free(&c);
		free(part);
	}
	OK(in_order && rows > len, "cut at every byte: what is before it stays (%zu rows)", rows);
	for (int round = 0; round < 3000; round++) {
		uint8_t *part = malloc(len);

		memcpy(part, good, len);
		for (int i = 0; i < 6; i++)
			part[roll((uint32_t)len)] = (uint8_t)roll(256);
		cfi_index(&c, &(struct bytes){ part, len, 0x10000 }, round & 1);
		for (size_t i = 0; i < c.fdes.n; i++)
			cfi_row(&c, &c.fdes.p[i], c.fdes.p[i].end - 1,
				arch_find(round & 2 ? "x86_64" : "ppc64le"), &row);
		in_order &= !c.fdes.n || !cfi_find(&c, c.fdes.p[0].start - 1);
		cfi_free(&c);
		free(part);
	}
	OK(in_order, "bent 3000 times");
	cfi_free(&whole);
	free(good);
}

static void stacks(void)
{
	enum pev_unwind_end end;
	uint64_t chain[64];
	struct sample s;
	int most = 0;

	if (!sample_read(&s, "plain", 0))
		return;
	for (int round = 0; round < 2000; round++) {
		uint64_t *words = (uint64_t *)(s.data + 80);
		int n;

		for (int i = 0; i < 4; i++)
			words[roll(600)] = roll(2) ? s.regs[2] + roll(20000) : s.regs[3] + roll(300);
		if (!(round & 15))
			s.regs[roll(8)] = roll(2) ? ~0ull - roll(64) : s.regs[2] + roll(9000);
		s.in.space = (uint64_t)round + 1;
		n = pev_unwind_chain(s.unwind, &s.in, chain, 64, &end);
		most = n > most ? n : most;
	}
	OK(most >= 1 && most <= 64, "2000 stacks full of nonsense: at most %d frames", most);
	sample_free(&s);
}

/* A name of 64 KiB is found whole; making it harmless is its reader's business. */
static void long_names(void)
{
	struct pev_syms *s;
	struct pev_sym sym;
	size_t longest = 0;
	int o;

	pev_syms_new(0, &s);
	o = pev_syms_object(s, object_path("longname"), NULL, 0);
	for (uint64_t at = 0; at < 1 << 19; at += 4)
		if (pev_sym_find(s, o, at, &sym) == 1) {
			size_t len = strlen(pev_sym_name(s, o, sym.index));

			longest = len > longest ? len : longest;
		}
	IS_NUM((long long)longest, 65536, "a name of 64 KiB");
	pev_syms_free(s);
}

void test_hostile(void)
{
	bent();
	tables();
	stacks();
	long_names();
}
