// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: events become PERF_RECORD_SAMPLE, sideband events the records that perf
 * has for them. Events come in order of time, so nothing is sorted.
 */
#include "perf.h"
#include "formats.h"
#include "perf_head.h"
#include "base/output.h"
#include "base/perf_file.h"
#include "base/say.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

#define ROUND	    10000 /* records: perf sorts that many at a time */
#define RECORD_MOST 65528 /* bytes: what a size of 16 bits and an alignment to 8 leave */
#define RAW_MOST    60000

void perf_add64(struct strbuf *b, uint64_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

void perf_add32(struct strbuf *b, uint32_t v)
{
	strbuf_add(b, &v, sizeof(v));
}

void perf_pad(struct strbuf *b)
{
	static const char zeros[8];

	if (b->len % 8)
		strbuf_add(b, zeros, 8 - b->len % 8);
}

void perf_start(struct perf_out *p, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	strbuf_reset(&p->build);
	strbuf_add(&p->build, &h, sizeof(h));
}

void perf_send(struct export *x)
{
	struct perf_out *p = x->state;

	((struct perf_event_header *)p->build.s)->size = (uint16_t)p->build.len;
	out_write(&x->out, p->build.s, p->build.len);
	p->bytes += p->build.len;
}

uint64_t perf_sample_type(const struct pev_class *cls)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	if (cls->sample & PEV_SAMPLE_ADDR)
		type |= PERF_SAMPLE_ADDR;
	/* unwinding has turned registers and stack into a chain */
	if (cls->sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK | PEV_SAMPLE_UREGS))
		type |= PERF_SAMPLE_CALLCHAIN;
	if (perf_is_tracepoint(cls))
		type |= PERF_SAMPLE_RAW;
	return type;
}

static uint64_t time_of(const struct perf_out *p, const struct pev_event *ev)
{
	int64_t ns = pev_event_ns(ev) - p->zero;

	return ns < 0 ? 0 : (uint64_t)ns;
}

/* A round has the records that perf sorts before it reads on. */
static void count_record(struct export *x, uint64_t time)
{
	struct perf_out *p = x->state;

	if (!p->records++)
		p->begin = time;
	p->last = time;
	if (p->records % ROUND)
		return;
	perf_start(p, PERF_USER_FINISHED_ROUND, 0);
	perf_send(x);
}

/* Adds what sample_id_all puts behind records other than samples. */
static void put_id(struct export *x, const struct pev_event *ev, uint32_t pid, uint32_t tid)
{
	struct perf_out *p = x->state;

	perf_add32(&p->build, pid);
	perf_add32(&p->build, tid);
	perf_add64(&p->build, time_of(p, ev));
	perf_add32(&p->build, ev->cpu);
	perf_add32(&p->build, 0);
	perf_add64(&p->build, p->first ? p->ids[p->first->index] : 1);
	perf_send(x);
	count_record(x, time_of(p, ev));
}

static void put_text(struct strbuf *b, const char *text)
{
	strbuf_add(b, text, strlen(text) + 1);
	perf_pad(b);
}

static uint32_t u32_of(const struct pev_event *ev, const char *field)
{
	return (uint32_t)pev_event_int(ev, pev_class_field(ev->cls, field));
}

