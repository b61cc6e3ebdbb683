// SPDX-License-Identifier: GPL-2.0
/* The messages of perfctl record. See summary.h. */
#include "summary.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"

#include <stdlib.h>

void summary_progress(const struct recorder *r, double seconds)
{
	char bytes[32], lost[32];
	uint64_t n = recorder_lost(r);

	fprintf(stderr, "\r[ recording %.1f s: %s", seconds, text_bytes(bytes, recorder_bytes(r)));
	if (n && !r->config.overwrite)
		fprintf(stderr, ", %s lost", text_count(lost, n));
	fprintf(stderr, " ]\033[K");
}

void summary_progress_clear(void)
{
	fprintf(stderr, "\r\033[K");
}

void summary_part(const char *path, uint64_t size, double seconds)
{
	char bytes[32];

	fprintf(stderr, "[ %s: %s, %.2f s ]\n", path, text_bytes(bytes, size), seconds);
}

static void add_value(struct pev_value *to, const struct pev_value *v)
{
	to->value += v->value;
	to->samples += v->samples;
	to->lost += v->lost;
	to->filtered += v->filtered;
}

static bool exact(void)
{
	return pev_engine_exact_losses(engine());
}

static void summary_event(const char *label, const struct pev_value *v, bool filter)
{
	char a[32], b[32], c[32], safe[256];

	fprintf(stderr, "  %-40s %14s %12s %12s\n", text_safe(safe, sizeof(safe), label),
		text_count(a, v->samples), exact() ? text_count(b, v->lost) : "-",
		filter ? text_count(c, v->filtered) : "-");
}

/* Says where records were lost, and what helps. */
static void summary_losses(const struct recorder *r, const struct pev_value *total)
{
	struct strbuf room = { 0 };
	char a[32], b[32];

	fprintf(stderr, "  lost on");
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(r->channel); nr++) {
		struct pev_ring *ring = pev_channel_ring(r->channel, nr);

		if (!ring || !recorder_lost_on(r, ring))
			continue;
		if (pev_ring_cpu(ring) >= 0)
			fprintf(stderr, " CPU %d: ", pev_ring_cpu(ring));
		else
			fprintf(stderr, " ring %u: ", nr);
		fprintf(stderr, "%s", text_count(a, recorder_lost_on(r, ring)));
	}
	fprintf(stderr, "\n");
	engine_put_larger_ring(&room, r->config.ring_size > (1 << 24) ? 256 : 16);
	note("%s%s of %s record%s %s lost (%.2f %%), because they came faster than they could be "
	     "written: %s, fewer events or a filter",
	     exact() ? "" : "at least ", text_count(a, total->lost),
	     text_count(b, total->lost + total->samples), text_s(total->lost + total->samples),
	     total->lost == 1 ? "was" : "were",
	     100.0 * (double)total->lost / (double)(total->lost + total->samples), room.s);
	strbuf_free(&room);
}

/* What programs have written, and what they claim to have lost. */
static void summary_marks(const struct recorder *r)
{
	struct pev_user_sums sums;
	char a[32], b[32], c[32];

	if (!r->marks.user)
		return;
	pev_user_sums(r->marks.user, &sums);
	fprintf(stderr, "  marks: %s record%s of %s program%s%s\n", text_count(a, sums.records),
		text_s(sums.records), text_count(b, sums.producers), text_s(sums.producers),
		sums.lost || sums.damaged ? "" : ", none lost");
	if (sums.lost)
		note("programs say that %s of their marks were written over before they were read: "
		     "build them with a larger PEV_MARK_RING",
		     text_count(c, sums.lost));
	if (sums.damaged)
		note("%s places in programs' rings hold no record: a program writes where it should "
		     "not",
		     text_count(c, sums.damaged));
	if (sums.no_room)
		note("%s programs had no memory for their marks: raise their limit of locked memory "
		     "(ulimit -l)",
		     text_count(c, sums.no_room));
}

/* What got lost on the way to a relay is lost. */
static const struct pev_value *delivered(const struct recorder *r, size_t i, struct pev_value *v)
{
	uint64_t n = r->relayed.events ? r->relayed.events[i] : 0;

	v->samples -= n;
	v->lost += n;
	return v;
}

/* Returns how many stacks did not come, if it is not for want of room. */
static uint64_t owed_stacks(const struct recorder *r, const struct pev_value *v)
{
	const struct event_plan *plan = r->config.plan;
	uint64_t owed = 0;

	for (size_t i = 0; i < plan->n && !recorder_lost(r); i++)
		if (plan->events[i].attr.type == PEV_TYPE_USTACK)
			owed += v[i].lost;
	return owed;
}

static void summary_owed(uint64_t owed)
{
	char a[32];

	if (owed)
		note("%s call chains of programs did not come: their threads had not returned "
		     "from the kernel at the end, or may not be watched any more",
		     text_count(a, owed));
}

