// SPDX-License-Identifier: GPL-2.0
/* Places in files, by symbols and debug information. See probe_file.h. */
#include "probe_file.h"
#include "program/functions.h"
#include "program/middle.h"

#include <errno.h>
#include <pev/sym.h>
#include <stdlib.h>

/**
 * struct file - a file with places
 * @program:   the file
 * @functions: of it
 */
struct file {
	struct program program;
	struct functions functions;
};

static int open_file(struct file *f, const char *path, struct msg *m)
{
	int err = program_open(&f->program, path, m);
	char *debug;

	if (err)
		return err;
	debug = functions_debug_file(path);
	functions_read(&f->program, debug, &f->functions);
	free(debug);
	return 0;
}

static void close_file(struct file *f)
{
	functions_free(&f->functions);
	program_close(&f->program);
}

/* ---- names ---- */

static int no_function(const char *file, const char *name, int err, const char *problem,
		       struct msg *m)
{
	if (err == -ENOTUNIQ)
		return msg_set(m, err,
			       "%s has several functions %s: give the offset in the file of "
			       "one, as in uprobe:%s:0x1234",
			       file, name, file);
	if (err == -ENOENT)
		return msg_set(m, err,
			       "%s has no function \"%s\": its name is that of its symbols "
			       "(\"nm -D\" or \"nm\" shows them), or an offset in the file",
			       file, name);
	return msg_set(m, err, "the functions of %s: %s", file, problem ? problem : strerror(-err));
}

int probe_file_function(const char *file, const char *name, uint64_t *offset, struct msg *m)
{
	struct pev_syms *syms;
	int err = pev_syms_new(0, &syms), object;

	if (err)
		return msg_set(m, err, "%s: %s", file, strerror(-err));
	object = pev_syms_object(syms, file, NULL, 0);
	err = object < 0 ? object : pev_sym_place(syms, object, name, offset);
	if (err)
		no_function(file, name, err, object < 0 ? NULL : pev_syms_problem(syms, object), m);
	pev_syms_free(syms);
	return err;
}

/* ---- globs ---- */

