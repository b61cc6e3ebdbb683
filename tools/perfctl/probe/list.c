// SPDX-License-Identifier: GPL-2.0
/* Lists what can be probed. See list.h. */
#include "list.h"
#include "kernel.h"
#include "base/json.h"
#include "base/say.h"
#include "base/status.h"
#include "base/text.h"
#include "program/functions.h"
#include "program/usdt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/**
 * struct listing - what is being printed
 * @view:    how
 * @json:    with view->json
 * @glob:    of names, or NULL
 * @found:   lines so far
 * @heading: to be printed before the next line, or NULL
 */
struct listing {
	const struct probe_view *view;
	struct json json;
	const char *glob;
	size_t found;
	char *heading;
};

/* Begins an entry; returns whether it goes on in text or JSON. */
static bool begin(struct listing *l, const char *kind, const char *place)
{
	l->found++;
	if (l->view->names) {
		printf("%s\n", place);
		return false;
	}
	if (l->view->json) {
		json_open(&l->json, NULL, '{');
		json_string(&l->json, "kind", kind);
		json_string(&l->json, "place", place);
		return true;
	}
	if (l->heading)
		printf("%s%s\n", l->found > 1 ? "\n" : "", l->heading);
	free(l->heading);
	l->heading = NULL;
	return true;
}

static void heading(struct listing *l, const char *what, const char *file, const char *form)
{
	char safe[2][512];

	free(l->heading);
	l->heading = xasprintf("%s of %s, for -e %s:", what,
			       text_safe(safe[0], sizeof(safe[0]), file),
			       text_safe(safe[1], sizeof(safe[1]), form));
}

/* ---- files ---- */

static void list_function(struct listing *l, const char *path, const struct function *f)
{
	char *place = xasprintf("uprobe:%s:%s", path, f->name), safe[256];

	if (!begin(l, "uprobe", place)) {
		free(place);
		return;
	}
	if (l->view->json) {
		json_u64(&l->json, "offset", f->offset);
		json_u64(&l->json, "bytes", f->size);
		json_close(&l->json, '}');
		fputs("\n", stdout);
	} else {
		printf("  %-40s 0x%llx\n", text_safe(safe, sizeof(safe), f->name),
		       (unsigned long long)f->offset);
	}
	free(place);
}

static void list_functions(struct listing *l, const struct program *p)
{
	char *debug = functions_debug_file(p->path), *form;
	struct functions all;

	functions_read(p, debug, &all);
	free(debug);
	form = xasprintf("uprobe:%s:NAME", p->path);
	heading(l, "Functions", p->path, form);
	free(form);
	for (size_t i = 0; i < all.n; i++)
		if (!l->glob || glob_match(l->glob, all.v[i].name))
			list_function(l, p->path, &all.v[i]);
	if (!all.n)
		note("%s was stripped: its functions can be probed by their offsets alone, "
		     "unless its debug symbols are installed", p->path);
	functions_free(&all);
}

static void list_note(struct listing *l, const char *path, const struct usdt_probe *probe, size_t n)
{
	char *name = xasprintf("%s:%s", probe->provider, probe->name);
	char *place = xasprintf("usdt:%s:%s", path, name), safe[256], args[512];
	bool more = begin(l, "usdt", place);

	if (more && l->view->json) {
		json_open(&l->json, "places", '[');
		for (size_t i = 0; i < n; i++) {
			json_open(&l->json, NULL, '{');
			json_u64(&l->json, "offset", probe[i].offset);
			if (probe[i].semaphore)
				json_u64(&l->json, "semaphore", probe[i].semaphore);
			json_string(&l->json, "arguments", probe[i].args);
			json_close(&l->json, '}');
		}
		json_close(&l->json, ']');
		json_close(&l->json, '}');
		fputs("\n", stdout);
	} else if (more) {
		for (size_t i = 0; i < n; i++)
			printf("  %-40s 0x%-8llx %s\n", text_safe(safe, sizeof(safe), i ? "" : name),
			       (unsigned long long)probe[i].offset,
			       text_safe(args, sizeof(args), probe[i].args));
	}
	free(place);
	free(name);
}

static bool is_wanted(const char *glob, const struct usdt_probe *probe)
{
	char *full = xasprintf("%s:%s", probe->provider, probe->name);
	bool wanted = !glob || glob_match(glob, probe->name) || glob_match(glob, full);

	free(full);
	return wanted;
}

