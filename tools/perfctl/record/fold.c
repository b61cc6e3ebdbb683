// SPDX-License-Identifier: GPL-2.0
/* Counts samples in tables of the kernel, and writes records of them. See fold.h. */
#include "fold.h"
#include "procs/state.h"
#include "base/say.h"
#include "event/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* Of each CPU; less if the limit of locked memory is low */
#define ROWS 8192
#define ROWS_LEAST 256
#define FRAMES_A_ROW 16
/* Tables are read so often, in seconds, so that they stay far from full */
#define FETCH_EACH 1.0
/*
 * Records are written so often at least, and at most, in seconds, or if there are so many: a row
 * that goes on takes no more space, so that what grows too fast is written more rarely.
 */
#define WRITE_EACH 600.0
#define WRITE_MOST 21600.0
#define WRITE_ROWS 131072
#define DAY_BYTES (16u << 20)
#define DAY 86400.0
/* Class of the stream of these records: the channel's is 0 */
#define STREAM 1
/* The thread that what found no room is counted to */
#define OTHER UINT32_MAX
#define OTHER_NAME "(other)"

/* Keys of the tables, and the words of a row's key */
enum fold_key {
	KEY_PID,
	KEY_TID,
	KEY_KSTACK,
	KEY_USTACK,
	N_KEYS,
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ---- tables ---- */

static int open_table(struct fold_event *e, uint32_t clock, uint32_t max_stack, struct msg *m)
{
	struct pev_table table = {
		.nr_keys = N_KEYS,
		.value = PEV_TABLE_PERIOD,
		.flags = PEV_TABLE_F_TIMES,
		.clock = clock,
		.max_stack = max_stack,
		.keys = {
			[KEY_PID] = { .from = PEV_TABLE_PID },
			[KEY_TID] = { .from = PEV_TABLE_TID },
			[KEY_KSTACK] = { .from = PEV_TABLE_KSTACK },
			[KEY_USTACK] = { .from = PEV_TABLE_USTACK },
		},
	};
	struct pev_error why;
	int err = -ENOMEM;

	for (uint32_t rows = ROWS; err && rows >= ROWS_LEAST; rows /= 2) {
		table.rows = rows;
		table.frames = rows * FRAMES_A_ROW;
		err = pev_table_open(&table, 0, &e->table, &why);
		if (err != -EPERM && err != -ENOMEM)
			break;
	}
	return err ? kernel_refused(m, err, &why, "the table") : 0;
}

static void count_in_table(struct planned_event *p, struct fold_event *e)
{
	bool freq = p->attr.flags & PEV_F_FREQ;

	e->period = p->attr.sample & PEV_SAMPLE_PERIOD;
	e->scale = p->attr.period > 1 && !freq ? p->attr.period : 1;
	p->attr.channel_fd = pev_table_fd(e->table);
	p->attr.sample = 0;
	p->attr.max_stack = 0;
}

int fold_open(struct fold *f, struct event_plan *plan, uint32_t clock, uint32_t max_stack,
	      struct msg *m)
{
	int err = 0;

