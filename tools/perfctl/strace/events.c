// SPDX-License-Identifier: GPL-2.0
/* Events beside system calls. See events.h. */
#include "events.h"
#include "base/text.h"
#include "session/payload_text.h"
#include "event/probe.h"

/* ---- what was typed ---- */

/* The length of "NAME", or of a probe with its fields, and "/TERMS/" and ":MODIFIERS" behind it */
static size_t item_length(const char *text)
{
	size_t n = probe_length(text);

	if (!n)
		return strcspn(text, ", ");
	if (text[n] == '/') {
		n += 1 + strcspn(text + n + 1, "/");
		n += text[n] == '/';
	}
	return n + strcspn(text + n, ", ");
}

void trace_events_split(const char *text, struct strbuf *calls, struct strbuf *events)
{
	/* strace wants "trace=" there */
	text += strncmp(text, "trace=", 6) ? 0 : 6;
	for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
		size_t len = item_length(text);
		struct strbuf *to = memchr(text, ':', len) ? events : calls;

		if (to->len)
			strbuf_putc(to, ',');
		strbuf_add(to, text, len);
		text += len;
	}
}

/* ---- records ---- */

static const struct planned_event *planned(const struct event_plan *plan,
					   const struct pev_event *ev)
{
	for (size_t i = 0; i < plan->n; i++)
		if (!strcmp(plan->events[i].label, ev->cls->name) ||
		    (plan->events[i].name && !strcmp(plan->events[i].name, ev->cls->name)))
			return &plan->events[i];
	return NULL;
}

/* Which of several functions it was is known to the one who asked for them. */
static const char *place_of(const struct event_plan *plan, const struct pev_event *ev)
{
	const struct pev_field *f = pev_class_field(ev->cls, "place");
	const struct planned_event *e = f ? planned(plan, ev) : NULL;
	uint64_t place = e ? pev_event_int(ev, f) : 0;

	if (!e || !e->probe || place >= e->probe->nr)
		return NULL;
	return e->probe->strings.s + e->probe->places[place].name;
}

/* Of a probe, that nothing failed is of no interest, and the place is told by its name. */
static bool is_shown(const struct pev_event *ev, const struct pev_field *f)
{
	if (ev->cls->type != PEV_TYPE_PROBE)
		return payload_is_shown(ev, f);
	if (!strcmp(f->name, "place"))
		return false;
	if (!strcmp(f->name, "faults"))
		return pev_event_int(ev, f);
	return payload_is_shown(ev, f);
}

void trace_events_fields(const struct event_plan *plan, const struct pev_event *ev,
			 void (*each)(void *arg, const char *name, const char *value), void *arg)
{
	const char *place = place_of(plan, ev);
	struct strbuf value = { 0 };

	if (place)
		each(arg, "place", place);
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];

		if (!is_shown(ev, f))
			continue;
		strbuf_reset(&value);
		payload_put_value(&value, ev, f, 0);
		each(arg, f->name, value.s);
	}
	strbuf_free(&value);
}

/**
 * struct line - of an event
 * @b: where it goes
 * @any: it has fields already
 * @plain: the place is in the event's name
 */
struct line {
	struct strbuf *b;
	bool any;
	bool plain;
};

static void put_field(void *arg, const char *name, const char *value)
{
	struct line *l = arg;

	if (l->plain && !strcmp(name, "place"))
		return;
	strbuf_addf(l->b, "%s%s: ", l->any ? ", " : "", name);
	strbuf_puts(l->b, value);
	l->any = true;
}

void trace_events_put(struct strbuf *b, const struct event_plan *plan, const struct pev_event *ev)
{
	const struct planned_event *e = planned(plan, ev);
	struct line l = { .b = b, .plain = e && e->probe && e->probe->nr == 1 };

	text_name(b, ev->cls->name);
	strbuf_putc(b, '(');
	trace_events_fields(plan, ev, put_field, &l);
	strbuf_putc(b, ')');
}
