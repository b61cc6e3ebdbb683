// SPDX-License-Identifier: GPL-2.0
/* Writes records of samples that were counted. See fold.h. */
#include "source.h"
#include "base/clock.h"
#include "procs/state.h"
#include "base/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/*
 * Records are written so often at least, and at most, in seconds, or if there are so many: a row
 * that goes on takes no more space, so that what grows too fast is written more rarely.
 */
#define WRITE_EACH 600.0
#define WRITE_MOST 21600.0
#define DAY_BYTES (16u << 20)
#define DAY 86400.0
/* Class of the stream of these records: the channel's is 0 */
#define STREAM 1
/*
 * Rows have many chains in common, which zstd finds again within a packet: of 396,000 rows with 3,600
 * chains those of 4 MiB take 15 MB, those of 16 KiB take 32 MB.
 */
#define PACKET (4u << 20)
/* The thread that what found no room is counted to */
#define OTHER UINT32_MAX
#define OTHER_NAME "(other)"

/* ---- where they are counted ---- */

static int count(struct fold *f, size_t i, const struct fold_limits *limits, struct msg *m)
{
	struct planned_event *p = &((struct event_plan *)f->plan)->events[i];
	struct fold_event *e = &f->events[i];
	bool freq = p->attr.flags & PEV_F_FREQ;

	e->period = p->attr.sample & PEV_SAMPLE_PERIOD;
	e->scale = p->attr.period > 1 && !freq ? p->attr.period : 1;
	return f->source->count(f, p, e, limits, m);
}

int fold_open(struct fold *f, struct event_plan *plan, const struct fold_limits *limits,
	      struct msg *m)
{
	int err;

	*f = (struct fold){ .plan = plan, .n = plan->n, .samples.fd = -1 };
	f->source = limits->tables ? &fold_tables : &fold_here;
	f->events = xcalloc(plan->n, sizeof(*f->events));
	err = f->source->open ? f->source->open(f, limits, m) : 0;
	for (size_t i = 0; i < plan->n && !err; i++)
		err = count(f, i, limits, m);
	f->fetched = f->written = now_s();
	f->each = WRITE_EACH;
	return err;
}

int fold_fd(const struct fold *f)
{
	return f->samples.wait > 0 ? f->samples.wait : -1;
}

uint64_t fold_lost(const struct fold *f, int cpu)
{
	const struct pev_channel *c = f->samples.reader ? pev_reader_channel(f->samples.reader) :
							  NULL;
	uint64_t lost = 0;

	if (!c || cpu < 0)
		return c ? pev_channel_lost(c) : 0;
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(c); nr++) {
		const struct pev_ring *ring = pev_channel_ring(c, nr);

		if (ring && pev_ring_cpu(ring) == cpu)
			lost += pev_ring_lost(ring);
	}
	return lost;
}

/* ---- the trace ---- */

int fold_metadata(const struct fold *f, struct strbuf *text)
{
	size_t len;
	char *stream;
	int err = pev_meta_stream(STREAM, 0, &stream, &len);

	if (err)
		return err;
	strbuf_add(text, stream, len);
	free(stream);
	for (size_t i = 0; i < f->n; i++) {
		const struct planned_event *e = &f->plan->events[i];

		strbuf_addf(text,
			    "event {\n	name = \"%s\";\n	id = %zu;\n	stream_id = %d;\n"
			    "	model.emf.uri = \"pev:%s?period=%" PRIu64 "&freq=%d\";\n",
			    e->name, i, STREAM, pev_type_name(e->attr.type),
			    (uint64_t)e->attr.period, !!(e->attr.flags & PEV_F_FREQ));
		strbuf_puts(text,
			    "	context := struct {\n		uint32_t pid;\n"
			    "		uint64_t period;\n	};\n"
			    "	fields := struct {\n"
			    "		uint32_t kstack_len;\n		uint32_t ustack_len;\n"
			    "		xint64_t kstack[kstack_len];\n"
			    "		xint64_t ustack[ustack_len];\n"
			    "		uint64_t folded;\n"
			    "		struct { } align(64) ___end;\n"
			    "	} align(64);\n};\n\n");
	}
	return 0;
}

/* Names the thread that stands for all whose samples found no room. */
static int name_other(struct fold *f, struct pev_writer *w)
{
	const struct pev_class *comm = pev_meta_class_by_name(f->meta, "pev:comm");
	struct pev_encoder *enc;
	int err = comm ? pev_writer_encoder(w, f->meta, "other", UINT32_MAX, &enc) : -ENOENT,
	    close_err;

	if (err)
		return err;
	err = pev_encoder_begin(enc, comm, proc_state_time(f->meta), OTHER);
	if (!err)
		err = pev_encoder_int(enc, "pid", OTHER);
	if (!err)
		err = pev_encoder_int(enc, "tid", OTHER);
	if (!err)
		err = pev_encoder_data(enc, "comm", OTHER_NAME, sizeof(OTHER_NAME));
	if (!err)
		err = pev_encoder_commit(enc);
	close_err = pev_encoder_close(enc);
	return err ? err : close_err;
}

