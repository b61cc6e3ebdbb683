// SPDX-License-Identifier: GPL-2.0
/* csv and jsonl: a line for each event, in order of time. */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "base/json.h"
#include "base/output.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

/**
 * struct lines - while they are written
 * @cell: a value before it is quoted
 */
struct lines {
	struct strbuf line;
	struct strbuf cell;
};

static int begin(struct export *x, struct msg *m)
{
	(void)m;
	x->state = xcalloc(1, sizeof(struct lines));
	return 0;
}

static void done(struct export *x)
{
	struct lines *l = x->state;

	if (!l)
		return;
	strbuf_free(&l->line);
	strbuf_free(&l->cell);
	free(l);
}

static int csv_begin(struct export *x, struct msg *m)
{
	out_puts(&x->out, "time_ns,event,program,pid,tid,cpu,weight,address,function,object,chain,"
			  "fields\n");
	return begin(x, m);
}

/* Prints a field as perfctl script does. */
static void print_field(struct strbuf *b, const struct pev_event *ev, const struct pev_field *f)
{
	char small[256], *big;
	int n = pev_event_print_field(ev, f, PEV_PRINT_LABEL, small, sizeof(small));

	if (n < (int)sizeof(small)) {
		strbuf_puts(b, small);
		return;
	}
	big = xmalloc((size_t)n + 1);
	pev_event_print_field(ev, f, PEV_PRINT_LABEL, big, (size_t)n + 1);
	strbuf_puts(b, big);
	free(big);
}

static void csv_cell(struct lines *l)
{
	strbuf_putc(&l->line, ',');
	if (l->cell.len) {
		struct strbuf clean = { 0 };

		text_name(&clean, l->cell.s);
		text_csv(&l->line, clean.s, ",");
		strbuf_free(&clean);
	}
	strbuf_reset(&l->cell);
}

static void csv_sample(struct export *x, const struct export_sample *s)
{
	struct stacks *st = &x->session.stacks;
	struct lines *l = x->state;
	uint32_t n, func = export_frame_func(x, s->frame);
	const uint32_t *frames;

	strbuf_puts(&l->cell, export_func_name(x, func));
	csv_cell(l);
	strbuf_puts(&l->cell, object_name(st->objects, st->funcs[func].object));
	csv_cell(l);
	frames = s->chain ? export_frames(st, s->chain, NULL, &n) : NULL;
	for (uint32_t i = 0; frames && i < n; i++) {
		if (i)
			strbuf_putc(&l->cell, ';');
		strbuf_puts(&l->cell, export_func_name(x, export_frame_func(x, frames[i])));
	}
	csv_cell(l);
}

static int csv_event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		     struct msg *m)
{
	struct lines *l = x->state;
	struct export_sample s;
	bool placed;

	(void)m;
	if (cls->kind != SESSION_EVENT)
		return 0;
	placed = export_sample_of(x, ev, cls, &s);
	strbuf_reset(&l->line);
	strbuf_addf(&l->line, "%" PRId64, export_time(x, ev));
	strbuf_puts(&l->cell, ev->cls->name);
	csv_cell(l);
	strbuf_puts(&l->cell, machine_comm_name(&x->session.machine, s.thread->comm));
	csv_cell(l);
	strbuf_addf(&l->line, ",%u,%u,%u,%" PRIu64 ",", s.thread->pid, s.thread->tid, ev->cpu,
		    s.weight);
	if (ev->cls->sample & PEV_SAMPLE_IP)
		strbuf_addf(&l->line, "0x%" PRIx64, ev->ip);
	if (placed)
		csv_sample(x, &s);
	else
		strbuf_puts(&l->line, ",,,");
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];

		if (export_is_plumbing(ev->cls, f))
			continue;
		strbuf_addf(&l->cell, "%s%s=", l->cell.len ? " " : "", f->name);
		print_field(&l->cell, ev, f);
	}
	csv_cell(l);
	strbuf_putc(&l->line, '\n');
	out_write(&x->out, l->line.s, l->line.len);
	return 0;
}

static void put_int(struct strbuf *b, const struct pev_field *f, const void *at)
{
	uint64_t v = pev_load(at, f->size, f->is_signed);

	if (f->is_signed)
		strbuf_addf(b, "%" PRId64, (int64_t)v);
	else
		strbuf_addf(b, "%" PRIu64, v);
}

