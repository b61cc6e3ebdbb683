// SPDX-License-Identifier: GPL-2.0
/* perfctl list: the processor's own events. */
#include "list_processor.h"
#include "pmu/processor.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define NAME_WIDTH 30
#define TEXT_WIDTH 78

bool list_contains(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* Globs go by letters as they are; names of events are in capitals by habit. */
static bool glob_any_case(const char *pattern, const char *text)
{
	char *p = xstrdup(pattern), *t = xstrdup(text);
	bool match;

	for (char *c = p; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (char *c = t; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	match = glob_match(p, t);
	free(p);
	free(t);
	return match;
}

static bool unit_matches(const struct pev_pmu_event *e, const char *pattern, bool texts)
{
	struct pev_pmu_unit u;

	for (int i = 0; pev_pmu_unit(e, i, &u) > 0; i++) {
		char *full;
		bool match;

		if (u.is_modifier)
			continue;
		full = xasprintf("%s:%s", e->name, u.name);
		match = is_glob(pattern) ? glob_any_case(pattern, full) :
			list_contains(full, pattern) || (texts && list_contains(u.about, pattern));
		free(full);
		if (match)
			return true;
	}
	return false;
}

static bool matches(const struct pev_pmu_event *e, const char *pattern, bool texts)
{
	if (!strcmp(pattern, "processor") || !strcmp(pattern, "raw"))
		return true;
	if (is_glob(pattern) ? glob_any_case(pattern, e->name) : list_contains(e->name, pattern))
		return true;
	return (texts && !is_glob(pattern) && list_contains(e->about, pattern)) ||
	       unit_matches(e, pattern, texts);
}

static bool wanted(const struct pev_pmu_event *e, const struct list_search *s)
{
	for (int i = 0; i < s->n; i++)
		if (matches(e, s->patterns[i], s->texts))
			return true;
	return !s->n;
}

/* Text in lines of TEXT_WIDTH, of which the first is begun already */
static void print_wrapped(const char *text, size_t indent, size_t column)
{
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > indent && column + 1 + len > TEXT_WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		}
		column += (size_t)printf("%s%.*s", column > indent ? " " : "", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_named(size_t margin, const char *name, const char *about)
{
	size_t indent = margin + NAME_WIDTH + 1, column = margin + strlen(name);

	printf("%*s%s", (int)margin, "", name);
	if (column >= indent) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", (int)(indent - column), "");
	print_wrapped(about, indent, indent);
}

static void print_units(const struct pev_pmu_event *e)
{
	struct pev_pmu_unit u;
	bool any = false;

	for (int i = 0; pev_pmu_unit(e, i, &u) > 0; i++) {
		char *name, *about;

		any |= u.is_modifier;
		if (u.is_modifier)
			continue;
		name = xasprintf(":%s", u.name);
		about = xasprintf("%s%s", u.about, u.is_default ? " (if no other is named)" : "");
		print_named(4, name, about);
		free(name);
		free(about);
	}
	if (!any)
		return;
	printf("    modifiers:");
	for (int i = 0; pev_pmu_unit(e, i, &u) > 0; i++)
		if (u.is_modifier && strcmp(u.name, "u") && strcmp(u.name, "k"))
			printf(" :%s=N", u.name);
	putchar('\n');
}

static void json_event(struct json *j, const struct pev_pmu_table *t,
		       const struct pev_pmu_event *e)
{
	struct pev_pmu_unit u;

	json_open(j, NULL, '{');
	json_string(j, "type", "raw");
	json_string(j, "name", e->name);
	json_string(j, "pmu", t->name);
	json_string(j, "description", e->about);
	for (int modifiers = 0; modifiers < 2; modifiers++) {
		json_open(j, modifiers ? "modifiers" : "units", '[');
		for (int i = 0; pev_pmu_unit(e, i, &u) > 0; i++) {
			if (u.is_modifier != modifiers)
				continue;
			json_open(j, NULL, '{');
			json_string(j, "name", u.name);
			json_string(j, "description", u.about);
			if (!modifiers)
				json_bool(j, "default", u.is_default);
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	json_close(j, '}');
	fputs("\n", j->out);
}

static void print_event(const struct pev_pmu_table *t, const struct pev_pmu_event *e,
			const struct list_opts *o, bool first)
{
	if (o->names) {
		printf("%s%s%s\n", o->pmu ? t->name : "", o->pmu ? "::" : "", e->name);
		return;
	}
	if (first)
		printf("Events of the processor, %s (libpfm4's table %s):\n", t->about, t->name);
	print_named(2, e->name, e->about);
	if (o->fields)
		print_units(e);
}

size_t list_processor(const struct list_opts *o, const struct list_search *s, struct json *j)
{
	struct pev_pmu_table t;
	size_t all = 0;

	if (o->none)
		return 0;
	for (int pos = 0; processor_table_next(&pos, o->pmu, &t) > 0;) {
		struct pev_pmu_event e;
		size_t found = 0;

		for (int i = 0; pev_pmu_event_next(&t, &i, &e) > 0;) {
			if (!wanted(&e, s))
				continue;
			if (j)
				json_event(j, &t, &e);
			else
				print_event(&t, &e, o, !found);
			found++;
		}
		if (found && !j && !o->names)
			putchar('\n');
		all += found;
	}
	return all;
}

void list_processor_hint(const struct list_opts *o)
{
	struct pev_pmu_table t;
	struct msg m;
	int n = 0;

	if (o->none) {
		printf("Hardware events: there is no PMU here that pev can use; \"perfctl doctor\" says "
		       "why\n");
		return;
	}
	if (processor_names(&m)) {
		printf("Events of the processor: %s\n", m.text);
		return;
	}
	for (int pos = 0; processor_table_next(&pos, NULL, &t) > 0;)
		printf("%s %s: %d events", n++ ? "," : "Events of the processor:", t.about,
		       t.nr_events);
	if (n)
		printf("; \"perfctl list processor\" shows them, \"perfctl list WORD\" searches "
		       "them\n");
	else
		printf("Events of the processor: libpfm4 does not know this one; \"perfctl list "
		       "--pmu list\" shows those that it knows\n");
}

void list_processor_tables(const struct list_opts *o)
{
	struct pev_pmu_table t;
	int pos = 0;

	while (pev_pmu_table_next(&pos, &t, NULL) > 0) {
		if (o->names)
			printf("%s\n", t.name);
		else
			printf("  %-24s %s, %d events%s\n", t.name, t.about, t.nr_events,
			       t.present ? " (this machine's)" : "");
	}
}
