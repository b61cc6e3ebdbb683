// SPDX-License-Identifier: GPL-2.0
/* Probes in the kernel and in files. See probe.h. */
#include "probe.h"
#include "base/say.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pev/sym.h>
#include <stdlib.h>
#include <unistd.h>

static const struct kind {
	const char *name;
	const char *pmu;
	const char *terms;
	bool file;
	const char *form;
	const char *config;
	uint32_t pev;
} kinds[] = {
	{ "kprobe", "kprobe", "", false, "kprobe:FUNCTION", "CONFIG_KPROBE_EVENTS",
	  PEV_PROBE_KERNEL },
	{ "kretprobe", "kprobe", "retprobe", false, "kretprobe:FUNCTION", "CONFIG_KPROBE_EVENTS",
	  PEV_PROBE_KERNEL_RETURN },
	{ "uprobe", "uprobe", "", true, "uprobe:FILE:FUNCTION", "CONFIG_UPROBE_EVENTS",
	  PEV_PROBE_USER },
	{ "uretprobe", "uprobe", "retprobe", true, "uretprobe:FILE:FUNCTION",
	  "CONFIG_UPROBE_EVENTS", PEV_PROBE_USER_RETURN },
};

static const struct kind *kind_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].name);

		if (!strncmp(text, kinds[i].name, len) && text[len] == ':')
			return &kinds[i];
	}
	return NULL;
}

size_t probe_length(const char *list)
{
	const struct kind *k = kind_of(list);
	size_t n;

	if (!k)
		return 0;
	n = strlen(k->name) + 1;
	/* the file's name has slashes, too */
	if (k->file) {
		n += strcspn(list + n, ":,{}");
		n += list[n] == ':';
	}
	n += strcspn(list + n, "/,{}(");
	if (list[n] != '(')
		return n;
	n += strcspn(list + n, ")");
	return n + (list[n] == ')');
}

/* "FUNCTION+0x10" becomes "FUNCTION" and the number. */
static int cut_offset(char *place, uint64_t *offset, struct msg *m)
{
	char *plus = strrchr(place, '+'), *end;

	*offset = 0;
	if (!plus)
		return 0;
	errno = 0;
	*offset = strtoull(plus + 1, &end, 0);
	if (!isdigit((unsigned char)plus[1]) || *end || errno)
		return msg_set(m, -EINVAL, "\"%s\" is not a number of bytes behind %.*s", plus + 1,
			       (int)(plus - place), place);
	*plus = '\0';
	return 0;
}

static int no_function(const char *file, const char *name, int err, const char *problem,
		       struct msg *m)
{
	if (err == -ENOTUNIQ)
		return msg_set(m, err, "%s has several functions %s: give the offset in the file of "
			       "one, as in uprobe:%s:0x1234", file, name, file);
	if (err == -ENOENT)
		return msg_set(m, err, "%s has no function \"%s\": its name is that of its symbols "
			       "(\"nm -D\" or \"nm\" shows them), or an offset in the file", file,
			       name);
	return msg_set(m, err, "the functions of %s: %s", file, problem ? problem : strerror(-err));
}

static int find_function(const char *file, const char *name, uint64_t *offset, struct msg *m)
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

/* "FILE:FUNCTION+4", "FILE:0x1234" */
static int find_in_file(struct probe *p, const char *text, struct msg *m)
{
	const char *colon = strchr(text, ':');
	char *file = xstrndup(text, (size_t)(colon - text)), *name, *end;
	uint64_t base = 0;
	int err;

	p->place = realpath(file, NULL);
	err = p->place ? 0 : msg_set(m, -errno, "%s: %s", file, strerror(errno));
	free(file);
	if (err)
		return err;
	if (isdigit((unsigned char)colon[1])) {
		errno = 0;
		p->offset = strtoull(colon + 1, &end, 0);
		return !*end && !errno ? 0 : msg_set(m, -EINVAL, "\"%s\" is not an offset in %s",
						     colon + 1, p->place);
	}
	name = xstrdup(colon + 1);
	err = cut_offset(name, &p->offset, m);
	if (!err)
		err = find_function(p->place, name, &base, m);
	p->offset += base;
	free(name);
	return err;
}

