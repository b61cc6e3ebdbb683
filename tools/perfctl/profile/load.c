// SPDX-License-Identifier: GPL-2.0
/* Loads the samples of a recording into a profile. See load.h. */
#include "load.h"
#include "load_parts.h"
#include "rows.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "cli/term.h"
#include "kvm/reasons.h"
#include "session/request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* events between two checks of the clock and of load.stop */
#define EVENTS_PER_LOOK 65536

/* "next_pid", of any event, or "sched:sched_switch.next_pid", "sched_*.next_pid" */
static const struct pev_field *find_field(const struct pev_class *cls, const char *name)
{
	const char *dot = strrchr(name, '.'), *colon = strchr(cls->name, ':');
	char *event;
	bool match;

	if (!dot)
		return pev_class_field(cls, name);
	event = xstrndup(name, (size_t)(dot - name));
	match = glob_match(event, cls->name) || (colon && glob_match(event, colon + 1));
	free(event);
	return match ? pev_class_field(cls, dot + 1) : NULL;
}

static bool is_wanted(const struct load_config *c, const char *event)
{
	return (!c->event || globs_match(c->event, event)) &&
	       !(c->except && globs_match(c->except, event));
}

/* One of a rate stands for the time to the next one. */
static uint64_t time_of(const struct pev_class *cls)
{
	return cls->freq ? 1000000000 / cls->freq : 0;
}

bool load_weighs(const struct session *f, unsigned int class_index)
{
	const struct session_class *c = &f->classes[class_index];
	const struct pev_class *cls = pev_trace_class(f->trace, class_index);

	return c->kind == SESSION_EVENT && !c->folded &&
	       (c->scale > 1 || time_of(cls) || cls->sample & PEV_SAMPLE_PERIOD);
}

void load_init(struct load *l, struct session *session, const struct load_config *config)
{
	*l = (struct load){ .session = session, .config = *config };
	profile_init(&l->profile, session);
	pthread_mutex_init(&l->lock, NULL);
	l->begin = pev_trace_begin_ns(session->trace);
	l->verdicts = xcalloc(session->names.n, 1);
	for (uint32_t e = 0; e < session->names.n; e++)
		l->verdicts[e] = is_wanted(config, strtab_get(&session->names, e));
	for (unsigned int c = 0; config->weigh && c < session->n_classes; c++)
		if (!load_weighs(session, c))
			l->verdicts[session->classes[c].event] = 0;
	for (unsigned int i = 0; i < pev_trace_nr_streams(session->trace); i++)
		l->total += pev_trace_stream(session->trace, i)->size;
	l->rare = config->fields[0] ||
		  config->mask & (1u << SORT_PID | 1u << SORT_TID | 1u << SORT_CPU |
				  1u << SORT_TIME | 1u << SORT_GUEST | 1u << SORT_VCPU |
				  1u << SORT_EXIT | 1u << SORT_REQUEST | SORT_PLACES);
	if (config->mask & SORT_PLACES)
		topology_load(&l->topology, session);
	if (!config->fields[0])
		return;
	l->fields = xcalloc((size_t)session->n_classes * FIELDS_MAX, sizeof(struct pev_field *));
	for (unsigned int c = 0; c < session->n_classes; c++)
		for (unsigned int k = 0; k < FIELDS_MAX && config->fields[k]; k++)
			l->fields[c * FIELDS_MAX + k] = find_field(
				pev_trace_class(session->trace, c), config->fields[k]);
}

int load_samples(struct load *l, struct session *session, const struct load_config *config,
		 struct msg *m)
{
	int err;

	load_init(l, session, config);
	l->progress = term_progress;
	l->arg = "reading";
	err = load_run(l, m);
	term_progress_end();
	if (!err)
		stacks_resolve_all(&session->stacks);
	return err;
}

void load_free(struct load *l)
{
	if (!l->session)
		return;
	free(l->fields);
	free(l->verdicts);
	topology_free(&l->topology);
	profile_free(&l->profile);
	pthread_mutex_destroy(&l->lock);
	*l = (struct load){ 0 };
}

