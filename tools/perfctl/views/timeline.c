// SPDX-License-Identifier: GPL-2.0
/* From the records of the scheduler to what each thread did in each column. See timeline.h. */
#include "timeline.h"
#include "kvm/points.h"
#include "kvm/vmm.h"
#include "session/sched.h"
#include "waits/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MOST 4096

static struct timeline_thread *thread_of(struct timeline *tl, uint32_t tid)
{
	struct timeline_thread *t;

	if (HTAB_GET(t, &tl->h, hash_u64(tid), t->tid == tid, tl->thread, tl->n, tl->cap)) {
		t->tid = tid;
		t->since = tl->from;
		t->cpu = t->vcpu = -1;
	}
	return t;
}

static unsigned int column(const struct timeline *tl, int64_t ns)
{
	__int128 c = (__int128)(ns - tl->from) * tl->width / (tl->to - tl->from);

	return c < 0 ? 0 : c >= tl->width ? tl->width - 1 : (unsigned int)c;
}

int64_t timeline_column(const struct timeline *tl, unsigned int c)
{
	return tl->from + (int64_t)((__int128)(tl->to - tl->from) * c / tl->width);
}

/* Calls @fn with each column's part of a span. */
static void spread(struct timeline *tl, int64_t from, int64_t to, void *arg,
		   void (*fn)(void *arg, unsigned int column, uint64_t ns))
{
	if (from < tl->from)
		from = tl->from;
	if (to > tl->to)
		to = tl->to;
	if (from >= to)
		return;
	for (unsigned int c = column(tl, from); c < tl->width && from < to; c++) {
		int64_t end = timeline_column(tl, c + 1) < to ? timeline_column(tl, c + 1) : to;

		if (end > from)
			fn(arg, c, (uint64_t)(end - from));
		from = end > from ? end : from;
	}
}

static void add_state(void *arg, unsigned int c, uint64_t ns)
{
	struct timeline_thread *t = arg;

	t->time[c * TIMELINE_STATES + t->state] += ns;
}

static void set_state(struct timeline *tl, struct timeline_thread *t, enum timeline_state what,
		      int64_t now)
{
	if ((tl->threads || tl->vcpus) && !t->time)
		t->time = xcalloc((size_t)tl->width * TIMELINE_STATES, sizeof(*t->time));
	if (t->time)
		spread(tl, t->since, now, t, add_state);
	if (t->state == TIMELINE_RUN || t->state == TIMELINE_GUEST) {
		int64_t begin = t->since > tl->from ? t->since : tl->from;
		int64_t end = now < tl->to ? now : tl->to;

		t->ran += end > begin ? (uint64_t)(end - begin) : 0;
	}
	t->state = what;
	t->since = now;
}

struct track_part {
	struct timeline_track *track;
	uint32_t comm;
};

static void add_track(void *arg, unsigned int c, uint64_t ns)
{
	struct track_part *p = arg;

	p->track->busy[c] += ns;
	if (ns > p->track->most[c]) {
		p->track->most[c] = ns;
		p->track->comms[c] = p->comm;
	}
}

static struct timeline_track *track_of(struct timeline *tl, uint32_t cpu)
{
	struct timeline_track *l = &tl->tracks[cpu];

	if (!l->comms) {
		l->comms = xcalloc(tl->width, sizeof(*l->comms));
		l->most = xcalloc(tl->width, sizeof(*l->most));
		l->busy = xcalloc(tl->width, sizeof(*l->busy));
		l->since = tl->from;
	}
	return l;
}

static enum timeline_state state_of(enum sched_state state)
{
	return state == SCHED_DEAD    ? TIMELINE_NOTHING :
	       state == SCHED_BLOCKED ? TIMELINE_SLEEP :
					TIMELINE_WAIT;
}

bool timeline_wants(const struct timeline *tl, uint32_t comm)
{
	return !tl->comm || globs_match(tl->comm, machine_comm_name(&tl->session->machine, comm));
}

