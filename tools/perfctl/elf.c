// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of ELF files, by elfutils: .symtab, .dynsym, .gnu_debugdata, and
 * separate debug files by build id or debuglink.
 */
#include "object.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_id(Elf *elf, struct build_id *id)
{
	const void *bits;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &bits);

	*id = (struct build_id){ 0 };
	if (n <= 0)
		return -ENOENT;
	id->len = (uint8_t)(n > 20 ? 20 : n);
	memcpy(id->bytes, bits, id->len);
	return 0;
}

/* Not a FIFO or a device, which could hold us up. */
static int open_regular(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

int elf_build_id(const char *file, struct build_id *id)
{
	int fd = open_regular(file), err;
	Elf *elf;

	*id = (struct build_id){ 0 };
	if (fd < 0)
		return fd;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	err = elf && elf_kind(elf) == ELF_K_ELF ? read_id(elf, id) : -ENOEXEC;
	elf_end(elf);
	close(fd);
	return err;
}

static void read_segments(struct object *o, Elf *elf)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct segment *s;
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		s = ARRAY_PUSH(o->segments, o->n_segments, o->cap_segments);
		s->offset = ph.p_offset;
		/* the pages' ends are mapped, too */
		s->size = ph.p_filesz;
		s->vaddr = ph.p_vaddr;
	}
}

/* Stripped programs still have their unwind tables. */
static void read_starts(struct object *o, Elf *elf)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		Elf_Data *d;
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		d = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE);
		if (d && d->d_buf)
			object_load_starts(o, d->d_buf, d->d_size, ph.p_vaddr);
	}
}

static uint8_t rank_of(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return (uint8_t)((sym->st_size ? 4 : 0) + (bind == STB_GLOBAL ? 2 : bind == STB_WEAK));
}

/* Without its version: "pthread_mutex_lock@GLIBC_2.2.5". */
static void add_symbol(struct object *o, GElf_Addr addr, const GElf_Sym *sym, const char *name)
{
	uint64_t end = sym->st_size ? addr + sym->st_size : 0;
	const char *at = strchr(name, '@');
	char *bare = at && at != name ? xstrndup(name, (size_t)(at - name)) : NULL;

	symtab_add(&o->syms, addr, end, bare ? bare : name, rank_of(sym), 0, false);
	free(bare);
}

static void add_symbols(struct object *o, Dwfl_Module *mod)
{
	int n = dwfl_module_getsymtab(mod);

	for (int i = 1; i < n; i++) {
		GElf_Word shndx;
		GElf_Addr addr;
		GElf_Sym sym;
		const char *name;
		int type;

		name = dwfl_module_getsym_info(mod, i, &sym, &addr, &shndx, NULL, NULL);
		if (!name || !*name || shndx == SHN_UNDEF)
			continue;
		type = GELF_ST_TYPE(sym.st_info);
		if (type != STT_FUNC && type != STT_GNU_IFUNC &&
		    !(type == STT_NOTYPE && name[0] != '$' && name[0] != '.'))
			continue;
		add_symbol(o, addr, &sym, name);
	}
	symtab_finish(&o->syms);
}

/* Takes over the fd. */
static bool load_symbols(struct object *o, const char *file, int fd)
{
	static char *debug_path; /* NULL: the standard places */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &debug_path,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod;

	if (!dwfl) {
		close(fd);
		return false;
	}
	mod = dwfl_report_elf(dwfl, o->path, file, fd, 0, true);
	if (!mod) {
		close(fd);
		dwfl_end(dwfl);
		return false;
	}
	dwfl_report_end(dwfl, NULL, NULL);
	add_symbols(o, mod);
	dwfl_end(dwfl);
	return true;
}

/* The file was replaced; its debug file may still be there under the recorded id. */
static bool load_by_id(struct object *o)
{
	char id[41], *path;
	bool ok = false;
	int fd;

	build_id_text(&o->id, id);
	path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	fd = open_regular(path);
	if (fd >= 0) {
		Elf *elf;

		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		if (elf && elf_kind(elf) == ELF_K_ELF)
			read_segments(o, elf);
		elf_end(elf);
		ok = load_symbols(o, path, fd) && o->n_segments;
	}
	free(path);
	return ok;
}

static char *mismatch(const struct build_id *recorded, const struct build_id *found)
{
	char a[41], b[41];

	build_id_text(recorded, a);
	build_id_text(found, b);
	return xasprintf("the file has changed since the recording (build id %s, recorded was %s): "
			 "offsets are shown", found->len ? b : "none", a);
}

void object_load_elf(struct object *o, const char *file, bool compare_id)
{
	struct build_id found;
	int fd = open_regular(file);
	Elf *elf;

	elf_version(EV_CURRENT);
	if (fd < 0) {
		if (!o->id.len || !load_by_id(o))
			o->problem = xasprintf("%s: offsets are shown",
					       fd == -EINVAL ? "is not a regular file" :
							       strerror(-fd));
		return;
	}
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		close(fd);
		o->problem = xstrdup("is not an ELF file: offsets are shown");
		return;
	}
	read_id(elf, &found);
	if (compare_id && o->id.len &&
	    (found.len != o->id.len || memcmp(found.bytes, o->id.bytes, found.len))) {
		elf_end(elf);
		close(fd);
		if (!load_by_id(o))
			o->problem = mismatch(&o->id, &found);
		return;
	}
	read_segments(o, elf);
	read_starts(o, elf);
	elf_end(elf);
	if (!load_symbols(o, file, fd))
		o->problem = xasprintf("its symbols cannot be read: %s", dwfl_errmsg(-1));
	else if (!o->syms.n)
		o->problem = xstrdup("has no symbols: its functions are shown by their offsets");
}
