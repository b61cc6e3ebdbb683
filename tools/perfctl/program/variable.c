// SPDX-License-Identifier: GPL-2.0
/* Finds variables by libdw. See variable.h. */
#include "variable.h"
#include "debug_type.h"
#include "location.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

/* ---- places ---- */

static int has_address(Dwarf_Die *die, void *arg)
{
	struct variables *v = arg;

	if (dwarf_haspc(die, v->address) <= 0)
		return DWARF_CB_OK;
	v->function = *die;
	return DWARF_CB_ABORT;
}

/* Returns whether a function has the address; receives its unit, too. */
static bool find_function(struct variables *v, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;

	while (!dwarf_get_units(v->debug->dw, cu, &cu, NULL, &type, unit, NULL))
		if (type == DW_UT_compile && dwarf_haspc(unit, v->address) > 0 &&
		    dwarf_getfuncs(unit, has_address, v, 0) > 0)
			return true;
	return false;
}

/* Behind the first line of a function its frame is there; of an entry that is not so. */
static bool is_set_up(struct variables *v)
{
	Dwarf_Addr *behind = NULL, entry;
	bool before = false;
	int n;

	if (v->entry)
		return false;
	n = dwarf_entry_breakpoints(&v->function, &behind);
	if (n > 0 && !dwarf_entrypc(&v->function, &entry))
		before = v->address > entry && v->address < behind[0];
	free(behind);
	return !before;
}

/* What was inlined at the beginning of a function has no part in its arguments. */
static void find_scopes(struct variables *v, Dwarf_Die *unit, bool line)
{
	if (line || !v->entry) {
		v->n = dwarf_getscopes(unit, v->address, &v->scopes);
		return;
	}
	v->n = 2;
	v->scopes = xcalloc(2, sizeof(*v->scopes));
	v->scopes[0] = v->function;
	v->scopes[1] = *unit;
}

bool variables_open(struct variables *v, const struct program *p, const struct debug *d,
		    uint64_t address, bool line)
{
	Dwarf_Addr entry;
	struct source at;
	Dwarf_Die unit;

	*v = (struct variables){ .program = p, .debug = d, .address = address };
	if (!find_function(v, &unit) || dwarf_srclang(&unit) == DW_LANG_Mips_Assembler)
		return false;
	v->eh = dwarf_getcfi_elf(p->elf);
	v->entry = !dwarf_entrypc(&v->function, &entry) && entry == address;
	if (v->entry)
		debug_function(d, address, p->machine, &v->params, &at);
	v->set_up = is_set_up(v);
	find_scopes(v, &unit, line);
	return v->n > 0;
}

void variables_close(struct variables *v)
{
	dwarf_cfi_end(v->eh);
	parameters_free(&v->params);
	free(v->scopes);
	*v = (struct variables){ 0 };
}

/* ---- values ---- */

/* Of a function that only its own file calls, the compiler may pass less than the source says. */
static bool by_convention(const struct variables *v, Dwarf_Die *die, int argument, struct value *to)
{
	Dwarf_Die function = v->function;
	Dwarf_Attribute attr;

	if (!v->entry || argument < 0 || (size_t)argument >= v->params.n ||
	    v->params.v[argument].position < 0)
		return false;
	if (!dwarf_hasattr(die, DW_AT_location) &&
	    !dwarf_attr_integrate(&function, DW_AT_external, &attr))
		return false;
	to->field.from = PEV_PROBE_ARGUMENT;
	to->field.number = (uint32_t)v->params.v[argument].position;
	return true;
}

static bool is_constant(Dwarf_Die *die, struct value *to)
{
	Dwarf_Attribute attr;
	Dwarf_Sword value;

	if (!dwarf_attr_integrate(die, DW_AT_const_value, &attr) || dwarf_formsdata(&attr, &value))
		return false;
	to->field.from = PEV_PROBE_CONSTANT;
	to->field.offsets[0] = value;
	return true;
}

static int evaluate(const struct variables *v, Dwarf_Die *die, struct value *to, struct msg *m)
{
	Dwarf_Die function = v->function;
	struct location l = { .program = v->program,
			      .cfi = { v->eh, dwarf_getcfi(v->debug->dw) },
			      .function = &function,
			      .address = v->address };
	struct location_of at = { .v = to };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	int err;

	if (!dwarf_attr(die, DW_AT_location, &attr))
		return msg_set(m, -EOPNOTSUPP, "it was optimized out");
	if (dwarf_getlocation_addr(&attr, v->address, &ops, &n, 1) != 1)
		return msg_set(m, -EOPNOTSUPP,
			       "it has no value there: it was optimized out, or "
			       "is not set yet or not needed any more");
	l.attr = &attr;
	err = location_evaluate(&l, ops, n, &at, m);
	if (err || !to->memory || !at.own || v->set_up || to->field.nr_loads)
		return err;
	return msg_set(m, -EOPNOTSUPP,
		       "it is not set yet at the beginning of the function: probe "
		       "a line of it, as in uprobe:FILE:SOURCE:LINE");
}

