// SPDX-License-Identifier: GPL-2.0
/* perfctl list: the events that can be counted and recorded. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/say.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/names.h"
#include "pmu/processor.h"
#include "pmu/sysfs.h"
#include "views/list_processor.h"

#include <errno.h>
#include <stdlib.h>

static const struct opt list_options[] = {
	ENGINE_OPT,
	{ 'v', OPT_FLAG, "fields", NULL, "show the fields of tracepoints and markers, and the "
	  "unit masks of the processor's events",
	  offsetof(struct list_opts, fields) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct list_opts, json) },
	{ 0, OPT_FLAG, "names", NULL, "print bare names, one a line",
	  offsetof(struct list_opts, names) },
	{ 0, OPT_STRING, "pmu", "NAME", "show the events of another processor, by the name of "
	  "libpfm4's table; \"list\" shows these", offsetof(struct list_opts, pmu) },
	{ 0 },
};

/* What the kinds are called in headings, in the order of printing. */
static const struct list_kind {
	uint32_t type;
	const char *about;
} kinds[] = {
	{ PEV_TYPE_SOFTWARE, "Software counters (stat; record samples them)" },
	{ PEV_TYPE_HARDWARE, "Hardware counters, as far as this processor has them" },
	{ PEV_TYPE_RAW, "Other PMUs of this machine (stat; those of sockets and devices with -a)" },
	{ PEV_TYPE_TIMER, "Timers (record takes samples at a frequency)" },
	{ PEV_TYPE_MARKER, "Kernel markers" },
	{ PEV_TYPE_TRACEPOINT, "Kernel tracepoints" },
	{ PEV_TYPE_USER, "Marks of running programs (record)" },
	{ PEV_TYPE_CLIENT, "Channels of the kernel's own, and the events in them" },
	{ PEV_TYPE_WAIT, "Waits of threads (record --waits)" },
	{ PEV_TYPE_USTACK, "Stacks that come later (record --deferred)" },
	{ PEV_TYPE_SIDEBAND, "Sideband (recorded by themselves, to resolve samples)" },
	/* stays last: what has no heading of its own */
	{ 0, "Others, of types that this perfctl does not know" },
};

static int kind_rank(uint32_t type)
{
	int rank = 0;

	while (rank + 1 < (int)ARRAY_SIZE(kinds) && kinds[rank].type != type)
		rank++;
	return rank;
}

static bool kind_matches(const char *pattern, const struct pev_catalog_entry *e)
{
	if (!strcmp(pattern, e->type_name))
		return true;
	/* the words that perf uses */
	return (!strcmp(pattern, "sw") && e->type == PEV_TYPE_SOFTWARE) ||
	       (!strcmp(pattern, "hw") && e->type == PEV_TYPE_HARDWARE) ||
	       (!strcmp(pattern, "tp") && e->type == PEV_TYPE_TRACEPOINT);
}

/* "sched" alone stands for all tracepoints of that system, as a channel for its events. */
static bool is_within(const char *whole, const struct pev_catalog_entry *e)
{
	size_t len = strlen(whole);

	if (strncmp(e->name, whole, len))
		return false;
	return e->type == PEV_TYPE_CLIENT ? e->name[len] == '/' :
					    !strchr(whole, ':') && e->name[len] == ':';
}

