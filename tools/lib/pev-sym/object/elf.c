// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads ELF files by elfutils: functions (.symtab, .dynsym, .gnu_debugdata, separate
 * debug files), segments, unwind tables, debug information.
 */
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "object/copy.h"
#include "object/debuginfod.h"
#include "object/elf.h"
#include "object/plt.h"
#include "object/separate.h"
#include "object/shared.h"
#include "object/swell.h"
#include "regular.h"

/**
 * struct elf_file - an opened file
 * @name:  of the file that was opened, not necessarily the object's path
 * @raw:   all of it
 * @dwfl:  open while debug information is in use
 * @debug: a separate debug file, while its .debug_frame is in use
 * @tables: .eh_frame and .debug_frame, once they were looked for
 * @fd:    of the copy that was opened in place of the file; -1: there is none
 * @copy:  that copy
 * @debug_copy: of @debug
 * @dwfl_copies: of what @dwfl reads
 * @refs:  the object's, and those of tables that lie in this file
 * @finder: how it was found
 * @asking: for its debug information, of elfutils
 */
struct elf_file {
	char		*name;
	Elf		*elf;
	const uint8_t	*raw;
	size_t		size;
	unsigned int	machine;
	uint64_t	hdr_offset, hdr_size, hdr_vaddr;
	Dwfl		*dwfl;
	Dwfl_Module	*mod;
	Elf		*debug;
	struct elf_id	id;
	int fd;
	struct copy copy, debug_copy;
	VEC(struct copy) dwfl_copies;
	struct shared_cfi *tables[2];
	unsigned int	refs;
	const struct finder *finder;
	bool asking;
};

static void read_headers(struct sym_object *o, struct elf_file *f)
{
	size_t n = 0;

	if (elf_getphdrnum(f->elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct segment *s;
		GElf_Phdr ph;

		if (!gelf_getphdr(f->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_GNU_EH_FRAME) {
			f->hdr_offset = ph.p_offset;
			f->hdr_size = ph.p_filesz;
			f->hdr_vaddr = ph.p_vaddr;
		}
		if (ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		s = VEC_PUSH(&o->segs);
		if (s)
			*s = (struct segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr };
	}
}

static bool part_of(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	return f->raw && offset <= f->size && size <= f->size - offset;
}

bool elf_read(const struct sym_object *o, uint64_t offset, void *to, size_t len)
{
	if (!o->file || !part_of(o->file, offset, len))
		return false;
	memcpy(to, o->file->raw + offset, len);
	return true;
}

bool elf_hdr(const struct sym_object *o, uint64_t *offset, uint64_t *size)
{
	const struct elf_file *f = o->file;

	if (!f || !f->hdr_size || !part_of(f, f->hdr_offset, f->hdr_size))
		return false;
	*offset = f->hdr_offset;
	*size = f->hdr_size;
	return true;
}

unsigned int elf_machine(const struct elf_file *f)
{
	return f->machine;
}

/* Finds .eh_frame where section names are gone: it reaches up to the segment's end. */
static bool eh_by_hdr(const struct sym_object *o, struct bytes *sec)
{
	const struct elf_file *f = o->file;
	uint64_t vaddr, offset;

	if (!f->hdr_size || !part_of(f, f->hdr_offset, f->hdr_size) ||
	    !cfi_hdr(f->raw + f->hdr_offset, f->hdr_size, f->hdr_vaddr, &vaddr))
		return false;
	offset = sym_object_offset(o, vaddr);
	for (size_t i = 0; i < o->segs.n; i++) {
		const struct segment *s = &o->segs.p[i];

		if (offset == UINT64_MAX || offset < s->offset || offset - s->offset >= s->size)
			continue;
		if (!part_of(f, offset, 0))
			return false;
		*sec = (struct bytes){ .data = f->raw + offset, .vaddr = vaddr,
				       .size = s->size - (offset - s->offset) };
		if (sec->size > f->size - offset)
			sec->size = f->size - offset;
		return true;
	}
	return false;
}

static Elf_Scn *section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s;

		if (!gelf_getshdr(scn, sh))
			continue;
		s = elf_strptr(elf, names, sh->sh_name);
		if (s && !strcmp(s, name) && sh->sh_type != SHT_NOBITS)
			return scn;
	}
	return NULL;
}

static bool section_bytes(Elf *elf, const char *name, struct bytes *sec)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(elf, name, &sh);
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;

	if (d && sh.sh_flags & SHF_COMPRESSED)
		d = elf_compress(scn, 0, 0) < 0 ? NULL : elf_getdata(scn, NULL);
	if (!d || !d->d_buf || !d->d_size)
		return false;
	*sec = (struct bytes){ .data = d->d_buf, .size = d->d_size, .vaddr = sh.sh_addr };
	return true;
}

