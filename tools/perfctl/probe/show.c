// SPDX-License-Identifier: GPL-2.0
/* Shows where a place is, and its arguments. See show.h. */
#include "show.h"
#include "base/json.h"
#include "base/status.h"
#include "event/probe.h"
#include "event/probe_file.h"
#include "event/probe_usdt.h"
#include "program/functions.h"
#include "program/operand.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct showing - what is being printed
 * @view: how
 * @json: with view->json
 * @file: of the place, or NULL
 */
struct showing {
	const struct probe_view *view;
	struct json json;
	char *file;
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
		printf("%s, at 0x%llx in %s", name, (unsigned long long)offset, s->file);
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

static void show_function(struct showing *s, const char *name, uint64_t offset)
{
	struct probe_file_arguments a;

	probe_file_arguments(&a, s->file, offset);
	begin_place(s, name, offset, &a.at);
	for (size_t i = 0; a.known && i < a.params.n; i++)
		show_argument(s, a.params.v[i].name ? a.params.v[i].name : "(unnamed)",
			      a.params.v[i].type, &a.v[i].field, a.v[i].why);
	if (!a.known && !s->view->json)
		printf("  names of arguments are not known: arg0, arg1 and so on are those in "
		       "registers\n");
	end_place(s);
	probe_file_arguments_free(&a);
}

static void show_places(void *arg, const char *name, struct probe_places *p)
{
	struct showing *s = arg;

	for (size_t i = 0; i < p->nr; i++) {
		const char *own = p->strings.s + p->places[i].name;

		if (s->file)
			show_function(s, own, p->places[i].offset);
		else if (s->view->json)
			json_string(&s->json, NULL, own);
		else
			printf("%s, in the kernel\n", own);
	}
	if (!s->file && !s->view->json)
		printf("  names of arguments are not known: arg0, arg1 and so on are those in "
		       "registers\n");
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
	free(s.file);
	return err ? err : STATUS_OK;
}
