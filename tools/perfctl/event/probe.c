// SPDX-License-Identifier: GPL-2.0
/* Probes in the kernel and in files. See probe.h. */
#include "probe.h"
#include "probe_kernel.h"
#include "probe_usdt.h"
#include "base/say.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct kind {
	const char *name;
	const char *pmu;
	const char *terms;
	bool file;
	const char *form;
	const char *config;
	uint32_t pev;
	bool notes;
} kinds[] = {
	{ "kprobe", "kprobe", "", false, "kprobe:FUNCTION", "CONFIG_KPROBE_EVENTS",
	  PEV_PROBE_KERNEL, false },
	{ "kretprobe", "kprobe", "retprobe", false, "kretprobe:FUNCTION", "CONFIG_KPROBE_EVENTS",
	  PEV_PROBE_KERNEL_RETURN, false },
	{ "uprobe", "uprobe", "", true, "uprobe:FILE:FUNCTION", "CONFIG_UPROBE_EVENTS",
	  PEV_PROBE_USER, false },
	{ "uretprobe", "uprobe", "retprobe", true, "uretprobe:FILE:FUNCTION",
	  "CONFIG_UPROBE_EVENTS", PEV_PROBE_USER_RETURN, false },
	{ "usdt", "uprobe", "", true, "usdt:FILE:PROVIDER:NAME", "CONFIG_UPROBE_EVENTS",
	  PEV_PROBE_USER, true },
	/* perf_event_open(2) has none */
	{ "function", NULL, "", false, "function:FUNCTION", NULL, PEV_PROBE_FUNCTION, false },
};

static bool is_return(const struct kind *k)
{
	return k->pev == PEV_PROBE_USER_RETURN || k->pev == PEV_PROBE_KERNEL_RETURN;
}

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
		if (*end || errno)
			return msg_set(m, -EINVAL, "\"%s\" is not an offset in %s", colon + 1,
				       p->place);
		return probe_file_check(p->place, 0, p->offset, m);
	}
	name = xstrdup(colon + 1);
	err = cut_offset(name, &p->offset, m);
	if (!err)
		err = probe_file_function(p->place, name, &base, m);
	if (!err && p->offset)
		err = probe_file_check(p->place, base, p->offset, m);
	p->offset += base;
	free(name);
	return err;
}

/* The kernel takes any offset, and probes what comes next. */
static int check_kernel_offset(const char *name, uint64_t offset, struct msg *m)
{
	uint64_t size = offset ? probe_kernel_size(name) : 0;

	if (!size || offset < size)
		return 0;
	return msg_set(m, -EINVAL,
		       "%s+0x%" PRIx64 " is beyond the end of %s, in what comes next: it "
		       "has 0x%" PRIx64 " bytes",
		       name, offset, name, size);
}

static void probe_free(struct probe *p)
{
	pmu_code_free(&p->code);
	free(p->place);
	p->place = NULL;
}

/* Checks what holds of all probes. @text: without the kind */
static int check_form(const struct kind *k, const char *text, struct msg *m)
{
	const char *colon = k->file ? strchr(text, ':') : text - 1, *plus = strrchr(text, '+');

	if (!colon || colon == text || !colon[1])
		return msg_set(m, -EINVAL, "\"%s:%s\" is not of the form %s", k->name, text,
			       k->form);
	if (is_return(k) && plus && isdigit((unsigned char)plus[1]))
		return msg_set(m, -EINVAL,
			       "%s:%s: a return is that of a whole function: leave %s out", k->name,
			       text, plus);
	return 0;
}

static int check_for_perf(const struct kind *k, const char *text, struct msg *m)
{
	int err = check_form(k, text, m);

	if (err)
		return err;
	if (!k->pmu)
		return msg_set(m, -EOPNOTSUPP,
			       "%s:%s: only a kernel with pev probes functions by ftrace, here "
			       "kprobe:%s may do",
			       k->name, text, text);
	if (!pmu_sysfs_exists(k->pmu, strlen(k->pmu)))
		return msg_set(m, -ENODEV, "%s:%s: this kernel was built without %s", k->name, text,
			       k->config);
	if (strchr(text, '('))
		return msg_set(m, -EOPNOTSUPP,
			       "%s:%s: only a kernel with pev records fields of a probe, in "
			       "parentheses; perf_event_open(2) has them of probes that are "
			       "written to %s of tracefs",
			       k->name, text, k->file ? "uprobe_events" : "kprobe_events");
	if (!k->notes && strpbrk(text, "*?["))
		return msg_set(
			m, -EINVAL,
			"%s:%s: a probe of perf_event_open(2) is at one place, and has no globs: "
			"a kernel with pev takes them",
			k->name, text);
	return 0;
}

