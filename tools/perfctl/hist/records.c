// SPDX-License-Identifier: GPL-2.0
/* Rows of records, which are added up as they come. See source.h. */
#include "source.h"
#include "keys.h"
#include "event/cgroups.h"
#include "event/engine.h"
#include "event/kernel.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct record_part - a key, or the value, as a class has it
 * @key:   what it is; NULL: the value
 * @field: of PEV_TABLE_FIELD
 */
struct record_part {
	const struct pev_table_key *key;
	const struct pev_field *field;
};

/**
 * struct record_shape - what records of a class have
 * @known:  was it looked up?
 * @event:  of the plan
 * @begins: pairs; the keys are those that are kept
 */
struct record_shape {
	bool known;
	bool begins;
	size_t event;
	struct record_part keys[PEV_MAX_TABLE_KEYS];
	struct record_part pair[PEV_MAX_TABLE_KEYS];
	const struct pev_field *value;
};

/* ---- what can be counted ---- */

static bool asks_for(const struct pev_table *t, uint32_t from)
{
	for (unsigned int i = 0; i < t->nr_keys; i++)
		if (hist_key_from(&t->keys[i]) == from)
			return true;
	for (unsigned int i = 0; i < t->nr_pair; i++)
		if (t->begin[i].from == from || t->end[i].from == from)
			return true;
	return false;
}

/* Names are looked up by numbers of the second version's hierarchy. */
static int check_cgroups(struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!(info.event_flags & PEV_EF_CGROUP))
		return msg_set(m, -ENOSYS,
			       "by perf_event_open(2), hist by cgroup needs Linux 5.7 with "
			       "CONFIG_CGROUP_PERF; -G counts one cgroup");
	if (cgroup_perf_is_first())
		return msg_set(
			m, -ENOSYS,
			"by perf_event_open(2), hist by cgroup needs the controller perf_event "
			"in the hierarchy of cgroup v2: here it is in one of the first version");
	if (cgroup_perf_is_nowhere(engine()))
		return msg_set(m, -ENOENT,
			       "no cgroup has the controller perf_event: as root, \"echo +cpu "
			       ">/sys/fs/cgroup/cgroup.subtree_control\", or anything else that is "
			       "written there, lets cgroups have it");
	return 0;
}

static int records_check(const struct hist_source *s, struct msg *m)
{
	const struct pev_table *t = s->table;

	if (asks_for(t, PEV_TABLE_REQUEST))
		return msg_set(m, -ENOSYS,
			       "hist by request needs a kernel with pev: records of "
			       "perf_event_open(2) do not have it");
	return asks_for(t, PEV_TABLE_CGROUP) ? check_cgroups(m) : 0;
}

/* ---- where a record has it ---- */

static size_t event_of(const struct event_plan *plan, const char *class)
{
	for (size_t i = 0; i < plan->n; i++) {
		const char *name = (const char *)(uintptr_t)plan->events[i].attr.name;

		if (!strcmp(name ? name : plan->events[i].name, class))
			return i;
	}
	return plan->n;
}

static void set_sign(struct own_table *t, unsigned int bit, const struct pev_field *field)
{
	if (field && field->is_signed)
		t->sign |= 1u << bit;
}

/* The field that has the number of the call, of tracepoints of system calls */
static const struct pev_field *call_field(const struct pev_class *cls)
{
	bool raw = !strncmp(cls->name, "raw_syscalls:", strlen("raw_syscalls:"));

	return pev_class_field(cls, raw ? "id" : "__syscall_nr");
}

static void find_keys(struct hist_source *s, struct record_shape *shape,
		      const struct pev_class *cls)
{
	const struct pev_table *t = s->table;

	for (unsigned int i = 0; i < t->nr_keys; i++) {
		const struct pev_table_key *key = &t->keys[i];
		bool kept = key->from & PEV_TABLE_AT_BEGIN;

		/* the other event has it */
		if (t->open && kept != shape->begins)
			continue;
		shape->keys[i].key = key;
		if (hist_key_from(key) == PEV_TABLE_SYSCALL)
			shape->keys[i].field = call_field(cls);
		if (hist_key_from(key) != PEV_TABLE_FIELD)
			continue;
		shape->keys[i].field = pev_class_field(cls, key->name);
		set_sign(&s->own, i, shape->keys[i].field);
	}
}

static void find_pair(struct hist_source *s, struct record_shape *shape,
		      const struct pev_class *cls)
{
	const struct pev_table_key *pair = shape->begins ? s->table->begin : s->table->end;

	for (unsigned int i = 0; i < s->table->nr_pair; i++) {
		shape->pair[i].key = &pair[i];
		if (pair[i].from == PEV_TABLE_FIELD)
			shape->pair[i].field = pev_class_field(cls, pair[i].name);
	}
}

static struct record_shape *shape_of(struct hist_source *s, const struct pev_class *cls)
{
	struct record_shape *shape = &s->shapes[cls->index];

