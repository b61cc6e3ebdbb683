// SPDX-License-Identifier: GPL-2.0
/* Says why a place is refused. See explain.h. */
#include "explain.h"
#include "kernel.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "event/probe.h"
#include "program/debug.h"
#include "program/functions.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct verdict - whether a place can be probed
 * @place:   as typed
 * @file:    of it, or NULL
 * @refused: why, in a sentence; NULL: it can be probed
 * @lines:   what more there is to say
 * @found:   places
 */
struct verdict {
	const char *place;
	char *file;
	char *refused;
	char **lines;
	size_t n;
	size_t cap;
	size_t found;
};

static void add_line(struct verdict *v, char *line)
{
	*ARRAY_PUSH(v->lines, v->n, v->cap) = line;
}

static void refuse(struct verdict *v, char *why)
{
	if (v->refused)
		add_line(v, why);
	else
		v->refused = why;
}

/* ---- files ---- */

static void add_inlining(void *arg, const struct inlining *i)
{
	struct verdict *v = arg;
	struct program p;
	struct msg none;
	uint64_t offset;

	if (program_open(&p, v->file, &none))
		return;
	if (program_offset(&p, i->address, &offset))
		add_line(v, xasprintf("it was inlined into %s, by %s:%d: there, probe uprobe:%s:0x%llx",
				      i->into ? i->into : "another function",
				      i->at.file ? i->at.file : "?", i->at.line, v->file,
				      (unsigned long long)offset));
	program_close(&p);
}

/* What the debug information has of a function without code of its own */
static void explain_inlined(struct verdict *v, const char *name)
{
	struct debug d;
	struct msg m;

	if (debug_open(&d, v->file, &m)) {
		add_line(v, xasprintf("whether it was inlined is not known: %s", m.text));
		return;
	}
	debug_inlined(&d, name, add_inlining, v);
	debug_close(&d);
}

static void add_namesakes(struct verdict *v, const struct functions *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].name, name))
			add_line(v, xasprintf("one of that name is uprobe:%s:0x%llx", v->file,
					      (unsigned long long)all->v[i].offset));
}

static void explain_name(struct verdict *v, int err)
{
	const char *name = strchr(strchr(v->place, ':') + 1, ':');
	struct functions all;
	struct program p;
	struct msg none;
	char *debug;

	if (!name || program_open(&p, v->file, &none))
		return;
	debug = functions_debug_file(v->file);
	functions_read(&p, debug, &all);
	if (err == -ENOTUNIQ)
		add_namesakes(v, &all, name + 1);
	else if (err == -ENOENT)
		explain_inlined(v, name + 1);
	if (!all.n)
		add_line(v, xasprintf("%s was stripped: install the package with its debug symbols "
				      "(its name often ends with -dbgsym or -debuginfo), or give an "
				      "offset in the file", v->file));
	free(debug);
	functions_free(&all);
	program_close(&p);
}

static void check_offset(struct verdict *v, const struct functions *all, uint64_t offset)
{
	if (!functions_at(all, offset))
		add_line(v, xasprintf("no symbol says which function is at 0x%llx: that an "
				      "instruction begins there is not known",
				      (unsigned long long)offset));
}

static void take_places(void *arg, const char *name, struct probe_places *places)
{
	struct verdict *v = arg;
	struct functions all;
	struct program p;
	struct msg none;
	char *debug;

	(void)name;
	v->found += places->nr;
	if (v->file && !program_open(&p, v->file, &none)) {
		debug = functions_debug_file(v->file);
		functions_read(&p, debug, &all);
		for (size_t i = 0; i < places->nr; i++)
			check_offset(v, &all, places->places[i].offset);
		free(debug);
		functions_free(&all);
		program_close(&p);
	}
	probe_places_free(places);
}

/* ---- the kernel ---- */

static void explain_missing(struct verdict *v, const char *name)
{
	char *glob = xasprintf("%s.*", name);
	struct kernel_functions parts;
	struct msg none;

	refuse(v, xasprintf("the kernel has no function %s: it was inlined wherever it is called, "
			    "or is of a module that is not loaded", name));
	if (!kernel_functions_read(&parts, NULL, glob, &none)) {
		for (size_t i = 0; i < parts.n; i++)
			add_line(v, xasprintf("the compiler made kprobe:%s of it", parts.v[i].name));
		kernel_functions_free(&parts);
	}
	free(glob);
}

static void explain_function(struct verdict *v, const struct kernel_functions *all,
			     const char *name)
{
	const struct kernel_function *f = all->v;

	if (!all->n) {
		explain_missing(v, name);
		return;
	}
	if (f->count > 1)
		refuse(v, xasprintf("%u functions of the kernel are called %s, and which is meant "
				    "can't be said", f->count, name));
	if (f->banned)
		refuse(v, xasprintf("%s is on the kernel's blacklist, " KERNEL_BLACKLIST ": probes "
				    "need it themselves", name));
	if (all->no_blacklist)
		add_line(v, xasprintf("whether it is on the kernel's blacklist is not known: "
				      KERNEL_BLACKLIST " can't be read"));
}

/* "kprobe:module:function+4" */
static void explain_kernel(struct verdict *v)
{
	const char *from = strrchr(v->place, ':') + 1;
	char *name = xstrndup(from, strcspn(from, "+"));
	struct kernel_functions all;
	struct msg m;

	if (!strpbrk(name, "*?[") && !kernel_functions_read(&all, NULL, name, &m)) {
		explain_function(v, &all, name);
		kernel_functions_free(&all);
	}
	free(name);
}

/* ---- the verdict ---- */

static void print_json(const struct verdict *v)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "place", v->place);
	json_bool(&j, "probeable", !v->refused);
	if (v->refused)
		json_string(&j, "reason", v->refused);
	else
		json_u64(&j, "places", v->found);
	json_open(&j, "notes", '[');
	for (size_t i = 0; i < v->n; i++)
		json_string(&j, NULL, v->lines[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

static void print_text(const struct verdict *v)
{
	if (v->refused)
		printf("%s can't be probed: %s\n", v->place, v->refused);
	else
		printf("%s can be probed, at %zu place%s\n", v->place, v->found,
		       v->found == 1 ? "" : "s");
	for (size_t i = 0; i < v->n; i++)
		printf("  -> %s\n", v->lines[i]);
}

int probe_explain(const char *place, const struct probe_view *view, struct msg *m)
{
	struct verdict v = { .place = place };
	const struct probe_taker taker = { .by_pev = take_places, .arg = &v };
	int err;

	if (!probe_length(place) || place[probe_length(place)])
		return msg_set(m, -EINVAL, "\"%s\" is not a place: it begins with kprobe:, uprobe:, "
			       "usdt: and so on, as behind -e", place);
	v.file = probe_file(place);
	err = probe_places_each(place, &taker, m);
	if (err)
		refuse(&v, xstrdup(m->text));
	if (err && v.file && strncmp(place, "usdt:", 5))
		explain_name(&v, err);
	if (!err && !v.file)
		explain_kernel(&v);
	if (view->json)
		print_json(&v);
	else
		print_text(&v);
	err = v.refused ? STATUS_FAILED : STATUS_OK;
	for (size_t i = 0; i < v.n; i++)
		free(v.lines[i]);
	free(v.lines);
	free(v.refused);
	free(v.file);
	return err;
}
