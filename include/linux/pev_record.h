/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions of records that are structures of C: made from the structure itself, and
 * checked when it is compiled.
 */
#ifndef _LINUX_PEV_RECORD_H
#define _LINUX_PEV_RECORD_H

#include <linux/version.h>
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#include <linux/args.h>
#else
#include <linux/kernel.h>
#endif
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>

/**
 * struct pev_field_desc - a field of a payload
 * @type:   in the metadata's language; NULL behind the last field
 * @name:   of the field
 * @nr:     elements of an array, 0: it is none
 * @length: offset of the u16 "<name>_len" that counts the elements of a dynamic array at
 *          the end of the payload; 0: it is none
 */
struct pev_field_desc {
	const char	*type;
	const char	*name;
	u16		nr;
	u16		length;
};

/**
 * struct pev_payload_desc - a payload
 * @name:   of its records
 * @size:   bytes of its fixed part
 * @fields: in the order of memory, each aligned as its type wants it
 */
struct pev_payload_desc {
	const char			*name;
	u16				size;
	const struct pev_field_desc	*fields;
};

/* What a member is called in the metadata: an array is a pointer in _Generic(). */
#define __PEV_TYPE(x) _Generic((x),						\
	char: "text_t", char *: "text_t",					\
	bool: "uint8_t",							\
	s8: "int8_t", s8 *: "int8_t", u8: "uint8_t", u8 *: "uint8_t",		\
	s16: "int16_t", s16 *: "int16_t", u16: "uint16_t", u16 *: "uint16_t",	\
	s32: "int32_t", s32 *: "int32_t", u32: "uint32_t", u32 *: "uint32_t",	\
	s64: "int64_t", s64 *: "int64_t", u64: "uint64_t", u64 *: "uint64_t",	\
	long: "int64_t", unsigned long: "uint64_t",				\
	void *: "xint64_t", const void *: "xint64_t")

/* Bytes of an array's element; 0: it is none. */
#define __PEV_ELEMENT(x) _Generic((x),						\
	char *: 1, s8 *: 1, u8 *: 1, s16 *: 2, u16 *: 2,			\
	s32 *: 4, u32 *: 4, s64 *: 8, u64 *: 8, default: 0)

#define __PEV_NR(x)	(__PEV_ELEMENT(x) ? sizeof(x) / (__PEV_ELEMENT(x) ?: 1) : 0)

#define __PEV_ALIGN(x)	(__PEV_ELEMENT(x) ?: sizeof(x))

/* A pointer to what could be an array's element: it would be taken for the array. */
#define __PEV_IS_POINTER(x)						\
	(__builtin_types_compatible_p(typeof(x), char *) ||		\
	 __builtin_types_compatible_p(typeof(x), s8 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u8 *) ||		\
	 __builtin_types_compatible_p(typeof(x), s16 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u16 *) ||		\
	 __builtin_types_compatible_p(typeof(x), s32 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u32 *) ||		\
	 __builtin_types_compatible_p(typeof(x), s64 *) ||		\
	 __builtin_types_compatible_p(typeof(x), u64 *))

#define __PEV_MEMBER(s, m)	(((struct s *)NULL)->m)

/* For each member, in turn: a line of the table, its bytes, whether it is where it should be. */
#define __PEV_LINE(s, m)						\
	{ .type = __PEV_TYPE(__PEV_MEMBER(s, m)), .name = #m,		\
	  .nr = __PEV_NR(__PEV_MEMBER(s, m)) },
#define __PEV_BYTES(s, m)	+ sizeof(__PEV_MEMBER(s, m))
#define __PEV_PLACED(s, m)						\
	&& offsetof(struct s, m) % __PEV_ALIGN(__PEV_MEMBER(s, m)) == 0	\
	&& !__PEV_IS_POINTER(__PEV_MEMBER(s, m))

