/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A value of a program or of the kernel: its type, and where a probe finds it. From it one gets
 * to members of structures, elements of arrays, and what pointers point to. Whence types are
 * known, DWARF or BTF, is known to the reader of a type alone.
 *
 *	STEPS	:= { "->" NAME | "." NAME | "[" NUMBER "]" }
 */
#ifndef PERFCTL_PROGRAM_VALUE_H
#define PERFCTL_PROGRAM_VALUE_H

#include "base/util.h"

#include <elfutils/libdw.h>
#include <pev/pev.h>

enum value_kind {
	VALUE_NUMBER,
	VALUE_POINTER,
	VALUE_STRUCTURE,
	VALUE_ARRAY,
	VALUE_OTHER,
};

struct btf;
struct value_type;

/**
 * struct value_member - a member of a structure
 * @type:   of it
 * @offset: bytes from the beginning of the structure
 * @bits:   it is a bit-field
 */
struct value_member;

/* Is given a member, @name is NULL if it has none; returns whether it was the one. */
typedef bool (*value_member_fn)(void *arg, const char *name, const struct value_member *m);

/**
 * struct type_reader - what knows the types
 * @target:  what a pointer points to, or the elements of an array; returns whether that is known
 * @members: calls @each until it returns true
 * @text:    the type as in the source, to be freed
 */
struct type_reader {
	bool (*target)(const struct value_type *t, struct value_type *to);
	void (*members)(const struct value_type *t, value_member_fn each, void *arg);
	char *(*text)(const struct value_type *t);
};

/**
 * struct value_type - a type
 * @reader: of it, whose own are @die and @dim, or @btf and @id
 * @kind:   without names and qualifiers
 * @bytes:  of it, 0: not known
 * @sign:   a number with a sign
 * @letter: a number that is a character
 * @count:  elements of an array, 0: not known
 */
struct value_type {
	const struct type_reader *reader;
	Dwarf_Die die;
	unsigned int dim;
	const struct btf *btf;
	uint32_t id;
	enum value_kind kind;
	unsigned int bytes;
	bool sign;
	bool letter;
	uint64_t count;
};

struct value_member {
	struct value_type type;
	uint64_t offset;
	bool bits;
};

/**
 * struct value - a value at a place
 * @name:   of the variable, or NULL
 * @type:   of it
 * @field:  finds it, or with @memory what it is @offset bytes behind
 * @memory: it lies in memory
 * @offset: see @field
 */
struct value {
	const char *name;
	struct value_type type;
	struct pev_probe_field field;
	bool memory;
	int64_t offset;
};

/* Goes on to what STEPS up to @end say. Returns 0, or -errno with a clause that says why not. */
int value_follow(struct value *v, const char *steps, const char *end, struct msg *m);
/* What a value is to be recorded as: an array of characters is a text anyway. */
enum value_as {
	VALUE_AS_IT_IS,
	VALUE_AS_NUMBER,
	VALUE_AS_TEXT,
};

/*
 * Makes a field that records it: with a type, from, number, and loads. The last load of a text is
 * left to the caller. Returns 0, or -errno with a clause that says why it can't be.
 */
int value_field(const struct value *v, enum value_as as, struct pev_probe_field *f, struct msg *m);

#endif