static uint32_t text_value(struct profile *p, const struct pev_event *ev, const struct pev_field *f)
{
	struct strbuf b = { 0 };
	char buf[512];
	uint32_t id;

	if (f->is_text)
		pev_event_copy_text(ev, f, buf, sizeof(buf));
	else
		pev_event_print_field(ev, f, PEV_PRINT_LABEL, buf, sizeof(buf));
	text_name(&b, buf);
	id = strtab_id(&p->values, b.s);
	strbuf_free(&b);
	return id;
}

/* The integers of a field repeat: each one is printed only once. */
static uint32_t field_value(struct profile *p, const struct pev_event *ev,
			    const struct pev_field *f)
{
	struct int_value *i;
	uint64_t v;

	if (!f)
		return 0;
	if (f->shape != PEV_SHAPE_INT)
		return text_value(p, ev, f);
	v = pev_event_int(ev, f);
	if (HTAB_GET(i, &p->h_ints, hash_2u64(v, (uintptr_t)f), i->v == v && i->field == f, p->ints,
		     p->n_ints, p->cap_ints))
		*i = (struct int_value){ .field = f, .v = v, .text = text_value(p, ev, f) };
	return i->text;
}

uint32_t load_request(struct profile *p, const struct pev_event *ev)
{
	struct pev_request request;
	char text[REQUEST_TEXT];

	if (!pev_event_request(ev, &request))
		return 0;
	return strtab_id(&p->values, request_trace(text, &request));
}

/* What is said of few numbers is said again and again: each has its text once. */
static uint32_t load_exit(struct profile *p, const struct pev_event *ev)
{
	char text[GUEST_REASON_TEXT];
	struct int_value *i;

	if (!ev->exit)
		return 0;
	if (HTAB_GET(i, &p->h_ints, hash_2u64(ev->exit, (uintptr_t)NULL),
		     i->v == ev->exit && !i->field, p->ints, p->n_ints, p->cap_ints))
		*i = (struct int_value){
			.v = ev->exit,
			.text = strtab_id(&p->values, guest_exit_reason(text, ev->exit)),
		};
	return i->text;
}

static void fill_guest(const struct load *l, struct profile *p, const struct pev_event *ev,
		       const struct thread *t, struct cell_key *key)
{
	unsigned int mask = l->config.mask;

	if (mask & (1u << SORT_GUEST))
		key->guest = ev->guest ? t->pid : t->pid | CELL_FOR_GUEST;
	if (mask & (1u << SORT_VCPU))
		key->vcpu = t->tid;
	if (mask & (1u << SORT_EXIT))
		key->exit = load_exit(p, ev);
}

static void fill_place(const struct load *l, uint32_t cpu, struct cell_key *key)
{
	struct topology_cpu place = topology_of(&l->topology, cpu);
	unsigned int mask = l->config.mask;

	if (mask & (1u << SORT_NODE))
		key->node = place.node;
	if (mask & (1u << SORT_SOCKET | 1u << SORT_CORE))
		key->socket = place.socket;
	if (mask & (1u << SORT_CORE))
		key->core = place.core;
}

/* Fills the members of the key that few tables need. */
static void fill_rare(const struct load *l, struct profile *p, const struct pev_event *ev,
		      const struct thread *t, int64_t ns, struct cell_key *key)
{
	unsigned int mask = l->config.mask;

	if (mask & (1u << SORT_PID))
		key->pid = t->pid;
	if (mask & (1u << SORT_TID))
		key->tid = t->tid;
	if (mask & (1u << SORT_CPU))
		key->cpu = ev->cpu;
	if (mask & (1u << SORT_TIME))
		key->time = (uint32_t)min_u64((uint64_t)(ns - l->begin) / l->config.quantum,
					      UINT32_MAX);
	if (ev->guest || ev->exit)
		fill_guest(l, p, ev, t, key);
	if (mask & (1u << SORT_REQUEST))
		key->request = load_request(p, ev);
	if (mask & SORT_PLACES)
		fill_place(l, ev->cpu, key);
	for (unsigned int k = 0; k < FIELDS_MAX && l->config.fields[k]; k++)
		key->value[k] = field_value(p, ev, l->fields[ev->cls->index * FIELDS_MAX + k]);
}