#define __PEV_EACH1(x, s, m)		x(s, m)
#define __PEV_EACH2(x, s, m, r...)	x(s, m) __PEV_EACH1(x, s, r)
#define __PEV_EACH3(x, s, m, r...)	x(s, m) __PEV_EACH2(x, s, r)
#define __PEV_EACH4(x, s, m, r...)	x(s, m) __PEV_EACH3(x, s, r)
#define __PEV_EACH5(x, s, m, r...)	x(s, m) __PEV_EACH4(x, s, r)
#define __PEV_EACH6(x, s, m, r...)	x(s, m) __PEV_EACH5(x, s, r)
#define __PEV_EACH7(x, s, m, r...)	x(s, m) __PEV_EACH6(x, s, r)
#define __PEV_EACH8(x, s, m, r...)	x(s, m) __PEV_EACH7(x, s, r)
#define __PEV_EACH9(x, s, m, r...)	x(s, m) __PEV_EACH8(x, s, r)
#define __PEV_EACH10(x, s, m, r...)	x(s, m) __PEV_EACH9(x, s, r)
#define __PEV_EACH11(x, s, m, r...)	x(s, m) __PEV_EACH10(x, s, r)
#define __PEV_EACH12(x, s, m, r...)	x(s, m) __PEV_EACH11(x, s, r)
#define __PEV_EACH(x, s, m...)		CONCATENATE(__PEV_EACH, COUNT_ARGS(m))(x, s, m)

#define __PEV_ORDER1(s, a)		true
#define __PEV_ORDER2(s, a, b)		offsetof(struct s, a) < offsetof(struct s, b)
#define __PEV_ORDER3(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER2(s, b, r)
#define __PEV_ORDER4(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER3(s, b, r)
#define __PEV_ORDER5(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER4(s, b, r)
#define __PEV_ORDER6(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER5(s, b, r)
#define __PEV_ORDER7(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER6(s, b, r)
#define __PEV_ORDER8(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER7(s, b, r)
#define __PEV_ORDER9(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER8(s, b, r)
#define __PEV_ORDER10(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER9(s, b, r)
#define __PEV_ORDER11(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER10(s, b, r)
#define __PEV_ORDER12(s, a, b, r...)	__PEV_ORDER2(s, a, b) && __PEV_ORDER11(s, b, r)

#define __PEV_CHECK(s, bytes, m...)					\
	static_assert((__PEV_EACH(__PEV_BYTES, s, m)) == (bytes),	\
		      "members of struct " #s " are missing, or it has holes"); \
	static_assert(CONCATENATE(__PEV_ORDER, COUNT_ARGS(m))(s, m),	\
		      "members are not in the order of struct " #s);	\
	static_assert(1 __PEV_EACH(__PEV_PLACED, s, m),			\
		      "a member of struct " #s " is not aligned, or a pointer")

/**
 * PEV_CLIENT_EVENT() - describe records that are a structure of fixed size
 * @var:  the description, a static const struct pev_payload_desc
 * @text: "subsystem:event", the name that readers see
 * @s:    the structure, without "struct"
 * @m:    all of its members in their order, at most 12: integers, arrays of integers or of
 *        char, and void pointers, of which the value is recorded
 *
 * The build fails if a member is missing, in another order or of another type, or if the
 * structure has holes: they would show what was in memory before. Name the padding.
 */
#define PEV_CLIENT_EVENT(var, text, s, m...)				\
	__PEV_CHECK(s, sizeof(struct s), m);				\
	static const struct pev_field_desc var##_fields[] = {		\
		__PEV_EACH(__PEV_LINE, s, m) { }			\
	};								\
	static const struct pev_payload_desc var = {			\
		.name = (text), .size = sizeof(struct s), .fields = var##_fields, \
	}

/**
 * PEV_CLIENT_EVENT_ARRAY() - describe records that end with bytes or text of any length
 * @var:  as in PEV_CLIENT_EVENT()
 * @text: likewise
 * @s:    likewise
 * @a:    the flexible array of bytes at the structure's end; a member @a_len, a u16, counts
 *        them
 * @m:    all other members, @a_len included
 *
 * A record takes offsetof(struct @s, @a) bytes, and those of the array. As its length says
 * where the record ends, it must be what was reserved.
 */
#define PEV_CLIENT_EVENT_ARRAY(var, text, s, a, m...)			\
	__PEV_CHECK(s, offsetof(struct s, a), m);			\
	static_assert(__same_type(__PEV_MEMBER(s, a##_len), u16), #a "_len is not a u16"); \
	static_assert(offsetof(struct s, a##_len), #a "_len is the first member"); \
	static_assert(sizeof(__PEV_MEMBER(s, a[0])) == 1, #a " is not one of bytes"); \
	static const struct pev_field_desc var##_fields[] = {		\
		__PEV_EACH(__PEV_LINE, s, m)				\
		{ .type = __PEV_TYPE(__PEV_MEMBER(s, a[0])), .name = #a,	\
		  .length = offsetof(struct s, a##_len) },		\
		{ }							\
	};								\
	static const struct pev_payload_desc var = {			\
		.name = (text), .size = offsetof(struct s, a), .fields = var##_fields, \
	}

#endif
