// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses CTF 1.8 metadata text (TSDL), as far as a pev trace needs it: integers
 * of whole bytes, arrays and sequences of them, strings, and for the header of
 * records also integers of bits, enumerations and variants.
 *
 * One declaration of the top level at a time becomes part of struct pev_meta;
 * one that has an error leaves the metadata as it was before it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "ctf/layout.h"
#include "ctf/tsdl.h"
#include "ctf/tsdl_type.h"

#define MAX_ID		(1U << 20)
/* What metadata may ask of memory: classes of streams, and ids in all of them */
#define MAX_STREAMS	64
#define MAX_CONTEXT	4096	/* bytes that all records of a stream have in common */
#define MAX_IDS		(4 * MAX_ID)

struct env_entry {
	struct env_entry	*next;
	const char		*key;
	const char		*value;
};

typedef int (*attribute_fn)(struct parser *p, void *arg, const struct value *v);
typedef int (*type_fn)(struct parser *p, void *arg, const char *path, const struct type *t);

static int parse_block(struct parser *p, attribute_fn attribute, type_fn type, void *arg)
{
	const struct type *t;
	struct value v;

	if (tsdl_next(p) || tsdl_expect(p, '{'))
		return -p->error;
	while (!tsdl_is_sign(p, '}')) {
		if (tsdl_is_name(p, "typealias")) {
			if (tsdl_alias(p))
				return -p->error;
			continue;
		}
		if (tsdl_dotted(p, v.path, sizeof(v.path)))
			return -p->error;
		if (tsdl_is_sign(p, SIGN_ASSIGN_TYPE)) {
			if (tsdl_next(p))
				return -p->error;
			t = tsdl_type(p);
			if (!t || (type && type(p, arg, v.path, t)))
				return -p->error;
		} else {
			if (tsdl_expect(p, '=') || tsdl_value(p, &v) || attribute(p, arg, &v))
				return -p->error;
		}
		if (tsdl_expect(p, ';'))
			return -p->error;
	}
	if (tsdl_next(p))
		return -p->error;
	/* the semicolon behind a block is often forgotten */
	tsdl_accept(p, ';');
	return p->failed ? -p->error : 0;
}

/* Returns the place of a member of a structure of whole bytes, in bytes; -1: not there */
static int place(const struct type *t, unsigned int index)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < t->nr; i++) {
		const struct type_member *m = &t->members[i];
		uint32_t align = m->type->align;

		if (m->shape > PEV_SHAPE_ARRAY || m->type->kind != TYPE_INT)
			return -1;
		bits = (bits + align - 1) & ~((uint64_t)align - 1);
		if (i == index)
			return bits % 8 || bits / 8 > INT_MAX ? -1 : (int)(bits / 8);
		bits += (uint64_t)m->type->size * m->count;
	}
	return -1;
}

/* Returns the bytes of a structure; -1 if it is not of integers of whole bytes. */
static int extent(const struct type *t)
{
	const struct type_member *last = t->nr ? &t->members[t->nr - 1] : NULL;
	int at = last ? place(t, t->nr - 1) : 0;
	uint64_t bits = last ? (uint64_t)last->type->size * last->count : 0;

	if (at < 0 || at > MAX_CONTEXT || bits % 8 || bits > MAX_CONTEXT * 8)
		return -1;
	return at + (int)(bits / 8);
}

/* Returns whether there is a member of that name, place and size in bytes. */
static bool has(const struct type *t, const char *name, int at, uint32_t size)
{
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct type_member *m = &t->members[i];

		if (!strcmp(m->name, name))
			return place(t, i) == at &&
			       (uint64_t)m->type->size * m->count == (uint64_t)size * 8;
	}
	return false;
}

static int trace_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct pev_meta *meta = p->meta;
	const char *c = v->text;
	unsigned int n = 0;

	(void)arg;
	if (!strcmp(v->path, "major") || !strcmp(v->path, "minor")) {
		if (tsdl_need_number(p, v, 255))
			return -p->error;
		if (v->number != (v->path[1] == 'a' ? 1 : 8))
			return tsdl_fail(p, "only CTF 1.8 can be read");
	} else if (!strcmp(v->path, "byte_order")) {
		if (strcmp(c, "le"))
			return tsdl_fail(p, "only little-endian traces can be read");
	} else if (!strcmp(v->path, "uuid")) {
		for (; *c; c++) {
			if (*c == '-')
				continue;
			if (tsdl_digit(*c) > 15 || n >= 32)
				break;
			meta->uuid[n / 2] = meta->uuid[n / 2] << 4 | tsdl_digit(*c);
			n++;
		}
		if (*c || n != 32)
			return tsdl_fail(p, "the UUID is malformed");
	}
	return 0;
}

