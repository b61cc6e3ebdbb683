/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects: what code is mapped from. Programs and libraries, the kernel and its
 * modules, the vdso, memory that belongs to no file, code that processes made.
 * A thin layer over libpev-sym, which does the work; the numbers are the same.
 */
#ifndef PERFCTL_SESSION_OBJECT_H
#define PERFCTL_SESSION_OBJECT_H

#include "base/util.h"
#include "cli/opt.h"

#include <pev/sym.h>

#define SYM_NONE PEV_SYM_NO_INDEX

enum object_kind {
	OBJECT_FILE = PEV_SYM_KIND_FILE,
	OBJECT_KERNEL = PEV_SYM_KIND_KERNEL,
	OBJECT_MODULE = PEV_SYM_KIND_MODULE,
	OBJECT_VDSO = PEV_SYM_KIND_VDSO,
	OBJECT_ANON = PEV_SYM_KIND_ANON,
	OBJECT_UNKNOWN = PEV_SYM_KIND_NONE,
	OBJECT_CODE = PEV_SYM_KIND_CODE,
};

struct build_id {
	uint8_t len;
	uint8_t bytes[20];
};

/**
 * struct object - where code comes from
 * @path:     as recorded
 * @name:     short, escaped, for tables
 * @kind:     see enum object_kind
 * @id:       as recorded; len 0: not known
 * @pid:      a process that has it mapped, 0: not known
 * @forgotten: the number is free for another object
 * @problem:  why there are no symbols, or NULL; once objects_resolve() was called
 */
struct object {
	const char *path;
	char *name;
	enum object_kind kind;
	struct build_id id;
	uint32_t pid;
	bool forgotten;
	const char *problem;
};

#define OBJECT_ID_UNKNOWN ((uint32_t)PEV_SYM_UNKNOWN)
#define OBJECT_ID_KERNEL  ((uint32_t)PEV_SYM_KERNEL)

/**
 * struct objects - all objects of a recording
 * @o:    by number; 0 is "unknown", 1 is the kernel
 * @n_forgotten: of them were forgotten
 * @syms: libpev-sym's view of them
 * @guest_names: of functions of guests' kernels
 */
struct objects {
	struct object *o;
	size_t n;
	size_t cap;
	size_t n_forgotten;
	struct pev_syms *syms;
	struct strtab guest_names;
};

/* --symfs: a directory with the files of another machine. */
#define SYMFS_OPT                                                                   \
	{                                                                           \
		0, OPT_CALL, "symfs", "DIR",                                        \
			"look for programs, libraries and debug information below " \
			"DIR first, by build id and by path",                       \
			0, objects_symfs                                            \
	}
int objects_symfs(void *opts, const char *arg, struct msg *m);

void objects_init(struct objects *os);
void objects_free(struct objects *os);
/* Returns an object's number; the same path with another build id is another object. */
uint32_t objects_get(struct objects *os, const char *path, const struct build_id *id);
/* Forgets those of files and of memory that are not to be kept; @keep has os->n elements. */
void objects_keep(struct objects *os, const bool *keep);
/* Notes a process that maps the object: while it lives, files can be found by it. */
void objects_mapped_by(struct objects *os, uint32_t object, uint32_t pid);
/* Returns the number of what the kernel, or the programs, of guests are mapped from. */
uint32_t objects_guest(struct objects *os, bool user);
/* Returns the number of what stands for all of the guest that a process runs. */
uint32_t objects_guest_whole(struct objects *os, uint32_t pid);
bool object_is_whole_guest(const struct object *o);
/* Is @o one of them? */
bool object_is_guest(const struct object *o);
/* Returns whether a path is that of memory without a file in which a process made code. */
bool object_is_anon(const char *path);

/**
 * objects_resolve() - the function at a place
 * @object: in: where; out: for the kernel also the module
 * @at:     offset in the file, or address in the kernel; out: where the
 *          function begins, if it has no name and the unwind tables know that
 *
 * Return: index for objects_symbol_name(), SYM_NONE if no function is known there.
 */
uint32_t objects_resolve(struct objects *os, uint32_t *object, uint64_t *at);
/* Returns the name, demangled but not escaped. */
const char *objects_symbol_name(struct objects *os, uint32_t object, uint32_t symbol);

/* "libc.so.6" */
static inline const char *object_name(const struct objects *os, uint32_t object)
{
	return os->o[object].name;
}

/* "ab12..." */
void build_id_text(const struct build_id *id, char buf[41]);
/* Is its reverse; returns false for NULL and what is not hexadecimal. */
bool build_id_parse(const char *hex, struct build_id *id);
/* Reads the build id of a file; returns 0 or -errno. */
int elf_build_id(const char *file, struct build_id *id);

#endif
