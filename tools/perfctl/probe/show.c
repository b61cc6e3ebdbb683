// SPDX-License-Identifier: GPL-2.0
/* Shows where a place is, and its arguments. See show.h. */
#include "show.h"
#include "base/json.h"
#include "base/status.h"
#include "event/probe.h"
#include "event/probe_file.h"
#include "event/probe_kernel.h"
#include "event/probe_usdt.h"
#include "program/functions.h"
#include "program/operand.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct showing - what is being printed
 * @view: how
 * @json: with view->json
 * @file: of the place; NULL: it is in the kernel
 * @back: it is a return
 * @missing: a function that the kernel has not got, to be freed; NULL: none
 */
struct showing {
	const struct probe_view *view;
	struct json json;
	char *file;
	bool back;
	char *missing;
};

/* An argument: @name or @number is how to ask for it, @type what the source or the note says. */
static void show_argument(struct showing *s, const char *name, const char *type,
			  const struct pev_probe_field *f, const char *why)
{
	if (!s->view->json) {
		printf("  %-12s %-24s %s%s\n", name, type,
		       why ? "can't be recorded: " : probe_type_name(f->type), why ? why : "");
		return;
	}
	json_open(&s->json, NULL, '{');
	json_string(&s->json, "name", name);
	json_string(&s->json, "source", type);
	if (why)
		json_string(&s->json, "refused", why);
	else
		json_string(&s->json, "type", probe_type_name(f->type));
	json_close(&s->json, '}');
}

static void begin_place(struct showing *s, const char *name, uint64_t offset,
			const struct source *at)
{
	if (!s->view->json) {
		if (s->file)
			printf("%s, at 0x%llx in %s", name, (unsigned long long)offset, s->file);
		else if (offset)
			printf("%s+0x%llx, in the kernel", name, (unsigned long long)offset);
		else
			printf("%s, in the kernel", name);
		if (at && at->file)
			printf(", from %s:%d", at->file, at->line);
		printf("\n");
		return;
	}
	json_open(&s->json, NULL, '{');
	json_string(&s->json, "name", name);
	json_u64(&s->json, "offset", offset);
	if (at && at->file) {
		json_string(&s->json, "file", at->file);
		json_u64(&s->json, "line", (uint64_t)at->line);
	}
	json_open(&s->json, "arguments", '[');
}

static void end_place(struct showing *s)
{
	if (!s->view->json)
		return;
	json_close(&s->json, ']');
	json_close(&s->json, '}');
}

/* ---- functions ---- */

static void show_arguments(struct showing *s, const struct parameters *params,
			   const struct probe_argument *v)
{
	for (size_t i = 0; i < params->n; i++)
		show_argument(s, params->v[i].name ? params->v[i].name : "(unnamed)",
			      params->v[i].type, &v[i].field, v[i].why);
}

static void show_result(struct showing *s, const struct parameters *params,
			const struct probe_argument *result)
{
	if (result)
		show_argument(s, "ret", params->result.type ? params->result.type : "void",
			      &result->field, result->why);
}

/* Of a return there is the result, of all else the arguments. */
static void show_known(struct showing *s, const struct parameters *params,
		       const struct probe_argument *v, const struct probe_argument *result)
{
	if (s->back)
		show_result(s, params, result);
	else
		show_arguments(s, params, v);
}

/* The fields that were asked for, with where each is found */
static void show_fields(struct showing *s, const struct probe_places *p)
{
	for (unsigned int i = 0; i < p->fields.nr; i++) {
		const struct pev_probe_field *f = &p->fields.fields[i];
		struct strbuf where = { 0 };

		probe_field_text(f, &where);
		show_argument(s, p->strings.s + f->name, where.s, f, NULL);
		strbuf_free(&where);
	}
}

/**
 * struct variable_list - the variables at a place
 * @showing: where they are shown
 * @at:      they are there
 * @names:   of those that were shown, @n
 */
struct variable_list {
	struct showing *showing;
	const struct variables *at;
	const char **names;
	size_t n;
	size_t cap;
};

/* One that is hidden by another of its name can't be asked for. */
static void show_variable(void *arg, const char *name)
{
	struct variable_list *l = arg;
	struct pev_probe_field f;
	struct value v = { 0 };
	char *type;
	struct msg m;
	int err;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], name))
			return;
	*ARRAY_PUSH(l->names, l->n, l->cap) = name;
	err = variable_find(l->at, name, strlen(name), &v, &m);
	type = v.type.reader ? v.type.reader->text(&v.type) : xstrdup("?");
	if (!err)
		err = value_field(&v, VALUE_AS_IT_IS, &f, &m);
	show_argument(l->showing, name, type, &f, err ? m.text : NULL);
	free(type);
}

