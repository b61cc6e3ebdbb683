// SPDX-License-Identifier: GPL-2.0
/* Reads types by libdw. See debug_type.h. */
#include "debug_type.h"
#include "debug.h"

#include <dwarf.h>

static bool type_die(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static bool is_structure(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* ---- arrays ---- */

/* The dimension @dim of an array, which is a child; returns whether there is one. */
static bool find_dim(Dwarf_Die *array, unsigned int dim, Dwarf_Die *to)
{
	if (dwarf_child(array, to))
		return false;
	do {
		if (dwarf_tag(to) == DW_TAG_subrange_type && !dim--)
			return true;
	} while (!dwarf_siblingof(to, to));
	return false;
}

static uint64_t elements_of(Dwarf_Die *range)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	if (dwarf_attr(range, DW_AT_count, &attr) && !dwarf_formudata(&attr, &n))
		return n;
	/* a bound of -1 is that of an array without any */
	if (dwarf_attr(range, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &n))
		return n + 1;
	return 0;
}

/* A file may be damaged: an array of arrays of it, and so on, has to end. */
#define MOST_DEPTH 8

static bool read_array(Dwarf_Die *die, unsigned int dim, unsigned int depth, struct value_type *to);
static bool read_type(Dwarf_Die *die, unsigned int depth, struct value_type *to);

/* The elements of one dimension are arrays of the next. */
static bool element_of(Dwarf_Die *array, unsigned int dim, unsigned int depth,
		       struct value_type *to)
{
	Dwarf_Die next, type;

	if (depth > MOST_DEPTH)
		return false;
	if (find_dim(array, dim + 1, &next))
		return read_array(array, dim + 1, depth + 1, to);
	return type_die(array, &type) && read_type(&type, depth + 1, to);
}

static bool read_array(Dwarf_Die *die, unsigned int dim, unsigned int depth, struct value_type *to)
{
	struct value_type element;
	Dwarf_Die range;

	if (!find_dim(die, dim, &range))
		return false;
	to->kind = VALUE_ARRAY;
	to->die = *die;
	to->dim = dim;
	to->count = elements_of(&range);
	if (element_of(die, dim, depth, &element))
		to->bytes = (unsigned int)(element.bytes * to->count);
	return true;
}

/* ---- the reader ---- */

static bool target_of(const struct value_type *t, struct value_type *to)
{
	Dwarf_Die die = t->die, type;

	*to = (struct value_type){ .reader = t->reader };
	if (t->kind == VALUE_ARRAY)
		return element_of(&die, t->dim, 0, to);
	return t->kind == VALUE_POINTER && type_die(&die, &type) && debug_type_read(&type, to);
}

static bool is_bits(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_bit_size) ||
	       dwarf_hasattr(member, DW_AT_data_bit_offset);
}

/* Those of a base class are members, too. */
static bool read_member(Dwarf_Die *die, struct value_member *m)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;

	if ((dwarf_tag(die) != DW_TAG_member && dwarf_tag(die) != DW_TAG_inheritance) ||
	    dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration))
		return false;
	*m = (struct value_member){ .bits = is_bits(die) };
	if (dwarf_attr(die, DW_AT_data_member_location, &attr)) {
		if (dwarf_formudata(&attr, &offset))
			return false;
		m->offset = offset;
	}
	if (dwarf_attr(die, DW_AT_data_bit_offset, &attr) && !dwarf_formudata(&attr, &offset))
		m->offset = offset / 8;
	return debug_type_of(die, &m->type);
}

static void members_of(const struct value_type *t, value_member_fn each, void *arg)
{
	Dwarf_Die die = t->die, child;

	if (t->kind != VALUE_STRUCTURE || dwarf_child(&die, &child))
		return;
	do {
		bool base = dwarf_tag(&child) == DW_TAG_inheritance;
		struct value_member m;

		if (read_member(&child, &m) && each(arg, base ? NULL : dwarf_diename(&child), &m))
			return;
	} while (!dwarf_siblingof(&child, &child));
}

static char *text_of(const struct value_type *t)
{
	Dwarf_Die die = t->die;

	return debug_type_text(&die);
}

static const struct type_reader reader = {
	.target = target_of,
	.members = members_of,
	.text = text_of,
};

/* ---- types ---- */

static void read_number(Dwarf_Die *die, struct value_type *to)
{
	Dwarf_Word encoding = 0;
	Dwarf_Attribute attr;

	to->kind = VALUE_NUMBER;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attr), &encoding))
		encoding = DW_ATE_unsigned;
	to->sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	/* "unsigned char" is a byte, mostly not of a text */
	to->letter = dwarf_diename(die) && !strcmp(dwarf_diename(die), "char");
	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
	    encoding == DW_ATE_decimal_float)
		to->kind = VALUE_OTHER;
}

static bool read_type(Dwarf_Die *die, unsigned int depth, struct value_type *to)
{
	Dwarf_Die plain;
	int bytes, tag;

	*to = (struct value_type){ .reader = &reader, .die = *die, .kind = VALUE_OTHER };
	if (dwarf_peel_type(die, &plain))
		return false;
	tag = dwarf_tag(&plain);
	bytes = dwarf_bytesize(&plain);
	to->bytes = bytes > 0 ? (unsigned int)bytes : 0;
	if (tag == DW_TAG_array_type)
		return read_array(&plain, 0, depth, to);
	if (tag == DW_TAG_base_type) {
		read_number(&plain, to);
	} else if (tag == DW_TAG_enumeration_type) {
		to->kind = VALUE_NUMBER;
	} else if (is_structure(tag)) {
		to->kind = VALUE_STRUCTURE;
		to->die = plain;
	} else if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		   tag == DW_TAG_rvalue_reference_type) {
		to->kind = VALUE_POINTER;
		to->bytes = 8;
		to->die = plain;
	}
	return true;
}

bool debug_type_read(Dwarf_Die *die, struct value_type *to)
{
	return read_type(die, 0, to);
}

bool debug_type_of(Dwarf_Die *die, struct value_type *to)
{
	Dwarf_Die type;

	return type_die(die, &type) && debug_type_read(&type, to);
}
