/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev-sym: from addresses to functions, source lines and call chains.
 *
 * A library of its own beside libpev, because it needs elfutils: a program that
 * only counts does not. The rules of pev/pev.h hold here, too: what can fail
 * returns a negative errno and never prints, no process is ever started, and
 * one object is used by one thread at a time.
 *
 * Who owns what: a struct pev_syms owns every text that its functions return,
 * and keeps it until pev_syms_free(). Objects (files, the kernel, a process'
 * generated code) are plain numbers, which stay valid as long. An unwinder uses
 * the pev_syms it was made for: free the unwinder first.
 *
 * Places are an object and "at": the offset in the file; the address for the
 * kernel and for generated code.
 */
#ifndef _PEV_SYM_H
#define _PEV_SYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- Objects --------------------------------------------------------------
 */

struct pev_syms;

/* The two objects that there always are. */
#define PEV_SYM_UNKNOWN	0
#define PEV_SYM_KERNEL	1

/* flags of pev_syms_new() */
#define PEV_SYMS_CACHE		(1U << 0)	/* keep files of containers in ~/.cache/perfctl */
#define PEV_SYMS_DEBUGINFOD	(1U << 1)	/* ask the servers of DEBUGINFOD_URLS */

/**
 * enum pev_sym_kind - what an object is
 * @PEV_SYM_KIND_FILE:    a program or library
 * @PEV_SYM_KIND_KERNEL:  the kernel itself
 * @PEV_SYM_KIND_MODULE:  a module of it
 * @PEV_SYM_KIND_VDSO:    what the kernel maps into programs
 * @PEV_SYM_KIND_ANON:    memory that belongs to no file
 * @PEV_SYM_KIND_NONE:    PEV_SYM_UNKNOWN
 * @PEV_SYM_KIND_CODE:    code that a process made: /tmp/perf-PID.map, jit-PID.dump
 */
enum pev_sym_kind {
	PEV_SYM_KIND_FILE	= 0,
	PEV_SYM_KIND_KERNEL	= 1,
	PEV_SYM_KIND_MODULE	= 2,
	PEV_SYM_KIND_VDSO	= 3,
	PEV_SYM_KIND_ANON	= 4,
	PEV_SYM_KIND_NONE	= 5,
	PEV_SYM_KIND_CODE	= 6,
};

/**
 * pev_syms_new() - free with pev_syms_free()
 * @flags: PEV_SYMS_*; with 0 no file is written and no server asked
 *
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM.
 */
int pev_syms_new(unsigned int flags, struct pev_syms **syms);
void pev_syms_free(struct pev_syms *syms);

/**
 * pev_syms_fetch_fn - called again and again while a debuginfod server is asked
 * @done:  bytes that have come
 * @total: bytes in all, 0 if that is not known
 *
 * Return: 0; anything else gives up, and no server is asked from then on.
 */
typedef int (*pev_syms_fetch_fn)(void *arg, uint64_t done, uint64_t total);
/** pev_syms_set_fetch() - have @fn told, for PEV_SYMS_DEBUGINFOD */
void pev_syms_set_fetch(struct pev_syms *syms, pev_syms_fetch_fn fn, void *arg);

/**
 * struct pev_syms_cache - the files that PEV_SYMS_CACHE has kept
 * @size:  sizeof(struct pev_syms_cache), set by the caller
 * @files: their number
 * @bytes: what they take
 * @most:  more than this is never kept
 * @removed: files that were removed
 * @path:  of their directory
 */
struct pev_syms_cache {
	uint32_t	size;
	uint32_t	files;
	uint64_t	bytes;
	uint64_t	most;
	uint32_t	removed;
	uint32_t	reserved;
	char		path[4096];
};

/**
 * pev_syms_cache() - look at the files that were kept, and remove some
 * @keep: bytes that may stay: the files whose last use is longest ago go first;
 *        UINT64_MAX: all of them
 *
 * Only files that the library has made are removed.
 *
 * Return: 0, -ENOENT without a home directory, -EINVAL for another cache->size, -ENOMEM.
 */
int pev_syms_cache(uint64_t keep, struct pev_syms_cache *cache);

