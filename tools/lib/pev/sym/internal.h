/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the files of libpev-sym share. From below: vec (arrays, hash chains),
 * symtab (functions by address), demangle, cfi (unwind tables), expr, elf
 * (files), kallsyms, jit, lines, syms (objects), kernel, unwind.
 */
#ifndef _PEV_SYM_INTERNAL_H
#define _PEV_SYM_INTERNAL_H

#include <pev/sym.h>
#include <string.h>

#define PEV_EXPORT	__attribute__((visibility("default")))
#define PRINTF(f, a)	__attribute__((format(printf, f, a)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- vec.c: arrays that grow; nothing here ends the program */

#define VEC(type)	struct { type *p; size_t n, cap; }

/* A zeroed element more, or NULL: the array is as it was. */
void *vec_more(void **p, size_t *n, size_t *cap, size_t elem);
#define VEC_PUSH(v) ((__typeof__((v)->p))vec_more((void **)&(v)->p, &(v)->n, &(v)->cap, \
						  sizeof(*(v)->p)))

/**
 * struct hmap - numbers by a 64-bit key
 * @keys: open addressing
 * @refs: value + 1, 0: free
 */
struct hmap {
	uint64_t	*keys;
	uint32_t	*refs;
	size_t		size;
	size_t		used;
};

/* The value of a key, UINT32_MAX if it has none. */
uint32_t hmap_get(const struct hmap *h, uint64_t key);
/* False: no memory. The key must be new. */
bool hmap_add(struct hmap *h, uint64_t key, uint32_t value);
void hmap_free(struct hmap *h);

static inline uint64_t mix(uint64_t v)
{
	v ^= v >> 32;
	v *= 0x9e3779b97f4a7c15ULL;
	return v ^ v >> 29;
}

/**
 * struct texts - memory of strings, freed all at once
 */
struct texts {
	VEC(char *)	chunks;
	size_t		used;
	size_t		room;
};

const char *texts_add(struct texts *t, const char *s, size_t len);
void texts_free(struct texts *t);

/* A string to be freed, or NULL. */
char *text_make(const char *fmt, ...) PRINTF(1, 2);

/* ---- symtab.c */

#define SYM_NONE	PEV_SYM_NO_INDEX

/**
 * struct symbol - a function
 * @end:   one past its last byte
 * @name:  as in the object
 * @shown: demangled, made when it is asked for
 * @owner: object, for the kernel's modules
 * @rank:  of two at the same address the higher one stays
 */
struct symbol {
	uint64_t	start;
	uint64_t	end;
	const char	*name;
	const char	*shown;
	int		owner;
	uint8_t		rank;
};

struct symtab {
	VEC(struct symbol) s;
	struct texts	names;
};

/* @end 0: up to the next function. The name is copied unless @keep. False: no memory. */
bool symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len,
		uint8_t rank, int owner, bool keep);
/* Sorts, leaves one symbol at each address, closes open ends. */
void symtab_finish(struct symtab *t);
uint32_t symtab_find(const struct symtab *t, uint64_t addr);
const char *symtab_name(struct symtab *t, uint32_t index);
void symtab_free(struct symtab *t);

/* ---- demangle.c, rust.c */

char *rust_demangle(const char *name, size_t len);

/* ---- cfi.c: .eh_frame and .debug_frame */

/**
 * struct bytes - a section
 * @vaddr: of @data[0]
 */
struct bytes {
	const uint8_t	*data;
	size_t		size;
	uint64_t	vaddr;
};

/**
 * struct cie - what functions have in common
 * @off:      where it is in its section
 * @insns:    first instructions: offset in the section ...
 * @insns_len: ... and bytes
 * @enc:      of addresses in its FDEs
 * @sized:    its FDEs have augmentation data
 * @signal:   a frame that the kernel made: the address is no return address
 */
struct cie {
	size_t		off;
	size_t		insns;
	size_t		insns_len;
	uint64_t	code_align;
	int64_t		data_align;
	uint32_t	ra;
	uint8_t		enc;
	bool		sized;
	bool		signal;
};

/**
 * struct fde - a function
 * @insns: offset in the section
 */
struct fde {
	uint64_t	start;
	uint64_t	end;
	size_t		insns;
	uint32_t	insns_len;
	uint32_t	cie;
};