	*f = (struct fold){ .plan = plan, .n = plan->n };
	f->events = xcalloc(plan->n, sizeof(*f->events));
	for (size_t i = 0; i < plan->n && !err; i++) {
		err = open_table(&f->events[i], clock, max_stack, m);
		if (!err)
			count_in_table(&plan->events[i], &f->events[i]);
	}
	f->fetched = f->written = now();
	f->each = WRITE_EACH;
	return err;
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
		err = name_other(f, w);
	return err ? msg_set(m, err, "the stream of folded samples: %s", strerror(-err)) : 0;
}

/* ---- records ---- */

static int put_chain(struct fold *f, const struct fold_row *r, const char *field, enum fold_key key)
{
	const uint64_t *ips;
	size_t n = pev_table_stack(r->event->table, r->row->key[key], &ips);

	return n ? pev_encoder_data(f->enc, field, ips, n * sizeof(*ips)) : 0;
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
	struct pev_table_sum sum = { .count = r->row->count, .sum = r->row->sum };
	int err = begin_record(f, r->event, r->row->max, (uint32_t)r->row->key[KEY_PID],
			       (uint32_t)r->row->key[KEY_TID], &sum);

	if (!err)
		err = put_chain(f, r, "kstack", KEY_KSTACK);
	if (!err)
		err = put_chain(f, r, "ustack", KEY_USTACK);
	return err ? err : pev_encoder_commit(f->enc);
}

static int put_other(struct fold *f, const struct fold_event *e)
{
	static const uint64_t nowhere = 1;
	struct pev_table_sums sums;
	int err;

	pev_table_sums(e->table, &sums);
	if (!sums.other.count)
		return 0;
	f->other += sums.other.count;
	err = begin_record(f, e, f->last, OTHER, OTHER, &sums.other);
	/* exports leave out what has no place */
	if (!err)
		err = pev_encoder_data(f->enc, "ustack", &nowhere, sizeof(nowhere));
	return err ? err : pev_encoder_commit(f->enc);
}

static int by_time(const void *a, const void *b)
{
	const struct fold_row *x = a, *y = b;

	return (x->row->max > y->row->max) - (x->row->max < y->row->max);
}

/* The time that the last records were worth: so many bytes are those of so much of a day. */
static double time_of(uint64_t bytes)
{
	double s = (double)bytes * DAY / DAY_BYTES;

	return s < WRITE_EACH ? WRITE_EACH : s > WRITE_MOST ? WRITE_MOST : s;
}

static int write_rows(struct fold *f)
{
	uint64_t before = pev_writer_bytes(f->writer);
	int err = 0;

	f->n_sorted = 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct pev_table_row *row;

		for (size_t k = 0; (row = pev_table_row(f->events[i].table, k)); k++)
			*ARRAY_PUSH(f->sorted, f->n_sorted,
				    f->cap_sorted) = (struct fold_row){ .event = &f->events[i],
									.row = row };
	}
	if (f->n_sorted)
		qsort(f->sorted, f->n_sorted, sizeof(*f->sorted), by_time);
	for (size_t i = 0; i < f->n_sorted && !err; i++)
		err = put_row(f, &f->sorted[i]);
	for (size_t i = 0; i < f->n && !err; i++)
		err = put_other(f, &f->events[i]);
	for (size_t i = 0; i < f->n; i++)
		pev_table_clear(f->events[i].table);
	f->rows += f->n_sorted;
	f->written = now();
	f->each = time_of(pev_writer_bytes(f->writer) - before);
	return err;
}

static int fetch(struct fold *f, size_t *rows)
{
	int err = 0;

	*rows = 0;
	for (size_t i = 0; i < f->n && !err; i++) {
		err = pev_table_fetch(f->events[i].table);
		*rows += pev_table_count(f->events[i].table);
	}
	f->fetched = now();
	return err;
}

int fold_drain(struct fold *f)
{
	size_t rows;
	int err;

	if (now() < f->fetched + FETCH_EACH)
		return 0;
	err = fetch(f, &rows);
	if (err || (rows < WRITE_ROWS && f->fetched < f->written + f->each))
		return err;
	return write_rows(f);
}

int fold_end(struct fold *f)
{
	size_t rows;
	int err = fetch(f, &rows);

	return err ? err : write_rows(f);
}

int fold_close_stream(struct fold *f)
{
	int err = f->enc ? pev_encoder_close(f->enc) : 0;

	f->enc = NULL;
	return err;
}

void fold_close(struct fold *f)
{
	for (size_t i = 0; i < f->n; i++)
		pev_table_close(f->events[i].table);
	free(f->events);
	free(f->sorted);
	pev_meta_free(f->meta);
	*f = (struct fold){ 0 };
}