void summary_records(struct recorder *r, double seconds)
{
	const struct event_plan *plan = r->config.plan;
	struct pev_value total = { 0 }, *v = xcalloc(plan->n, sizeof(*v));
	char a[32], b[32], c[64], d[64], e[32];
	uint64_t missing, owed;
	struct msg m;

	if (recorder_values(r, v, &m))
		print_error("%s", m.text);
	for (size_t i = 0; i < plan->n; i++)
		add_value(&total, &v[i]);
	owed = owed_stacks(r, v);
	total.lost -= owed;
	total.samples += user_marks_records(&r->marks);
	/* the last ones would show only before another record */
	snprintf(c, sizeof(c), exact() ? ", nothing lost" : ", no losses are known");
	if (!exact())
		total.lost = recorder_lost(r);
	if (r->config.overwrite)
		total.lost = 0;
	missing = recorder_missing(r, total.samples);
	if (r->failed)
		*c = '\0';
	if (r->failed && r->config.pipe)
		snprintf(c, sizeof(c), ", of which the reader has not got all");
	if (missing)
		snprintf(c, sizeof(c), ", %s more %s", text_count(a, missing),
			 r->config.relay ? "did not reach the relay" : "could not be written");
	if (r->config.fold)
		snprintf(d, sizeof(d), "sample%s in %s row%s", text_s(total.samples - missing),
			 text_count(e, r->fold.rows), text_s(r->fold.rows));
	else
		snprintf(d, sizeof(d), "record%s", text_s(total.samples - missing));
	fprintf(stderr, "[ %s: %s %s, %s, %.2f s%s%s ]\n", r->config.path,
		text_count(a, total.samples - missing), d, text_bytes(b, recorder_bytes(r)),
		seconds, r->config.overwrite ? ", of which the newest were kept" : "",
		total.lost && !missing ? "" : c);
	if (plan->n > 1 || total.lost || r->relayed.records || total.filtered) {
		fprintf(stderr, "  %-40s %14s %12s %12s\n", "event", "records", "lost", "filtered");
		for (size_t i = 0; i < plan->n; i++)
			if (plan->n <= 20 || v[i].samples || v[i].lost)
				/* perf does not count what a filter refuses */
				summary_event(plan->events[i].label, delivered(r, i, &v[i]),
					      plan->events[i].filter && engine_is_pev());
	}
	if (total.lost)
		summary_losses(r, &total);
	summary_owed(owed);
	pairs_summary(&r->pairs, plan);
	summary_marks(r);
	if (r->fold.other)
		note("%s samples found no room in the kernel's tables: they are in the recording as those "
		     "of \"(other)\"; lower -F, or raise the limit of locked memory (ulimit -l)",
		     text_count(a, r->fold.other));
	event_plan_note_ended(plan, r->config.target->type, v);
	free(v);
}

static void note_throttled(const char *label, const struct pev_multiplexed *w)
{
	char a[32], b[32];

	note("%s: sampling was held up %s time%s, for %s in all, because samples came faster than the "
	     "kernel lets them: take a lower frequency (-F) or a longer period (-c)",
	     label, text_count(a, w->throttled), text_s(w->throttled), text_ns(b, w->throttled_ns));
}

void summary_hardware(const struct recorder *r)
{
	size_t ids = r->set.n_ids;
	struct pev_multiplexed *w = xcalloc(ids, sizeof(*w));

	for (size_t i = 0; ids && i < r->config.plan->n; i++) {
		const char *label = r->config.plan->events[i].label;

		if (event_set_read_windows(&r->set, i, w))
			continue;
		for (size_t k = 1; k < ids; k++) {
			w->throttled += w[k].throttled;
			w->throttled_ns += w[k].throttled_ns;
			w->time_enabled += w[k].time_enabled;
			w->time_running += w[k].time_running;
		}
		if (w->throttled)
			note_throttled(label, w);
		if (w->time_enabled > w->time_running + w->throttled_ns + w->time_enabled / 100)
			note("%s: was sampled for %.1f %% of the time; otherwise other events had the "
			     "counters (see \"perfctl pmu\")",
			     label, 100.0 * (double)w->time_running / (double)w->time_enabled);
	}
	free(w);
}

void summary_channel(const struct recorder *r, double seconds)
{
	uint64_t lost = recorder_lost(r);
	char a[32], b[32];

	fprintf(stderr, "[ %s: %s of %s, %.2f s%s ]\n", r->config.path,
		text_bytes(a, recorder_bytes(r)), r->config.channel, seconds,
		lost || r->failed ? "" : ", nothing lost");
	if (lost)
		note("%s records found no room meanwhile: the owner of %s chose the size of its rings",
		     text_count(a, lost), r->config.channel);
	if (r->lost_before)
		note("%s records found no room before, while nobody read %s: the recording counts them "
		     "as lost, too",
		     text_count(b, r->lost_before), r->config.channel);
}