/**
 * struct cfi - the functions of one section, by address
 */
struct cfi {
	struct bytes	sec;
	VEC(struct cie)	cies;
	VEC(struct fde)	fdes;
};

/* What is damaged is left out. False: no memory. */
bool cfi_index(struct cfi *c, const struct bytes *sec, bool eh);
const struct fde *cfi_find(const struct cfi *c, uint64_t vaddr);
void cfi_free(struct cfi *c);
/* Where .eh_frame is, from .eh_frame_hdr at @vaddr; false: it does not say. */
bool cfi_hdr(const uint8_t *hdr, size_t size, uint64_t vaddr, uint64_t *eh_frame);

enum rule_kind {
	RULE_SAME,	/* the register has its value still; of the CFA: no rule */
	RULE_UNDEFINED,
	RULE_AT,	/* in memory, at CFA + v */
	RULE_IS,	/* CFA + v; of the CFA: register + v */
	RULE_REG,	/* in register v */
	RULE_AT_EXPR,	/* in memory, where an expression says */
	RULE_IS_EXPR,
};

/**
 * struct rule - how to find the caller's value of a register
 * @v:   see enum rule_kind; of expressions the offset in the section
 * @len: bytes of an expression
 * @reg: of the CFA: which register
 */
struct rule {
	int64_t		v;
	uint32_t	len;
	uint8_t		kind;
	uint8_t		reg;
};

#define REGS_MAX	34

/**
 * struct row - how to unwind at one address
 * @cfa: RULE_IS with @reg, or RULE_IS_EXPR
 * @ra:  register that has the return address
 */
struct row {
	struct rule	cfa;
	struct rule	r[REGS_MAX];
	uint8_t		ra;
	bool		signal;
};

struct arch;

/* Runs the instructions of a function up to @vaddr; false: they make no sense. */
bool cfi_row(const struct cfi *c, const struct fde *f, uint64_t vaddr, const struct arch *arch,
	     struct row *row);

/**
 * struct arch - registers of a machine, numbered by us
 * @nr:    of registers
 * @sp, ip, fp: ours; ip is where the return address is on entry
 * @perf:  our number of each register of asm/perf_regs.h, -1: of no use
 * @dwarf_high: DWARF's numbers behind the first @same, which are ours, too
 */
struct arch {
	const char	*machine;
	unsigned int	elf_machine;
	uint64_t	record;
	uint8_t		nr;
	uint8_t		sp;
	uint8_t		ip;
	uint8_t		fp;
	uint8_t		lr;	/* 0xff: return addresses are on the stack */
	const int8_t	*perf;
	uint8_t		nr_perf;
	uint8_t		same;
	const uint8_t	*dwarf_high;
	uint8_t		nr_high;
};

const struct arch *arch_find(const char *machine);
/* Our number of a DWARF register, -1 for one that does not matter. */
int arch_reg(const struct arch *a, uint64_t dwarf);

/* ---- expr.c */

/**
 * struct expr_env - what an expression can look at
 * @read: 8 bytes of memory; false: they are not there
 */
struct expr_env {
	const struct arch *arch;
	const uint64_t	*regs;
	uint64_t	valid;
	bool		(*read)(void *arg, uint64_t addr, uint64_t *v);
	void		*arg;
	uint64_t	cfa;
};

/* @push: the CFA lies on the stack at first. */
bool expr_eval(const struct expr_env *env, const uint8_t *expr, size_t len, bool push,
	       uint64_t *v);

/* ---- elf.c, lines.c, kallsyms.c, jit.c, cache.c, syms.c */

struct build_id {
	uint8_t		len;
	uint8_t		bytes[20];
};

struct segment {
	uint64_t	offset;
	uint64_t	size;
	uint64_t	vaddr;
};

struct elf_file;
struct lines;

/**
 * struct object - where code comes from
 * @pid:    a process that has it mapped, 0: none known
 * @loaded: it was looked for
 * @named:  so were its functions
 * @file:   NULL if there is none
 * @lines:  of the source, NULL until somebody asks
 */
