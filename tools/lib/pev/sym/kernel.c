// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The kernel's own file, vmlinux, for source lines and code; and its code in
 * memory, /proc/kcore, while the kernel that was recorded still runs.
 */
#include "internal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

PEV_EXPORT int pev_syms_set_kernel_id(struct pev_syms *s, const char *release, const void *id,
				      size_t id_len)
{
	char *copy = release ? strdup(release) : NULL;

	if (release && !copy)
		return -ENOMEM;
	free(s->release);
	s->release = copy;
	s->kernel_id = (struct build_id){ 0 };
	if (id) {
		s->kernel_id.len = (uint8_t)(id_len > 20 ? 20 : id_len);
		memcpy(s->kernel_id.bytes, id, s->kernel_id.len);
	}
	return 0;
}

PEV_EXPORT int pev_syms_set_vmlinux(struct pev_syms *s, const char *file)
{
	uint8_t id[20];
	int n = pev_syms_build_id(file, id);
	char *copy;

	if (n < 0)
		return n;
	if (s->kernel_id.len &&
	    (n != s->kernel_id.len || memcmp(id, s->kernel_id.bytes, (size_t)n)))
		return -ESTALE;
	copy = strdup(file);
	if (!copy)
		return -ENOMEM;
	free(s->vmlinux_path);
	s->vmlinux_path = copy;
	return 0;
}

struct object *kernel_image(struct pev_syms *s)
{
	struct object *o;
	uint64_t stext;

	syms_loaded(s, PEV_SYM_KERNEL);
	if (s->vmlinux || s->vmlinux_tried)
		return s->vmlinux;
	s->vmlinux_tried = true;
	if (!s->stext || (!s->vmlinux_path && !s->kernel_id.len))
		return NULL;
	o = object_new("vmlinux", PEV_SYM_KIND_KERNEL, &s->kernel_id);
	if (!o)
		return NULL;
	elf_load(s, o);
	if (!o->file || !elf_symbol(o, "_stext", &stext)) {
		object_free(o);
		return NULL;
	}
	/* where it was loaded is chosen at boot (KASLR) */
	s->slide = s->stext - stext;
	s->vmlinux = o;
	return o;
}

/* Has the running kernel the same function there? */
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

/* As it is in memory, with what the kernel patched. */
static int kcore_code(struct pev_syms *s, uint64_t addr, void *buf, size_t len,
		      struct pev_sym_bytes *what)
{
	const struct symtab *t = &syms_named(s, PEV_SYM_KERNEL)->syms;
	uint32_t index = symtab_find(t, addr);
	int fd, err;

	if (index == SYM_NONE || !runs_still(&t->s.p[index]))
		return -ENODATA;
	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = read_segment(fd, addr, buf, len, what);
	close(fd);
	return err;
}

static int kernel_code(struct pev_syms *s, bool module, uint64_t addr, void *buf, size_t len,
		       struct pev_sym_bytes *what)
{
	int err = kcore_code(s, addr, buf, len, what), file;
	struct object *o = err && !module ? kernel_image(s) : NULL;

	if (!o)
		return err;
	file = elf_code(o, addr - s->slide, buf, len, what);
	what->vaddr = addr;
	return file ? err : 0;
}

PEV_EXPORT int pev_sym_bytes(struct pev_syms *s, int object, uint64_t at, void *buf, size_t len,
			     struct pev_sym_bytes *what)
{
	struct object *o = syms_loaded(s, object);
	uint64_t vaddr;

	*what = (struct pev_sym_bytes){ 0 };
	if (o->kind == PEV_SYM_KIND_KERNEL || o->kind == PEV_SYM_KIND_MODULE)
		return kernel_code(s, o->kind == PEV_SYM_KIND_MODULE, at, buf, len, what);
	if (!o->file)
		return -ENODATA;
	vaddr = object_vaddr(o, at);
	return vaddr == UINT64_MAX ? -ENODATA : elf_code(o, vaddr, buf, len, what);
}