static bool wanted(const struct pev_catalog_entry *e, int n, char **patterns,
		   const struct list_opts *o)
{
	for (int i = 0; i < n; i++) {
		const char *p = patterns[i];

		if (kind_matches(p, e) || glob_match(p, e->name))
			return true;
		if ((o->within || e->type == PEV_TYPE_HARDWARE) && list_contains(e->name, p))
			return true;
		if (is_within(p, e))
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
	size_t len = strlen(e->name);
	const struct counter_name *c = e->type == PEV_TYPE_SOFTWARE ? software_find(e->name, len) :
				       e->type == PEV_TYPE_HARDWARE ? hardware_find(e->name, len) :
								      NULL;
	char safe[300];

	text_safe(safe, sizeof(safe), e->name);
	if (c)
		printf("  %-30s %s%s%s%s\n", safe, c->about, c->alias ? " (also " : "",
		       c->alias ? c->alias : "", c->alias ? ")" : "");
	else
		printf("  %s\n", safe);
	if (!o->fields)
		return;
	if (!strcmp(e->way, "perf"))
		printf("    (by perf's probe: slower; uncounted if it comes inside of another)\n");
	for_fields(e->fields, print_field, NULL);
}

/**
 * struct list_events - the catalog, and what sysfs has, in the order of printing
 */
struct list_events {
	const struct pev_catalog_entry **e;
	size_t n;
	size_t cap;
};

static size_t print_kind(const struct list_events *c, const struct list_kind *kind, int n,
			 char **patterns, const struct list_opts *o)
{
	size_t found = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pev_catalog_entry *e = c->e[i];

		if (&kinds[kind_rank(e->type)] != kind || !wanted(e, n, patterns, o))
			continue;
		/* a program may run many times */
		if (i && c->e[i - 1]->type == e->type && !strcmp(c->e[i - 1]->name, e->name))
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

static void json_entry(struct json *j, const struct pev_catalog_entry *e)
{
	json_open(j, NULL, '{');
	json_string(j, "type", e->type_name);
	json_string(j, "name", e->name);
	json_open(j, "fields", '[');
	for_fields(e->fields, json_field, j);
	json_close(j, ']');
	if (*e->way)
		json_string(j, "way", e->way);
	json_close(j, '}');
	fputs("\n", j->out);
}

static void nothing_found(const struct list_events *c, int n, char **patterns,
			  const struct list_opts *o)
{
	for (int i = 0; i < n; i++) {
		struct suggestion near = { .word = patterns[i] };

		for (size_t k = 0; k < c->n; k++)
			suggest_offer(&near, c->e[k]->name);
		if (!o->none)
			processor_suggest(&near);
		if (near.best)
			print_error("no event matches \"%s\"; did you mean \"%s\"?", patterns[i],
				    near.best);
		else
			print_error(
				"no event matches \"%s\"%s", patterns[i],
				o->none ?
					" (and there is no PMU here that pev can use: no hardware events)" :
					"");
	}
}

/* Sorts; counters and timers stay in the kernel's order, which is by importance. */
static int by_kind_and_name(const void *va, const void *vb)
{
	const struct pev_catalog_entry *a = *(const struct pev_catalog_entry *const *)va;
	const struct pev_catalog_entry *b = *(const struct pev_catalog_entry *const *)vb;
	int ra = kind_rank(a->type), rb = kind_rank(b->type);

	if (ra != rb)
		return ra - rb;
	if (a->type == PEV_TYPE_SOFTWARE || a->type == PEV_TYPE_HARDWARE ||
	    a->type == PEV_TYPE_TIMER)
		return a->name < b->name ? -1 : a->name > b->name; /* both in the catalog's text */
	return strcmp(a->name, b->name);
}

static bool any_wanted(const struct list_events *c, int n, char **patterns,
		       const struct list_opts *o)
{
	for (size_t i = 0; i < c->n; i++)
		if (wanted(c->e[i], n, patterns, o))
			return true;
	return false;
}

/* As a line of the catalog, which does not list what perf's other drivers know. */
static void add_of_pmu(void *arg, const char *name)
{
	struct list_events *c = arg;
	struct pev_catalog_entry *e = xcalloc(1, sizeof(*e));

	*e = (struct pev_catalog_entry){
		.type = PEV_TYPE_RAW,
		.type_name = "pmu",
		.name = xstrdup(name),
		.fields = "",
		.way = "",
	};
	*ARRAY_PUSH(c->e, c->n, c->cap) = e;
}

static struct list_events sorted(const struct pev_catalog *catalog)
{
	struct list_events c = { 0 };

	for (size_t i = 0; catalog && i < pev_catalog_count(catalog); i++)
		*ARRAY_PUSH(c.e, c.n, c.cap) = pev_catalog_entry(catalog, i);
	if (catalog)
		pmu_sysfs_events(add_of_pmu, &c);
	if (c.n)
		qsort(c.e, c.n, sizeof(*c.e), by_kind_and_name);
	return c;
}

static void events_free(struct list_events *c)
{
	for (size_t i = 0; i < c->n; i++) {
		/* the others are the catalog's */
		if (c->e[i]->type != PEV_TYPE_RAW)
			continue;
		free((char *)c->e[i]->name);
		free((struct pev_catalog_entry *)c->e[i]);
	}
	free(c->e);
}

static size_t print_all(const struct list_events *c, int n, char **patterns,
			const struct list_opts *o)
{
	struct list_search search = { .patterns = patterns, .n = n };
	size_t found = 0;

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		found += print_kind(c, &kinds[k], n, patterns, o);
	if (c->n && !n && !o->names) {
		list_processor_hint(o);
		return found;
	}
	found += list_processor(o, &search, NULL);
	search.texts = true;
	return found ? found : list_processor(o, &search, NULL);
}

static size_t print_json(const struct list_events *c, int n, char **patterns,
			 const struct list_opts *o)
{
	struct list_search search = { .patterns = patterns, .n = n };
	struct json j = { .out = stdout };
	size_t found = 0;

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < c->n; i++) {
		if (wanted(c->e[i], n, patterns, o)) {
			json_entry(&j, c->e[i]);
			found++;
		}
	}
	found += list_processor(o, &search, &j);
	search.texts = true;
	if (!found)
		found = list_processor(o, &search, &j);
	json_close(&j, ']');
	json_end_line(&j);
	return found;
}

/* The running kernel has no say in the events of another processor. */
static int other_pmu(const struct list_opts *o, struct msg *m)
{
	struct pev_pmu_table t;
	uint64_t code;
	char *any;
	int pos = 0, err = processor_names(m);

	if (err || !strcmp(o->pmu, "list") || processor_table_next(&pos, o->pmu, &t))
		return err;
	any = xasprintf("%s::X", o->pmu);
	err = processor_code(any, &code, m);
	free(any);
	return err;
}

static int list_run(const void *opts, int n, char **args, struct msg *m)
{
	struct list_opts o = *(const struct list_opts *)opts;
	struct pev_catalog *catalog = NULL;
	struct list_events c;
	struct pev_info info;
	size_t found;
	int err;

	err = o.pmu ? other_pmu(&o, m) : kernel_catalog(&catalog, m);
	if (!err && !o.pmu) {
		err = kernel_info(&info, m);
		o.none = !info.pmu_counters;
	}
	if (err)
		return err;
	if (o.pmu && !strcmp(o.pmu, "list")) {
		list_processor_tables(&o);
		return STATUS_OK;
	}
	c = sorted(catalog);
	o.within = !any_wanted(&c, n, args, &o);
	found = o.json ? print_json(&c, n, args, &o) : print_all(&c, n, args, &o);
	if (!found && n)
		nothing_found(&c, n, args, &o);
	events_free(&c);
	pev_catalog_free(catalog);
	return found || !n ? STATUS_OK : STATUS_FAILED;
}

const struct command command_list = {
	.name = "list",
	.operands = "[GLOB|KIND|WORD]...",
	.summary = "show the events that can be counted and recorded",
	.about =
		"Shows the events that the running kernel offers: those whose name matches a GLOB, "
		"those of a KIND (software, hardware, pmu, timer, tracepoint, marker, user, client, wait, "
		"ustack, sideband) or of a system (sched), or all; and the processor's own events whose names contain a word "
		"(or, if there is no other, whose descriptions do). A word that is neither a kind nor "
		"a system finds the names that contain it. Parts of the kernel may have channels of "
		"their own (client): those that you may read are shown, and CHANNEL/EVENT for each "
		"event in one.",
	.examples = "  perfctl list                      everything\n"
		    "  perfctl list 'sched:*'            one system's tracepoints\n"
		    "  perfctl list -v sched:sched_switch  with its fields\n"
		    "  perfctl list waking               names with that word\n"
		    "  perfctl list marker               all kernel markers\n"
		    "  perfctl list cache                hardware events about caches\n"
		    "  perfctl list -v INST_RETIRED      one of them, with its unit masks\n"
		    "  perfctl list --pmu power9         the events of another processor\n",
	.opts = list_options,
	.opts_size = sizeof(struct list_opts),
	.run = list_run,
};