static int trace_type(struct parser *p, void *arg, const char *path, const struct type *t)
{
	(void)arg;
	if (strcmp(path, "packet.header"))
		return 0;
	if (t->kind != TYPE_STRUCT || !has(t, "magic", 0, 4) || !has(t, "uuid", 4, 16) ||
	    !has(t, "stream_id", 20, 4) || !has(t, "stream_instance_id", 24, 8) ||
	    t->nr != 4)
		return tsdl_fail(p, "the header of packets is not that of a pev trace");
	return 0;
}

static int parse_trace(struct parser *p)
{
	if (p->meta->have_trace)
		return tsdl_fail(p, "there are two trace blocks");
	if (parse_block(p, trace_attribute, trace_type, NULL))
		return -p->error;
	p->meta->have_trace = true;
	return 0;
}

static int env_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct env_entry *e = tsdl_alloc(p, sizeof(*e));
	char number[24];

	(void)arg;
	if (!e)
		return -p->error;
	e->key = arena_strndup(&p->meta->arena, v->path, strlen(v->path));
	e->value = v->text;
	if (v->is_number) {
		snprintf(number, sizeof(number), v->negative ? "%lld" : "%llu",
			 (long long)v->number);
		e->value = arena_strndup(&p->meta->arena, number, strlen(number));
	}
	if (!e->key || !e->value)
		return tsdl_fail(p, "out of memory");
	e->next = p->meta->env;
	p->meta->env = e;
	return 0;
}

static int clock_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct pev_clock_desc *clock = arg;
	int64_t number = v->number;

	if (!strcmp(v->path, "name")) {
		clock->name = v->text;
	} else if (!strcmp(v->path, "freq")) {
		if (!tsdl_upto(v, 1000000000000ULL) || !v->number)
			return tsdl_fail(p, "a clock's frequency must be 1 to 10^12");
		clock->freq = v->number;
	} else if (!strcmp(v->path, "offset_s")) {
		/* some thousand years don't fit into 64 bits of ns */
		if (!v->is_number || number > 9000000000LL || number < -9000000000LL)
			return tsdl_fail(p, "a clock's offset_s is out of range");
		clock->offset_s = number;
	} else if (!strcmp(v->path, "offset")) {
		if (!v->is_number)
			return tsdl_fail(p, "a clock's offset is no number");
		clock->offset = number;
	}
	return 0;
}

static int parse_clock(struct parser *p)
{
	struct pev_clock_desc clock = { .name = "", .freq = 1000000000 };

	if (parse_block(p, clock_attribute, NULL, &clock))
		return -p->error;
	if (!p->meta->have_clock)
		p->meta->clock = clock;
	p->meta->have_clock = true;
	return 0;
}

/* Checks the header of records: a word of id and time, and the extended form behind it. */
static int check_header(struct parser *p, const struct type *t, struct pev_stream_class *s)
{
	static const char wrong[] = "the header of records is not that of a pev trace";
	static const struct { const char *name; uint32_t size; } extended[] = {
		{ "id", PEV_TIME_BITS }, { "timestamp", 64 },
	};
	const struct type *v, *compact = NULL, *ext = NULL;

	if (t->kind != TYPE_STRUCT || t->nr != 2 || t->align != 64)
		return tsdl_fail(p, wrong);
	v = t->members[1].type;
	if (t->members[0].type->kind != TYPE_INT || t->members[0].type->size != PEV_ID_BITS ||
	    v->kind != TYPE_VARIANT)
		return tsdl_fail(p, wrong);
	for (unsigned int i = 0; i < v->nr; i++) {
		if (v->members[i].type->kind != TYPE_STRUCT)
			return tsdl_fail(p, wrong);
		if (!strcmp(v->members[i].name, "compact"))
			compact = v->members[i].type;
		if (!strcmp(v->members[i].name, "extended"))
			ext = v->members[i].type;
	}
	if (!compact || !ext || compact->nr != 1 || compact->align != 1 ||
	    compact->members[0].type->kind != TYPE_INT ||
	    compact->members[0].type->size != PEV_TIME_BITS || ext->nr != 2 || ext->align != 1)
		return tsdl_fail(p, wrong);
	for (unsigned int i = 0; i < ext->nr; i++)
		if (strcmp(ext->members[i].name, extended[i].name) ||
		    ext->members[i].type->kind != TYPE_INT ||
		    ext->members[i].type->size != extended[i].size)
			return tsdl_fail(p, wrong);
	s->header[0] = 4;
	s->header[1] = 12;
	return 0;
}