/* Returns false if there is no debug file with this build id. */
static bool open_debug(struct elf_file *f)
{
	char *name = NULL;
	int fd = find_debug(f->finder, &f->id, &name);

	if (fd >= 0)
		fd = copy_take(fd, &f->debug_copy);
	if (fd < 0) {
		free(name);
		return false;
	}
	f->debug = elf_swells_at(fd) ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	elf_cntl(f->debug, ELF_C_FDREAD);
	close(fd);
	free(name);
	return f->debug;
}

/* Looks in the file itself and in its separate debug file. */
static bool debug_frame(struct sym_object *o, struct bytes *sec)
{
	uint64_t bias;
	Dwarf *dw;

	if (section_bytes(o->file->elf, ".debug_frame", sec))
		return true;
	/* avoid elfutils, which would decompress the whole file */
	if (open_debug(o->file))
		return section_bytes(o->file->debug, ".debug_frame", sec);
	dw = elf_dwarf(o, &bias);
	return dw && section_bytes(dwarf_getelf(dw), ".debug_frame", sec);
}

static void make_cfi(struct sym_object *o, struct shared_cfi *s)
{
	struct elf_file *f = o->file;
	struct bytes sec;
	bool have;

	if (s->which)
		have = debug_frame(o, &sec);
	else
		have = section_bytes(f->elf, ".eh_frame", &sec) || eh_by_hdr(o, &sec);
	if (!have)
		return;
	s->owner = f;
	__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	cfi_index(&s->cfi, &sec, !s->which);
}

const struct cfi *elf_cfi(struct sym_object *o, unsigned int which)
{
	struct elf_file *f = o->file;
	struct shared_cfi *s = f ? f->tables[which] : NULL;

	if (f && !s) {
		s = shared_cfi_get(&f->id, f->name, which);
		f->tables[which] = s;
		if (s) {
			pthread_mutex_lock(&s->lock);
			if (!s->ready)
				make_cfi(o, s);
			s->ready = true;
			pthread_mutex_unlock(&s->lock);
		}
	}
	return s && s->cfi.fdes.n ? &s->cfi : NULL;
}

int elf_code(const struct sym_object *o, uint64_t vaddr, void *buf, size_t len,
	     struct pev_sym_bytes *what)
{
	const struct elf_file *f = o->file;
	Elf_Scn *scn = NULL;
	uint64_t offset;
	GElf_Shdr sh;
	size_t n = 0;

	if (f->machine == EM_NONE)
		return -ENOEXEC;
	*what = (struct pev_sym_bytes){ .vaddr = vaddr, .machine = f->machine,
		.big_endian = elf_getident(f->elf, NULL)[EI_DATA] == ELFDATA2MSB };
	/* a debug file has headers of sections that are not in it */
	while ((scn = elf_nextscn(f->elf, scn))) {
		n++;
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR) ||
		    vaddr < sh.sh_addr || vaddr - sh.sh_addr >= sh.sh_size)
			continue;
		if (sh.sh_type == SHT_NOBITS || len > sh.sh_size - (vaddr - sh.sh_addr))
			return -ENODATA;
		return elf_read(o, vaddr - sh.sh_addr + sh.sh_offset, buf, len) ? 0 : -ENODATA;
	}
	offset = n ? UINT64_MAX : sym_object_offset(o, vaddr);
	return offset != UINT64_MAX && elf_read(o, offset, buf, len) ? 0 : -ENODATA;
}