static void put_mmap(struct export *x, const struct pev_event *ev, const struct session_class *cls)
{
	struct perf_out *p = x->state;
	uint32_t pid = (uint32_t)pev_event_int(ev, cls->pid), tid = pid;
	uint8_t id[24] = { 0 };
	char path[4096];
	size_t n = 0;
	const uint8_t *bytes = cls->id ? pev_event_locate(ev, cls->id, &n) : NULL;

	if (cls->tid)
		tid = (uint32_t)pev_event_int(ev, cls->tid);
	if (bytes && cls->id_size) {
		id[0] = (uint8_t)min_u64(min_u64(pev_event_int(ev, cls->id_size), n), 20);
		memcpy(id + 4, bytes, id[0]);
	}
	pev_event_copy_text(ev, cls->name, path, sizeof(path));
	perf_start(p, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
		   (id[0] ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	perf_add32(&p->build, pid);
	perf_add32(&p->build, tid);
	perf_add64(&p->build, pev_event_int(ev, cls->addr));
	perf_add64(&p->build, pev_event_int(ev, cls->len));
	perf_add64(&p->build, pev_event_int(ev, cls->pgoff));
	if (id[0]) {
		strbuf_add(&p->build, id, sizeof(id));
	} else {
		perf_add32(&p->build, u32_of(ev, "maj"));
		perf_add32(&p->build, u32_of(ev, "min"));
		perf_add64(&p->build, pev_event_int(ev, pev_class_field(ev->cls, "ino")));
		perf_add64(&p->build, 0);
	}
	perf_add32(&p->build, pev_class_field(ev->cls, "prot") ? u32_of(ev, "prot") : 5);
	perf_add32(&p->build, pev_class_field(ev->cls, "flags") ? u32_of(ev, "flags") : 2);
	put_text(&p->build, path[0] ? path : "//anon");
	put_id(x, ev, pid, tid);
}

static void put_comm(struct export *x, const struct pev_event *ev, uint32_t pid, uint32_t tid,
		     const char *comm, bool exec)
{
	struct perf_out *p = x->state;

	perf_start(p, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	perf_add32(&p->build, pid);
	perf_add32(&p->build, tid);
	put_text(&p->build, comm);
	put_id(x, ev, pid, tid);
}

static void put_task(struct export *x, const struct pev_event *ev, uint32_t type, uint32_t pid,
		     uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	struct perf_out *p = x->state;

	perf_start(p, type, 0);
	perf_add32(&p->build, pid);
	perf_add32(&p->build, ppid);
	perf_add32(&p->build, tid);
	perf_add32(&p->build, ptid);
	perf_add64(&p->build, time_of(p, ev));
	put_id(x, ev, pid, tid);
}

static void put_function(struct export *x, const struct pev_event *ev,
			 const struct session_class *cls)
{
	struct perf_out *p = x->state;
	char name[256];

	perf_start(p, PERF_RECORD_KSYMBOL, 0);
	perf_add64(&p->build, pev_event_int(ev, cls->addr));
	perf_add32(&p->build, (uint32_t)pev_event_int(ev, cls->len));
	perf_add32(&p->build, (uint32_t)pev_event_int(ev, cls->code) |
		   (uint32_t)pev_event_int(ev, cls->removed) << 16);
	put_text(&p->build, pev_event_copy_text(ev, cls->name, name, sizeof(name)));
	put_id(x, ev, 0, 0);
}

static void put_sideband(struct export *x, const struct pev_event *ev,
			 const struct session_class *cls)
{
	uint32_t pid = cls->pid ? (uint32_t)pev_event_int(ev, cls->pid) : ev->pid;
	uint32_t tid = cls->tid ? (uint32_t)pev_event_int(ev, cls->tid) : ev->tid;
	struct machine *machine = &x->session.machine;
	char comm[64];

	switch (cls->kind) {
	case SESSION_MMAP:
		put_mmap(x, ev, cls);
		break;
	case SESSION_COMM:
		put_comm(x, ev, pid, tid, pev_event_copy_text(ev, cls->name, comm, sizeof(comm)),
			 false);
		break;
	case SESSION_EXEC:
		snprintf(comm, sizeof(comm), "%s",
			 machine_comm_name(machine, machine_thread(machine, pid, tid)->comm));
		put_comm(x, ev, pid, tid, comm, true);
		break;
	case SESSION_FORK:
		put_task(x, ev, PERF_RECORD_FORK, pid, u32_of(ev, "ppid"), tid, u32_of(ev, "ptid"));
		break;
	case SESSION_EXIT:
		put_task(x, ev, PERF_RECORD_EXIT, pid, pid, tid, tid);
		break;
	case SESSION_FUNCTION:
		if (cls->addr && cls->len && cls->code && cls->removed && cls->name)
			put_function(x, ev, cls);
		break;
	default:
		break;
	}
}

/* Writes as much of a chain as leaves @after bytes of the record; outer frames go first. */
static void put_chain(struct perf_out *p, const struct pev_event *ev, size_t after)
{
	/* less the number of entries and two contexts */
	uint32_t room = (uint32_t)((RECORD_MOST - p->build.len - after) / 8 - 3);
	uint32_t nk = (uint32_t)min_u64(ev->kstack_len, room), nu = ev->ustack_len;

	while (nu > 1 && !ev->ustack[nu - 1])
		nu--;
	if ((uint64_t)ev->kstack_len + nu > room)
		p->cut_chains++;
	nu = (uint32_t)min_u64(nu, room - nk);
	perf_add64(&p->build, nk + nu + !!nk + !!nu);
	if (nk) {
		perf_add64(&p->build, PERF_CONTEXT_KERNEL);
		strbuf_add(&p->build, ev->kstack, nk * sizeof(*ev->kstack));
	}
	if (nu) {
		perf_add64(&p->build, PERF_CONTEXT_USER);
		strbuf_add(&p->build, ev->ustack, nu * sizeof(*ev->ustack));
	}
}

static uint32_t raw_len(const struct pev_event *ev)
{
	return (uint32_t)min_u64(ev->payload_len, RAW_MOST);
}

/* Returns the bytes that put_raw() writes: a size, the common fields, the payload. */
static size_t raw_size(const struct pev_event *ev)
{
	return (4 + 8 + raw_len(ev) + 7) & ~7u;
}

/* Writes the kernel's trace event: the common fields, which pev omits, and the payload. */
static void put_raw(struct perf_out *p, const struct pev_event *ev, uint32_t tid)
{
	uint32_t len = raw_len(ev);
	uint16_t id = (uint16_t)TRACEPOINT_ID(ev->cls);

	if (len < ev->payload_len)
		p->cut_payloads++;
	perf_add32(&p->build, (uint32_t)raw_size(ev) - 4);
	strbuf_add(&p->build, &id, sizeof(id));
	strbuf_add(&p->build, "\0", 2);
	perf_add32(&p->build, tid);
	strbuf_add(&p->build, ev->payload, len);
	perf_pad(&p->build);
}

static int put_sample(struct export *x, const struct pev_event *ev, const struct session_class *cls)
{
	struct perf_out *p = x->state;
	const struct thread *t = session_thread(&x->session, ev);
	uint64_t ip = ev->ip, type = perf_sample_type(ev->cls);

	if (!(ev->cls->sample & PEV_SAMPLE_IP) && (ev->kstack_len || ev->ustack_len))
		ip = ev->kstack_len ? ev->kstack[0] : ev->ustack[0];
	perf_start(p, PERF_RECORD_SAMPLE,
		   addr_is_kernel(ip) || !(ev->cls->sample & PEV_SAMPLE_IP) ?
			   PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	perf_add64(&p->build, p->ids[ev->cls->index]);
	perf_add64(&p->build, ip);
	perf_add32(&p->build, t->pid);
	perf_add32(&p->build, t->tid);
	perf_add64(&p->build, time_of(p, ev));
	if (type & PERF_SAMPLE_ADDR)
		perf_add64(&p->build, ev->addr);
	perf_add32(&p->build, ev->cpu);
	perf_add32(&p->build, 0);
	perf_add64(&p->build, ev->cls->sample & PEV_SAMPLE_PERIOD ? ev->period : cls->scale);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_chain(p, ev, type & PERF_SAMPLE_RAW ? raw_size(ev) : 0);
	if (type & PERF_SAMPLE_RAW)
		put_raw(p, ev, t->tid);
	perf_send(x);
	count_record(x, time_of(p, ev));
	return 0;
}

static int event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		 struct msg *m)
{
	(void)m;
	if (cls->kind != SESSION_EVENT)
		put_sideband(x, ev, cls);
	else
		put_sample(x, ev, cls);
	return 0;
}

static int begin(struct export *x, struct msg *m)
{
	struct perf_out *p = xcalloc(1, sizeof(*p));
	unsigned int n = x->session.n_classes;

	x->state = p;
	p->pipe = !x->out.is_file;
	p->ids = xcalloc(n, sizeof(*p->ids));
	for (unsigned int i = 0; i < n; i++) {
		if (x->session.classes[i].kind != SESSION_EVENT)
			continue;
		p->ids[i] = i + 1;
		if (!p->first)
			p->first = pev_trace_class(x->session.trace, i);
	}
	if (pev_trace_nr_metas(x->session.trace))
		p->zero = pev_meta_ns(pev_trace_meta(x->session.trace, 0), 0);
	return perf_head(x, m);
}

static int end(struct export *x, struct msg *m)
{
	const struct perf_out *p = x->state;
	char a[32];

	if (p->cut_chains)
		note("%s call chains do not fit into a record of perf.data, which has 64 KiB: their "
		     "outer callers are left out", text_count(a, p->cut_chains));
	if (p->cut_payloads)
		note("the fields of %s events do not fit into a record of perf.data: they are cut "
		     "off after %d bytes", text_count(a, p->cut_payloads), RAW_MOST);
	return perf_tail(x, m);
}

static void done(struct export *x)
{
	struct perf_out *p = x->state;

	if (!p)
		return;
	strbuf_free(&p->build);
	free(p->ids);
	free(p);
}

const struct exporter export_perf = {
	.name = "perf.data",
	.file = "perf.data",
	.binary = true,
	.begin = begin,
	.event = event,
	.end = end,
	.free = done,
};
