// SPDX-License-Identifier: GPL-2.0
/* Reads debug information by libdw. See debug.h. */
#include "debug.h"
#include "functions.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int debug_open(struct debug *d, const char *path, struct msg *m)
{
	char *other = functions_debug_file(path);

	*d = (struct debug){ .path = other ? other : xstrdup(path) };
	d->fd = file_open_constant(d->path);
	if (d->fd >= 0)
		d->dw = dwarf_begin(d->fd, DWARF_C_READ);
	if (d->dw)
		return 0;
	debug_close(d);
	return msg_set(m, -ENODATA, "%s has no debug information: build it with -g, or install the "
		       "package with its debug symbols (its name often ends with -dbgsym or "
		       "-debuginfo)", path);
}

void debug_close(struct debug *d)
{
	dwarf_end(d->dw);
	if (d->fd >= 0)
		close(d->fd);
	free(d->path);
	*d = (struct debug){ .fd = -1 };
}

static struct source source_of(Dwarf_Die *die)
{
	struct source s = { .file = dwarf_decl_file(die) };

	if (!s.file || dwarf_decl_line(die, &s.line))
		s = (struct source){ 0 };
	return s;
}

/* ---- arguments ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/* "struct file *", "const char *": @die is a type */
static char *type_text(Dwarf_Die *die, unsigned int depth)
{
	static const struct {
		int tag;
		const char *before;
	} words[] = {
		{ DW_TAG_const_type, "const " }, { DW_TAG_volatile_type, "volatile " },
		{ DW_TAG_structure_type, "struct " }, { DW_TAG_union_type, "union " },
		{ DW_TAG_enumeration_type, "enum " },
	};
	const char *name = dwarf_diename(die), *before = "", *behind = "";
	bool pointer = dwarf_tag(die) == DW_TAG_pointer_type;
	char *inner, *text;
	Dwarf_Die target;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (dwarf_tag(die) == words[i].tag)
			before = words[i].before;
	if (name)
		return xasprintf("%s%s", before, name);
	if (depth > 8 || !type_of(die, &target))
		return xasprintf("%s%s", before, pointer ? "void *" : "?");
	inner = type_text(&target, depth + 1);
	if (pointer)
		behind = inner[strlen(inner) - 1] == '*' ? "*" : " *";
	else if (dwarf_tag(die) == DW_TAG_array_type)
		behind = " []";
	text = xasprintf("%s%s%s", before, inner, behind);
	free(inner);
	return text;
}

char *debug_type_text(Dwarf_Die *type)
{
	return type_text(type, 0);
}

static bool is_char(Dwarf_Die *type)
{
	Dwarf_Die target, plain;
	Dwarf_Word encoding;
	Dwarf_Attribute attr;

	return type_of(type, &target) && !dwarf_peel_type(&target, &plain) &&
	       dwarf_tag(&plain) == DW_TAG_base_type &&
	       !dwarf_formudata(dwarf_attr(&plain, DW_AT_encoding, &attr), &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static bool is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_array_type;
}

/* Is it passed in one general register? */
static bool describe_type(Dwarf_Die *type, struct parameter *p)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	Dwarf_Die plain;
	int bytes;

	p->type = type_text(type, 0);
	if (dwarf_peel_type(type, &plain))
		return false;
	p->structure = is_structure(&plain);
	bytes = dwarf_bytesize(&plain);
	p->bytes = bytes > 0 ? (unsigned int)bytes : 0;
	switch (dwarf_tag(&plain)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		p->pointer = true;
		p->bytes = 8;
		p->text = is_char(&plain);
		return true;
	case DW_TAG_enumeration_type:
		return p->bytes && p->bytes <= 8;
	case DW_TAG_base_type:
		if (dwarf_formudata(dwarf_attr(&plain, DW_AT_encoding, &attr), &encoding) ||
		    encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
			return false;
		p->sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		return p->bytes && p->bytes <= 8;
	default:
		return false;
	}
}

/*
 * Of what is not in a general register the ABI says how many it takes in place: a number
 * none on x86_64 and arm64, one on PowerPC. Behind a structure positions are not known here.
 */
static int next_position(const struct parameter *p, unsigned int machine, int position)
{
	if (p->position >= 0)
		return position + 1;
	if (p->bytes > 8 || p->structure)
		return -1;
	return machine == EM_PPC64 ? position + 1 : position;
}

void parameter_place(struct parameter *p, unsigned int machine, int *position)
{
	int registers = machine == EM_X86_64 ? 6 : 8;

	p->position = p->general && *position >= 0 && *position < registers ? *position : -1;
	*position = *position < 0 ? -1 : next_position(p, machine, *position);
}

static void read_parameters(Dwarf_Die *function, unsigned int machine, struct parameters *to)
{
	Dwarf_Die child, type;
	int position = 0;

	to->void_known = !type_of(function, &type);
	if (!to->void_known) {
		to->result.general = describe_type(&type, &to->result);
		/* its address may be the first argument */
		if (to->result.structure)
			position = -1;
	}
	if (dwarf_child(function, &child))
		return;
	do {
		struct parameter p = { 0 };

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		p.name = dwarf_diename(&child);
		p.general = type_of(&child, &type) && describe_type(&type, &p);
		if (!p.type)
			p.type = xstrdup("?");
		parameter_place(&p, machine, &position);
		*ARRAY_PUSH(to->v, to->n, to->cap) = p;
	} while (!dwarf_siblingof(&child, &child));
}

/**
 * struct search - a function by its address
 * @address: wanted
 * @die:     found
 * @found:   it was
 */
struct search {
	uint64_t address;
	Dwarf_Die die;
	bool found;
};

static int look_at(Dwarf_Die *die, void *arg)
{
	struct search *s = arg;
	Dwarf_Addr entry;

	if (dwarf_entrypc(die, &entry) || entry != s->address)
		return DWARF_CB_OK;
	s->die = *die;
	s->found = true;
	return DWARF_CB_ABORT;
}

/* Calls @each with the functions of all units, until one of them says stop. */
static void for_functions(const struct debug *d, int (*each)(Dwarf_Die *die, void *arg), void *arg)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (!dwarf_get_units(d->dw, cu, &cu, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_partial) &&
		    dwarf_getfuncs(&die, each, arg, 0) > 0)
			return;
}