static int make_one(const struct kind *k, const char *text, struct probe *p, struct msg *m)
{
	int err = pmu_sysfs_code(k->pmu, k->terms, &p->code, m);

	if (err)
		return err;
	if (k->file)
		return find_in_file(p, text, m);
	p->place = xstrdup(text);
	err = cut_offset(p->place, &p->offset, m);
	return err ? err : check_kernel_offset(p->place, p->offset, m);
}

/* perf's PMU takes where the counter of listeners is as a part of the event's code. */
static int take_by_perf(void *arg, const struct program *file, const char *name,
			const struct usdt_probe *places, size_t n, struct msg *m)
{
	const struct probe_taker *taker = arg;
	char *full = xasprintf("usdt:%s", name);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct probe p = { .place = realpath(file->path, NULL), .offset = places[i].offset };
		char *terms = places[i].semaphore ? xasprintf("ref_ctr_offset=0x%" PRIx64,
							      places[i].semaphore) : xstrdup("");

		err = p.place ? pmu_sysfs_code("uprobe", terms, &p.code, m) :
				msg_set(m, -errno, "%s: %s", file->path, strerror(errno));
		if (!err)
			taker->by_perf(taker->arg, full, &p);
		probe_free(&p);
		free(terms);
	}
	free(full);
	return err;
}

/**
 * struct line_by_perf - a line of the source, with perf's code for probes
 * @taker: who gets the events
 * @text:  as typed
 * @probe: with all but the offset
 */
struct line_by_perf {
	const struct probe_taker *taker;
	const char *text;
	struct probe probe;
};

static void take_line(void *arg, const char *name, uint64_t offset)
{
	struct line_by_perf *l = arg;

	(void)name;
	l->probe.offset = offset;
	l->taker->by_perf(l->taker->arg, l->text, &l->probe);
}

static int each_of_line(const struct kind *k, const char *text, const struct probe_taker *taker,
			struct msg *m)
{
	struct line_by_perf l = { .taker = taker, .text = text };
	char *file = probe_file(text);
	int err = pmu_sysfs_code(k->pmu, k->terms, &l.probe.code, m);

	l.probe.place = realpath(file, NULL);
	if (!err && !l.probe.place)
		err = msg_set(m, -errno, "%s: %s", file, strerror(errno));
	if (!err)
		err = probe_file_line(file, strchr(strchr(text, ':') + 1, ':') + 1, take_line, &l, m);
	probe_free(&l.probe);
	free(file);
	return err;
}

