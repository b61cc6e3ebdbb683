// SPDX-License-Identifier: GPL-2.0
/* What a recording says of its losses. See account.h. */
#include "account.h"
#include "event/engine.h"

#include <stdlib.h>

int account_losses(struct recorder *r, struct pev_writer *w)
{
	int err = 0;

	for (unsigned int nr = 0; nr < pev_channel_nr_rings(r->channel) && !err; nr++) {
		struct pev_ring *ring = pev_channel_ring(r->channel, nr);

		if (ring)
			err = pev_writer_lost(w, nr, pev_ring_cpu(ring), recorder_lost_on(r, ring),
					      0);
	}
	return err;
}

/* What the kernel counted since the part before */
static struct pev_value since(const struct recorder *r, size_t i, const struct pev_value *v)
{
	const struct pev_value *said = r->said ? &r->said[i] : &(const struct pev_value){ 0 };

	return (struct pev_value){
		.samples = v->samples - said->samples,
		.lost = v->lost - said->lost,
		.filtered = v->filtered - said->filtered,
	};
}

/*
 * What the kernel counted, by event: rings know losses of all events together only. A record that
 * is made while a part ends may count to the one before or behind it.
 */
int account_counts(struct recorder *r, struct pev_writer *w)
{
	const struct event_plan *plan = r->config.plan;
	struct pev_value *v = xcalloc(plan->n, sizeof(*v));
	struct strbuf b = { 0 };
	struct msg ignored;
	int err = 0;

	/*
	 * What the relay got of it before, and what a channel of the kernel's has, is not known by
	 * event: rings have all.
	 */
	if (r->relayed.nr > 1 || r->config.channel)
		goto out;
	if (!recorder_values(r, v, &ignored)) {
		for (size_t i = 0; i < plan->n; i++) {
			const struct planned_event *e = &plan->events[i];
			const char *name = (const char *)(uintptr_t)e->attr.name;
			struct pev_value n = since(r, i, &v[i]);

			strbuf_addf(&b, "%llu %llu %llu %s\n", (unsigned long long)n.samples,
				    (unsigned long long)n.lost, (unsigned long long)n.filtered,
				    name ? name : e->name);
		}
		err = pev_writer_info_file(w, "counts", b.s, b.len);
		free(r->said);
		r->said = v;
		v = NULL;
	}
out:
	strbuf_free(&b);
	free(v);
	return err;
}

int account_gaps(const struct recorder *r, struct pev_writer *w)
{
	char *text = cpu_watch_text(&r->cpus);
	int err = text ? pev_writer_info(w, "not_measured", text) : 0;

	free(text);
	return err;
}