/* Writes numbers as such, text as strings, bytes as hex digits, the rest as lists. */
static void json_field(struct lines *l, const struct pev_event *ev, const struct pev_field *f)
{
	size_t count;
	const char *text, *at = pev_event_locate(ev, f, &count);
	size_t len;

	if (!at) {
		strbuf_puts(&l->line, "null");
	} else if (f->shape == PEV_SHAPE_STRING ||
		   (f->is_text && f->size == 1 && f->shape != PEV_SHAPE_INT)) {
		len = pev_event_text(ev, f, &text);
		strbuf_reset(&l->cell);
		strbuf_add(&l->cell, text ? text : at, text ? len : strnlen(at, count));
		json_text(&l->line, l->cell.s);
		strbuf_reset(&l->cell);
	} else if (f->shape == PEV_SHAPE_INT) {
		put_int(&l->line, f, at);
	} else if (f->size == 1 && !f->is_signed) {
		strbuf_putc(&l->line, '"');
		print_field(&l->line, ev, f);
		strbuf_putc(&l->line, '"');
	} else {
		strbuf_putc(&l->line, '[');
		for (size_t i = 0; i < count; i++) {
			if (i)
				strbuf_putc(&l->line, ',');
			put_int(&l->line, f, at + i * f->size);
		}
		strbuf_putc(&l->line, ']');
	}
}

static void json_frame(struct export *x, uint32_t frame)
{
	struct stacks *st = &x->session.stacks;
	struct lines *l = x->state;
	uint32_t func = export_frame_func(x, frame);

	strbuf_puts(&l->line, "{\"function\":");
	json_text(&l->line, export_func_name(x, func));
	strbuf_puts(&l->line, ",\"object\":");
	json_text(&l->line, object_name(st->objects, st->funcs[func].object));
	strbuf_putc(&l->line, '}');
}

static void json_sample(struct export *x, const struct pev_event *ev,
			const struct export_sample *s)
{
	struct lines *l = x->state;
	const uint32_t *frames;
	uint32_t n;

	if (ev->cls->sample & PEV_SAMPLE_IP)
		strbuf_addf(&l->line, ",\"address\":\"0x%" PRIx64 "\"", ev->ip);
	strbuf_puts(&l->line, ",\"place\":");
	json_frame(x, s->frame);
	if (!s->chain)
		return;
	strbuf_puts(&l->line, ",\"chain\":[");
	frames = export_frames(&x->session.stacks, s->chain, NULL, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			strbuf_putc(&l->line, ',');
		json_frame(x, frames[i]);
	}
	strbuf_putc(&l->line, ']');
}

/* Of enumerations, whose numbers are in "fields" */
static void json_labels(struct lines *l, const struct pev_event *ev)
{
	const char *before = ",\"labels\":{";

	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];
		const char *label = f->labels ? pev_field_label(f, pev_event_int(ev, f)) : NULL;

		if (!label)
			continue;
		strbuf_puts(&l->line, before);
		before = ",";
		json_text(&l->line, f->name);
		strbuf_putc(&l->line, ':');
		json_text(&l->line, label);
	}
	if (*before == ',' && !before[1])
		strbuf_putc(&l->line, '}');
}

static int json_event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		      struct msg *m)
{
	struct lines *l = x->state;
	struct export_sample s;
	bool placed, some = false;

	(void)m;
	if (cls->kind != SESSION_EVENT)
		return 0;
	placed = export_sample_of(x, ev, cls, &s);
	strbuf_reset(&l->line);
	strbuf_addf(&l->line, "{\"time_ns\":%" PRId64 ",\"event\":", export_time(x, ev));
	json_text(&l->line, ev->cls->name);
	strbuf_puts(&l->line, ",\"program\":");
	json_text(&l->line, machine_comm_name(&x->session.machine, s.thread->comm));
	strbuf_addf(&l->line, ",\"pid\":%u,\"tid\":%u,\"cpu\":%u,\"weight\":%" PRIu64,
		    s.thread->pid, s.thread->tid, ev->cpu, s.weight);
	if (placed)
		json_sample(x, ev, &s);
	strbuf_puts(&l->line, ",\"fields\":{");
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];

		if (export_is_plumbing(ev->cls, f))
			continue;
		if (some)
			strbuf_putc(&l->line, ',');
		some = true;
		json_text(&l->line, f->name);
		strbuf_putc(&l->line, ':');
		json_field(l, ev, f);
	}
	strbuf_putc(&l->line, '}');
	json_labels(l, ev);
	strbuf_puts(&l->line, "}\n");
	out_write(&x->out, l->line.s, l->line.len);
	return 0;
}

const struct exporter export_csv = {
	.name = "csv",
	.file = "-",
	.begin = csv_begin,
	.event = csv_event,
	.free = done,
};

const struct exporter export_jsonl = {
	.name = "jsonl",
	.file = "-",
	.begin = begin,
	.event = json_event,
	.free = done,
};