bool debug_function(const struct debug *d, uint64_t address, unsigned int machine,
		    struct parameters *to, struct source *at)
{
	struct search s = { .address = address };
	Dwarf_Die unit;

	*to = (struct parameters){ 0 };
	*at = (struct source){ 0 };
	for_functions(d, look_at, &s);
	/* in assembler a function has no type */
	if (!s.found || !dwarf_diecu(&s.die, &unit, NULL, NULL) ||
	    dwarf_srclang(&unit) == DW_LANG_Mips_Assembler)
		return false;
	read_parameters(&s.die, machine, to);
	*at = source_of(&s.die);
	return true;
}

void parameters_free(struct parameters *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].type);
	free(p->result.type);
	free(p->v);
	*p = (struct parameters){ 0 };
}

/* ---- inlined functions ---- */

struct inlined {
	const char *name;
	void (*each)(void *arg, const struct inlining *i);
	void *arg;
	size_t n;
};

/* The function with code that an inlined one lies in */
static const char *outer_name(Dwarf_Die *die)
{
	Dwarf_Die *scopes = NULL;
	const char *name = NULL;
	int n = dwarf_getscopes_die(die, &scopes);

	for (int i = 0; i < n && !name; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			name = dwarf_diename(&scopes[i]);
	free(scopes);
	return name;
}

static int tell_inlining(Dwarf_Die *die, void *arg)
{
	struct inlining i = { 0 };
	struct inlined *all = arg;
	Dwarf_Attribute attr;
	Dwarf_Word line;

	if (dwarf_entrypc(die, &i.address))
		return DWARF_CB_OK;
	i.into = outer_name(die);
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line)) {
		Dwarf_Die unit;
		Dwarf_Files *files;
		Dwarf_Word file;
		size_t n;

		i.at.line = (int)line;
		if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) &&
		    dwarf_diecu(die, &unit, NULL, NULL) && !dwarf_getsrcfiles(&unit, &files, &n))
			i.at.file = dwarf_filesrc(files, file, NULL, NULL);
	}
	all->n++;
	all->each(all->arg, &i);
	return DWARF_CB_OK;
}

static int look_inlined(Dwarf_Die *die, void *arg)
{
	struct inlined *all = arg;
	const char *name = dwarf_diename(die);

	if (name && !strcmp(name, all->name) && dwarf_func_inline(die))
		dwarf_func_inline_instances(die, tell_inlining, all);
	return DWARF_CB_OK;
}

size_t debug_inlined(const struct debug *d, const char *name,
		     void (*each)(void *arg, const struct inlining *i), void *arg)
{
	struct inlined all = { .name = name, .each = each, .arg = arg };

	for_functions(d, look_inlined, &all);
	return all.n;
}

/* ---- lines ---- */

size_t debug_line(const struct debug *d, const char *file, int line,
		  void (*each)(void *arg, uint64_t address), void *arg)
{
	Dwarf_Line **lines = NULL;
	size_t n = 0, found = 0;

	if (dwarf_getsrc_file(d->dw, file, line, 0, &lines, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr address;
		bool statement;
		int own;

		/* without one at the line libdw gives the next that has code */
		if (dwarf_lineno(lines[i], &own) || own != line ||
		    dwarf_linebeginstatement(lines[i], &statement) || !statement ||
		    dwarf_lineaddr(lines[i], &address))
			continue;
		each(arg, address);
		found++;
	}
	free(lines);
	return found;
}
