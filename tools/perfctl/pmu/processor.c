// SPDX-License-Identifier: GPL-2.0
/* Finds the processor's own events. See processor.h. */
#include "processor.h"
#include "cli/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#define UNITS_SHOWN 8

/*
 * Tables of other machines are for "perfctl list --pmu" and for models that libpfm4
 * does not know. The command that is run must not inherit the setting.
 */
static void load_all(void)
{
	static bool done;
	struct pev_pmu_table t;
	const char *set = getenv("LIBPFM_ENCODE_INACTIVE");
	int pos = 0;

	if (done)
		return;
	done = true;
	if (!set)
		setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	pev_pmu_table_next(&pos, &t, NULL);
	if (!set)
		unsetenv("LIBPFM_ENCODE_INACTIVE");
}

int processor_names(struct msg *m)
{
	struct pev_pmu_table t;
	struct pev_error e;
	int pos = 0, err;

	load_all();
	err = pev_pmu_table_next(&pos, &t, &e);
	return err < 0 ? msg_set(m, err, "%s", e.text) : 0;
}

int processor_table_next(int *pos, const char *name, struct pev_pmu_table *t)
{
	load_all();
	while (pev_pmu_table_next(pos, t, NULL) > 0)
		if (name ? !strcasecmp(name, t->name) : t->present)
			return 1;
	return 0;
}

/* Returns table "skl" of "skl::INST_RETIRED:ANY"; NULL means this machine's. */
static char *table_of(const char *name, const char **event)
{
	const char *colons = strstr(name, "::");

	*event = colons ? colons + 2 : name;
	return colons ? xstrndup(name, (size_t)(colons - name)) : NULL;
}

/* Finds the event that a name begins with, ignoring what follows. */
static bool find_event(const char *name, struct pev_pmu_event *e)
{
	const char *event;
	char *table = table_of(name, &event);
	size_t len = strcspn(event, ":.");
	struct pev_pmu_table t;
	bool found = false;

	for (int pos = 0; !found && processor_table_next(&pos, table, &t) > 0;)
		for (int i = 0; !found && pev_pmu_event_next(&t, &i, e) > 0;)
			found = strlen(e->name) == len && !strncasecmp(e->name, event, len);
	free(table);
	return found;
}

static void offer_events(struct suggestion *n, const char *table)
{
	struct pev_pmu_table t;
	struct pev_pmu_event e;

	for (int pos = 0; processor_table_next(&pos, table, &t) > 0;)
		for (int i = 0; pev_pmu_event_next(&t, &i, &e) > 0;)
			suggest_offer(n, e.name);
}

void processor_suggest(struct suggestion *n)
{
	offer_events(n, NULL);
}

static int no_table(const char *table, struct msg *m)
{
	struct suggestion n = { .word = table };
	struct pev_pmu_table t;

	for (int pos = 0; pev_pmu_table_next(&pos, &t, NULL) > 0;)
		suggest_offer(&n, t.name);
	if (n.best)
		return msg_set(m, -ENOENT, "libpfm4 knows no processor \"%s\"; did you mean \"%s\"?",
			       table, n.best);
	return msg_set(m, -ENOENT, "libpfm4 knows no processor \"%s\" on this architecture; "
		       "\"perfctl list --pmu list\" shows those that it knows", table);
}

/* Sets libpev's sentence, and the names that may have been meant. */
static int no_event(const char *name, const char *text, struct msg *m)
{
	const char *event;
	char *table = table_of(name, &event), *word = xstrndup(event, strcspn(event, ":."));
	struct suggestion n = { .word = word };
	struct pev_pmu_table t;
	int pos = 0, err;

	offer_events(&n, table);
	if (table && !processor_table_next(&pos, table, &t))
		err = no_table(table, m);
	else if (n.best)
		err = msg_set(m, -ENOENT, "unknown event \"%s\"; did you mean \"%s%s%s\"?", name,
			      table ? table : "", table ? "::" : "", n.best);
	else
		err = msg_set(m, -ENOENT, "%s; \"perfctl list\" shows the events", text);
	free(table);
	free(word);
	return err;
}

/* Sets libpev's sentence, and the unit masks that exist. */
static int no_unit(const char *name, const char *text, struct msg *m)
{
	struct strbuf b = { 0 };
	struct pev_pmu_event e;
	struct pev_pmu_unit u;
	int shown = 0, more = 0;

	if (!find_event(name, &e))
		return msg_set(m, -EINVAL, "%s", text);
	for (int i = 0; pev_pmu_unit(&e, i, &u) > 0; i++) {
		if (u.is_modifier)
			continue;
		if (shown < UNITS_SHOWN)
			strbuf_addf(&b, "%s%s", shown++ ? ", " : "", u.name);
		else
			more++;
	}
	if (more)
		msg_set(m, 0, "%s. It has %s and %d more: see \"perfctl list -v %s\"", text, b.s,
			more, e.name);
	else if (shown)
		msg_set(m, 0, "%s. It has %s", text, b.s);
	else
		msg_set(m, 0, "%s. It has no unit mask", text);
	strbuf_free(&b);
	return -EINVAL;
}

int processor_code(const char *name, uint64_t *code, struct msg *m)
{
	struct pev_error e = { .text = "" };
	int err;

	load_all();
	err = pev_pmu_code(name, code, &e);
	if (err == -ENOENT)
		return no_event(name, e.text, m);
	if (err == -EINVAL && strncmp(name, "cpu/", 4))
		return no_unit(name, e.text, m);
	return err ? msg_set(m, err, "%s", e.text) : 0;
}