static void show_variables(struct showing *s, const struct variables *at)
{
	struct variable_list l = { .showing = s, .at = at };

	variables_each(at, show_variable, &l);
	free(l.names);
}

static void show_unknown(const struct showing *s, const char *why)
{
	if (s->view->json)
		return;
	if (s->back)
		printf("  the type of ret, the result, is not known: %s\n", why);
	else
		printf("  names of arguments are not known: %s; arg0, arg1 and so on are those in "
		       "registers\n",
		       why);
}

static void show_function(struct showing *s, const struct probe_places *p, const char *name,
			  uint64_t offset)
{
	struct probe_file_arguments a;

	probe_file_arguments(&a, s->file, offset, probe_places_kind(p));
	begin_place(s, name, offset, &a.at);
	if (p->fields.nr)
		show_fields(s, p);
	else if (a.found && !a.known && !s->back)
		show_variables(s, &a.variables);
	else if (a.known)
		show_known(s, &a.params, a.v, a.result);
	else
		show_unknown(s, "this needs debug information of the function's beginning");
	end_place(s);
	probe_file_arguments_free(&a);
}

static void show_in_kernel(struct showing *s, const struct probe_places *p, const char *name,
			   uint64_t offset)
{
	struct probe_kernel_arguments a;

	probe_kernel_arguments(&a, name, s->back);
	if (!a.there) {
		s->missing = s->missing ? s->missing : xstrdup(name);
		probe_kernel_arguments_free(&a);
		return;
	}
	begin_place(s, name, offset, NULL);
	if (p->fields.nr)
		show_fields(s, p);
	else if (offset)
		show_unknown(s, "it is not the function's beginning");
	else if (a.known)
		show_known(s, &a.params, a.v, a.result);
	else
		show_unknown(s, a.why.text);
	end_place(s);
	probe_kernel_arguments_free(&a);
}

static void show_places(void *arg, const char *name, struct probe_places *p)
{
	struct showing *s = arg;

	for (size_t i = 0; i < p->nr; i++) {
		const char *own = p->strings.s + p->places[i].name;

		if (s->file)
			show_function(s, p, own, p->places[i].offset);
		else
			show_in_kernel(s, p, own, p->places[i].offset);
	}
	(void)name;
	probe_places_free(p);
}

/* ---- notes ---- */

static int show_notes(void *arg, const struct program *p, const char *name,
		      const struct usdt_probe *places, size_t n, struct msg *m)
{
	struct showing *s = arg;

	(void)m;
	for (size_t i = 0; i < n; i++) {
		struct operand operands[OPERANDS_MAX];
		size_t all = operands_parse(p, &places[i], operands);

		begin_place(s, strchr(name, ':') + 1, places[i].offset, NULL);
		for (size_t k = 0; k < all; k++) {
			char *own = xasprintf("arg%zu", k);

			show_argument(s, own, operands[k].text, &operands[k].field,
				      operands[k].why);
			free(own);
		}
		end_place(s);
		operands_free(operands, all);
	}
	return 0;
}

int probe_show(const char *place, const struct probe_view *view, struct msg *m)
{
	struct showing s = { .view = view, .json = { .out = stdout } };
	const struct probe_taker taker = { .by_pev = show_places, .arg = &s };
	int err;

	if (!probe_length(place) || place[probe_length(place)])
		return msg_set(m, -EINVAL, "\"%s\" is not a place: it begins with kprobe:, uprobe:, "
			       "usdt: and so on, as behind -e", place);
	s.file = probe_file(place);
	s.back = !strncmp(place, "uretprobe:", 10) || !strncmp(place, "kretprobe:", 10);
	if (view->json)
		json_open(&s.json, NULL, '[');
	if (!strncmp(place, "usdt:", 5) && strchr(place + 5, ':'))
		err = probe_usdt_find(place + 5, show_notes, &s, m);
	else
		err = probe_places_each(place, &taker, m);
	if (view->json && !err) {
		json_close(&s.json, ']');
		json_end_line(&s.json);
	}
	if (!err && s.missing)
		err = msg_set(m, -ENOENT,
			      "there is no function \"%s\" in the kernel or a loaded "
			      "module",
			      s.missing);
	free(s.missing);
	free(s.file);
	return err ? err : STATUS_OK;
}