int probe_make(struct probe *p, const char *text, struct msg *m)
{
	const struct kind *k = kind_of(text);
	const char *colon;
	int err;

	*p = (struct probe){ 0 };
	text += strlen(k->name) + 1;
	colon = k->file ? strchr(text, ':') : text - 1;
	if (!colon || colon == text || !colon[1])
		return msg_set(m, -EINVAL, "\"%s:%s\" is not of the form %s", k->name, text, k->form);
	if (!pmu_sysfs_exists(k->pmu, strlen(k->pmu)))
		return msg_set(m, -ENODEV, "%s:%s: this kernel was built without %s", k->name, text,
			       k->config);
	if (strchr(text, '('))
		return msg_set(m, -EOPNOTSUPP,
			       "%s:%s: only a kernel with pev records fields of a "
			       "probe, in parentheses",
			       k->name, text);
	if (strpbrk(text, "*?["))
		return msg_set(m, -EINVAL, "%s:%s: a probe is at one place, and has no globs",
			       k->name, text);
	err = pmu_sysfs_code(k->pmu, k->terms, &p->code, m);
	if (!err && k->file)
		err = find_in_file(p, text, m);
	if (!err && !k->file) {
		p->place = xstrdup(text);
		err = cut_offset(p->place, &p->offset, m);
	}
	if (err)
		probe_free(p);
	return err;
}

void probe_free(struct probe *p)
{
	pmu_code_free(&p->code);
	free(p->place);
	p->place = NULL;
}

/* ---- by pev ---- */

static void add_place(struct probe_places *p, const char *name, uint64_t offset)
{
	struct pev_probe_place *place = ARRAY_PUSH(p->places, p->nr, p->cap);

	place->name = (uint32_t)p->strings.len;
	place->offset = offset;
	strbuf_add(&p->strings, name, strlen(name) + 1);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The cold part of a function is none, and a name that two have is not a place. */
static void add_unique(struct probe_places *p, char **names, size_t n)
{
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++)
		if ((!i || strcmp(names[i], names[i - 1])) &&
		    (i + 1 == n || strcmp(names[i], names[i + 1])))
			add_place(p, names[i], 0);
}

/* "ffffffff81000000 T name	[module]": a name that matches, or NULL */
static const char *function_of(char *line, const char *glob)
{
	char *type = strchr(line, ' '), *name;

	if (!type || !type[1] || !strchr("tTwW", type[1]) || type[2] != ' ')
		return NULL;
	name = type + 3;
	name[strcspn(name, "\t\n ")] = '\0';
	return !strstr(name, ".cold") && glob_match(glob, name) ? name : NULL;
}

static int find_in_kernel(struct probe_places *p, const char *glob, struct msg *m)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char **names = NULL, *line = NULL;
	size_t n = 0, cap = 0, room = 0;

	if (!f)
		return msg_set(m, -errno, "/proc/kallsyms: %s", strerror(errno));
	while (getline(&line, &room, f) > 0) {
		const char *name = function_of(line, glob);

		if (name)
			*ARRAY_PUSH(names, n, cap) = xstrdup(name);
	}
	fclose(f);
	free(line);
	add_unique(p, names, n);
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	if (!p->nr)
		return msg_set(m, -ENOENT, "no function of the kernel matches \"%s\"", glob);
	if (p->nr > PEV_MAX_PROBE_PLACES)
		return msg_set(m, -E2BIG, "%zu functions match \"%s\": one probe takes at most %d",
			       p->nr, glob, PEV_MAX_PROBE_PLACES);
	p->results = xcalloc(p->nr, sizeof(*p->results));
	return 0;
}

