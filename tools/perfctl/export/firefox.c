// SPDX-License-Identifier: GPL-2.0
/*
 * Firefox Profiler: a profile in Gecko's format, version 24, symbolized. Each
 * thread has its own tables, which all grow while the recording is read: they are
 * spooled as JSON.
 */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "spool.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	TABLE_SAMPLES,
	TABLE_MARKERS,
	TABLE_STACKS,
	TABLE_FRAMES,
	TABLE_STRINGS,
	N_TABLES,
};

/**
 * struct ff_thread - a thread of the profile
 * @name:  its last
 * @begin: its first event, ns since the trace's begin
 */
struct ff_thread {
	uint32_t tid;
	uint32_t pid;
	uint32_t name;
	int64_t begin;
	int64_t end;
	uint32_t n[N_TABLES];
	struct spool_text t[N_TABLES];
};

/**
 * struct ff_item - an element of a thread's table, to find it again
 * @table: TABLE_*
 * @a:     stacks: the prefix + 1; frames: the function; strings: number of the text
 * @b:     stacks: the frame
 * @index: in its table
 */
struct ff_item {
	uint32_t thread;
	uint32_t table;
	uint32_t a;
	uint32_t b;
	uint32_t index;
};

struct firefox {
	struct spool spool;
	struct ff_thread *threads;
	size_t n_threads, cap_threads;
	struct htab h_threads;
	struct ff_item *items;
	size_t n_items, cap_items;
	struct htab h_items;
	struct strtab texts;
	struct strbuf line;
};

static int begin(struct export *x, struct msg *m)
{
	struct firefox *f = xcalloc(1, sizeof(*f));

	x->state = f;
	f->spool.fd = -1;
	return spool_open(&f->spool, x->out.is_file ? x->out.path : "-", m);
}

static struct ff_thread *thread_get(struct firefox *f, const struct thread *t, int64_t ns)
{
	struct ff_thread *ft;

	if (HTAB_GET(ft, &f->h_threads, hash_2u64(t->pid, t->tid),
		     ft->tid == t->tid && ft->pid == t->pid, f->threads, f->n_threads,
		     f->cap_threads)) {
		ft->tid = t->tid;
		ft->pid = t->pid;
		ft->begin = ns;
	}
	return ft;
}

static void add_text(struct firefox *f, struct ff_thread *t, unsigned int table)
{
	if (t->n[table]++)
		spool_add(&f->spool, &t->t[table], ",\n", 2);
	spool_add(&f->spool, &t->t[table], f->line.s, f->line.len);
}

/* Returns true if it is new: the caller then fills @line and adds it to the table. */
static bool item_new(struct firefox *f, struct ff_thread *t, unsigned int table, uint32_t a,
		     uint32_t b, uint32_t *index)
{
	uint32_t thread = (uint32_t)(t - f->threads);
	uint32_t hash = hash_2u64((uint64_t)thread << 8 | table, (uint64_t)a << 32 | b);
	struct ff_item *i;
	bool new = HTAB_GET(i, &f->h_items, hash,
			    i->thread == thread && i->table == table && i->a == a && i->b == b,
			    f->items, f->n_items, f->cap_items);

	if (new) {
		*i = (struct ff_item){ .thread = thread, .table = table, .a = a, .b = b,
				       .index = t->n[table] };
		strbuf_reset(&f->line);
	}
	*index = i->index;
	return new;
}

static uint32_t string_id(struct firefox *f, struct ff_thread *t, const char *text)
{
	uint32_t index;

	if (item_new(f, t, TABLE_STRINGS, strtab_id(&f->texts, text), 0, &index)) {
		json_text(&f->line, text);
		add_text(f, t, TABLE_STRINGS);
	}
	return index;
}