static void list_notes(struct listing *l, const struct program *p)
{
	char *form = xasprintf("usdt:%s:PROVIDER:NAME", p->path);
	struct usdt_probes all;
	struct msg none;
	size_t n;

	heading(l, "Probes of sys/sdt.h", p->path, form);
	free(form);
	if (usdt_read(p, &all, &none))
		return;
	for (size_t i = 0; i < all.n; i += n) {
		const struct usdt_probe *probe = &all.probes[i];

		for (n = 1; i + n < all.n && !strcmp(probe->name, probe[n].name) &&
			    !strcmp(probe->provider, probe[n].provider); n++)
			;
		if (is_wanted(l->glob, probe))
			list_note(l, p->path, probe, n);
	}
	usdt_free(&all);
}

static int list_file(struct listing *l, const char *path, struct msg *m)
{
	struct program p;
	int err = program_open(&p, path, m);

	if (err)
		return err;
	list_notes(l, &p);
	list_functions(l, &p);
	program_close(&p);
	return 0;
}

/* ---- processes ---- */

/* "55d0-55d1 r-xp 00001000 00:2b 3 /bin/cat": the file of code that is mapped, or NULL */
static char *mapped_file(char *line)
{
	char *mode = strchr(line, ' '), *path = strchr(line, '/');

	if (!mode || !path || mode[3] != 'x')
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	return path;
}

static int list_process(struct listing *l, const char *pid, struct msg *m)
{
	char *maps = xasprintf("/proc/%s/maps", pid), *line = NULL, *last = NULL;
	FILE *file = fopen(maps, "re");
	char safe[2][512];
	size_t room = 0;
	struct msg why;

	free(maps);
	if (!file)
		return msg_set(m, -errno, "process %s: %s", pid,
			       errno == ENOENT ? "there is none" : strerror(errno));
	while (getline(&line, &room, file) > 0) {
		char *path = mapped_file(line), *inside;

		if (!path || (last && !strcmp(last, path)))
			continue;
		free(last);
		last = xstrdup(path);
		/* in a container the path is another file's, or none's */
		inside = xasprintf("/proc/%s/root%s", pid, path);
		if (list_file(l, access(path, R_OK) ? inside : path, &why))
			note("process %s has %s mapped, which can't be read: %s", pid,
			     text_safe(safe[0], sizeof(safe[0]), path),
			     text_safe(safe[1], sizeof(safe[1]), why.text));
		free(inside);
	}
	free(last);
	free(line);
	fclose(file);
	return 0;
}

/* ---- the kernel ---- */

/* Could code be removed again that has this name? Files with such a name are "./name". */
static bool is_module(const char *name)
{
	char *state = xasprintf("/sys/module/%s/initstate", name);
	bool found = !strchr(name, '/') && access(name, F_OK) && !access(state, F_OK);

	free(state);
	return found;
}

/* @module: NULL: all of the kernel, with its modules */
static int list_kernel(struct listing *l, const char *module, struct msg *m)
{
	struct kernel_functions all;
	int err = kernel_functions_read(&all, module, l->glob, m);
	size_t banned = 0;

	if (err)
		return err;
	heading(l, "Functions", module ? module : "the kernel",
		module ? "kprobe:MODULE:NAME" : "kprobe:NAME");
	for (size_t i = 0; i < all.n; i++) {
		const struct kernel_function *f = &all.v[i];
		char *place = xasprintf("kprobe:%s%s%s", module ? module : "", module ? ":" : "",
					f->name);

		banned += f->banned;
		if (!f->banned && f->count == 1 && begin(l, "kprobe", place)) {
			if (l->view->json) {
				if (f->module)
					json_string(&l->json, "module", f->module);
				json_close(&l->json, '}');
				fputs("\n", stdout);
			} else {
				printf("  %s%s%s%s\n", f->name, f->module ? " [" : "",
				       f->module ? f->module : "", f->module ? "]" : "");
			}
		}
		free(place);
	}
	if (banned)
		note("%zu functions on the kernel's blacklist (" KERNEL_BLACKLIST ") are left out",
		     banned);
	if (all.no_blacklist)
		note("the kernel's blacklist, " KERNEL_BLACKLIST ", can't be read: what is on it "
		     "is refused when it is to be probed");
	kernel_functions_free(&all);
	return 0;
}

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

int probe_list(const char *what, const char *glob, const struct probe_view *view, struct msg *m)
{
	struct listing l = { .view = view, .json = { .out = stdout }, .glob = glob };
	int err;

	if (view->json)
		json_open(&l.json, NULL, '[');
	if (!strcmp(what, "kernel"))
		err = list_kernel(&l, NULL, m);
	else if (is_module(what))
		err = list_kernel(&l, what, m);
	else
		err = is_number(what) ? list_process(&l, what, m) : list_file(&l, what, m);
	if (view->json && !err) {
		json_close(&l.json, ']');
		json_end_line(&l.json);
	}
	free(l.heading);
	if (!err && !l.found && glob)
		print_error("nothing in %s that can be probed matches \"%s\"", what, glob);
	return err ? err : l.found ? STATUS_OK : STATUS_FAILED;
}