/** pev_syms_set_kernel() - the text of /proc/kallsyms when the addresses were taken; copied */
int pev_syms_set_kernel(struct pev_syms *syms, const char *kallsyms, size_t len);
/**
 * pev_syms_set_kernel_id() - which kernel that was
 * @release: as uname(2) has it, NULL if that is not known
 * @id:      its build id, NULL if that is not known
 *
 * By these pev_sym_lines() and pev_sym_bytes() find its file, vmlinux, where
 * distributions put it, or at a debuginfod server.
 */
int pev_syms_set_kernel_id(struct pev_syms *syms, const char *release, const void *id,
			   size_t id_len);
/**
 * pev_syms_kernel_function() - a function that the kernel got later: a BPF program, a trampoline
 * @module: to which it is counted, as "bpf"; NULL: the kernel itself
 *
 * Of several at an address the one that was told last counts, also over those of
 * pev_syms_set_kernel().
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int pev_syms_kernel_function(struct pev_syms *syms, uint64_t start, uint64_t len,
			     const char *name, const char *module);
/**
 * pev_syms_set_vmlinux() - the kernel's file, for source lines and code
 *
 * Only the uncompressed file from the kernel's build has what is needed. Call it
 * behind pev_syms_set_kernel_id().
 *
 * Return: 0; -ESTALE: its build id is another one; -ENOEXEC: no ELF file; -errno.
 */
int pev_syms_set_vmlinux(struct pev_syms *syms, const char *file);
/**
 * pev_syms_add_root() - a directory in which files are looked for first
 *
 * There, by build id as DIR/.build-id/ab/cdef... (and .debug behind it), or by its path
 * below @dir, as in the image of another machine. Several are searched in their order.
 * What they don't have is looked for as without them.
 */
int pev_syms_add_root(struct pev_syms *syms, const char *dir);
/** pev_syms_set_vdso() - a file with the vdso's image */
int pev_syms_set_vdso(struct pev_syms *syms, const char *file);
/**
 * pev_syms_set_end() - when the recording ended
 * @ns: since the epoch; 0: it goes on, or that is not known
 *
 * A process that began later is not one that was recorded, whatever its number: its files
 * in /proc are left alone.
 */
void pev_syms_set_end(struct pev_syms *syms, int64_t ns);

/**
 * pev_syms_object() - the number of a file that was mapped
 * @path: as the kernel named it
 * @id:   its build id when it was mapped, NULL if that is not known
 *
 * The same path with another build id is another object. Opens nothing yet.
 *
 * Return: the number or -errno.
 */
int pev_syms_object(struct pev_syms *syms, const char *path, const void *id, size_t id_len);
/** pev_syms_code() - the number of the code that process @pid generated, or -errno */
int pev_syms_code(struct pev_syms *syms, uint32_t pid);
/**
 * pev_syms_jitdump() - a jitdump file, jit-PID.dump, that process @pid has mapped
 *
 * Belongs to pev_syms_code(): call it before the first pev_sym_find() there.
 */
int pev_syms_jitdump(struct pev_syms *syms, uint32_t pid, const char *path);
/**
 * pev_syms_mapped_by() - a process that has the object mapped
 *
 * While it lives, a file that is not to be found by its path (or is another one
 * there) is looked for below /proc/PID/root.
 */
void pev_syms_mapped_by(struct pev_syms *syms, int object, uint32_t pid);

/**
 * pev_syms_keep() - forget objects, for what runs for days
 * @keep: for each number below @n, whether it is still needed; numbers from @n on are
 *
 * The memory of the others is freed. Their numbers mean nothing until pev_syms_object() or
 * pev_syms_code() gives them to other objects. The kernel, its modules and the vDSO are always
 * kept. A struct pev_unwind of @syms must be freed before.
 */
void pev_syms_keep(struct pev_syms *syms, const bool *keep, size_t n);

/** pev_syms_count() - objects are numbered below this; it grows */
int pev_syms_count(const struct pev_syms *syms);
/** pev_syms_path() - as given; "[kernel]", "[ext4]", "[jit 123]" */
const char *pev_syms_path(const struct pev_syms *syms, int object);
enum pev_sym_kind pev_syms_kind(const struct pev_syms *syms, int object);
/** pev_syms_id() - the build id as given, and its length; NULL if there is none */
const void *pev_syms_id(const struct pev_syms *syms, int object, size_t *len);
/** pev_syms_problem() - why functions of the object have no names, or NULL; one sentence */
const char *pev_syms_problem(const struct pev_syms *syms, int object);
/**
 * pev_syms_file() - the file that an object is read from, not necessarily at its path
 * @debug: the separate file with its debug information
 * @path:  allocated with malloc(); free() it
 *
 * Return: 0; -ENOENT: there is none, or debug information is in the file itself; -ENOMEM.
 */