static uint32_t frame_id(struct export *x, struct ff_thread *t, uint32_t func)
{
	struct stacks *st = &x->session.stacks;
	struct firefox *f = x->state;
	uint32_t index, string, object = st->funcs[func].object;
	char *text;

	if (!item_new(f, t, TABLE_FRAMES, func, 0, &index))
		return index;
	text = xasprintf("%s (in %s)", export_func_name(x, func), object_name(st->objects, object));
	string = string_id(f, t, text);
	free(text);
	strbuf_reset(&f->line);
	strbuf_addf(&f->line, "[%u,false,0,null,null,null,null,%d,null]", string,
		    st->objects->o[object].kind == OBJECT_KERNEL ||
				    st->objects->o[object].kind == OBJECT_MODULE ?
			    1 :
			    0);
	add_text(f, t, TABLE_FRAMES);
	return index;
}

/* Returns the number of a call chain in the thread's table, from the outermost frame on. */
static uint32_t stack_id(struct export *x, struct ff_thread *t, const uint32_t *frames, uint32_t n)
{
	struct firefox *f = x->state;
	uint32_t prefix = 0, index = 0, frame;

	while (n--) {
		frame = frame_id(x, t, export_frame_func(x, frames[n]));
		if (item_new(f, t, TABLE_STACKS, prefix, frame, &index)) {
			if (prefix)
				strbuf_addf(&f->line, "[%u,%u]", prefix - 1, frame);
			else
				strbuf_addf(&f->line, "[null,%u]", frame);
			add_text(f, t, TABLE_STACKS);
		}
		prefix = index + 1;
	}
	return index;
}

static void put_ms(struct strbuf *b, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	strbuf_addf(b, "%" PRId64 ".%06d", ns / 1000000, (int)(ns % 1000000));
}

/* An event with neither a call chain nor an address becomes a marker. */
static void add_marker(struct firefox *f, struct ff_thread *t, const struct pev_event *ev,
		       int64_t ns)
{
	uint32_t name = string_id(f, t, ev->cls->name);
	char text[512];

	strbuf_reset(&f->line);
	strbuf_addf(&f->line, "[%u,", name);
	put_ms(&f->line, ns);
	strbuf_puts(&f->line, ",null,0,2,{\"type\":\"event\"");
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *field = &ev->cls->fields[i];

		if (export_is_plumbing(ev->cls, field) || !strcmp(field->name, "type"))
			continue;
		pev_event_print_field(ev, field, PEV_PRINT_LABEL, text, sizeof(text));
		strbuf_putc(&f->line, ',');
		json_text(&f->line, field->name);
		strbuf_putc(&f->line, ':');
		json_text(&f->line, text);
	}
	strbuf_puts(&f->line, "}]");
	add_text(f, t, TABLE_MARKERS);
}

static int event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		 struct msg *m)
{
	struct stacks *st = &x->session.stacks;
	struct firefox *f = x->state;
	int64_t ns = export_time(x, ev);
	struct export_sample s;
	struct ff_thread *t;
	const uint32_t *frames;
	uint32_t n, stack;
	bool placed;

	if (cls->kind != SESSION_EVENT)
		return 0;
	placed = export_sample_of(x, ev, cls, &s);
	t = thread_get(f, s.thread, ns);
	t->name = s.thread->comm;
	t->end = ns;
	if (placed) {
		export_frame_func(x, (uint32_t)(st->n_frames - 1));
		frames = export_frames(st, s.chain, &s.frame, &n);
		stack = stack_id(x, t, frames, n);
		strbuf_reset(&f->line);
		strbuf_addf(&f->line, "[%u,", stack);
		put_ms(&f->line, ns);
		strbuf_puts(&f->line, ",0]");
		add_text(f, t, TABLE_SAMPLES);
	}
	if (!placed || ev->cls->type == PEV_TYPE_TRACEPOINT || ev->cls->type == PEV_TYPE_MARKER ||
	    ev->cls->type == PEV_TYPE_PROBE)
		add_marker(f, t, ev, ns);
	return f->spool.error ? msg_set(m, -f->spool.error, "the temporary file: %s",
					strerror(f->spool.error)) : 0;
}