	if (shape->known)
		return shape;
	shape->known = true;
	shape->event = event_of(s->plan, cls->name);
	if (shape->event == s->plan->n)
		return shape;
	shape->begins = s->table->open && !shape->event;
	find_keys(s, shape, cls);
	find_pair(s, shape, cls);
	if (s->table->value == PEV_TABLE_OF_FIELD) {
		shape->value = pev_class_field(cls, s->table->field);
		set_sign(&s->own, PEV_MAX_TABLE_KEYS, shape->value);
	}
	return shape;
}

/* ---- records ---- */

static void put_comm(struct hist_source *s, const struct pev_event *ev, uint64_t *to)
{
	struct machine *machine = &s->sampler.session.machine;
	const struct thread *thread = &machine_seen(machine, ev->pid, ev->tid)->thread;

	to[0] = to[1] = 0;
	snprintf((char *)to, 2 * sizeof(*to), "%s", machine_comm_name(machine, thread->comm));
}

static uint64_t number_of(const struct record_shape *shape, const struct record_part *part,
			  const struct pev_event *ev)
{
	switch (hist_key_from(part->key)) {
	case PEV_TABLE_PID:
		return ev->pid;
	case PEV_TABLE_TID:
		return ev->tid;
	case PEV_TABLE_CPU:
		return ev->cpu;
	case PEV_TABLE_EVENT:
		return shape->event;
	case PEV_TABLE_CGROUP:
		return ev->cgroup;
	default:
		return pev_event_int(ev, part->field);
	}
}

/* The keys were parsed, and so are those that the library knows. */
static uint64_t bucket_of(const struct hist_source *s, unsigned int i, uint64_t number)
{
	unsigned int flags = s->own.sign >> i & 1 ? PEV_TABLE_SIGNED : 0;
	uint64_t word = 0;

	pev_table_bucket(&s->table->keys[i], flags, number, &word);
	return word;
}

/* Key i lies in words 2 * i and the next one. */
static void put_key(struct hist_source *s, const struct record_shape *shape,
		    const struct pev_event *ev, uint64_t *key)
{
	memset(key, 0, OWN_WORDS * sizeof(*key));
	for (unsigned int i = 0; i < s->table->nr_keys; i++) {
		const struct record_part *part = &shape->keys[i];

		if (!part->key || part->key->from == PEV_TABLE_LATENCY)
			continue;
		if (hist_key_from(part->key) == PEV_TABLE_COMM)
			put_comm(s, ev, &key[2 * i]);
		else
			key[2 * i] = bucket_of(s, i, number_of(shape, part, ev));
	}
}

static uint64_t value_of(const struct hist_source *s, const struct record_shape *shape,
			 const struct pev_event *ev)
{
	switch (s->table->value) {
	case PEV_TABLE_PERIOD:
		return ev->period ? ev->period : 1;
	case PEV_TABLE_OF_FIELD:
		return pev_event_int(ev, shape->value);
	default:
		return 0;
	}
}

/* ---- pairs, in the order of time ---- */

/* @key: of the row, without what is kept of the event that began */
static void end_pair(struct hist_source *s, const uint64_t *of, uint64_t *key, uint64_t at)
{
	const struct own_pair *pair = own_table_end(&s->own, of);
	uint64_t ns;

	if (!pair)
		return;
	ns = at > pair->ns ? at - pair->ns : 0;
	for (unsigned int i = 0; i < s->table->nr_keys; i++) {
		if (s->table->keys[i].from & PEV_TABLE_AT_BEGIN)
			memcpy(&key[2 * i], &pair->kept[2 * i], 2 * sizeof(*key));
		else if (s->table->keys[i].from == PEV_TABLE_LATENCY)
			key[2 * i] = bucket_of(s, i, ns);
	}
	own_table_add(&s->own, key, ns);
}

static void take_pair(struct hist_source *s, const struct record_shape *shape,
		      const struct pev_event *ev)
{
	uint64_t of[PEV_MAX_TABLE_KEYS] = { 0 }, key[OWN_WORDS] = { 0 };
	uint64_t ns = (uint64_t)pev_event_ns(ev);

	for (unsigned int i = 0; i < s->table->nr_pair; i++)
		of[i] = number_of(shape, &shape->pair[i], ev);
	put_key(s, shape, ev, key);
	if (shape->begins)
		own_table_begin(&s->own, of, key, ns);
	else
		end_pair(s, of, key, ns);
}

/* ---- records ---- */

static void take_event(void *arg, const struct pev_event *ev, const struct session_class *cls)
{
	struct hist_source *s = arg;
	const struct record_shape *shape;
	uint64_t key[OWN_WORDS];

	if (cls->kind != SESSION_EVENT || ev->cls->index >= s->n_shapes)
		return;
	shape = shape_of(s, ev->cls);
	if (shape->event == s->plan->n)
		return;
	if (s->table->open) {
		take_pair(s, shape, ev);
		return;
	}
	put_key(s, shape, ev, key);
	own_table_add(&s->own, key, value_of(s, shape, ev));
}

/* ---- the source ---- */

static int check_field(const struct pev_class *cls, const char *name, const char *label,
		       struct msg *m)
{
	const struct pev_field *field = pev_class_field(cls, name);