/*
 * Checks what all records of a stream class have behind their header. Only the tid
 * is known here; other members are skipped.
 */
static int check_context(struct parser *p, const struct type *t, struct pev_stream_class *s)
{
	static const char wrong[] = "the context of records is not that of a pev trace";
	int size = t->kind == TYPE_STRUCT ? extent(t) : -1, tid = -1;

	if (!size && !t->nr)
		return 0;
	if (size < 0 || t->align % 8 || t->align > 64)
		return tsdl_fail(p, wrong);
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct type_member *m = &t->members[i];

		if (strcmp(m->name, "tid"))
			continue;
		tid = place(t, i);
		if (tid < 0 || (uint64_t)m->type->size * m->count != 32)
			return tsdl_fail(p, wrong);
	}
	for (int i = 0; i < 2; i++) {
		uint32_t start = align_up(s->header[i], t->align / 8);

		if (tid >= 0)
			s->tid[i] = start + tid;
		s->header[i] = start + size;
	}
	return 0;
}

struct stream_types {
	uint32_t		id;
	const struct type	*header;
	const struct type	*context;
	bool			packet;
};

static int stream_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct stream_types *types = arg;

	if (strcmp(v->path, "id"))
		return 0;
	if (tsdl_need_number(p, v, UINT32_MAX))
		return -p->error;
	types->id = v->number;
	return 0;
}

static int stream_type(struct parser *p, void *arg, const char *path, const struct type *t)
{
	static const struct { const char *name; uint8_t at, size; } need[] = {
		{ "timestamp_begin", 0, 8 }, { "timestamp_end", 8, 8 },
		{ "content_size", 16, 8 }, { "packet_size", 24, 8 },
		{ "events_discarded", 32, 8 }, { "packet_seq_num", 40, 8 },
		{ "cpu_id", 48, 4 }, { "reserved", 52, 4 },
	};
	struct stream_types *types = arg;

	if (!strcmp(path, "event.header")) {
		types->header = t;
	} else if (!strcmp(path, "event.context")) {
		types->context = t;
	} else if (!strcmp(path, "packet.context")) {
		types->packet = t->kind == TYPE_STRUCT && t->nr == ARRAY_SIZE(need);
		for (size_t i = 0; types->packet && i < ARRAY_SIZE(need); i++)
			types->packet = has(t, need[i].name, need[i].at, need[i].size);
		if (!types->packet)
			return tsdl_fail(p, "the context of packets is not that of a pev trace");
	}
	return 0;
}

static int parse_stream(struct parser *p)
{
	struct stream_types types = { 0 };
	struct pev_meta *meta = p->meta;
	struct pev_stream_class *s;

	if (parse_block(p, stream_attribute, stream_type, &types))
		return -p->error;
	if (meta_stream(meta, types.id))
		return tsdl_fail(p, "there are two streams with the id %u", types.id);
	if (meta->nr_streams == MAX_STREAMS)
		return tsdl_fail(p, "there are more than %d streams", MAX_STREAMS);
	if (!types.packet || !types.header)
		return tsdl_fail(p, "the stream describes no packets or no records");
	s = tsdl_alloc(p, sizeof(*s));
	if (!s || check_header(p, types.header, s))
		return -p->error;
	if (types.context && check_context(p, types.context, s))
		return -p->error;
	if (s->header[0] % 8 || s->header[1] % 8)
		return tsdl_fail(p, "what follows the header of records is not aligned to 8");
	s->id = types.id;
	s->next = meta->streams;
	meta->streams = s;
	meta->nr_streams++;
	return 0;
}

struct event_block {
	struct class		*cls;
	bool			have_id;
	const struct type	*context;
	const struct type	*fields;
};

/* Parses "pev:tracepoint?period=1&freq=0". */
static void parse_uri(struct pev_class *cls, const char *uri)
{
	const char *kind = uri, *args;
	char name[32];
	size_t len;

	cls->uri = uri;
	if (!strncmp(uri, "pev:", 4))
		kind += 4;
	len = strcspn(kind, "?");
	if (len < sizeof(name)) {
		memcpy(name, kind, len);
		name[len] = '\0';
		if (pev_type_by_name(name) > 0)
			cls->type = pev_type_by_name(name);
	}
	for (args = kind + len; *args; args += strcspn(args, "&")) {
		args++;
		if (!strncmp(args, "period=", 7))
			cls->period = strtoull(args + 7, NULL, 0);
		else if (!strncmp(args, "freq=", 5))
			cls->freq = strtoull(args + 5, NULL, 0);
	}
	/* freq=1 says that the period is a frequency */
	if (cls->freq == 1) {
		cls->freq = cls->period;
		cls->period = 0;
	}
}