bool elf_symbol(const struct sym_object *o, const char *name, uint64_t *value)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(o->file->elf, scn))) {
		Elf_Data *d;
		GElf_Shdr sh;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		d = elf_getdata(scn, NULL);
		for (int i = 1; d && gelf_getsym(d, i, &sym); i++) {
			const char *s = elf_strptr(o->file->elf, sh.sh_link, sym.st_name);

			if (s && !strcmp(s, name)) {
				*value = sym.st_value;
				return true;
			}
		}
	}
	return false;
}

/* elfutils asks first for a file of this one's own, then for the one that it shares with others. */
static bool asks_for_shared(const struct elf_file *f, const char *link, GElf_Word crc)
{
	GElf_Word own_crc = 0;
	const char *own = dwelf_elf_gnu_debuglink(f->elf, &own_crc);

	return link && !crc && !(own && !own_crc && !strcmp(own, link));
}

static Dwarf *dwarf_of(struct elf_file *f, Dwfl_Module *mod)
{
	Dwarf_Addr unused;
	Dwarf *dw;

	f->asking = true;
	dw = dwfl_module_getdwarf(mod, &unused);
	f->asking = false;
	return dw;
}

static int find_separate(struct elf_file *f, Dwfl_Module *mod, const struct separate *s,
			 bool shared, char **debug)
{
	Dwarf *dw = shared ? dwarf_of(f, mod) : NULL;
	int fd;

	if (shared)
		return dw ? separate_shared(f->finder, dw, s->file, debug) : -1;
	fd = find_debug(f->finder, &f->id, debug);
	return fd < 0 ? separate_open(s, debug) : fd;
}

/* Has elfutils read a copy of what others may write. Takes ownership of the fd. */
static int for_dwfl(struct elf_file *f, int fd)
{
	struct copy *c = fd < 0 ? NULL : VEC_PUSH(&f->dwfl_copies);

	if (c)
		return copy_take(fd, c);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : -ENOMEM;
}

/*
 * elfutils would open whatever is at the paths that a file names, also FIFOs, at which it would
 * wait, and devices.
 */
static int find_debuginfo(Dwfl_Module *mod, void **user, const char *modname, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **debug)
{
	struct elf_file *f = *user;
	struct separate s = { &f->id, modname, file ? file : f->name, link, crc };
	int fd = -1;

	/* a file that changes meanwhile may ask for one while it is asked for the other */
	if (!f->asking)
		fd = find_separate(f, mod, &s, asks_for_shared(f, link, crc), debug);
	if (fd < 0 && !f->asking && getenv("DEBUGINFOD_URLS") &&
	    f->finder->flags & PEV_SYMS_DEBUGINFOD) {
		debuginfod_watch(dwfl_get_debuginfod_client(f->dwfl), f->finder->fetch);
		/* without a name it asks by build id alone */
		fd = dwfl_standard_find_debuginfo(mod, user, modname, base, NULL, NULL, 0, debug);
	}
	fd = for_dwfl(f, fd);
	if (fd >= 0 && elf_swells_at(fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		free(*debug);
		*debug = NULL;
	}
	return fd < 0 ? -1 : fd;
}

static void dwfl_close(struct elf_file *f)
{
	dwfl_end(f->dwfl);
	f->dwfl = NULL;
	f->mod = NULL;
	while (f->dwfl_copies.n)
		copy_give(&f->dwfl_copies.p[--f->dwfl_copies.n]);
}

static bool dwfl_open(struct sym_object *o, struct elf_file *f)
{
	static char *debug_path; /* NULL: the standard places */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &debug_path,
	};
	void **user;
	int fd;

	if (f->dwfl)
		return true;
	/* the file at the name may be another one now */
	fd = f->fd < 0 ? for_dwfl(f, regular_open(f->name)) : fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	f->dwfl = fd < 0 ? NULL : dwfl_begin(&callbacks);
	if (f->dwfl)
		f->mod = dwfl_report_elf(f->dwfl, o->path, f->name, fd, 0, true);
	if (!f->mod) {
		if (fd >= 0)
			close(fd);
		dwfl_close(f);
		return false;
	}
	if (dwfl_module_info(f->mod, &user, NULL, NULL, NULL, NULL, NULL, NULL))
		*user = f;
	dwfl_report_end(f->dwfl, NULL, NULL);
	return true;
}

