// SPDX-License-Identifier: GPL-2.0
/* Reads symbols of functions by libelf. See functions.h. */
#include "functions.h"

#include <pev/sym.h>
#include <stdlib.h>

/* What an indirect function names is the code that chooses the function, not the function. */
static bool is_function(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
	       sym->st_value;
}

static void read_table(const struct program *p, const struct program *from, Elf_Scn *section,
		       const GElf_Shdr *header, struct functions *to)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		struct function f = { 0 };
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !is_function(&sym) ||
		    !program_offset(p, sym.st_value, &f.offset))
			continue;
		name = elf_strptr(from->elf, header->sh_link, sym.st_name);
		if (!name || !*name || strstr(name, ".cold"))
			continue;
		f.name = xstrndup(name, strcspn(name, "@"));
		f.address = sym.st_value;
		f.size = sym.st_size;
		*ARRAY_PUSH(to->v, to->n, to->cap) = f;
	}
}

static void read_tables(const struct program *p, const struct program *from, struct functions *to)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(from->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			read_table(p, from, section, &header, to);
}

static int by_name(const void *va, const void *vb)
{
	const struct function *a = va, *b = vb;
	int c = strcmp(a->name, b->name);

	return c ? c : a->address < b->address ? -1 : a->address > b->address;
}

/* A function is in several tables. */
static void drop_doubles(struct functions *all)
{
	size_t kept = 0;

	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_name);
	for (size_t i = 0; i < all->n; i++) {
		if (kept && !by_name(&all->v[kept - 1], &all->v[i]))
			free(all->v[i].name);
		else
			all->v[kept++] = all->v[i];
	}
	all->n = kept;
}

void functions_read(const struct program *p, const char *debug, struct functions *to)
{
	struct program other;
	struct msg m;

	*to = (struct functions){ 0 };
	read_tables(p, p, to);
	if (debug && !program_open(&other, debug, &m)) {
		read_tables(p, &other, to);
		program_close(&other);
	}
	drop_doubles(to);
}

char *functions_debug_file(const char *path)
{
	struct pev_syms *syms;
	char *file = NULL;
	int object;

	if (pev_syms_new(0, &syms))
		return NULL;
	object = pev_syms_object(syms, path, NULL, 0);
	if (object >= 0 && pev_syms_file(syms, object, true, &file))
		file = NULL;
	pev_syms_free(syms);
	return file;
}

const struct function *functions_at(const struct functions *all, uint64_t offset)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct function *f = &all->v[i];

		if (offset == f->offset || (offset > f->offset && offset - f->offset < f->size))
			return f;
	}
	return NULL;
}

void functions_free(struct functions *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->v[i].name);
	free(all->v);
	*all = (struct functions){ 0 };
}
