// SPDX-License-Identifier: GPL-2.0
/* Places in files, by symbols and debug information. See probe_file.h. */
#include "probe_file.h"
#include "program/functions.h"

#include <errno.h>
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

static void make_arguments(struct probe_file_arguments *a)
{
	a->v = xcalloc(a->params.n, sizeof(*a->v));
	for (size_t i = 0; i < a->params.n; i++) {
		const struct parameter *p = &a->params.v[i];

		a->v[i].name = p->name;
		a->v[i].field.type = type_of(p);
		a->v[i].field.from = PEV_PROBE_ARGUMENT;
		a->v[i].field.number = (uint32_t)p->position;
		if (p->position < 0)
			a->v[i].why = "it is not in a general register";
	}
}

void probe_file_arguments(struct probe_file_arguments *to, const char *file, uint64_t offset)
{
	const struct function *own;
	struct file f;
	struct msg m;

	*to = (struct probe_file_arguments){ .debug.fd = -1 };
	if (open_file(&f, file, &m))
		return;
	own = functions_at(&f.functions, offset);
	if (own && own->offset == offset && !debug_open(&to->debug, file, &m))
		to->known = debug_function(&to->debug, own->address, f.program.machine,
					   &to->params, &to->at) && to->params.n;
	close_file(&f);
	if (to->known)
		make_arguments(to);
}

void probe_file_arguments_free(struct probe_file_arguments *a)
{
	free(a->v);
	parameters_free(&a->params);
	if (a->debug.dw)
		debug_close(&a->debug);
}