static int event_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct event_block *e = arg;

	if (!strcmp(v->path, "name")) {
		e->cls->pub.name = v->text;
	} else if (!strcmp(v->path, "id")) {
		if (tsdl_need_number(p, v, MAX_ID - 1))
			return -p->error;
		e->cls->pub.id = v->number;
		e->have_id = true;
	} else if (!strcmp(v->path, "stream_id")) {
		if (tsdl_need_number(p, v, UINT32_MAX))
			return -p->error;
		e->cls->pub.stream_id = v->number;
	} else if (!strcmp(v->path, "model.emf.uri")) {
		parse_uri(&e->cls->pub, v->text);
	}
	return 0;
}

static int event_type(struct parser *p, void *arg, const char *path, const struct type *t)
{
	struct event_block *e = arg;

	if (strcmp(path, "context") && strcmp(path, "fields"))
		return 0;
	if (t->kind != TYPE_STRUCT)
		return tsdl_fail(p, "the %s of an event must be a structure", path);
	if (!strcmp(path, "context"))
		e->context = t;
	else
		e->fields = t;
	return 0;
}

/*
 * An empty structure as last member is the padding of the record: babeltrace
 * takes what follows the last field of a packet for another record otherwise.
 */
static bool has_padding(const struct type *t)
{
	const struct type *last = t->nr ? t->members[t->nr - 1].type : NULL;

	return last && last->kind == TYPE_STRUCT && !last->nr;
}

/* Turns members into fields, without offsets. */
static struct pev_field *to_fields(struct parser *p, const struct type *t, unsigned int *nr)
{
	struct pev_field *fields = tsdl_alloc(p, (t->nr + 1) * sizeof(*fields));

	*nr = t->nr - has_padding(t);
	for (unsigned int i = 0; fields && i < *nr; i++) {
		const struct type_member *m = &t->members[i];

		p->token.line = m->line;
		if (m->type->kind == TYPE_STRUCT || m->type->kind == TYPE_VARIANT) {
			tsdl_fail(p, "field %s is a structure or variant", m->name);
			return NULL;
		}
		if ((m->type->size != 8 && m->type->size != 16 && m->type->size != 32 &&
		     m->type->size != 64) || m->type->align < 8) {
			tsdl_fail(p, "field %s does not consist of whole bytes", m->name);
			return NULL;
		}
		fields[i] = (struct pev_field){
			.name = m->name,
			.shape = m->shape,
			.size = m->type->size / 8,
			.align = m->type->align / 8,
			.is_signed = m->type->is_signed,
			.is_text = m->type->is_text,
			.base = m->type->base,
			.count = m->count,
			.length = m->length,
			.offset = -1,
			.labels = m->type->labels,
		};
	}
	return fields;
}

static int add_class(struct parser *p, struct pev_stream_class *s, struct class *cls)
{
	struct pev_meta *meta = p->meta;
	struct class **more;
	uint32_t room;

	if (cls->pub.id < s->nr_ids && s->by_id[cls->pub.id])
		return tsdl_fail(p, "two events have the id %u", cls->pub.id);
	if (cls->pub.id >= s->nr_ids) {
		room = align_up(cls->pub.id + 1 + cls->pub.id / 2, 64);
		if (meta->nr_ids + room - s->nr_ids > MAX_IDS)
			return tsdl_fail(p, "the ids of all streams take too much memory");
		more = realloc(s->by_id, room * sizeof(*more));
		if (!more)
			return tsdl_fail(p, "out of memory");
		memset(more + s->nr_ids, 0, (room - s->nr_ids) * sizeof(*more));
		meta->nr_ids += room - s->nr_ids;
		s->by_id = more;
		s->nr_ids = room;
	}
	if (meta->nr_classes == meta->room_classes) {
		room = meta->room_classes ? meta->room_classes * 2 : 64;
		more = realloc(meta->classes, room * sizeof(*more));
		if (!more)
			return tsdl_fail(p, "out of memory");
		meta->classes = more;
		meta->room_classes = room;
	}
	cls->pub.index = meta->first_index + meta->nr_classes;
	meta->classes[meta->nr_classes++] = cls;
	s->by_id[cls->pub.id] = cls;
	return 0;
}