static bool may_open_others(const struct elf_file *f, void *dw)
{
	const char *files[2] = { NULL, NULL };

	dwfl_module_info(f->mod, NULL, NULL, NULL, NULL, NULL, &files[0], &files[1]);
	return separate_may_open(dw, files);
}

void *elf_dwarf(struct sym_object *o, uint64_t *bias)
{
	Dwarf_Addr b = 0;
	Dwarf *dw;

	if (!o->file || !dwfl_open(o, o->file))
		return NULL;
	dw = dwfl_module_getdwarf(o->file->mod, &b);
	if (dw && !may_open_others(o->file, dw)) {
		sym_object_problem(o, "has debug information in files at paths where other users "
				      "may put what they like: lines are not shown");
		return NULL;
	}
	*bias = b;
	return dw;
}

static uint32_t rank_of(const char *name, const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return symtab_rank(name, sym->st_size, bind == STB_WEAK, bind == STB_GLOBAL);
}

/* Returns the length without the version: "pthread_mutex_lock@GLIBC_2.2.5". */
static size_t bare_length(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at != name ? (size_t)(at - name) : strlen(name);
}

/* Calls @fn for each function, wherever its file has their names, until it returns false. */
static void each_function(Dwfl_Module *mod, bool (*fn)(const char *name, uint64_t addr,
						       const GElf_Sym *sym, void *arg), void *arg)
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
		if (!fn(name, addr, &sym, arg))
			break;
	}
}

static bool add_symbol(const char *name, uint64_t addr, const GElf_Sym *sym, void *arg)
{
	struct sym_object *o = arg;

	return symtab_add(&o->syms, addr, sym->st_size ? addr + sym->st_size : 0, name,
			  bare_length(name), rank_of(name, sym), 0, false);
}

struct wanted {
	const char	*name;
	size_t		len;
	uint64_t	addr;
	unsigned int	found;
};

static bool compare_symbol(const char *name, uint64_t addr, const GElf_Sym *sym, void *arg)
{
	struct wanted *w = arg;

	(void)sym;
	if (bare_length(name) != w->len || memcmp(name, w->name, w->len))
		return true;
	w->found += !w->found || w->addr != addr;
	w->addr = addr;
	return w->found < 2;
}

/* Takes ownership of the fd and of @name, and of @copy if it succeeds. */
static struct elf_file *file_new(const struct finder *finder, char *name, int fd,
				 const struct copy *copy)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	GElf_Ehdr eh;

	elf_version(EV_CURRENT);
	if (f) {
		f->finder = finder;
		f->refs = 1;
		f->name = name;
		f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	}
	if (!f || !f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh)) {
		if (f)
			elf_end(f->elf);
		else
			free(name);
		if (f)
			free(f->name);
		free(f);
		close(fd);
		return NULL;
	}
	f->machine = gelf_getclass(f->elf) == ELFCLASS64 ? eh.e_machine : EM_NONE;
	f->raw = (const uint8_t *)elf_rawfile(f->elf, &f->size);
	elf_id_read(f->elf, &f->id);
	elf_cntl(f->elf, ELF_C_FDREAD);
	f->copy = *copy;
	f->fd = copy->bytes ? fd : -1;
	/* many objects would be many descriptors */
	if (f->fd < 0)
		close(fd);
	return f;
}

