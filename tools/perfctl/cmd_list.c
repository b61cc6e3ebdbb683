// SPDX-License-Identifier: GPL-2.0
/* perfctl list: the events that can be counted and recorded. */
#include "event_spec.h"
#include "kernel.h"
#include "perfctl.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

struct list_opts {
	bool fields;
	bool json;
	bool names;
};

static const struct opt list_options[] = {
	{ 'v', OPT_FLAG, "fields", NULL, "show the fields of tracepoints and markers",
	  offsetof(struct list_opts, fields) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct list_opts, json) },
	{ 0, OPT_FLAG, "names", NULL, "print bare names, one a line",
	  offsetof(struct list_opts, names) },
	{ 0 },
};

/* What the kinds are called in headings, in the order of printing. */
static const struct list_kind {
	uint32_t type;
	const char *name;
	const char *about;
} kinds[] = {
	{ PEV_TYPE_SOFTWARE, "software", "Software counters (stat; record samples them)" },
	{ PEV_TYPE_TIMER, "timer", "Timers (record takes samples at a frequency)" },
	{ PEV_TYPE_MARKER, "marker", "Kernel markers" },
	{ PEV_TYPE_TRACEPOINT, "tracepoint", "Kernel tracepoints" },
	{ PEV_TYPE_SIDEBAND, "sideband", "Sideband (recorded by themselves, to resolve samples)" },
};

static bool kind_matches(const char *pattern, const struct pev_catalog_entry *e)
{
	if (!strcmp(pattern, e->type_name))
		return true;
	/* perf's words */
	return (!strcmp(pattern, "sw") && e->type == PEV_TYPE_SOFTWARE) ||
	       (!strcmp(pattern, "tp") && e->type == PEV_TYPE_TRACEPOINT);
}

static bool wanted(const struct pev_catalog_entry *e, int n, char **patterns)
{
	for (int i = 0; i < n; i++) {
		const char *p = patterns[i];

		if (kind_matches(p, e) || glob_match(p, e->name))
			return true;
		/* "sched" alone means the whole system */
		if (!strchr(p, ':') && !strncmp(e->name, p, strlen(p)) && e->name[strlen(p)] == ':')
			return true;
	}
	return !n;
}

/* Calls @each for "type name" of a catalog line's fields. */
static void for_fields(const char *fields, void (*each)(void *arg, const char *type, size_t tlen,
							const char *name), void *arg)
{
	char *copy = xstrdup(fields), *save, *p;

	for (p = strtok_r(copy, ";", &save); p; p = strtok_r(NULL, ";", &save)) {
		char *name;

		p += strspn(p, " ");
		name = strrchr(p, ' ');
		if (!name)
			continue;
		each(arg, p, (size_t)(name - p), name + 1);
	}
	free(copy);
}

static void print_field(void *arg, const char *type, size_t tlen, const char *name)
{
	char safe[256];

	(void)arg;
	printf("      %-24s %.*s\n", text_safe(safe, sizeof(safe), name), (int)tlen, type);
}

static void print_entry(const struct pev_catalog_entry *e, const struct list_opts *o)
{
	const struct software_name *sw = software_find(e->name, strlen(e->name));
	char safe[300];

	text_safe(safe, sizeof(safe), e->name);
	if (e->type == PEV_TYPE_SOFTWARE && sw)
		printf("  %-30s %s%s%s%s\n", safe, sw->about, sw->alias ? " (also " : "",
		       sw->alias ? sw->alias : "", sw->alias ? ")" : "");
	else
		printf("  %s\n", safe);
	if (o->fields)
		for_fields(e->fields, print_field, NULL);
}

static size_t print_kind(const struct pev_catalog *c, const struct list_kind *kind, int n,
			 char **patterns, const struct list_opts *o)
{
	size_t found = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct pev_catalog_entry *e = &c->entries[i];

		if (e->type != kind->type || !wanted(e, n, patterns))
			continue;
		if (o->names) {
			printf("%s\n", e->name);
			found++;
			continue;
		}
		if (!found++)
			printf("%s:\n", kind->about);
		print_entry(e, o);
	}
	if (found && !o->names)
		printf("\n");
	return found;
}

