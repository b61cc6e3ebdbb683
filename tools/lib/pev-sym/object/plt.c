// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names the stubs by which a file calls functions of others. Linkers put them into .plt,
 * .plt.sec and .plt.got in several forms; all jump through a word that a relocation fills.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "object/plt.h"

#define ENTRY_MOST 16

/**
 * struct targets - what is called through which word
 * @by_word: number in @names by the address of the word
 */
struct targets {
	struct hmap		by_word;
	VEC(const char *)	names;
};

static void read_relocations(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct targets *t)
{
	Elf_Data *rela = elf_getdata(scn, NULL), *syms;
	Elf_Scn *sym_scn = elf_getscn(elf, sh->sh_link);
	GElf_Shdr sym_sh;

	if (!rela || !sym_scn || !gelf_getshdr(sym_scn, &sym_sh) || sym_sh.sh_type != SHT_DYNSYM)
		return;
	syms = elf_getdata(sym_scn, NULL);
	for (int i = 0; syms && (uint64_t)i < rela->d_size / sizeof(Elf64_Rela); i++) {
		const char *name, **slot;
		GElf_Rela r;
		GElf_Sym sym;

		if (!gelf_getrela(rela, i, &r) ||
		    (GELF_R_TYPE(r.r_info) != R_X86_64_JUMP_SLOT &&
		     GELF_R_TYPE(r.r_info) != R_X86_64_GLOB_DAT) ||
		    !gelf_getsym(syms, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		name = elf_strptr(elf, sym_sh.sh_link, sym.st_name);
		slot = name && *name ? VEC_PUSH(&t->names) : NULL;
		if (!slot)
			continue;
		*slot = name;
		hmap_add(&t->by_word, r.r_offset, (uint32_t)(t->names.n - 1));
	}
}

/* Returns the word that the stub at @code jumps through: [endbr64] [bnd] jmp *word(%rip). */
static bool jump_word(const uint8_t *code, uint64_t size, uint64_t vaddr, uint64_t *word)
{
	uint64_t at = 0;
	int32_t distance;

	if (size >= 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		at = 4;
	at += at < size && code[at] == 0xf2;
	if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*word = vaddr + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

/* @section: its name, for what all stubs of a section share: the way to the dynamic linker */
static void name_stubs(Elf_Scn *scn, const GElf_Shdr *sh, const char *section,
		       const struct targets *targets, struct symtab *t)
{
	uint64_t step = sh->sh_entsize == 8 ? 8 : ENTRY_MOST, word;
	Elf_Data *d = elf_rawdata(scn, NULL);
	char name[300];

	for (uint64_t at = 0; d && d->d_buf && at + step <= d->d_size; at += step) {
		uint64_t vaddr = sh->sh_addr + at;
		uint32_t i = UINT32_MAX;
		int len;

		if (jump_word((const uint8_t *)d->d_buf + at, step, vaddr, &word))
			i = hmap_get(&targets->by_word, word);
		else if (at)
			continue;
		if (i != UINT32_MAX)
			len = snprintf(name, sizeof(name), "%.250s@plt", targets->names.p[i]);
		else
			len = snprintf(name, sizeof(name), "%.250s", section);
		symtab_add(t, vaddr, vaddr + step, name, (size_t)len, 0, 0, false);
	}
}

void plt_names(Elf *elf, struct symtab *t)
{
	struct targets targets = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	size_t names;

	if (!gelf_getehdr(elf, &eh) || eh.e_machine != EM_X86_64 ||
	    gelf_getclass(elf) != ELFCLASS64 || elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			read_relocations(elf, scn, &sh, &targets);
	while (targets.names.n && (scn = elf_nextscn(elf, scn))) {
		const char *s = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (s && sh.sh_type == SHT_PROGBITS && !strncmp(s, ".plt", 4))
			name_stubs(scn, &sh, s, &targets, t);
	}
	free(targets.names.p);
	hmap_free(&targets.by_word);
}