int pev_syms_file(struct pev_syms *syms, int object, bool debug, char **path);
/** pev_syms_build_id() - the build id of a file now: its length (at most 20) or -errno */
int pev_syms_build_id(const char *file, uint8_t id[20]);

/*
 * ---- Functions and lines --------------------------------------------------
 */

/**
 * struct pev_sym - a function
 * @object: where it is; for the kernel it may be a module
 * @index:  in its object, for pev_sym_name(); stays the same
 * @start:  its first byte, as "at"
 * @size:   bytes
 * @reserved: 0
 */
struct pev_sym {
	int		object;
	uint32_t	index;
	uint64_t	start;
	uint64_t	size;
	uint64_t	reserved[2];
};

#define PEV_SYM_NO_INDEX	UINT32_MAX

/**
 * pev_sym_find() - the function at a place
 *
 * Return: 1; 0 if no function is known there: then @sym has PEV_SYM_NO_INDEX as
 * index, and @start is where a function without a name begins, if the unwind
 * tables say that, else @at itself; -errno.
 */
int pev_sym_find(struct pev_syms *syms, int object, uint64_t at, struct pev_sym *sym);
/**
 * pev_sym_nth() - one function after the other of a file
 * @index: from 0 on, in the order of their addresses
 * @sym:   @start is UINT64_MAX if the file has no byte of it, as one of debug information alone
 *
 * Return: 1; 0: it has no more; -ENODATA: the object is no file, or none that could be found and
 * read.
 */
int pev_sym_nth(struct pev_syms *syms, int object, uint32_t index, struct pev_sym *sym);
/**
 * pev_sym_place() - where a function of a file begins
 * @name: as pev_sym_raw_name() gives it
 * @at:   as pev_sym_find() takes it
 *
 * Return: 0; -ENOENT: it has no such function; -ENOTUNIQ: several, as static ones may be;
 * -ENODATA: the object is no file, or none that could be found and read.
 */
int pev_sym_place(struct pev_syms *syms, int object, const char *name, uint64_t *at);
/** pev_sym_name() - for people: demangled. "" for no index of pev_sym_find() */
const char *pev_sym_name(struct pev_syms *syms, int object, uint32_t index);
/** pev_sym_raw_name() - as it is in the object */
const char *pev_sym_raw_name(struct pev_syms *syms, int object, uint32_t index);

/**
 * struct pev_sym_line - a function that a place belongs to, and where in its source
 * @function: demangled; NULL if it is not known
 * @file:     NULL if it is not known
 * @line:     0 if it is not known
 * @inlined:  it was inlined into the next one
 * @reserved: 0
 */
struct pev_sym_line {
	const char	*function;
	const char	*file;
	uint32_t	line;
	bool		inlined;
	uint64_t	reserved[2];
};

/**
 * pev_sym_lines() - the source of a place, innermost inlined function first
 *
 * The last one is the function that pev_sym_find() gives. Needs debug
 * information: of the file, of a separate file, or of a debuginfod server.
 *
 * Return: how many lines were filled, 0 if there is no debug information, -errno.
 */
int pev_sym_lines(struct pev_syms *syms, int object, uint64_t at,
		  struct pev_sym_line *lines, unsigned int room);

/**
 * struct pev_sym_bytes - what bytes of code are
 * @vaddr:   address of the first one, as branches in the code count
 * @machine: the processor that understands them: EM_X86_64 and the like of elf.h
 * @big_endian: its byte order
 * @reserved: 0
 */
struct pev_sym_bytes {
	uint64_t	vaddr;
	unsigned int	machine;
	bool		big_endian;
	uint64_t	reserved[2];
};

/**
 * pev_sym_bytes() - the code at a place
 * @buf: @len bytes, all of them or none
 *
 * Of a file as it was found by its build id. Of the kernel and its modules as it
 * is in memory, if that kernel still runs and may be looked into (/proc/kcore),
 * else of the kernel itself from vmlinux.
 *
 * Return: 0; -ENODATA: there is no file or memory with it; -ENOEXEC: it is of a
 * 32-bit program; -errno.
 */