struct object {
	char			*path;
	enum pev_sym_kind	kind;
	struct build_id		id;
	uint32_t		pid;
	bool			loaded;
	bool			named;
	bool			lines_tried;
	char			*problem;
	struct symtab		syms;
	VEC(struct segment)	segs;
	struct elf_file		*file;
	struct lines		*lines;
	VEC(char *)		dumps;	/* jitdump files */
};

/**
 * struct pev_syms - see pev/sym.h
 * @kallsyms: parsed in place when it is needed
 * @stext:    address of _stext, from that
 * @release:  the kernel's, and @kernel_id its build id
 * @vmlinux_path: as given, NULL: to be looked for
 * @vmlinux:  its object, which has no number
 * @slide:    what to subtract from addresses for those in vmlinux
 */
struct pev_syms {
	VEC(struct object *)	o;
	struct hmap		by_key;
	struct hmap		by_pid;
	char			*kallsyms;
	uint64_t		stext;
	char			*release;
	struct build_id		kernel_id;
	char			*vmlinux_path;
	struct object		*vmlinux;
	bool			vmlinux_tried;
	uint64_t		slide;
	char			*vdso;
	unsigned int		flags;
};

struct object *object_new(const char *path, enum pev_sym_kind kind, const struct build_id *id);
void object_free(struct object *o);

struct object *syms_object(const struct pev_syms *s, int object);
/* With its file, or its functions, too, whatever of these there is. */
struct object *syms_loaded(struct pev_syms *s, int object);
struct object *syms_named(struct pev_syms *s, int object);
int syms_add(struct pev_syms *s, const char *path, enum pev_sym_kind kind,
	     const struct build_id *id);
/* File offset to the address that tables use, and back; UINT64_MAX: none. */
uint64_t object_vaddr(const struct object *o, uint64_t offset);
uint64_t object_offset(const struct object *o, uint64_t vaddr);
void object_problem(struct object *o, const char *fmt, ...) PRINTF(2, 3);

/* elf.c */
void elf_load(struct pev_syms *s, struct object *o);
/* Its functions. */
void elf_names(struct object *o);
void elf_free(struct elf_file *f);
unsigned int elf_machine(const struct elf_file *f);
/* The unwind tables: .eh_frame first, .debug_frame second; NULL: there is none. */
const struct cfi *elf_cfi(struct object *o, unsigned int which);
/* Bytes of the file as they are loaded. */
bool elf_read(const struct object *o, uint64_t offset, void *to, size_t len);
/* Code at an address of the tables. 0, -ENODATA, -ENOEXEC; see pev_sym_bytes() */
int elf_code(const struct object *o, uint64_t vaddr, void *buf, size_t len,
	     struct pev_sym_bytes *what);
/* The value of a symbol; false: .symtab has none of that name. */
bool elf_symbol(const struct object *o, const char *name, uint64_t *value);
/* .eh_frame_hdr: offset in the file and size */
bool elf_hdr(const struct object *o, uint64_t *offset, uint64_t *size);
/* struct Dwarf of elfutils, and what to add to its addresses; NULL: none */
void *elf_dwarf(struct pev_syms *s, struct object *o, uint64_t *bias);
int open_regular(const char *file);
void id_text(const struct build_id *id, char buf[41]);

/* find.c: the file of an object, which may be elsewhere; an fd or -errno */
int find_file(struct pev_syms *s, struct object *o, char **file, struct build_id *other);
/* A separate file with debug information, by build id */
int find_debug(struct pev_syms *s, const struct build_id *id, char **file);

/* debuginfod.c: an fd, -ENOSYS without a server or its library */
int debuginfod_get(const struct build_id *id, bool debug, char **path);

/* cache.c */
int cache_open(const struct build_id *id, char **file);
void cache_keep(const struct build_id *id, int fd);

/* lines.c */
struct lines *lines_new(void *dwarf, uint64_t bias);
void lines_free(struct lines *l);
int lines_find(struct lines *l, uint64_t vaddr, struct pev_sym_line *out, unsigned int room);

/* kernel.c: vmlinux, or NULL */
struct object *kernel_image(struct pev_syms *s);

/* kallsyms.c */
bool kallsyms_parse(struct pev_syms *s, char *text);

/* jit.c */
void jit_load(struct object *o);

#endif /* _PEV_SYM_INTERNAL_H */