int probe_each(const char *text, const struct probe_taker *taker, struct msg *m)
{
	const struct kind *k = kind_of(text);
	const char *place = text + strlen(k->name) + 1;
	struct probe p = { 0 };
	int err = check_for_perf(k, place, m);

	if (err)
		return err;
	if (k->notes)
		return probe_usdt_find(place, take_by_perf, (void *)taker, m);
	if (k->file && probe_file_is_line(strchr(place, ':') + 1))
		return each_of_line(k, text, taker, m);
	err = make_one(k, place, &p, m);
	if (!err)
		taker->by_perf(taker->arg, text, &p);
	probe_free(&p);
	return err;
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

static void add_file_place(void *arg, const char *name, uint64_t offset)
{
	add_place(arg, name, offset);
}

/* "FILE:GLOB" and "FILE:SOURCE:LINE" may be several places. */
static int add_several(struct probe_places *p, const char *file, const char *place, struct msg *m)
{
	int err;

	p->line = probe_file_is_line(place);
	if (p->line)
		return probe_file_line(file, place, add_file_place, p, m);
	err = probe_file_glob(file, place, add_file_place, p, m);
	if (!err)
		p->results = xcalloc(p->nr, sizeof(*p->results));
	return err;
}

static int open_file(struct probe_places *p, const char *file, struct msg *m)
{
	struct stat st;

	p->head.fd = open(file, O_RDONLY | O_CLOEXEC);
	if (p->head.fd < 0 || fstat(p->head.fd, &st))
		return msg_set(m, -errno, "%s: %s", file, strerror(errno));
	p->written = st.st_mtim;
	return 0;
}

static int add_in_file(struct probe_places *p, const char *text, struct msg *m)
{
	const char *place = strchr(text, ':') + 1;
	char *file = xstrndup(text, (size_t)(place - text - 1));
	struct probe one = { 0 };
	int err;

	if (strpbrk(place, "*?[") || probe_file_is_line(place)) {
		err = add_several(p, file, place, m);
	} else {
		err = find_in_file(&one, text, m);
		if (!err)
			add_place(p, place, one.offset);
	}
	if (!err)
		err = open_file(p, file, m);
	probe_free(&one);
	free(file);
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
		err = check_kernel_offset(text, offset, m);
	if (!err)
		add_place(p, text, offset);
	return err;
}

/* Returns where the fields begin, NULL: there are none. In a file's name parentheses may be. */
static const char *fields_of(const struct kind *k, const char *place)
{
	const char *colon = k->file ? strchr(place, ':') : NULL;

	return strchr(colon ? colon : place, '(');
}

static struct probe_places *places_new(const struct kind *k)
{
	struct probe_places *p = xcalloc(1, sizeof(*p));

	p->head.kind = k->pev;
	p->head.fd = k->file ? -1 : 0;
	return p;
}

static void fill_head(struct probe_places *p)
{
	p->head.size = sizeof(p->head);
	p->head.nr_places = (uint32_t)p->nr;
	p->head.places = (uintptr_t)p->places;
	p->head.nr_fields = p->fields.nr;
	p->head.fields = (uintptr_t)p->fields.fields;
	p->head.strings = (uintptr_t)p->strings.s;
	p->head.strings_size = (uint32_t)p->strings.len;
	p->head.flags = p->results ? PEV_PROBE_F_SKIP : 0;
	p->head.results = (uintptr_t)p->results;
}

/**
 * struct request - a probe as typed
 * @kind:   of it
 * @place:  without kind and fields
 * @fields: inside of the parentheses, @len bytes; NULL: there are none
 * @taker:  who gets what is made of it
 */
struct request {
	const struct kind *kind;
	char *place;
	const char *fields;
	size_t len;
	const struct probe_taker *taker;
};

static int read_request(struct request *r, const char *text, struct msg *m)
{
	const struct kind *k = kind_of(text);
	const char *place = text + strlen(k->name) + 1, *fields = fields_of(k, place);
	size_t len = strlen(place);

	*r = (struct request){ .kind = k,
			       .place = xstrndup(place, fields ? (size_t)(fields - place) : len) };
	if (fields && place[len - 1] != ')')
		return msg_set(m, -EINVAL, "%s: the fields of a probe end with \")\"", text);
	if (fields) {
		r->fields = fields + 1;
		r->len = (size_t)(place + len - 1 - r->fields);
	}
	return check_form(k, r->place, m);
}

enum probe_file_kind probe_places_kind(const struct probe_places *p)
{
	return p->head.kind == PEV_PROBE_USER_RETURN ? PROBE_FILE_RETURN :
	       p->line				     ? PROBE_FILE_LINE :
						       PROBE_FILE_CODE;
}

/* What is known of arguments is of the beginning of a function; at its return they are gone. */
static struct probe_arguments known_at(const struct kind *k, const struct probe_argument *v,
				       size_t n, const struct probe_argument *result)
{
	bool back = is_return(k);

	return (struct probe_arguments){ .v = v,
					 .n = back ? 0 : n,
					 .result = back ? result : NULL };
}

/* What is called "count" is not known to be that: this must not pass in silence. */
static void note_by_place(const struct probe_fields *f, const struct strbuf *strings,
			  const struct request *r, const char *why)
{
	for (unsigned int i = 0; i < f->nr && !is_return(r->kind); i++) {
		if (!(f->by_place & 1u << i))
			continue;
		note("%s:%s: %s, \"%s\" is arg%u, by its place in the list", r->kind->name,
		     r->place, why, strings->s + f->fields[i].name, i);
		return;
	}
}

/* @why: names are not known; NULL: they are */
static int parse_fields(const struct request *r, const struct probe_arguments *known,
			const char *why, struct probe_fields *to, struct strbuf *strings,
			struct msg *m)
{
	int err = probe_fields_parse(to, r->fields, r->len, known, strings, m);

	if (!err)
		note_by_place(to, strings, r, why ? why : "it has no argument of this name");
	return err;
}

static int parse_file_fields(const struct request *r, const struct probe_places *p, size_t place,
			     struct probe_fields *to, struct strbuf *strings, struct msg *m)
{
	char *file = xstrndup(r->place, strcspn(r->place, ":"));
	struct probe_file_arguments a;
	struct probe_arguments known;
	int err;

	probe_file_arguments(&a, file, p->places[place].offset, probe_places_kind(p));
	known = known_at(r->kind, a.v, a.params.n, a.result);
	known.scope = a.found ? &a.scope : NULL;
	known.unknown = "the file has no debug information of this place: build it with -g, or "
			"install the package with its debug symbols";
	err = parse_fields(r, &known, a.known ? NULL : "without debug information", to, strings, m);
	probe_file_arguments_free(&a);
	free(file);
	return err;
}

static int parse_kernel_fields(const struct request *r, const char *name, struct probe_fields *to,
			       struct strbuf *strings, struct msg *m)
{
	struct probe_kernel_arguments a;
	struct probe_arguments known;
	int err;

	probe_kernel_arguments(&a, name, is_return(r->kind));
	known = known_at(r->kind, a.v, a.params.n, a.result);
	known.scope = a.known ? &a.scope : NULL;
	known.unknown = a.why.text;
	err = parse_fields(r, &known, a.known ? NULL : "without the kernel's types", to, strings,
			   m);
	probe_kernel_arguments_free(&a);
	return err;
}

/* A function that is alone has arguments with names. */
static int add_fields(struct probe_places *p, const struct request *r, struct msg *m)
{
	const struct probe_arguments none = {
		.unknown = p->nr > 1 ? "these are of one function, where this names several" :
				       "the kernel's say where arguments are only at the beginning "
				       "of a function",
	};

	if (p->nr == 1 && r->kind->file)
		return parse_file_fields(r, p, 0, &p->fields, &p->strings, m);
	if (p->nr == 1 && !p->places[0].offset)
		return parse_kernel_fields(r, p->strings.s + p->places[0].name, &p->fields,
					   &p->strings, m);
	return probe_fields_parse(&p->fields, r->fields, r->len, &none, &p->strings, m);
}

/* ---- places with other fields ---- */

/**
 * struct own_fields - what a place of several records
 * @fields: of it
 * @names:  their strings
 * @taken:  the place is part of an event
 */
struct own_fields {
	struct probe_fields fields;
	struct strbuf names;
	bool taken;
};

static void own_fields_free(struct own_fields *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_free(&v[i].names);
	free(v);
}

static bool alike(const struct own_fields *a, const struct own_fields *b)
{
	bool same = a->fields.nr == b->fields.nr;

	for (unsigned int i = 0; i < a->fields.nr && same; i++) {
		struct pev_probe_field x = a->fields.fields[i], y = b->fields.fields[i];

		same = !strcmp(a->names.s + x.name, b->names.s + y.name);
		x.name = y.name = 0;
		same = same && !memcmp(&x, &y, sizeof(x));
	}
	return same;
}

/* Makes an event of the places of @all with the fields of @first. */
static struct probe_places *take_alike(const struct request *r, const struct probe_places *all,
				       struct own_fields *own, size_t first)
{
	struct probe_places *p = places_new(r->kind);

	p->head.fd = fcntl(all->head.fd, F_DUPFD_CLOEXEC, 0);
	p->written = all->written;
	p->fields = own[first].fields;
	if (own[first].names.len)
		strbuf_add(&p->strings, own[first].names.s, own[first].names.len);
	for (size_t i = first; i < all->nr; i++) {
		if (own[i].taken || !alike(&own[first], &own[i]))
			continue;
		own[i].taken = true;
		add_place(p, all->strings.s + all->places[i].name, all->places[i].offset);
		p->places[p->nr - 1].semaphore = all->places[i].semaphore;
	}
	fill_head(p);
	return p;
}

/* An event has the same fields at all of its places: others are another event of that name. */
static int take_events(const struct request *r, const struct probe_places *all,
		       struct own_fields *own, const char *place, struct msg *m)
{
	char *name;

	if (all->nr > PEV_MAX_PROBE_PLACES)
		return msg_set(m, -E2BIG, "%s is at more than %d places", place,
			       PEV_MAX_PROBE_PLACES);
	name = xasprintf("%s:%s", r->kind->name, place);
	for (size_t i = 0; i < all->nr; i++)
		if (!own[i].taken)
			r->taker->by_pev(r->taker->arg, name, take_alike(r, all, own, i));
	free(name);
	return 0;
}

/* A line may be in several functions, each with its own variables. */
static int take_line_places(const struct request *r, const struct probe_places *all, struct msg *m)
{
	struct own_fields *own = xcalloc(all->nr, sizeof(*own));
	int err = 0;

	for (size_t i = 0; i < all->nr && !err; i++) {
		struct msg why;

		err = parse_file_fields(r, all, i, &own[i].fields, &own[i].names, &why);
		if (err)
			msg_set(m, err,
				"%s (at 0x%" PRIx64 ", one of %zu places of the line, each of "
				"which can be probed alone)",
				why.text, (uint64_t)all->places[i].offset, all->nr);
	}
	if (!err)
		err = take_events(r, all, own, r->place, m);
	own_fields_free(own, all->nr);
	return err;
}

static int make_places(const struct request *r, struct msg *m)
{
	struct probe_places *p = places_new(r->kind);
	char *name = xasprintf("%s:%s", r->kind->name, r->place);
	int err = r->kind->file ? add_in_file(p, r->place, m) : add_in_kernel(p, r->place, m);
	bool lines = r->fields && p->line && p->nr > 1;

	if (!err && lines)
		err = take_line_places(r, p, m);
	else if (!err && r->fields)
		err = add_fields(p, r, m);
	if (err || lines) {
		probe_places_free(p);
	} else {
		fill_head(p);
		r->taker->by_pev(r->taker->arg, name, p);
	}
	free(name);
	return err;
}

static int take_by_pev(void *arg, const struct program *file, const char *name,
		       const struct usdt_probe *places, size_t n, struct msg *m)
{
	const struct request *r = arg;
	struct probe_places *all = places_new(r->kind);
	struct own_fields *own = xcalloc(n, sizeof(*own));
	int err = open_file(all, file->path, m);

	for (size_t i = 0; i < n && !err; i++) {
		bool other = !i || strcmp(places[i].args, places[i - 1].args) != 0;

		add_place(all, strchr(name, ':') + 1, places[i].offset);
		all->places[i].semaphore = places[i].semaphore;
		if (r->fields || r->taker->all_fields)
			err = probe_usdt_fields(&own[i].fields, file, name, &places[i], r->fields,
						r->len, other, &own[i].names, m);
	}
	if (!err)
		err = take_events(r, all, own, name, m);
	own_fields_free(own, n);
	probe_places_free(all);
	return err;
}

int probe_places_each(const char *text, const struct probe_taker *taker, struct msg *m)
{
	struct request r;
	int err = read_request(&r, text, m);

	r.taker = taker;
	if (!err && r.kind->notes)
		err = probe_usdt_find(r.place, take_by_pev, &r, m);
	else if (!err)
		err = make_places(&r, m);
	free(r.place);
	return err;
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

void probe_places_note_file(const struct probe_places *p, const char *label)
{
	struct stat st;

	if (p->head.fd <= 0 || fstat(p->head.fd, &st))
		return;
	if (!st.st_nlink)
		note("%s: the file was deleted or replaced meanwhile: what was started from another "
		     "one was not probed",
		     label);
	else if (st.st_mtim.tv_sec != p->written.tv_sec || st.st_mtim.tv_nsec != p->written.tv_nsec)
		note("%s: the file was changed meanwhile: the places may be others by now", label);
}

char *probe_file(const char *text)
{
	const struct kind *k = kind_of(text);

	text += strlen(k->name) + 1;
	return k->file ? xstrndup(text, strcspn(text, ":")) : NULL;
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