static int by_offset(const void *va, const void *vb)
{
	const struct function *const *a = va, *const *b = vb;

	if ((*a)->offset != (*b)->offset)
		return (*a)->offset < (*b)->offset ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

int probe_file_glob(const char *file, const char *glob, probe_file_fn each, void *arg,
		    struct msg *m)
{
	const struct function **found;
	size_t n = 0, used = 0;
	struct file f;
	int err = open_file(&f, file, m);

	if (err)
		return err;
	found = xcalloc(f.functions.n ? f.functions.n : 1, sizeof(*found));
	for (size_t i = 0; i < f.functions.n; i++)
		if (glob_match(glob, f.functions.v[i].name))
			found[n++] = &f.functions.v[i];
	/* several names of a function are one place */
	if (n)
		qsort(found, n, sizeof(*found), by_offset);
	for (size_t i = 0; i < n; i++)
		if (!i || found[i]->offset != found[i - 1]->offset)
			found[used++] = found[i];
	if (!n)
		err = msg_set(m, -ENOENT, "none of the %zu functions that the symbols of %s name "
			      "matches \"%s\"%s", f.functions.n, file, glob,
			      f.functions.n ? "" : ": it was stripped, and its debug symbols are "
						   "not installed");
	else if (used > PEV_MAX_PROBE_PLACES)
		err = msg_set(m, -E2BIG, "%zu functions of %s match \"%s\": one probe takes at "
			      "most %d", used, file, glob, PEV_MAX_PROBE_PLACES);
	for (size_t i = 0; i < used && !err; i++)
		each(arg, found[i]->name, found[i]->offset);
	free(found);
	close_file(&f);
	return err;
}

/* ---- offsets ---- */

static int check_offset(const struct file *f, uint64_t base, uint64_t behind, struct msg *m)
{
	const struct function *own = functions_at(&f->functions, base ? base : behind);
	uint64_t offset = base + behind, begin;

	if (!own || offset == own->offset)
		return 0;
	if (base && offset - own->offset >= own->size)
		return msg_set(m, -EINVAL,
			       "%s+0x%llx is beyond the end of %s, in what comes next: it "
			       "has 0x%llx bytes",
			       own->name, (unsigned long long)behind, own->name,
			       (unsigned long long)own->size);
	if (!middle_of(&f->program, own, offset, &begin))
		return 0;
	return msg_set(m, -EINVAL,
		       "0x%llx is in the middle of the instruction at 0x%llx (%s+0x%llx): a "
		       "breakpoint there would change the program",
		       (unsigned long long)offset, (unsigned long long)begin, own->name,
		       (unsigned long long)(begin - own->offset));
}

int probe_file_check(const char *file, uint64_t base, uint64_t behind, struct msg *m)
{
	struct file f;
	int err = open_file(&f, file, m);

	if (err)
		return err;
	err = check_offset(&f, base, behind, m);
	close_file(&f);
	return err;
}

/* ---- lines ---- */

bool probe_file_is_line(const char *place)
{
	const char *colon = strrchr(place, ':');

	return colon && colon != place && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

/**
 * struct line_search - the places of a line
 * @file:      they are in
 * @addresses: of the line
 */
struct line_search {
	struct file file;
	uint64_t *addresses;
	size_t n;
	size_t cap;
};

static void add_address(void *arg, uint64_t address)
{
	struct line_search *s = arg;

	*ARRAY_PUSH(s->addresses, s->n, s->cap) = address;
}

static int by_address(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* A line is often begun several times: counts it once in each function. */
static void tell_addresses(struct line_search *s, const char *place, probe_file_fn each, void *arg)
{
	const struct function *last = NULL;

	qsort(s->addresses, s->n, sizeof(*s->addresses), by_address);
	for (size_t i = 0; i < s->n; i++) {
		const struct function *f;
		uint64_t offset;

		if (!program_offset(&s->file.program, s->addresses[i], &offset))
			continue;
		f = functions_at(&s->file.functions, offset);
		if (!i || !f || f != last)
			each(arg, place, offset);
		last = f;
	}
}

int probe_file_line(const char *file, const char *place, probe_file_fn each, void *arg,
		    struct msg *m)
{
	const char *colon = strrchr(place, ':');
	char *source = xstrndup(place, (size_t)(colon - place));
	int line = atoi(colon + 1), err;
	struct line_search s = { 0 };
	struct debug d;

	err = open_file(&s.file, file, m);
	if (!err) {
		err = debug_open(&d, file, m);
		if (!err) {
			if (!debug_line(&d, source, line, add_address, &s))
				err = msg_set(m, -ENOENT, "%s has no code of %s, line %d: it is "
					      "empty, a declaration, or was optimized out",
					      file, source, line);
			debug_close(&d);
		}
		if (!err)
			tell_addresses(&s, place, each, arg);
		close_file(&s.file);
	}
	free(s.addresses);
	free(source);
	return err;
}

/* ---- arguments ---- */

static uint8_t type_of(const struct parameter *p)
{
	switch (p->bytes) {
	case 1:
		return p->sign ? PEV_PROBE_S8 : PEV_PROBE_U8;
	case 2:
		return p->sign ? PEV_PROBE_S16 : PEV_PROBE_U16;
	case 4:
		return p->sign ? PEV_PROBE_S32 : PEV_PROBE_U32;
	default:
		return p->pointer ? PEV_PROBE_X64 : p->sign ? PEV_PROBE_S64 : PEV_PROBE_U64;
	}
}

/* Nothing is said of a result of which nothing is known: any type will do, then. */
static bool make_result(struct probe_argument *to, const struct parameters *p)
{
	if (!p->result.type && !p->void_known)
		return false;
	to->field.type = type_of(&p->result);
	to->field.from = PEV_PROBE_RESULT;
	if (p->void_known)
		to->why = "the function returns nothing";
	else if (!p->result.general)
		to->why = "it is not in a general register";
	return true;
}

struct probe_argument *probe_file_make(const struct parameters *params,
				       const struct probe_argument **result)
{
	struct probe_argument *v = xcalloc(params->n + 1, sizeof(*v));

	for (size_t i = 0; i < params->n; i++) {
		const struct parameter *p = &params->v[i];

		v[i].name = p->name;
		v[i].field.type = type_of(p);
		v[i].field.from = PEV_PROBE_ARGUMENT;
		v[i].field.number = (uint32_t)p->position;
		if (p->position < 0)
			v[i].why = "it is not in a general register";
	}
	*result = make_result(&v[params->n], params) ? &v[params->n] : NULL;
	return v;
}

/* ---- variables ---- */

/* What a register has is known better by debug information than by the convention for calls. */
static void refine(struct probe_file_arguments *to, size_t i)
{
	struct probe_argument *a = &to->v[i];
	struct pev_probe_field field;
	struct value value;
	struct msg m;
	int err = variable_argument(&to->variables, i, &value, &m);

	if (err == -ENOENT)
		return;
	if (!err)
		err = value_field(&value, VALUE_AS_IT_IS, &field, &m);
	if (err) {
		to->whys[i] = xstrdup(m.text);
		a->why = to->whys[i];
		return;
	}
	a->field = field;
	a->why = NULL;
}

static int find(const void *arg, const char *name, size_t len, int number, struct value *v,
		struct msg *m)
{
	const struct probe_file_arguments *a = arg;

	if (number == PROBE_RESULT)
		return a->kind == PROBE_FILE_RETURN ? variable_result(&a->variables, v, m) :
						      -ENOENT;
	if (a->kind == PROBE_FILE_RETURN)
		return probe_fields_gone(name, len, m);
	if (number == PROBE_BY_NAME)
		return variable_find(&a->variables, name, len, v, m);
	return variable_argument(&a->variables, (size_t)number, v, m);
}

static void add_variable(void *arg, const char *name)
{
	struct strbuf *to = arg;

	strbuf_addf(to, "%s%s", to->len ? ", " : "", name);
}

static void add_names(const void *arg, struct strbuf *to)
{
	const struct probe_file_arguments *a = arg;

	variables_each(&a->variables, add_variable, to);
}

/* Opens what is kept open as long as something of it is needed. */
static bool open_variables(struct probe_file_arguments *to, const char *file, uint64_t address)
{
	struct msg m;

	if (debug_open(&to->debug, file, &m))
		return false;
	if (program_open(&to->program, file, &m)) {
		to->program = (struct program){ 0 };
		return false;
	}
	to->found = variables_open(&to->variables, &to->program, &to->debug, address,
				   to->kind == PROBE_FILE_LINE);
	to->scope = (struct probe_scope){ .find = find,
					  .names = add_names,
					  .arg = to,
					  .whole = to->kind == PROBE_FILE_LINE ||
						   !to->variables.entry };
	return true;
}

void probe_file_arguments(struct probe_file_arguments *to, const char *file, uint64_t offset,
			  enum probe_file_kind kind)
{
	const struct function *own;
	struct file f;
	struct msg m;

	*to = (struct probe_file_arguments){ .debug.fd = -1, .kind = kind };
	if (open_file(&f, file, &m))
		return;
	own = functions_at(&f.functions, offset);
	if (own && open_variables(to, file, own->address + (offset - own->offset)) &&
	    own->offset == offset && kind != PROBE_FILE_LINE)
		to->known = debug_function(&to->debug, own->address, f.program.machine, &to->params,
					   &to->at);
	close_file(&f);
	if (!to->known)
		return;
	to->v = probe_file_make(&to->params, &to->result);
	to->whys = xcalloc(to->params.n + 1, sizeof(*to->whys));
	for (size_t i = 0; i < to->params.n && to->found; i++)
		refine(to, i);
}

void probe_file_arguments_free(struct probe_file_arguments *a)
{
	for (size_t i = 0; a->whys && i < a->params.n; i++)
		free(a->whys[i]);
	free(a->whys);
	free(a->v);
	parameters_free(&a->params);
	if (a->found)
		variables_close(&a->variables);
	if (a->program.elf)
		program_close(&a->program);
	if (a->debug.dw)
		debug_close(&a->debug);
}