static uint64_t weight_of(const struct load *l, const struct pev_event *ev,
			  const struct session_class *cls, const struct thread *thread, int64_t ns)
{
	uint64_t weight = ev->cls->sample & PEV_SAMPLE_PERIOD ? ev->period : cls->scale;

	if (l->config.weigh)
		return l->config.weigh(l->config.weigher, thread,
				       weight > 1 ? weight : time_of(ev->cls), ns);
	return weight * (l->scale ? l->scale : 1);
}

/* Cells have only the keys that rows will be distinguished by. */
void load_event(const struct load *l, struct load_part *part, const struct pev_event *ev,
		const struct session_class *cls, int64_t ns)
{
	struct profile *p = part->profile;
	struct cell_key key = { .event = cls->event };
	const struct seen *who = machine_seen(&p->session->machine, ev->pid, ev->tid);
	const struct mapset *space = who->space;
	uint64_t weight = weight_of(l, ev, cls, &who->thread, ns);

	if (!weight && l->config.weigh)
		return;
	ev = session_unwind(part->profile->session, who, ev);
	if (l->config.mask & (1u << SORT_COMM))
		key.comm = who->thread.comm;
	if (l->rare)
		fill_rare(l, p, ev, &who->thread, ns, &key);
	if (ev->kstack_len || ev->ustack_len) {
		part->chains = true;
		key.chain = stacks_chain(p->stacks, space, ev->kstack, ev->kstack_len, ev->ustack,
					 ev->ustack_len);
	}
	if (ev->cls->sample & PEV_SAMPLE_IP)
		key.frame = stacks_sampled(p->stacks, space, ev->ip, ev->guest);
	else if (key.chain)
		key.frame = p->stacks->chain_frames[p->stacks->chains[key.chain].first];
	/* which is no reason to show trees */
	if (ev->guest && !key.chain && key.frame)
		key.chain = stacks_guest_chain(p->stacks, key.frame, who->thread.pid);
	if (!l->config.chains)
		key.chain = CHAIN_NONE;
	profile_add_many(p, &key, session_samples(cls, ev), weight);
}

bool load_timed(const struct load *l)
{
	return l->config.from != INT64_MIN || l->config.to != INT64_MAX ||
	       (l->config.mask & (1u << SORT_TIME)) || l->config.weigh;
}

/* Loads in one thread: the cursor returns events in order of time. */
static int run_alone(struct load *l, struct msg *m)
{
	bool timed = load_timed(l);
	struct load_part part = { .profile = &l->profile };
	const struct pev_event *ev;
	const struct session_class *cls;
	uint64_t n = 0;
	int err = session_seek(l->session, l->config.from, m);

	if (err)
		return err;
	pthread_mutex_lock(&l->lock);
	while (!l->stop && (err = session_next(l->session, &ev, &cls, m)) > 0) {
		int64_t ns = timed ? pev_event_ns(ev) : 0;

		/* those that follow are later */
		if (timed && ns > l->config.to) {
			err = 0;
			break;
		}
		l->done += ev->record_len;
		if (++n % EVENTS_PER_LOOK == 0) {
			l->chains = part.chains;
			if (l->progress)
				l->progress(l->arg, l->done, l->total);
			pthread_mutex_unlock(&l->lock);
			while (l->wanted)
				sched_yield();
			pthread_mutex_lock(&l->lock);
		}
		if (cls->kind != SESSION_EVENT || !l->verdicts[cls->event])
			continue;
		if (timed && ns < l->config.from)
			continue;
		load_event(l, &part, ev, cls, ns);
	}
	l->chains = part.chains;
	l->done = l->total;
	pthread_mutex_unlock(&l->lock);
	return l->stop ? 0 : err;
}