int pev_sym_bytes(struct pev_syms *syms, int object, uint64_t at, void *buf, size_t len,
		  struct pev_sym_bytes *what);

/** pev_sym_demangle() - a readable C++ or Rust name to be freed, NULL if @name is neither */
char *pev_sym_demangle(const char *name);

/*
 * ---- Unwinding ------------------------------------------------------------
 *
 * Call chains from the registers and the piece of the stack that a record
 * carries (PEV_SAMPLE_UREGS, PEV_SAMPLE_USTACK_DUMP).
 */

struct pev_unwind;

/**
 * struct pev_unwind_map - what is mapped somewhere
 * @start:  first address
 * @end:    one past the last
 * @offset: of @start in the object
 * @object: number of it
 *
 * The library allocates and clears it; later versions add members at its end.
 */
struct pev_unwind_map {
	uint64_t	start;
	uint64_t	end;
	uint64_t	offset;
	int		object;
};

/** typedef pev_unwind_map_fn - finds the map at an address; returns 1, or 0 for none */
typedef int (*pev_unwind_map_fn)(void *arg, uint64_t addr, struct pev_unwind_map *map);

/**
 * struct pev_unwind_sample - what to unwind
 * @size:     sizeof(struct pev_unwind_sample) in the program
 * @regs:     registers, those of the mask given to pev_unwind_new() in its order
 * @nr_regs:  their number; 0: there is no chain
 * @stack:    bytes from the stack pointer upwards
 * @stack_len: number of them
 * @find:     finds maps, called with @arg
 * @space:    number of the address space: as long as it is the same, @find gives
 *            the same answers. 0: remember nothing
 */
struct pev_unwind_sample {
	size_t			size;
	const uint64_t		*regs;
	unsigned int		nr_regs;
	const void		*stack;
	size_t			stack_len;
	pev_unwind_map_fn	find;
	void			*arg;
	uint64_t		space;
};

/**
 * enum pev_unwind_end - why a chain ended
 * @PEV_UNWIND_DONE:     where the thread began
 * @PEV_UNWIND_SHORT:    the caller's frame is not in the piece of the stack
 * @PEV_UNWIND_NO_INFO:  the code has neither unwind tables nor frame pointers
 * @PEV_UNWIND_NO_MAP:   the return address is in no map
 * @PEV_UNWIND_BROKEN:   tables or stack make no sense
 * @PEV_UNWIND_ROOM:     there were more frames than room
 */
enum pev_unwind_end {
	PEV_UNWIND_DONE		= 0,
	PEV_UNWIND_SHORT	= 1,
	PEV_UNWIND_NO_INFO	= 2,
	PEV_UNWIND_NO_MAP	= 3,
	PEV_UNWIND_BROKEN	= 4,
	PEV_UNWIND_ROOM		= 5,
};

#define PEV_UNWIND_ENDS		6

/* flags of pev_unwind_new() */
#define PEV_UNWIND_LIBUNWIND	(1U << 0)	/* every step by libunwind: slower, to compare */

/** pev_unwind_regs() - registers to record for unwinding on a machine, 0: not known */
uint64_t pev_unwind_regs(const char *machine);
/**
 * pev_unwind_new() - an unwinder
 * @machine: as uname(2) has it: "x86_64", "ppc64le", "aarch64"; not necessarily this one
 * @regs:    mask of the registers recorded (attr.regs_user)
 *
 * Return: 0, -EOPNOTSUPP for a machine that it does not know, -EINVAL if @regs
 * lacks the instruction or stack pointer. Free with pev_unwind_free().
 */
int pev_unwind_new(struct pev_syms *syms, const char *machine, uint64_t regs,
		   unsigned int flags, struct pev_unwind **unwind);
void pev_unwind_free(struct pev_unwind *unwind);

/**
 * pev_unwind_chain() - the call chain of a sample
 * @chain: filled with addresses, the innermost first; all but the first are
 *         return addresses
 * @end:   why it ended there
 *
 * Where the tables say nothing, frame pointers (on PowerPC the back chain) are
 * followed.
 *
 * Return: number of addresses, -EINVAL if @sample->size is too small.
 */
int pev_unwind_chain(struct pev_unwind *unwind, const struct pev_unwind_sample *sample,
		     uint64_t *chain, unsigned int room, enum pev_unwind_end *end);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_SYM_H */