static int parse_event(struct parser *p)
{
	static const struct type nothing = { .kind = TYPE_STRUCT, .align = 8 };
	struct pev_field *context, *fields;
	struct event_block e = { .context = &nothing, .fields = &nothing };
	unsigned int line = p->token.line, nr_context, nr_fields = 0;
	struct pev_stream_class *stream;
	const char *why = "";
	struct class *cls;

	if (!p->meta->streams)
		return tsdl_fail(p, "an event comes before the stream");
	cls = tsdl_alloc(p, sizeof(*cls));
	if (!cls)
		return -p->error;
	cls->pub.uri = "";
	e.cls = cls;
	if (parse_block(p, event_attribute, event_type, &e))
		return -p->error;
	p->token.line = line;
	if (!cls->pub.name || !e.have_id)
		return tsdl_fail(p, "an event has no name or no id");
	stream = meta_stream(p->meta, cls->pub.stream_id);
	if (!stream)
		return tsdl_fail(p, "event %s belongs to stream %u, which is not described",
				 cls->pub.name, cls->pub.stream_id);
	cls->stream = stream;
	context = to_fields(p, e.context, &nr_context);
	fields = context ? to_fields(p, e.fields, &nr_fields) : NULL;
	if (!fields)
		return -p->error;
	p->token.line = line;
	cls->has_fields = e.fields != &nothing;
	cls->padded = has_padding(e.fields) && e.fields->members[nr_fields].type->align == 64;
	if (layout_class(p->meta, cls, context, nr_context, fields, nr_fields, &why))
		return tsdl_fail(p, "event %s: %s", cls->pub.name, why);
	return add_class(p, stream, cls);
}

static int skip_block(struct parser *p)
{
	unsigned int depth = 0;

	for (;;) {
		if (tsdl_next(p))
			return -p->error;
		if (p->token.kind == TOKEN_END)
			return tsdl_unexpected(p, "'}'");
		if (tsdl_is_sign(p, '{')) {
			depth++;
		} else if (tsdl_is_sign(p, '}')) {
			if (depth <= 1)
				break;
			depth--;
		} else if (tsdl_is_sign(p, ';') && !depth) {
			return tsdl_next(p);
		}
	}
	if (tsdl_next(p))
		return -p->error;
	tsdl_accept(p, ';');
	return p->failed ? -p->error : 0;
}

static int parse_one(struct parser *p)
{
	if (p->token.kind != TOKEN_NAME)
		return tsdl_unexpected(p, "a declaration");
	if (tsdl_is_name(p, "typealias"))
		return tsdl_alias(p);
	if (tsdl_is_name(p, "trace"))
		return parse_trace(p);
	if (tsdl_is_name(p, "env"))
		return parse_block(p, env_attribute, NULL, NULL);
	if (tsdl_is_name(p, "clock"))
		return parse_clock(p);
	if (tsdl_is_name(p, "stream"))
		return parse_stream(p);
	if (tsdl_is_name(p, "event"))
		return parse_event(p);
	if (tsdl_is_name(p, "callsite"))
		return skip_block(p);
	if (tsdl_is_name(p, "struct") || tsdl_is_name(p, "variant") || tsdl_is_name(p, "enum"))
		return tsdl_type(p) ? tsdl_expect(p, ';') : -p->error;
	return tsdl_fail(p, "'%.*s' begins no declaration",
		    p->token.len > 40 ? 40 : (int)p->token.len, p->token.start);
}

/* Parses meta->text from meta->parsed on. */
int tsdl_parse(struct pev_meta *meta, struct pev_error *err)
{
	struct parser p = {
		.meta = meta,
		.pos = meta->text + meta->parsed,
		.end = meta->text + meta->len,
		.line = meta->line,
		.err = err,
	};
	struct named_type *types;
	bool clock, trace;

	tsdl_next(&p);
	while (!p.failed && p.token.kind != TOKEN_END) {
		types = meta->types;
		clock = meta->have_clock;
		trace = meta->have_trace;
		if (parse_one(&p) && !p.failed)
			tsdl_fail(&p, "the declaration makes no sense");
		if (p.failed) {
			/* as if this declaration had not been there */
			tsdl_drop_types(meta, types);
			meta->have_clock = clock;
			meta->have_trace = trace;
			break;
		}
		meta->parsed = p.token.start - meta->text;
		meta->line = p.token.line;
	}
	if (p.failed)
		return -p.error;
	meta->parsed = meta->len;
	meta->line = p.line;
	return 0;
}

PEV_EXPORT const char *pev_meta_env(const struct pev_meta *meta, const char *key)
{
	for (const struct env_entry *e = meta->env; e; e = e->next)
		if (!strcmp(e->key, key))
			return e->value;
	return NULL;
}
