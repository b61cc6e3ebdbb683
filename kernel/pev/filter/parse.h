/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expressions of filters, in the syntax of the kernel's trace event filters.
 */
#ifndef _PEV_FILTER_PARSE_H
#define _PEV_FILTER_PARSE_H

#include <linux/sizes.h>
#include <linux/types.h>

struct pev_program;

/* Parentheses in each other, and characters of a string or pattern. */
#define PEV_FILTER_DEPTH	32
#define PEV_FILTER_PATTERN	255

/* Characters that all patterns of a filter may look at for an occurrence. */
#define PEV_FILTER_COST		SZ_1M

/**
 * enum pev_filter_kind - what a filter can do with a field
 * @PEV_FILTER_NUMBER:  a number of 1, 2, 4 or 8 bytes
 * @PEV_FILTER_ARRAY:   an array of characters
 * @PEV_FILTER_LOC:     a word that says where characters are, counted from the record
 * @PEV_FILTER_REL_LOC: the same, counted from behind the word
 * @PEV_FILTER_CPUS:    as @PEV_FILTER_LOC, of a mask of CPUs
 * @PEV_FILTER_POINTER: the address of a string, which no filter reads
 * @PEV_FILTER_OTHER:   nothing
 */
enum pev_filter_kind {
	PEV_FILTER_NUMBER,
	PEV_FILTER_ARRAY,
	PEV_FILTER_LOC,
	PEV_FILTER_REL_LOC,
	PEV_FILTER_CPUS,
	PEV_FILTER_POINTER,
	PEV_FILTER_OTHER,
};

/**
 * struct pev_filter_field - a field of a record
 * @kind:   enum pev_filter_kind
 * @sign:   of a number
 * @address: a number that is one, by its type
 * @offset: in the record
 * @size:   in bytes; of the word if that says where the field is
 */
struct pev_filter_field {
	u8	kind;
	bool	sign;
	bool	address;
	u16	offset;
	u16	size;
};

/**
 * struct pev_filter_scope - what an expression may speak of
 * @find:  look up a field of the record by its name, of @len characters
 * @from:  handed to @find
 * @pid_ns: in which ids of tasks are told
 * @no_ip: -EACCES for where it happened, which tells where the kernel's code lies
 */
struct pev_filter_scope {
	bool	(*find)(const void *from, const char *name, size_t len,
			struct pev_filter_field *field);
	const void	*from;
	struct pid_namespace *pid_ns;
	bool	no_ip;
};

/**
 * struct pev_filter_mistake - what is wrong with an expression
 * @pos:  characters before it
 * @text: a sentence without a full stop
 */
struct pev_filter_mistake {
	u32	pos;
	char	text[128];
};

/**
 * pev_filter_parse() - make a program of an expression
 * @expr:    less than PEV_MAX_FILTER characters
 * @scope:   the names in it
 * @mistake: filled in for -EACCES and -EINVAL
 *
 * Context: Process context, may sleep.
 * Return: the program, for kvfree(); or an ERR_PTR(): -EACCES, -EINVAL,
 * -ENOMEM.
 */
struct pev_program *pev_filter_parse(const char *expr, const struct pev_filter_scope *scope,
				     struct pev_filter_mistake *mistake);

/* Return: enum pev_load of a field that is a number. */
u8 pev_filter_load_of(const struct pev_filter_field *field);

#endif
