// SPDX-License-Identifier: GPL-2.0
/* Functions of the kernel, by its symbols and types. See probe_kernel.h. */
#include "probe_kernel.h"
#include "probe_file.h"

#include <errno.h>
#include <stdlib.h>

/* ---- symbols ---- */

/**
 * struct symbol - one of the kernel
 * @address: 0: it is not shown
 * @name:    of it
 * @module:  of it, or NULL
 */
struct symbol {
	uint64_t address;
	char *name;
	char *module;
};

/* "ffffffff81000000 T name	[module]"; changes @line */
static bool parse_symbol(char *line, struct symbol *s)
{
	char *end, *rest;

	s->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || end[2] != ' ')
		return false;
	s->name = end + 3;
	rest = s->name + strcspn(s->name, "\t\n ");
	s->module = strchr(rest, '[');
	if (s->module)
		s->module[strcspn(s->module, "]")] = '\0';
	s->module += !!s->module;
	*rest = '\0';
	return true;
}

/* Calls @each until it is content. */
static void for_symbols(bool (*each)(void *arg, const struct symbol *s), void *arg)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	bool content = false;
	char *line = NULL;
	size_t room = 0;
	struct symbol s;

	while (f && !content && getline(&line, &room, f) > 0)
		content = parse_symbol(line, &s) && each(arg, &s);
	free(line);
	if (f)
		fclose(f);
}

/**
 * struct wanted - a function
 * @name:    without its module
 * @module:  wanted, @len bytes; NULL: any
 * @found:   there is one
 * @owner:   its module, to be freed, or NULL
 * @address: of it
 * @next:    address of what comes next
 */
struct wanted {
	const char *name;
	const char *module;
	size_t len;
	bool found;
	char *owner;
	uint64_t address;
	uint64_t next;
};

static struct wanted wanted_of(const char *name)
{
	const char *colon = strchr(name, ':');

	if (!colon)
		return (struct wanted){ .name = name };
	return (struct wanted){ .name = colon + 1, .module = name, .len = (size_t)(colon - name) };
}

static bool is_wanted(void *arg, const struct symbol *s)
{
	struct wanted *w = arg;

	if (strcmp(s->name, w->name))
		return false;
	if (w->module && (!s->module || strlen(s->module) != w->len ||
			  strncmp(s->module, w->module, w->len) != 0))
		return false;
	w->found = true;
	w->owner = s->module ? xstrdup(s->module) : NULL;
	w->address = s->address;
	return true;
}

static bool look_next(void *arg, const struct symbol *s)
{
	struct wanted *w = arg;

	if (s->address > w->address && (!w->next || s->address < w->next))
		w->next = s->address;
	return false;
}

uint64_t probe_kernel_size(const char *name)
{
	struct wanted w = wanted_of(name);

	for_symbols(is_wanted, &w);
	if (w.address)
		for_symbols(look_next, &w);
	free(w.owner);
	return w.next ? w.next - w.address : 0;
}

/* ---- types ---- */

/* The index of an argument by its name; returns whether there is one. */
static bool find_argument(const struct probe_kernel_arguments *a, const char *name, size_t len,
			  size_t *i)
{
	for (*i = 0; *i < a->params.n; ++*i) {
		const char *own = a->params.v[*i].name;

		if (own && strlen(own) == len && !strncmp(own, name, len))
			return true;
	}
	return false;
}

static int find(const void *arg, const char *name, size_t len, int number, struct value *v,
		struct msg *m)
{
	const struct probe_kernel_arguments *a = arg;
	size_t i = (size_t)number;

	*v = (struct value){ .field.from = PEV_PROBE_RESULT };
	if (number == PROBE_RESULT && a->back) {
		if (a->result && a->result->why)
			return msg_set(m, -EOPNOTSUPP, "%s", a->result->why);
		return kernel_types_value(&a->types, a->name, -1, &v->type) ? 0 : -ENOENT;
	}
	if (a->back)
		return probe_fields_gone(name, len, m);
	if (number == PROBE_BY_NAME && !find_argument(a, name, len, &i))
		return -ENOENT;
	if (number == PROBE_RESULT || i >= a->params.n)
		return -ENOENT;
	if (a->v[i].why)
		return msg_set(m, -EOPNOTSUPP, "%s", a->v[i].why);
	v->name = a->params.v[i].name;
	v->field = a->v[i].field;
	return kernel_types_value(&a->types, a->name, (int)i, &v->type) ? 0 : -ENOENT;
}

static void add_names(const void *arg, struct strbuf *to)
{
	const struct probe_kernel_arguments *a = arg;

	for (size_t i = 0; i < a->params.n; i++)
		if (a->params.v[i].name)
			strbuf_addf(to, "%s%s", to->len ? ", " : "", a->params.v[i].name);
}

void probe_kernel_arguments(struct probe_kernel_arguments *to, const char *name, bool back)
{
	struct wanted w = wanted_of(name);

	*to = (struct probe_kernel_arguments){ .name = xstrdup(w.name), .back = back };
	to->scope = (struct probe_scope){
		.find = find, .names = add_names, .arg = to, .kernel = true
	};
	for_symbols(is_wanted, &w);
	to->there = w.found;
	if (!kernel_types_open(&to->types, w.owner, &to->why)) {
		to->known = kernel_types_function(&to->types, w.name, &to->params);
		if (!to->known)
			msg_set(&to->why, 0, "the kernel's types have no function %s, or several",
				w.name);
	}
	if (to->known)
		to->v = probe_file_make(&to->params, &to->result);
	free(w.owner);
}

void probe_kernel_arguments_free(struct probe_kernel_arguments *a)
{
	free(a->v);
	free(a->name);
	parameters_free(&a->params);
	kernel_types_close(&a->types);
}