bool timeline_shows(const struct timeline *tl, const struct timeline_thread *t)
{
	return t->time && timeline_wants(tl, t->comm) &&
	       (!tl->request || timeline_request_has(tl->request, t->tid));
}

static void switched(struct timeline *tl, const struct pev_event *ev, const struct sched_fields *f,
		     int64_t now)
{
	struct thread who = sched_prev(&tl->session->machine, ev, f)->thread;
	uint32_t prev = (uint32_t)pev_event_int(ev, f->prev_pid);
	uint32_t next = (uint32_t)pev_event_int(ev, f->next_pid);
	struct timeline_track *l = track_of(tl, ev->cpu);
	struct track_part part = { l, who.comm };

	if (prev) {
		struct timeline_thread *t = thread_of(tl, prev);

		/* a thread that leaves was running, even if the record of its coming is missing */
		if (t->state == TIMELINE_NOTHING) {
			t->state = TIMELINE_RUN;
			t->since = l->since;
		}
		t->comm = who.comm;
		set_state(tl, t, state_of(sched_state(ev, f)), now);
		if (timeline_wants(tl, who.comm))
			spread(tl, l->since, now, &part, add_track);
	}
	if (next)
		set_state(tl, thread_of(tl, next), TIMELINE_RUN, now);
	l->since = now;
}

static void woken(struct timeline *tl, const struct pev_event *ev, int64_t now)
{
	const struct pev_field *pid = pev_class_field(ev->cls, "pid");
	struct timeline_thread *t;

	if (!pid || !pev_event_int(ev, pid))
		return;
	t = thread_of(tl, (uint32_t)pev_event_int(ev, pid));
	if (t->state != TIMELINE_RUN && t->state != TIMELINE_GUEST)
		set_state(tl, t, TIMELINE_WAIT, now);
}

/* A virtual processor enters its guest, or leaves it: what its thread does next is the host's. */
static bool crossed(struct timeline *tl, const struct pev_event *ev, int64_t now)
{
	enum kvm_crossing what = kvm_crossing(ev->cls->name);
	bool entry = what == KVM_ENTRY;
	const struct pev_field *vcpu;
	struct timeline_thread *t;
	struct thread who;

	if (what == KVM_NO_CROSSING)
		return false;
	vcpu = pev_class_field(ev->cls, "vcpu_id");
	t = thread_of(tl, ev->tid);
	who = machine_seen(&tl->session->machine, ev->pid, ev->tid)->thread;
	t->comm = who.comm;
	t->pid = who.pid;
	/* where KVM does not say it, VMMs do, by the name of the thread */
	t->vcpu = vcpu ? (int)pev_event_int(ev, vcpu) :
			 vmm_vcpu_of_thread(machine_comm_name(&tl->session->machine, who.comm));
	/* it was in the guest, even if the record of its entry is missing */
	if (!entry && t->state == TIMELINE_NOTHING)
		t->state = TIMELINE_GUEST;
	set_state(tl, t, entry ? TIMELINE_GUEST : TIMELINE_RUN, now);
	return true;
}

/* It is most likely to be of a machine like this one. */
static int no_guests(const struct timeline *tl, struct msg *m)
{
	const struct kvm_points *points = kvm_points(guest_isa_here());

	return msg_set(
		m, -EBADMSG,
		"%s has no %s, by which virtual processors are known; record with "
		"\"perfctl record -a -e sched:sched_switch -e sched:sched_wakeup -e %s -e %s\"",
		pev_trace_path(tl->session->trace), points->entry, points->entry, points->exit);
}