	if (!field)
		return msg_set(m, -EINVAL,
			       "%s has no field \"%s\"; \"perfctl list -v %s\" shows those "
			       "that it has",
			       label, name, label);
	if (field->shape != PEV_SHAPE_INT || field->is_text)
		return msg_set(m, -EINVAL, "%s: the field \"%s\" is no number", label, name);
	return 0;
}

/* All fields that are asked for must be there. */
static int check_class(struct hist_source *s, const struct pev_class *cls, struct msg *m)
{
	struct record_shape *shape = shape_of(s, cls);
	const char *label;
	int err = 0;

	if (shape->event == s->plan->n)
		return 0;
	label = s->plan->events[shape->event].label;
	for (unsigned int i = 0; i < PEV_MAX_TABLE_KEYS && !err; i++) {
		const struct pev_table_key *key = shape->keys[i].key, *pair = shape->pair[i].key;

		if (key && hist_key_from(key) == PEV_TABLE_SYSCALL && !shape->keys[i].field)
			return msg_set(
				m, -ENOSYS,
				"hist by call needs a kernel with pev, or events of system "
				"calls, such as raw_syscalls:sys_enter: records of %s do not "
				"have it",
				label);
		if (key && hist_key_from(key) == PEV_TABLE_FIELD)
			err = check_field(cls, key->name, label, m);
		if (!err && pair && pair->from == PEV_TABLE_FIELD)
			err = check_field(cls, pair->name, label, m);
	}
	if (!err && s->table->value == PEV_TABLE_OF_FIELD)
		err = check_field(cls, s->table->field, label, m);
	return err;
}

static int records_open(struct hist_source *s, struct msg *m)
{
	const struct session *session = &s->sampler.session;
	int err;

	for (size_t i = 0; i < s->plan->n; i++) {
		struct pev_attr *attr = &s->plan->events[i].attr;

		attr->sample |= PEV_SAMPLE_TID | PEV_SAMPLE_PID;
		if (asks_for(s->table, PEV_TABLE_CGROUP))
			attr->flags |= PEV_EF_CGROUP;
		if (s->table->value == PEV_TABLE_PERIOD)
			attr->sample |= PEV_SAMPLE_PERIOD;
	}
	s->sampler = (struct sampler){ .event = take_event, .arg = s, .later = s->later };
	err = sampler_open(&s->sampler, "", s->plan, s->target, m);
	if (err)
		return err;
	s->n_shapes = session->n_classes;
	s->shapes = xcalloc(s->n_shapes, sizeof(*s->shapes));
	s->own.table = s->table;
	s->own.room = (size_t)s->table->rows * pev_channel_nr_rings(s->sampler.recorder.channel);
	for (unsigned int i = 0; i < s->n_shapes && !err; i++)
		err = check_class(s, pev_trace_class(session->trace, i), m);
	return err;
}

static int records_on(struct hist_source *s, bool on, struct msg *m)
{
	s->off = !on;
	return event_set_enable(&s->sampler.recorder.set, on, m);
}

static int records_fd(const struct hist_source *s)
{
	return recorder_fd(&s->sampler.recorder);
}

static int records_take(struct hist_source *s, struct msg *m)
{
	int err = pev_engine_flush(engine(), s->sampler.recorder.fd);

	if (err)
		return msg_set(m, err, "reading the rings: %s", strerror(-err));
	sampler_take(&s->sampler, s->off);
	return 0;
}

/* What perf's events count as lost, and is in no sum. */
static uint64_t new_losses(struct hist_source *s, struct msg *m)
{
	struct pev_value *v = xcalloc(s->plan->n, sizeof(*v));
	uint64_t lost = 0, before = s->lost;

	if (!event_set_read(&s->sampler.recorder.set, v, m))
		for (size_t i = 0; i < s->plan->n; i++)
			lost += v[i].lost;
	free(v);
	s->lost = lost > before ? lost : before;
	return s->lost - before;
}

static void add_row(const struct hist_source *s, struct hist_rows *rows, const struct own_row *from)
{
	struct hist_row *to = ARRAY_PUSH(rows->v, rows->n, rows->cap);

	to->count = from->count;
	to->sum = from->sum;
	to->min = from->min;
	to->max = from->max;
	memcpy(to->key, from->key, s->table->nr_keys * sizeof(to->key[0]));
}

static int records_fetch(struct hist_source *s, struct hist_rows *rows, struct pev_table_sums *sums,
			 struct msg *m)
{
	int err = records_take(s, m);

	if (err)
		return err;
	rows->sign = s->own.sign;
	for (size_t i = 0; i < s->own.n_rows; i++)
		add_row(s, rows, &s->own.rows[i]);
	*sums = s->own.sums;
	sums->lost.count = new_losses(s, m);
	sums->generated.count += sums->lost.count;
	own_table_clear(&s->own);
	return 0;
}

static void records_close(struct hist_source *s)
{
	sampler_close(&s->sampler);
	own_table_free(&s->own);
	free(s->shapes);
}

const struct hist_source_ops hist_records = {
	.check = records_check,
	.open = records_open,
	.on = records_on,
	.fetch = records_fetch,
	.fd = records_fd,
	.take = records_take,
	.close = records_close,
};