static void explain(struct sym_object *o, int err, const struct elf_id *other)
{
	char a[41], b[41];

	if (err == -ESTALE) {
		elf_id_text(&o->id, a);
		elf_id_text(other, b);
		sym_object_problem(o, "the file has changed since the recording (build id %s, "
			       "recorded was %s): offsets are shown", other->len ? b : "none", a);
	} else if (err == -EFBIG) {
		sym_object_problem(o, "others may write it while it is read, and there is no room "
				      "for a copy: offsets are shown");
	} else {
		sym_object_problem(o, "%s: offsets are shown",
				   err == -ENXIO || err == -EISDIR ? "is not a regular file" :
								     strerror(-err));
	}
}

void elf_load(const struct finder *finder, struct sym_object *o)
{
	struct elf_id other = { 0 };
	struct copy copy = { 0 };
	char *name = NULL;
	int fd = find_file(finder, o, &name, &other);

	if (fd >= 0) {
		fd = copy_take(fd, &copy);
		if (fd < 0)
			free(name);
	}
	if (fd < 0) {
		explain(o, fd, &other);
		return;
	}
	o->file = file_new(finder, name, fd, &copy);
	if (!o->file) {
		copy_give(&copy);
		sym_object_problem(o, "is not an ELF file: offsets are shown");
		return;
	}
	if (elf_swells(o->file->elf)) {
		sym_object_problem(o, "has packed sections that say to be far larger than the "
				      "file: offsets are shown");
		elf_free(o->file);
		o->file = NULL;
		return;
	}
	read_headers(o, o->file);
}

void elf_names(struct sym_object *o)
{
	bool named;

	if (!o->file)
		return;
	if (!dwfl_open(o, o->file)) {
		sym_object_problem(o, "its symbols cannot be read: %s", dwfl_errmsg(-1));
		return;
	}
	each_function(o->file->mod, add_symbol, o);
	named = o->syms.s.n;
	/* without the section headers of a debug file, whose stubs are empty */
	plt_names(o->file->elf, &o->syms);
	symtab_finish(&o->syms);
	/* many objects would be many descriptors; .debug_frame may be in use */
	if (!o->file->tables[1] && !o->lines)
		dwfl_close(o->file);
	if (!named)
		sym_object_problem(o, "has no symbols: its functions are shown by their offsets");
}

int elf_function(struct sym_object *o, const char *name, uint64_t *vaddr)
{
	struct wanted w = { .name = name, .len = strlen(name) };
	bool in_use = o->file && o->file->dwfl;

	if (!o->file || !dwfl_open(o, o->file))
		return -ENODATA;
	each_function(o->file->mod, compare_symbol, &w);
	if (!in_use)
		dwfl_close(o->file);
	*vaddr = w.addr;
	return !w.found ? -ENOENT : w.found > 1 ? -ENOTUNIQ : 0;
}

const char *elf_name(const struct sym_object *o)
{
	return o->file ? o->file->name : NULL;
}

char *elf_debug_name(struct sym_object *o)
{
	bool in_use = o->file && o->file->dwfl;
	const char *debug = NULL;
	Dwarf_Addr bias;
	char *name;

	if (!o->file || !dwfl_open(o, o->file))
		return NULL;
	if (dwfl_module_getdwarf(o->file->mod, &bias))
		dwfl_module_info(o->file->mod, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	name = debug ? strdup(debug) : NULL;
	if (!in_use)
		dwfl_close(o->file);
	return name;
}

static void release(struct elf_file *f)
{
	if (!f || __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL))
		return;
	dwfl_close(f);
	elf_end(f->debug);
	elf_end(f->elf);
	copy_give(&f->debug_copy);
	copy_give(&f->copy);
	if (f->fd >= 0)
		close(f->fd);
	free(f->dwfl_copies.p);
	free(f->name);
	free(f);
}

void elf_free(struct elf_file *f)
{
	if (!f)
		return;
	for (unsigned int which = 0; which < 2; which++)
		if (f->tables[which])
			release(shared_cfi_put(f->tables[which]));
	release(f);
}
