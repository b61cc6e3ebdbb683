/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects: what code is mapped from. Programs and libraries (symbols by
 * elfutils, build ids compared), the kernel and its modules (by the recording's
 * kallsyms), the vdso, memory that belongs to no file.
 */
#ifndef PERFCTL_OBJECT_H
#define PERFCTL_OBJECT_H

#include "symtab.h"

enum object_kind {
	OBJECT_FILE,
	OBJECT_KERNEL,
	OBJECT_MODULE,
	OBJECT_VDSO,
	OBJECT_ANON,
	OBJECT_UNKNOWN,
};

struct build_id {
	uint8_t len;
	uint8_t bytes[20];
};

/**
 * struct segment - part of a file that is loaded
 * @offset: in the file
 * @size:   in the file
 * @vaddr:  the addresses that its symbols use
 */
struct segment {
	uint64_t offset;
	uint64_t size;
	uint64_t vaddr;
};

/**
 * struct object - where code comes from
 * @path:     as recorded
 * @name:     short, harmless, for tables
 * @kind:     see enum object_kind
 * @id:       as recorded; len 0: not known
 * @loaded:   symbols were looked for
 * @problem:  why there are none, or NULL
 * @syms:     functions by virtual address
 * @segments: to get from file offsets to these
 * @starts:   where functions begin by the unwind tables, sorted; for places
 *            that no symbol covers
 */
struct object {
	char *path;
	char *name;
	enum object_kind kind;
	struct build_id id;
	bool loaded;
	char *problem;
	struct symtab syms;
	struct segment *segments;
	size_t n_segments;
	size_t cap_segments;
	uint64_t *starts;
	size_t n_starts;
};

#define OBJECT_ID_UNKNOWN 0u
#define OBJECT_ID_KERNEL  1u

/**
 * struct objects - all objects of a recording
 * @o:        by number; 0 is "unknown", 1 is the kernel
 * @vdso:     path of the recorded vdso image, or NULL
 * @kallsyms: the recorded text (owned), or NULL
 */
struct objects {
	struct object *o;
	size_t n;
	size_t cap;
	struct htab h;
	char *vdso;
	char *kallsyms;
};

void objects_init(struct objects *os);
void objects_free(struct objects *os);
/* The number of an object; the same path with another build id is another object. */
uint32_t objects_get(struct objects *os, const char *path, const struct build_id *id);

/**
 * objects_resolve() - the function at a place
 * @object: in: where; out: for the kernel also the module
 * @at:     offset in the file, or address in the kernel; out: where the
 *          function begins, if it has no name and the unwind tables know that
 *
 * Return: index for symtab_name() of object->syms (the kernel's table holds the
 * modules' functions, too), SYM_NONE if no function is known there.
 */
uint32_t objects_resolve(struct objects *os, uint32_t *object, uint64_t *at);
/* File offset to the address that the symbols use; UINT64_MAX if it is not loaded. */
uint64_t object_vaddr(const struct object *o, uint64_t offset);
/* The table that objects_resolve()'s index is for. */
struct symtab *objects_symtab(struct objects *os, uint32_t object);

/* "libc.so.6" */
static inline const char *object_name(const struct objects *os, uint32_t object)
{
	return os->o[object].name;
}

/* elf.c: fills syms and segments, or problem */
void object_load_elf(struct object *o, const char *file, bool compare_id);
/*
 * eh_frame.c: fills starts from a .eh_frame_hdr that lies at @vaddr. Whatever
 * is wrong with it, at worst there are none.
 */
void object_load_starts(struct object *o, const uint8_t *hdr, size_t size, uint64_t vaddr);
/* Where the function at a virtual address begins. */
bool object_function_start(const struct object *o, uint64_t vaddr, uint64_t *start);
/* The build id of a file; returns 0 or -errno. */
int elf_build_id(const char *file, struct build_id *id);
/* "ab12..." */
void build_id_text(const struct build_id *id, char buf[41]);

/* kallsyms.c: fills the kernel's syms from text, which must stay; false: nothing usable */
bool kallsyms_parse(struct objects *os, char *text);

#endif