static int read_all(struct timeline *tl, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	struct sched_fields f;
	bool any = false, guests = false;
	int err;

	session_progress(tl->session, "reading");
	while ((err = session_next(tl->session, &ev, &cls, m)) > 0) {
		int64_t now = pev_event_ns(ev);

		if (cls->kind != SESSION_EVENT || ev->cpu >= tl->n_tracks)
			continue;
		if (sched_is_switch(ev->cls, &f)) {
			switched(tl, ev, &f, now);
			any = true;
		} else if (!strncmp(ev->cls->name, "sched:sched_wakeup", 18)) {
			woken(tl, ev, now);
		} else if (tl->vcpus) {
			guests |= crossed(tl, ev, now);
		}
	}
	if (err)
		return err;
	if (tl->vcpus && !guests)
		return no_guests(tl, m);
	if (!any)
		return msg_set(m, -EBADMSG,
			       "%s has no sched:sched_switch; record with \"perfctl "
			       "record -a -e sched:sched_switch -e sched:sched_wakeup\"",
			       pev_trace_path(tl->session->trace));
	for (size_t i = 0; i < tl->n; i++)
		set_state(tl, &tl->thread[i], tl->thread[i].state, tl->to);
	return 0;
}

/* A wait ends what the thread ran before, on the processor that it came to last. */
static void waited(void *arg, const struct wait *wait)
{
	struct timeline *tl = arg;
	struct timeline_thread *t = thread_of(tl, wait->thread.tid);
	int64_t ran_from = wait->begin - (int64_t)wait->ran;

	t->comm = wait->thread.comm;
	t->state = TIMELINE_RUN;
	t->since = ran_from;
	set_state(tl, t, TIMELINE_SLEEP, wait->begin);
	set_state(tl, t, TIMELINE_WAIT, wait->begin + (int64_t)wait->blocked);
	set_state(tl, t, TIMELINE_RUN, wait->end);
	if (t->cpu >= 0 && (size_t)t->cpu < tl->n_tracks && timeline_wants(tl, t->comm)) {
		struct track_part part = { track_of(tl, (uint32_t)t->cpu), t->comm };

		spread(tl, ran_from, wait->begin, &part, add_track);
	}
	t->cpu = wait->cpu;
}

/* Records of waits tell where a thread ran between two of them. */
static int read_waits(struct timeline *tl, struct waits *w, struct msg *m)
{
	int err = waits_read(w, waited, tl, m);

	for (size_t i = 0; i < w->n && !err; i++) {
		const struct wait_thread *thread = &w->threads[i];
		struct timeline_thread *t = thread_of(tl, thread->thread.tid);

		/* of those that have not ended, it is not known what they do */
		if (thread->gone && t->state == TIMELINE_RUN)
			set_state(tl, t, TIMELINE_NOTHING, thread->since);
		t->state = TIMELINE_NOTHING;
	}
	return err;
}

static int read_events(struct timeline *tl, struct msg *m)
{
	struct waits w;
	int err;

	waits_init(&w, tl->session);
	w.no_chains = true;
	err = w.source == &waits_by_record && !tl->vcpus ? read_waits(tl, &w, m) : read_all(tl, m);
	waits_free(&w);
	return err;
}

int timeline_load(struct timeline *tl, struct msg *m)
{
	const struct pev_trace *t = tl->session->trace;

	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++)
		if (pev_trace_stream(t, i)->cpu >= (int)tl->n_tracks)
			tl->n_tracks = (size_t)pev_trace_stream(t, i)->cpu + 1;
	tl->n_tracks = min_u64(max_u64(tl->n_tracks, 1), CPUS_MOST);
	tl->tracks = xcalloc(tl->n_tracks, sizeof(*tl->tracks));
	return read_events(tl, m);
}

void timeline_free(struct timeline *tl)
{
	for (size_t i = 0; i < tl->n_tracks && tl->tracks; i++) {
		free(tl->tracks[i].comms);
		free(tl->tracks[i].most);
		free(tl->tracks[i].busy);
	}
	for (size_t i = 0; i < tl->n; i++)
		free(tl->thread[i].time);
	free(tl->tracks);
	free(tl->thread);
	htab_free(&tl->h);
}
