// SPDX-License-Identifier: GPL-2.0
/* Joins records with stacks that came later. See owed.h. */
#include "owed.h"
#include "base/say.h"
#include "base/text.h"

#include <stdlib.h>

#define FIRST_BITS 10

/* The lower half of a cookie counts places, the upper half uses: each bit of both matters. */
static size_t first_place(const struct owed *o, uint64_t cookie)
{
	return (cookie * 0x9e3779b97f4a7c15ULL) >> (64 - o->bits);
}

/* Returns the place of a cookie, or the free one where it belongs. */
static struct owed_stack *find(const struct owed *o, uint64_t cookie)
{
	size_t at = first_place(o, cookie), mask = ((size_t)1 << o->bits) - 1;

	while (o->stacks[at].cookie && o->stacks[at].cookie != cookie)
		at = (at + 1) & mask;
	return &o->stacks[at];
}

static void grow(struct owed *o)
{
	struct owed_stack *old = o->stacks;
	size_t room = o->n ? (size_t)1 << o->bits : 0;

	o->bits = room ? o->bits + 1 : FIRST_BITS;
	o->stacks = xcalloc((size_t)1 << o->bits, sizeof(*o->stacks));
	for (size_t i = 0; i < room; i++)
		if (old[i].cookie)
			*find(o, old[i].cookie) = old[i];
	free(old);
}

void owed_add(struct owed *o, const struct pev_event *ev)
{
	const struct pev_field *cookie, *missing;
	struct owed_stack *s;
	uint64_t value;

	if (!o)
		return;
	cookie = pev_class_field(ev->cls, "cookie");
	missing = pev_class_field(ev->cls, "missing");
	value = pev_event_int(ev, cookie);
	if (!value)
		return;
	/* three quarters full */
	if (o->n >= (size_t)3 << o->bits >> 2)
		grow(o);
	s = find(o, value);
	o->n += !s->cookie;
	*s = (struct owed_stack){
		.cookie = value,
		.ustack = ev->ustack,
		.uregs = ev->uregs,
		.dump = ev->dump,
		.dump_len = ev->dump_len,
		.ustack_len = ev->ustack_len,
		.uregs_len = ev->uregs_len,
		.missing = (uint32_t)pev_event_int(ev, missing),
	};
}

static int add_one(void *o, const struct pev_event *ev)
{
	owed_add(o, ev);
	return 0;
}

static bool *wanted_classes(struct pev_trace *trace, bool *owes)
{
	unsigned int n = pev_trace_nr_classes(trace);
	bool *wanted = xcalloc(n + 1, sizeof(*wanted));

	*owes = false;
	for (unsigned int i = 0; i < n; i++) {
		const struct pev_class *cls = pev_trace_class(trace, i);

		wanted[i] = cls->type == PEV_TYPE_USTACK;
		*owes |= !!(cls->sample & PEV_SAMPLE_COOKIE);
	}
	return wanted;
}

static void look(struct owed *o, struct pev_trace *trace, const bool *wanted)
{
	unsigned int n = pev_trace_nr_streams(trace);

	if (n > o->n_streams) {
		o->seen = xrealloc(o->seen, n * sizeof(*o->seen));
		memset(o->seen + o->n_streams, 0, (n - o->n_streams) * sizeof(*o->seen));
		o->n_streams = n;
	}
	for (unsigned int i = 0; i < n; i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		pev_stream_scan(s, o->seen[i], s->nr_packets, wanted, add_one, o);
		o->seen[i] = s->nr_packets;
	}
}

struct owed *owed_new(struct pev_trace *trace)
{
	struct owed *o = NULL;
	bool owes, *wanted = wanted_classes(trace, &owes);

	if (owes) {
		o = xcalloc(1, sizeof(*o));
		grow(o);
		look(o, trace, wanted);
	}
	free(wanted);
	return o;
}

void owed_look(struct owed *o, struct pev_trace *trace)
{
	bool owes, *wanted = wanted_classes(trace, &owes);

	look(o, trace, wanted);
	free(wanted);
}

bool owed_has(const struct owed *o, const struct pev_event *ev)
{
	return o && find(o, ev->ustack_cookie)->cookie;
}

bool owed_waits(struct owed *o, const struct pev_event *ev, uint64_t synced, int64_t now_ms)
{
	if (!o || !ev->ustack_cookie || synced == UINT64_MAX || owed_has(o, ev)) {
		if (o)
			o->since = 0;
		return false;
	}
	if (synced != o->synced) {
		o->settled = o->synced;
		o->synced = synced;
	}
	if (ev->time > o->settled && !o->since)
		o->since = now_ms;
	if (o->since && now_ms - o->since >= OWED_WAIT_MS)
		o->settled = synced;
	if (ev->time > o->settled)
		return true;
	o->since = 0;
	return false;
}

void owed_free(struct owed *o)
{
	if (!o)
		return;
	free(o->stacks);
	free(o->seen);
	free(o);
}

const struct pev_event *owed_join(const struct owed *o, struct owed_sums *sums,
				  const struct pev_event *ev, struct pev_event *copy)
{
	const struct owed_stack *s;
	uint32_t missing;

	if (!o || !ev->ustack_cookie)
		return ev;
	s = find(o, ev->ustack_cookie);
	if (!s->cookie || s->missing) {
		missing = s->missing < PEV_MISSING_MAX ? s->missing : 0;
		sums->missing[missing]++;
		return ev;
	}
	sums->joined++;
	*copy = *ev;
	copy->ustack = s->ustack;
	copy->ustack_len = s->ustack_len;
	copy->uregs = s->uregs;
	copy->uregs_len = s->uregs_len;
	copy->dump = s->dump;
	copy->dump_len = s->dump_len;
	return copy;
}

void owed_merge(struct owed_sums *to, struct owed_sums *from)
{
	to->joined += from->joined;
	for (unsigned int i = 0; i < PEV_MISSING_MAX; i++)
		to->missing[i] += from->missing[i];
	*from = (struct owed_sums){ 0 };
}

void owed_note(const struct owed_sums *sums)
{
	static const char *const why[PEV_MISSING_MAX] = {
		[PEV_MISSING_NOTHING] = "it was lost, or the thread had not come back to user mode "
					"at the end of the recording",
		[PEV_MISSING_EXEC] = "the thread executed another program before",
		[PEV_MISSING_MEMORY] = "the thread ended before",
	};
	uint64_t all = sums->joined;
	char a[32], b[32];

	for (unsigned int i = 0; i < PEV_MISSING_MAX; i++)
		all += sums->missing[i];
	for (unsigned int i = 0; i < PEV_MISSING_MAX; i++)
		if (sums->missing[i])
			note("%s of %s samples whose user call chain came later are without it: %s",
			     text_count(a, sums->missing[i]), text_count(b, all), why[i]);
}