/* @argument: its number; -1: it is none */
static int read_value(const struct variables *v, Dwarf_Die *die, int argument, struct value *to,
		      struct msg *m)
{
	int err;

	*to = (struct value){ .name = dwarf_diename(die) };
	if (!debug_type_of(die, &to->type))
		return msg_set(m, -EOPNOTSUPP, "its type is not known");
	if (is_constant(die, to))
		return 0;
	err = evaluate(v, die, to, m);
	if (!err)
		return 0;
	to->field = (struct pev_probe_field){ 0 };
	to->memory = false;
	to->offset = 0;
	return by_convention(v, die, argument, to) ? 0 : err;
}

/* ---- names ---- */

static bool is_variable(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_formal_parameter;
}

static bool is_called(Dwarf_Die *die, const char *name, size_t len)
{
	const char *own = dwarf_diename(die);

	return own && strlen(own) == len && !strncmp(own, name, len);
}

/* A declaration has its value elsewhere; among the children of a unit that is, too. */
static bool find_in(Dwarf_Die *scope, const char *name, size_t len, Dwarf_Die *to, int *argument)
{
	Dwarf_Attribute attr;

	*argument = -1;
	if (dwarf_child(scope, to))
		return false;
	do {
		*argument += dwarf_tag(to) == DW_TAG_formal_parameter;
		if (!is_variable(to) || !is_called(to, name, len) ||
		    dwarf_attr(to, DW_AT_declaration, &attr))
			continue;
		if (dwarf_tag(to) != DW_TAG_formal_parameter)
			*argument = -1;
		return true;
	} while (!dwarf_siblingof(to, to));
	return false;
}

int variable_find(const struct variables *v, const char *name, size_t len, struct value *to,
		  struct msg *m)
{
	for (int i = 0; i < v->n; i++) {
		Dwarf_Die die;
		int argument;

		if (!find_in(&v->scopes[i], name, len, &die, &argument))
			continue;
		/* arguments of what is inlined are passed in no way */
		if (dwarf_tag(&v->scopes[i]) != DW_TAG_subprogram)
			argument = -1;
		return read_value(v, &die, argument, to, m);
	}
	return -ENOENT;
}

int variable_argument(const struct variables *v, size_t i, struct value *to, struct msg *m)
{
	int scope = 0, n = -1;
	Dwarf_Die die;

	while (scope + 1 < v->n && dwarf_tag(&v->scopes[scope]) == DW_TAG_lexical_block)
		scope++;
	if (dwarf_child(&v->scopes[scope], &die))
		return -ENOENT;
	do {
		bool own = dwarf_tag(&v->scopes[scope]) == DW_TAG_subprogram;

		n += dwarf_tag(&die) == DW_TAG_formal_parameter;
		if (n >= 0 && (size_t)n == i)
			return read_value(v, &die, own ? n : -1, to, m);
	} while (!dwarf_siblingof(&die, &die));
	return -ENOENT;
}

int variable_result(const struct variables *v, struct value *to, struct msg *m)
{
	Dwarf_Die function = v->function;

	*to = (struct value){ .field.from = PEV_PROBE_RESULT };
	if (!debug_type_of(&function, &to->type))
		return msg_set(m, -EOPNOTSUPP, "the function returns nothing");
	if (to->type.kind != VALUE_NUMBER && to->type.kind != VALUE_POINTER)
		return msg_set(m, -EOPNOTSUPP, "it is not in a general register");
	return 0;
}

static bool is_of_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block;
}

void variables_each(const struct variables *v, void (*each)(void *arg, const char *name), void *arg)
{
	for (int i = 0; i < v->n && is_of_function(&v->scopes[i]); i++) {
		Dwarf_Die die;

		if (dwarf_child(&v->scopes[i], &die))
			continue;
		do {
			if (is_variable(&die) && dwarf_diename(&die))
				each(arg, dwarf_diename(&die));
		} while (!dwarf_siblingof(&die, &die));
	}
}
