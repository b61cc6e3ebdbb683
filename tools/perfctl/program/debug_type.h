/* SPDX-License-Identifier: GPL-2.0 */
/* Types of values by debug information. */
#ifndef PERFCTL_PROGRAM_DEBUG_TYPE_H
#define PERFCTL_PROGRAM_DEBUG_TYPE_H

#include "value.h"

/* Reads a type; returns false if nothing is known of it. */
bool debug_type_read(Dwarf_Die *die, struct value_type *to);
/* The same of what has one: a variable, a member; returns false if it has none, as void. */
bool debug_type_of(Dwarf_Die *die, struct value_type *to);

#endif