static void put_table(struct export *x, struct ff_thread *t, unsigned int table, const char *name,
		      const char *schema)
{
	struct firefox *f = x->state;

	out_printf(&x->out, ",\n\"%s\":{\"schema\":{%s},\"data\":[", name, schema);
	spool_take(&f->spool, &t->t[table], &x->out);
	out_puts(&x->out, "]}");
}

static void put_thread(struct export *x, struct ff_thread *t)
{
	struct firefox *f = x->state;

	strbuf_reset(&f->line);
	json_text(&f->line, machine_comm_name(&x->session.machine, t->name));
	out_printf(&x->out, "{\"tid\":%u,\"pid\":%u,\"name\":%s,\"processType\":\"default\","
		   "\"registerTime\":%.6f,\"unregisterTime\":null", t->tid, t->pid, f->line.s,
		   (double)t->begin / 1e6);
	put_table(x, t, TABLE_MARKERS, "markers", "\"name\":0,\"startTime\":1,\"endTime\":2,"
		  "\"phase\":3,\"category\":4,\"data\":5");
	put_table(x, t, TABLE_SAMPLES, "samples", "\"stack\":0,\"time\":1,\"responsiveness\":2");
	put_table(x, t, TABLE_FRAMES, "frameTable", "\"location\":0,\"relevantForJS\":1,"
		  "\"innerWindowID\":2,\"implementation\":3,\"optimizations\":4,\"line\":5,"
		  "\"column\":6,\"category\":7,\"subcategory\":8");
	put_table(x, t, TABLE_STACKS, "stackTable", "\"prefix\":0,\"frame\":1");
	out_puts(&x->out, ",\n\"stringTable\":[");
	spool_take(&f->spool, &t->t[TABLE_STRINGS], &x->out);
	out_puts(&x->out, "]}");
}

static int end(struct export *x, struct msg *m)
{
	const char *command = pev_trace_info(x->session.trace, "command");
	struct firefox *f = x->state;

	strbuf_reset(&f->line);
	json_text(&f->line, command && *command ? command : "perfctl");
	out_printf(&x->out, "{\"meta\":{\"version\":24,\"interval\":1,\"processType\":0,"
		   "\"product\":%s,\"stackwalk\":1,\"debug\":0,\"gcpoison\":0,\"asyncstack\":1,"
		   "\"startTime\":%.6f,\"shutdownTime\":null,\"presymbolicated\":true,"
		   "\"platform\":\"Linux\",\"oscpu\":\"Linux\",\n\"categories\":["
		   "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		   "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		   "{\"name\":\"Events\",\"color\":\"blue\",\"subcategories\":[\"Other\"]}],\n"
		   "\"markerSchema\":[{\"name\":\"event\",\"display\":[\"marker-chart\","
		   "\"marker-table\"],\"data\":[]}]},\n\"libs\":[],\"threads\":[\n", f->line.s,
		   (double)x->begin / 1e6);
	for (size_t i = 0; i < f->n_threads && !out_failed(&x->out); i++) {
		if (i)
			out_puts(&x->out, ",\n");
		put_thread(x, &f->threads[i]);
	}
	out_puts(&x->out, "],\n\"processes\":[],\"pausedRanges\":[]}\n");
	return f->spool.error ? msg_set(m, -f->spool.error, "the temporary file: %s",
					strerror(f->spool.error)) : 0;
}

static void done(struct export *x)
{
	struct firefox *f = x->state;

	if (!f)
		return;
	for (size_t i = 0; i < f->n_threads; i++)
		for (unsigned int k = 0; k < N_TABLES; k++)
			free(f->threads[i].t[k].block);
	spool_close(&f->spool);
	free(f->threads);
	free(f->items);
	htab_free(&f->h_threads);
	htab_free(&f->h_items);
	strtab_free(&f->texts);
	strbuf_free(&f->line);
	free(f);
}

const struct exporter export_firefox = {
	.name = "firefox",
	.file = "firefox.json",
	.begin = begin,
	.event = event,
	.end = end,
	.free = done,
};