static int add_in_file(struct probe_places *p, const char *text, struct msg *m)
{
	struct probe one = { 0 };
	int err;

	if (strpbrk(strchr(text, ':'), "*?["))
		return msg_set(m, -EINVAL,
			       "%s: a probe in a file is at one place, and has no globs", text);
	err = find_in_file(&one, text, m);
	if (err)
		return err;
	p->head.fd = open(one.place, O_RDONLY | O_CLOEXEC);
	if (p->head.fd < 0)
		err = msg_set(m, -errno, "%s: %s", one.place, strerror(errno));
	else
		add_place(p, strchr(text, ':') + 1, one.offset);
	probe_free(&one);
	return err;
}

static int add_in_kernel(struct probe_places *p, char *text, struct msg *m)
{
	uint64_t offset;
	int err;

	if (strpbrk(text, "*?["))
		return find_in_kernel(p, text, m);
	err = cut_offset(text, &offset, m);
	if (!err)
		add_place(p, text, offset);
	return err;
}

/* @text: without the kind, and without the fields */
static int add_places(struct probe_places *p, const struct kind *k, char *text, struct msg *m)
{
	const char *colon = k->file ? strchr(text, ':') : text - 1;

	if (!colon || colon == text || !colon[1])
		return msg_set(m, -EINVAL, "\"%s:%s\" is not of the form %s", k->name, text,
			       k->form);
	return k->file ? add_in_file(p, text, m) : add_in_kernel(p, text, m);
}

/* Returns where the fields begin, NULL: there are none. In a file's name parentheses may be. */
static const char *fields_of(const struct kind *k, const char *place)
{
	const char *colon = k->file ? strchr(place, ':') : NULL;

	return strchr(colon ? colon : place, '(');
}

char *probe_place(const char *text)
{
	const struct kind *k = kind_of(text);
	const char *fields = fields_of(k, text + strlen(k->name) + 1);

	return xstrndup(text, fields ? (size_t)(fields - text) : strlen(text));
}

int probe_places_make(struct probe_places **to, const char *text, struct msg *m)
{
	const struct kind *k = kind_of(text);
	const char *place = text + strlen(k->name) + 1, *fields;
	struct probe_places *p = xcalloc(1, sizeof(*p));
	size_t len = strlen(place);
	char *own;
	int err;

	fields = fields_of(k, place);
	own = xstrndup(place, fields ? (size_t)(fields - place) : len);
	p->head.kind = k->pev;
	p->head.fd = k->file ? -1 : 0;
	err = add_places(p, k, own, m);
	free(own);
	if (!err && fields && place[len - 1] != ')')
		err = msg_set(m, -EINVAL, "%s: the fields of a probe end with \")\"", text);
	if (!err && fields)
		err = probe_fields_parse(&p->fields, fields + 1,
					 (size_t)(place + len - 1 - fields - 1), &p->strings, m);
	if (err) {
		probe_places_free(p);
		return err;
	}
	p->head.size = sizeof(p->head);
	p->head.nr_places = (uint32_t)p->nr;
	p->head.places = (uintptr_t)p->places;
	p->head.nr_fields = p->fields.nr;
	p->head.fields = (uintptr_t)p->fields.fields;
	p->head.strings = (uintptr_t)p->strings.s;
	p->head.strings_size = (uint32_t)p->strings.len;
	p->head.flags = p->results ? PEV_PROBE_F_SKIP : 0;
	p->head.results = (uintptr_t)p->results;
	*to = p;
	return 0;
}

void probe_places_note(const struct probe_places *p, const char *label)
{
	size_t left = 0, first = 0;

	for (size_t i = 0; p->results && i < p->nr; i++) {
		if (!p->results[i])
			continue;
		first = left++ ? first : i;
	}
	if (left)
		note("%s: %zu of %zu functions can't be probed, among them %s", label, left, p->nr,
		     p->strings.s + p->places[first].name);
}

void probe_places_free(struct probe_places *p)
{
	if (!p)
		return;
	if (p->head.fd > 0)
		close(p->head.fd);
	strbuf_free(&p->strings);
	free(p->results);
	free(p->places);
	free(p);
}
