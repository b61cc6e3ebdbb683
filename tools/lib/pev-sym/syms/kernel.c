// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads source lines and code from the kernel's own file, vmlinux, and code from its
 * memory, /proc/kcore, while the kernel that was recorded still runs.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "object/elf.h"
#include "object/load.h"
#include "syms/kernel.h"

struct sym_object *kernel_image(struct pev_syms *s)
{
	struct sym_object *o;
	uint64_t stext;

	syms_loaded(s, PEV_SYM_KERNEL);
	if (s->vmlinux || s->vmlinux_tried)
		return s->vmlinux;
	s->vmlinux_tried = true;
	if (!s->stext || (!s->finder.vmlinux && !s->finder.kernel_id.len))
		return NULL;
	o = sym_object_new("vmlinux", PEV_SYM_KIND_KERNEL, &s->finder.kernel_id);
	if (!o)
		return NULL;
	elf_load(&s->finder, o);
	if (!o->file || !elf_symbol(o, "_stext", &stext)) {
		sym_object_free(o);
		return NULL;
	}
	/* where it was loaded is chosen at boot (KASLR) */
	s->slide = s->stext - stext;
	s->vmlinux = o;
	return o;
}

/* Returns whether the running kernel has the same function there. */
static bool runs_still(const struct symbol *sym)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t cap = 0, len = strlen(sym->name);
	bool found = false;
	char *line = NULL;
	ssize_t n;

	while (f && !found && (n = getline(&line, &cap, f)) > 0) {
		uint64_t addr;
		int at = 0;

		if (sscanf(line, "%" SCNx64 " %*c %n", &addr, &at) != 1 || !at ||
		    addr != sym->start)
			continue;
		found = !strncmp(line + at, sym->name, len) && strchr("\t \n", line[at + len]);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool read_at(int fd, void *to, size_t len, uint64_t at)
{
	return pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

static int read_segment(int fd, uint64_t addr, void *buf, size_t len, struct pev_sym_bytes *what)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!read_at(fd, &eh, sizeof(eh), 0) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOEXEC;
	what->machine = eh.e_machine;
	what->big_endian = eh.e_ident[EI_DATA] == ELFDATA2MSB;
	what->vaddr = addr;
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		if (!read_at(fd, &ph, sizeof(ph), eh.e_phoff + (uint64_t)i * sizeof(ph)))
			break;
		if (ph.p_type != PT_LOAD || addr < ph.p_vaddr ||
		    addr - ph.p_vaddr >= ph.p_filesz ||
		    len > ph.p_filesz - (addr - ph.p_vaddr))
			continue;
		return read_at(fd, buf, len, addr - ph.p_vaddr + ph.p_offset) ? 0 : -EIO;
	}
	return -ENODATA;
}

/* Reads code as it is in memory, with what the kernel patched. */
static int kcore_code(struct pev_syms *s, uint64_t addr, void *buf, size_t len,
		      struct pev_sym_bytes *what)
{
	uint32_t index;
	const struct symbol *sym = syms_kernel_function(s, addr, &index);
	int fd, err;

	if (!sym || !runs_still(sym))
		return -ENODATA;
	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_segment(fd, addr, buf, len, what);
	close(fd);
	return err;
}

int kernel_code(struct pev_syms *s, bool module, uint64_t addr, void *buf, size_t len,
		struct pev_sym_bytes *what)
{
	int err = kcore_code(s, addr, buf, len, what), file;
	struct sym_object *o = err && !module ? kernel_image(s) : NULL;

	if (!o)
		return err;
	file = elf_code(o, addr - s->slide, buf, len, what);
	what->vaddr = addr;
	return file ? err : 0;
}