int load_run(struct load *l, struct msg *m)
{
	long cpus = l->config.threads ? (long)l->config.threads : sysconf(_SC_NPROCESSORS_ONLN);
	int err = 1;

	if (cpus > 1)
		err = load_in_parts(l, (unsigned int)cpus, m);
	return err > 0 ? run_alone(l, m) : err;
}

/* "sched:sched_switch (prev_comm, prev_pid)" */
static void name_fields(const struct pev_class *cls, struct strbuf *b)
{
	if (!cls->nr_fields)
		return;
	strbuf_addf(b, "%s%s (", b->len ? ", " : "", cls->name);
	for (unsigned int i = 0; i < cls->nr_fields; i++)
		strbuf_addf(b, "%s%s", i ? ", " : "", cls->fields[i].name);
	strbuf_puts(b, ")");
}

bool load_has_field(void *session, const char *name, struct suggestion *near, struct strbuf *all)
{
	const struct session *f = session;

	for (unsigned int c = 0; c < f->n_classes; c++) {
		const struct pev_class *cls = pev_trace_class(f->trace, c);

		if (f->classes[c].kind != SESSION_EVENT)
			continue;
		if (find_field(cls, name))
			return true;
		name_fields(cls, all);
		for (unsigned int i = 0; i < cls->nr_fields; i++)
			suggest_offer(near, cls->fields[i].name);
	}
	return false;
}

static int parse_seconds(const char *from, const char *end, int64_t begin, int64_t *ns,
			 struct msg *m)
{
	char *stop;
	double v = strtod(from, &stop);

	if (stop != end || !(v > -1e9 && v < 1e9))
		return msg_set(m, -EINVAL, "--time: \"%.*s\" is not a time in seconds",
			       (int)(end - from), from);
	/* a damaged recording may begin at the end of time */
	if (__builtin_add_overflow(begin, (int64_t)(v * 1e9), ns))
		*ns = v < 0 ? INT64_MIN : INT64_MAX;
	return 0;
}

int load_parse_time(const char *text, int64_t begin, int64_t *from, int64_t *to, struct msg *m)
{
	const char *comma = text ? strchr(text, ',') : NULL;
	int err = 0;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (!text)
		return 0;
	if (!comma)
		return msg_set(m, -EINVAL, "--time takes FROM,TO in seconds, not \"%s\"", text);
	if (comma != text)
		err = parse_seconds(text, comma, begin, from, m);
	if (!err && comma[1])
		err = parse_seconds(comma + 1, comma + strlen(comma), begin, to, m);
	return err;
}

/* Returns how long a recording is; a damaged one may claim to end before it begins. */
static uint64_t length_ns(const struct session *f)
{
	int64_t begin = pev_trace_begin_ns(f->trace), end = pev_trace_end_ns(f->trace);

	return end > begin ? (uint64_t)end - (uint64_t)begin : 0;
}

/* A cell has 32 bits for the number of its span: rows of other times would be one. */
static int spans_fit(const struct session *f, const char *text, uint64_t ns, struct msg *m)
{
	uint64_t all = length_ns(f);
	char a[32], b[32];

	if (all / ns < UINT32_MAX)
		return 0;
	return msg_set(m, -EINVAL,
		       "--time-quantum %s: the recording takes %s, which has too many "
		       "of these; %s is the least",
		       text, text_ns(a, all), text_ns(b, all / UINT32_MAX + 1));
}

int load_parse_quantum(const struct session *f, const char *text, uint64_t *ns, struct msg *m)
{
	if (!parse_time(text, ns))
		return spans_fit(f, text, *ns, m);
	return msg_set(m, -EINVAL, "--time-quantum takes a time such as 100ms, not \"%s\"", text);
}

uint64_t load_quantum(const struct session *f, unsigned int n)
{
	uint64_t step = 1, least = length_ns(f) / n;

	for (;;) {
		if (step >= least)
			return step;
		if (step * 2 >= least)
			return step * 2;
		if (step * 5 >= least)
			return step * 5;
		step *= 10;
	}
}