static void json_field(void *arg, const char *type, size_t tlen, const char *name)
{
	char *t = xstrndup(type, tlen);

	json_open(arg, NULL, '{');
	json_string(arg, "name", name);
	json_string(arg, "type", t);
	json_close(arg, '}');
	free(t);
}

static size_t print_json(const struct pev_catalog *c, int n, char **patterns)
{
	struct json j = { .out = stdout };
	size_t found = 0;

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < c->nr; i++) {
		const struct pev_catalog_entry *e = &c->entries[i];

		if (!wanted(e, n, patterns))
			continue;
		found++;
		json_open(&j, NULL, '{');
		json_string(&j, "type", e->type_name);
		json_string(&j, "name", e->name);
		json_open(&j, "fields", '[');
		for_fields(e->fields, json_field, &j);
		json_close(&j, ']');
		json_close(&j, '}');
		if (i + 1 < c->nr)
			fputs("\n", j.out);
	}
	json_close(&j, ']');
	json_end_line(&j);
	return found;
}

static void nothing_found(const struct pev_catalog *c, int n, char **patterns)
{
	for (int i = 0; i < n; i++) {
		struct nearest near = { .word = patterns[i] };

		for (size_t k = 0; k < c->nr; k++)
			nearest_offer(&near, c->entries[k].name);
		if (near.best)
			complain("no event matches \"%s\"; did you mean \"%s\"?", patterns[i],
				 near.best);
		else
			complain("no event matches \"%s\"", patterns[i]);
	}
}

static int by_name(const void *va, const void *vb)
{
	const struct pev_catalog_entry *a = va, *b = vb;

	return a->type == b->type ? strcmp(a->name, b->name) : a->type < b->type ? -1 : 1;
}

/* Counters and timers stay in the kernel's order, which is by importance. */
static void sort_named(struct pev_catalog *c)
{
	size_t first = 0, n;

	while (first < c->nr && (c->entries[first].type == PEV_TYPE_SOFTWARE ||
				 c->entries[first].type == PEV_TYPE_TIMER))
		first++;
	n = c->nr - first;
	if (n)
		qsort(c->entries + first, n, sizeof(*c->entries), by_name);
}

static int list_run(int argc, char **argv)
{
	struct list_opts o = { 0 };
	struct pev_catalog *c;
	size_t found = 0;
	struct msg m;
	int n, err, status;

	status = command_options(&command_list, &o, argc, argv, &n);
	if (status >= 0)
		return status;
	err = kernel_catalog(&c, &m);
	if (err) {
		complain("%s", m.text);
		return status_of(err);
	}
	sort_named(c);
	if (o.json)
		found = print_json(c, n, argv + 1);
	for (size_t k = 0; !o.json && k < ARRAY_SIZE(kinds); k++)
		found += print_kind(c, &kinds[k], n, argv + 1, &o);
	if (!found && n)
		nothing_found(c, n, argv + 1);
	pev_catalog_free(c);
	return found || !n ? STATUS_OK : STATUS_FAILED;
}

const struct command command_list = {
	.name = "list",
	.operands = "[GLOB|KIND]...",
	.summary = "show the events that can be counted and recorded",
	.about = "Shows the events that the running kernel offers: those whose name matches a GLOB, "
		 "those of a KIND (software, timer, tracepoint, marker, sideband) or of a system "
		 "(sched), or all.",
	.examples = "  perfctl list                      everything\n"
		    "  perfctl list 'sched:*'            one system's tracepoints\n"
		    "  perfctl list -v sched:sched_switch  with its fields\n"
		    "  perfctl list marker               all kernel markers\n",
	.opts = list_options,
	.run = list_run,
};
