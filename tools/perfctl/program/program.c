// SPDX-License-Identifier: GPL-2.0
/* Opens programs by libelf. See program.h. */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int check_kind(struct program *p, struct msg *m)
{
	GElf_Ehdr header;

	if (elf_kind(p->elf) != ELF_K_ELF || !gelf_getehdr(p->elf, &header))
		return msg_set(m, -ENOEXEC, "%s is not an ELF file: give a program or library",
			       p->path);
	if (gelf_getclass(p->elf) != ELFCLASS64)
		return msg_set(m, -ENOEXEC, "%s is a 32-bit file, whose probes are not read",
			       p->path);
	p->machine = header.e_machine;
	return 0;
}

int program_open(struct program *p, const char *path, struct msg *m)
{
	int err;

	*p = (struct program){ .path = xstrdup(path), .fd = file_open_constant(path) };
	if (p->fd < 0) {
		err = msg_set(m, -errno, "%s: %s", path, strerror(errno));
	} else {
		elf_version(EV_CURRENT);
		p->elf = elf_begin(p->fd, ELF_C_READ_MMAP, NULL);
		err = check_kind(p, m);
	}
	if (err)
		program_close(p);
	return err;
}

void program_close(struct program *p)
{
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
	free(p->path);
	*p = (struct program){ .fd = -1 };
}

Elf_Scn *program_section(const struct program *p, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(p->elf, &names))
		return NULL;
	while ((section = elf_nextscn(p->elf, section))) {
		const char *own = gelf_getshdr(section, header) ?
					  elf_strptr(p->elf, names, header->sh_name) : NULL;

		if (own && !strcmp(own, name))
			return section;
	}
	return NULL;
}

bool program_offset(const struct program *p, uint64_t address, uint64_t *offset)
{
	size_t n = 0;

	if (elf_getphdrnum(p->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(p->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    address < ph.p_vaddr || address - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = ph.p_offset + (address - ph.p_vaddr);
		return true;
	}
	return false;
}

static bool symbol_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name,
		      size_t len, uint64_t *address)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		const char *own;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		own = elf_strptr(elf, header->sh_link, sym.st_name);
		if (!own || strncmp(own, name, len) || own[len])
			continue;
		*address = sym.st_value;
		return true;
	}
	return false;
}

bool program_symbol(const struct program *p, const char *name, size_t len, uint64_t *address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(p->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    symbol_in(p->elf, section, &header, name, len, address))
			return true;
	return false;
}
