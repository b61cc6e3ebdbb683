// SPDX-License-Identifier: GPL-2.0
/*
 * pprof: profile.proto, compressed with gzip. A sample has one value for each
 * event of the recording, and one for the number of samples.
 */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/term.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* Field numbers of profile.proto */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
};

#define WIRE_VARINT 0u
#define WIRE_BYTES  2u

/* functions that are inlined into each other at one place */
#define INLINED_MOST 32

/* A function of the profile: numbers of strings */
struct pprof_function {
	uint32_t name;
	uint32_t file;
};

/**
 * struct pprof - while it is written
 * @z:       the compressor
 * @part:    the message that is put together
 * @strings: number 0 is ""
 * @inner:   a message within that
 * @columns: what values are of
 * @functions: with their source files; their numbers begin with 1
 * @failed:  what the compressor refused with
 */
struct pprof {
	z_stream z;
	struct strbuf part;
	struct strbuf inner;
	struct strtab strings;
	struct export_columns columns;
	struct pprof_function *functions;
	size_t n_functions, cap_functions;
	struct htab h_functions;
	int failed;
};

static void put_varint(struct strbuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		strbuf_putc(b, (char)(v | 0x80));
	strbuf_putc(b, (char)v);
}

static void put_uint(struct strbuf *b, unsigned int field, uint64_t v)
{
	if (!v)
		return;
	put_varint(b, field << 3 | WIRE_VARINT);
	put_varint(b, v);
}

static void put_bytes(struct strbuf *b, unsigned int field, const void *data, size_t len)
{
	put_varint(b, field << 3 | WIRE_BYTES);
	put_varint(b, len);
	strbuf_add(b, data, len);
}

static void deflate_out(struct export *x, const void *data, size_t len, int flush)
{
	struct pprof *p = x->state;
	uint8_t buf[16384];
	int ret;

	p->z.next_in = (uint8_t *)data;
	p->z.avail_in = (unsigned int)len;
	do {
		p->z.next_out = buf;
		p->z.avail_out = sizeof(buf);
		ret = deflate(&p->z, flush);
		if (ret == Z_STREAM_ERROR)
			p->failed = -EINVAL;
		out_write(&x->out, buf, sizeof(buf) - p->z.avail_out);
	} while (!p->z.avail_out && ret != Z_STREAM_ERROR);
}

/* Writes the message in @part as a field of the profile. */
static void send_part(struct export *x, unsigned int field)
{
	struct pprof *p = x->state;
	struct strbuf head = { 0 };

	put_varint(&head, field << 3 | WIRE_BYTES);
	put_varint(&head, p->part.len);
	deflate_out(x, head.s, head.len, Z_NO_FLUSH);
	deflate_out(x, p->part.s, p->part.len, Z_NO_FLUSH);
	strbuf_free(&head);
	strbuf_reset(&p->part);
}

