// SPDX-License-Identifier: GPL-2.0
/* Probes of sys/sdt.h. See probe_usdt.h. */
#include "probe_usdt.h"
#include "base/say.h"
#include "cli/suggest.h"
#include "program/operand.h"

#include <errno.h>
#include <stdlib.h>

/* ---- by name ---- */

/**
 * struct wanted - what a text names
 * @file:     its first part
 * @provider: glob
 * @name:     glob
 */
struct wanted {
	char *file;
	char *provider;
	char *name;
};

static void split(struct wanted *w, const char *text)
{
	const char *first = strchr(text, ':'), *second = strchr(first + 1, ':');

	w->file = xstrndup(text, (size_t)(first - text));
	w->provider = second ? xstrndup(first + 1, (size_t)(second - first - 1)) : xstrdup("*");
	w->name = xstrdup((second ? second : first) + 1);
}

static void wanted_free(struct wanted *w)
{
	free(w->file);
	free(w->provider);
	free(w->name);
}

static bool same_name(const struct usdt_probe *a, const struct usdt_probe *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

static int none_matches(const struct wanted *w, const struct usdt_probes *all, struct msg *m)
{
	struct suggestion near = { .word = w->name };

	for (size_t i = 0; i < all->n; i++)
		suggest_offer(&near, all->probes[i].name);
	if (near.best)
		return msg_set(m, -ENOENT, "%s has no probe %s:%s; did you mean \"%s\"?", w->file,
			       w->provider, w->name, near.best);
	return msg_set(m, -ENOENT, "%s has no probe %s:%s; \"perfctl probe list %s\" shows "
		       "those it has",
		       w->file, w->provider, w->name, w->file);
}

static int call_each(const struct wanted *w, const struct program *p,
		     const struct usdt_probes *all, probe_usdt_fn found, void *arg, struct msg *m)
{
	size_t n, calls = 0;
	int err = 0;

	for (size_t i = 0; i < all->n && !err; i += n) {
		const struct usdt_probe *probe = &all->probes[i];
		char *name;

		for (n = 1; i + n < all->n && same_name(probe, probe + n); n++)
			;
		if (!glob_match(w->provider, probe->provider) || !glob_match(w->name, probe->name))
			continue;
		name = xasprintf("%s:%s:%s", w->file, probe->provider, probe->name);
		err = found(arg, p, name, probe, n, m);
		free(name);
		calls++;
	}
	return err || calls ? err : none_matches(w, all, m);
}

int probe_usdt_find(const char *text, probe_usdt_fn found, void *arg, struct msg *m)
{
	struct usdt_probes all;
	struct wanted w;
	struct program p;
	int err;

	split(&w, text);
	err = program_open(&p, w.file, m);
	if (!err) {
		err = usdt_read(&p, &all, m);
		if (!err)
			err = call_each(&w, &p, &all, found, arg, m);
		usdt_free(&all);
		program_close(&p);
	}
	wanted_free(&w);
	return err;
}

/* ---- fields ---- */

/*
 * All arguments, under the names by which they are asked for. Each has a name, also if it is
 * left out: so the same ones are at the same place in the strings of any place.
 */
static void add_all(struct probe_fields *to, const char *name, const struct operand *operands,
		    size_t n, bool say, struct strbuf *strings)
{
	for (size_t i = 0; i < n && to->nr < PEV_MAX_PROBE_FIELDS; i++) {
		struct pev_probe_field *f = &to->fields[to->nr];
		uint32_t at = (uint32_t)strings->len;

		strbuf_addf(strings, "arg%zu", i);
		strbuf_putc(strings, '\0');
		if (!operands[i].why) {
			*f = operands[i].field;
			f->name = at;
			to->nr++;
		} else if (say) {
			note("usdt:%s: argument %zu, \"%s\", is not recorded: %s", name, i,
			     operands[i].text, operands[i].why);
		}
	}
}

int probe_usdt_fields(struct probe_fields *to, const struct program *p, const char *name,
		      const struct usdt_probe *place, const char *text, size_t len, bool say,
		      struct strbuf *strings, struct msg *m)
{
	struct operand operands[OPERANDS_MAX];
	struct probe_argument known[OPERANDS_MAX] = { 0 };
	size_t n = operands_parse(p, place, operands);
	const struct probe_arguments all = { .v = known, .n = n, .numbered = true };
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		known[i].field = operands[i].field;
		known[i].why = operands[i].why;
	}
	if (text)
		err = probe_fields_parse(to, text, len, &all, strings, m);
	else
		add_all(to, name, operands, n, say, strings);
	operands_free(operands, n);
	return err;
}