int fold_begin(struct fold *f, struct pev_writer *w, const char *text, size_t len, struct msg *m)
{
	struct pev_error e;
	int err = pev_meta_parse(text, len, 0, &f->meta, &e);

	if (err)
		return msg_set(m, err, "the metadata of folded samples: %s", e.text);
	for (size_t i = 0; i < f->n; i++)
		f->events[i].cls = pev_meta_class_by_id(f->meta, STREAM, (uint32_t)i);
	f->writer = w;
	err = pev_writer_encoder(w, f->meta, "folded", UINT32_MAX, &f->enc);
	if (!err)
		err = pev_encoder_packets(f->enc, PACKET);
	if (!err)
		err = name_other(f, w);
	return err ? msg_set(m, err, "the stream of folded samples: %s", strerror(-err)) : 0;
}

/* ---- records ---- */

static int put_chain(struct fold *f, const char *field, const struct fold_chain *c)
{
	return c->n ? pev_encoder_data(f->enc, field, c->ips, c->n * sizeof(*c->ips)) : 0;
}

static int begin_record(struct fold *f, const struct fold_event *e, uint64_t time, uint32_t pid,
			uint32_t tid, const struct pev_table_sum *sum)
{
	int err;

	/* a CPU that was read earlier may have had rows later */
	f->last = max_u64(f->last, time);
	err = pev_encoder_begin(f->enc, e->cls, f->last, tid);
	if (!err)
		err = pev_encoder_int(f->enc, "pid", pid);
	if (!err)
		err = pev_encoder_int(f->enc, "period",
				      e->period ? sum->sum : sum->count * e->scale);
	return err ? err : pev_encoder_int(f->enc, "folded", sum->count);
}

static int put_row(struct fold *f, const struct fold_row *r)
{
	struct pev_table_sum sum = { .count = r->count, .sum = r->sum };
	int err = begin_record(f, r->event, r->last, r->pid, r->tid, &sum);

	if (!err)
		err = put_chain(f, "kstack", &r->kernel);
	if (!err)
		err = put_chain(f, "ustack", &r->user);
	return err ? err : pev_encoder_commit(f->enc);
}

static int put_other(struct fold *f, const struct fold_event *e)
{
	static const uint64_t nowhere = 1;
	struct pev_table_sum sum = { 0 };
	int err;

	if (f->source->other)
		f->source->other(e, &sum);
	if (!sum.count)
		return 0;
	f->other += sum.count;
	err = begin_record(f, e, f->last, OTHER, OTHER, &sum);
	/* exports leave out what has no place */
	if (!err)
		err = pev_encoder_data(f->enc, "ustack", &nowhere, sizeof(nowhere));
	return err ? err : pev_encoder_commit(f->enc);
}

static int by_time(const void *a, const void *b)
{
	const struct fold_row *x = a, *y = b;

	return (x->last > y->last) - (x->last < y->last);
}

/* The time that the last records were worth: so many bytes are those of so much of a day. */
static double time_of(uint64_t bytes)
{
	double s = (double)bytes * DAY / DAY_BYTES;

	return s < WRITE_EACH ? WRITE_EACH : s > WRITE_MOST ? WRITE_MOST : s;
}

void fold_take(struct fold *f, const struct fold_row *row)
{
	*ARRAY_PUSH(f->sorted, f->n_sorted, f->cap_sorted) = *row;
}

int fold_write(struct fold *f)
{
	uint64_t before = pev_writer_bytes(f->writer);
	int err = 0;

	f->n_sorted = 0;
	f->source->take(f);
	if (f->n_sorted)
		qsort(f->sorted, f->n_sorted, sizeof(*f->sorted), by_time);
	for (size_t i = 0; i < f->n_sorted && !err; i++)
		err = put_row(f, &f->sorted[i]);
	for (size_t i = 0; i < f->n && !err; i++)
		err = put_other(f, &f->events[i]);
	if (!err)
		err = pev_encoder_flush(f->enc);
	f->source->clear(f);
	f->rows += f->n_sorted;
	f->written = now_s();
	f->each = time_of(pev_writer_bytes(f->writer) - before);
	return err;
}

int fold_drain(struct fold *f)
{
	int err;

	if (now_s() < f->fetched + f->source->each)
		return 0;
	err = f->source->fetch(f, false);
	f->fetched = now_s();
	if (err || (f->source->rows(f) < FOLD_ROWS && f->fetched < f->written + f->each))
		return err;
	return fold_write(f);
}

int fold_end(struct fold *f)
{
	int err = f->source->fetch(f, true);

	return err ? err : fold_write(f);
}

int fold_close_stream(struct fold *f)
{
	int err = f->enc ? pev_encoder_close(f->enc) : 0;

	f->enc = NULL;
	return err;
}

void fold_close(struct fold *f)
{
	if (f->source)
		f->source->close(f);
	free(f->events);
	free(f->sorted);
	pev_meta_free(f->meta);
	*f = (struct fold){ 0 };
}