static int begin(struct export *x, struct msg *m)
{
	struct pprof *p = xcalloc(1, sizeof(*p));

	x->state = p;
	strtab_id(&p->strings, "");
	/* 16: with the header of gzip */
	if (deflateInit2(&p->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return msg_set(m, -ENOMEM, "zlib: %s", p->z.msg ? p->z.msg : "out of memory");
	return 0;
}

static const struct pev_class *class_of(const struct export *x, uint32_t event)
{
	for (unsigned int i = 0; i < x->session.n_classes; i++)
		if (x->session.classes[i].event == event)
			return pev_trace_class(x->session.trace, i);
	return NULL;
}

static void value_type(struct pprof *p, const char *type, const char *unit)
{
	put_uint(&p->part, 1, strtab_id(&p->strings, type));
	put_uint(&p->part, 2, strtab_id(&p->strings, unit));
}

/* Weights of clocks are ns only if the period is ns, not if it is a frequency. */
static const char *unit_of(const struct pev_class *cls)
{
	if (!cls || (cls->freq && !(cls->sample & PEV_SAMPLE_PERIOD)))
		return "count";
	return export_unit(cls);
}

static void put_types(struct export *x)
{
	struct pprof *p = x->state;

	value_type(p, "samples", "count");
	send_part(x, PROFILE_SAMPLE_TYPE);
	for (size_t i = 0; i < p->columns.n; i++) {
		value_type(p, strtab_get(&x->session.names, p->columns.events[i]),
			   unit_of(class_of(x, p->columns.events[i])));
		send_part(x, PROFILE_SAMPLE_TYPE);
	}
}

static void put_label(struct pprof *p, const char *key, const char *text, uint64_t num)
{
	struct strbuf label = { 0 };

	put_uint(&label, 1, strtab_id(&p->strings, key));
	if (text)
		put_uint(&label, 2, strtab_id(&p->strings, text));
	else
		put_uint(&label, 3, num);
	put_bytes(&p->part, 3, label.s, label.len);
	strbuf_free(&label);
}

static void put_sample(struct export *x, const struct cell *c)
{
	struct pprof *p = x->state;
	size_t col = export_column(&p->columns, c->key.event);
	const uint32_t *frames;
	uint32_t n;

	frames = export_frames(&x->session.stacks, c->key.chain, &c->key.frame, &n);
	strbuf_reset(&p->inner);
	for (uint32_t i = 0; i < n; i++)
		put_varint(&p->inner, frames[i] + 1);
	put_bytes(&p->part, 1, p->inner.s, p->inner.len);
	strbuf_reset(&p->inner);
	put_varint(&p->inner, c->samples);
	for (size_t i = 0; i < p->columns.n; i++)
		put_varint(&p->inner, i == col ? c->weight : 0);
	put_bytes(&p->part, 2, p->inner.s, p->inner.len);
	put_label(p, "program", machine_comm_name(&x->session.machine, c->key.comm), 0);
	put_label(p, "pid", NULL, c->key.pid);
	if (c->key.request)
		put_label(p, "trace_id", strtab_get(&x->profile.values, c->key.request), 0);
	send_part(x, PROFILE_SAMPLE);
}

/**
 * struct span - addresses that an object is given in the profile
 *
 * An object is mapped at different addresses in each process: here objects lie side
 * by side, so that an address is a place in one object. The kernel stays in place.
 */
struct span {
	uint64_t low, high, base;
	bool used;
	bool lines; /* some of its places have source lines */
};

static struct span *make_spans(const struct stacks *st)
{
	struct span *s = xcalloc(st->objects->n, sizeof(*s));
	uint64_t at = 0x400000;

	for (size_t i = 1; i < st->n_frames; i++) {
		const struct frame *f = &st->frames[i];
		struct span *o = &s[f->object];

		o->low = o->used ? min_u64(o->low, f->at) : f->at;
		o->high = o->used ? max_u64(o->high, f->at) : f->at;
		o->used = true;
	}
	for (size_t i = 0; i < st->objects->n; i++) {
		if (!s[i].used || i == OBJECT_ID_UNKNOWN)
			continue;
		if (i == OBJECT_ID_KERNEL) {
			s[i].base = s[i].low & ~0xfffULL;
			continue;
		}
		s[i].low = 0;
		s[i].base = at;
		at += (s[i].high | 0xfff) + 1 + 0x10000;
	}
	return s;
}

static void put_mappings(struct export *x, const struct span *s)
{
	const struct objects *os = &x->session.objects;
	struct pprof *p = x->state;
	char id[41];

	for (size_t i = 1; i < os->n; i++) {
		const struct object *o = &os->o[i];

		if (!s[i].used)
			continue;
		put_uint(&p->part, 1, i);
		put_uint(&p->part, 2, s[i].base);
		put_uint(&p->part, 3, (i == OBJECT_ID_KERNEL ? s[i].high : s[i].base + s[i].high) + 1);
		put_uint(&p->part, 5, strtab_id(&p->strings, o->kind == OBJECT_FILE ? o->path :
									       o->name));
		build_id_text(&o->id, id);
		put_uint(&p->part, 6, strtab_id(&p->strings, id));
		put_uint(&p->part, 7, 1);
		/* has_filenames, has_line_numbers, has_inline_frames */
		for (unsigned int field = 8; field <= 10 && s[i].lines; field++)
			put_uint(&p->part, field, 1);
		send_part(x, PROFILE_MAPPING);
	}
}

static uint32_t function_of(struct pprof *p, const char *name, const char *file)
{
	struct pprof_function key = { strtab_id(&p->strings, name), strtab_id(&p->strings, file) };
	struct pprof_function *f;

	if (HTAB_GET(f, &p->h_functions, hash_u64(hash_pair(key.name, key.file)),
		     f->name == key.name && f->file == key.file, p->functions, p->n_functions,
		     p->cap_functions))
		*f = key;
	return (uint32_t)(f - p->functions) + 1;
}

/* Adds a line to the location in @part. */
static void put_line(struct pprof *p, const char *name, const char *file, uint32_t line)
{
	strbuf_reset(&p->inner);
	put_uint(&p->inner, 1, function_of(p, name, file));
	put_uint(&p->inner, 2, line);
	put_bytes(&p->part, 4, p->inner.s, p->inner.len);
}

/* The function of a frame behind those that were inlined into it; true if their lines are known. */
static bool put_lines(struct export *x, const struct frame *f)
{
	const struct stacks *st = &x->session.stacks;
	const char *outer = export_func_name(x, f->func), *file;
	struct pev_sym_line l[INLINED_MOST];
	int n = pev_sym_lines(st->objects->syms, (int)f->object, f->at, l, INLINED_MOST);

	for (int i = 0; i < n - 1; i++)
		put_line(x->state, l[i].function ? l[i].function : "?", l[i].file ? l[i].file : "",
			 l[i].line);
	file = n > 0 ? l[n - 1].file : NULL;
	put_line(x->state, outer, file ? file : object_name(st->objects, st->funcs[f->func].object),
		 n > 0 ? l[n - 1].line : 0);
	return n > 0;
}

static void put_places(struct export *x, struct span *s)
{
	struct stacks *st = &x->session.stacks;
	struct pprof *p = x->state;

	for (uint32_t i = 0; i < st->n_frames; i++) {
		const struct frame *f = &st->frames[i];

		put_uint(&p->part, 1, i + 1);
		if (f->object != OBJECT_ID_UNKNOWN)
			put_uint(&p->part, 2, f->object);
		put_uint(&p->part, 3, f->object > OBJECT_ID_KERNEL ? s[f->object].base + f->at : f->at);
		s[f->object].lines |= put_lines(x, f);
		send_part(x, PROFILE_LOCATION);
		term_progress("looking for source lines", i, st->n_frames);
	}
	term_progress_end();
	for (size_t i = 0; i < p->n_functions; i++) {
		put_uint(&p->part, 1, i + 1);
		put_uint(&p->part, 2, p->functions[i].name);
		put_uint(&p->part, 3, p->functions[i].name);
		put_uint(&p->part, 4, p->functions[i].file);
		send_part(x, PROFILE_FUNCTION);
	}
}

/* proto3 wants UTF-8, which paths are not always. */
static void put_strings(struct export *x)
{
	struct pprof *p = x->state;

	for (size_t i = 0; i < p->strings.n; i++) {
		text_name(&p->part, p->strings.s[i]);
		send_part(x, PROFILE_STRING_TABLE);
	}
}

static void put_rest(struct export *x)
{
	struct pprof *p = x->state;
	int64_t end = pev_trace_end_ns(x->session.trace);
	const char *command = pev_trace_info(x->session.trace, "command");
	struct strbuf b = { 0 };

	put_uint(&b, PROFILE_TIME_NANOS, (uint64_t)x->begin);
	put_uint(&b, PROFILE_DURATION_NANOS, end > x->begin ? (uint64_t)(end - x->begin) : 0);
	if (command && *command)
		put_uint(&b, PROFILE_COMMENT, strtab_id(&p->strings, command));
	deflate_out(x, b.s, b.len, Z_NO_FLUSH);
	strbuf_free(&b);
}

static int end(struct export *x, struct msg *m)
{
	struct profile *prof = &x->profile;
	struct pprof *p = x->state;
	struct span *s;

	stacks_resolve_all(prof->stacks);
	for (size_t i = 0; i < prof->n_cells; i++)
		export_column(&p->columns, prof->cells[i].key.event);
	put_types(x);
	for (size_t i = 0; i < prof->n_cells && !out_failed(&x->out); i++)
		put_sample(x, &prof->cells[i]);
	s = make_spans(prof->stacks);
	put_places(x, s);
	put_mappings(x, s);
	free(s);
	put_rest(x);
	put_strings(x);
	deflate_out(x, "", 0, Z_FINISH);
	return p->failed ? msg_set(m, p->failed, "zlib refused the profile") : 0;
}

static void done(struct export *x)
{
	struct pprof *p = x->state;

	if (!p)
		return;
	deflateEnd(&p->z);
	strbuf_free(&p->part);
	strbuf_free(&p->inner);
	strtab_free(&p->strings);
	free(p->columns.events);
	free(p->functions);
	htab_free(&p->h_functions);
	free(p);
}

const struct exporter export_pprof = {
	.name = "pprof",
	.file = "profile.pb.gz",
	.binary = true,
	.samples = true,
	.requests = true,
	.begin = begin,
	.event = export_add_event,
	.end = end,
	.free = done,
};
