// SPDX-License-Identifier: GPL-2.0
/* Reads perf.data: header, attributes, feature sections, and the records. */
#include "file.h"
#include "bytes.h"
#include "format.h"
#include "import.h"
#include "records.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAX_EVENTS 65536

/* Takes one of perf's strings: a length, then so many bytes. */
static char *header_string(struct bytes *b)
{
	return xstrdup(bytes_text(b, bytes_u32(b)));
}

/* ---- Attributes ---- */

static void add_id(struct import *im, uint64_t id, uint32_t event)
{
	struct import_id *i;

	if (import_event_by_id(im, id))
		return;
	i = ARRAY_PUSH(im->ids, im->n_ids, im->cap_ids);
	i->id = id;
	i->event = event;
	htab_add(&im->h_ids, hash_u64(id), (uint32_t)(im->n_ids - 1));
}

const struct import_event *import_event_by_id(const struct import *im, uint64_t id)
{
	uint32_t hash = hash_u64(id), pos, ref;

	for (ref = htab_first(&im->h_ids, hash, &pos); ref;
	     ref = htab_next(&im->h_ids, hash, &pos))
		if (im->ids[ref - 1].id == id)
			return &im->events[im->ids[ref - 1].event];
	return NULL;
}

/* Takes an attribute, which has its own size: newer ones have more than we know. */
static bool take_attr(struct bytes *b, uint64_t room, struct perf_event_attr *attr)
{
	const uint8_t *p = bytes_take(b, room);
	uint32_t size;

	*attr = (struct perf_event_attr){ 0 };
	if (!p || room < PERF_ATTR_SIZE_VER0)
		return false;
	memcpy(&size, p + 4, sizeof(size));
	if (size < PERF_ATTR_SIZE_VER0 || size > room)
		size = (uint32_t)room;
	memcpy(attr, p, min_u64(size, sizeof(*attr)));
	return true;
}

static int add_event(struct import *im, const struct perf_event_attr *attr, struct bytes ids,
		     struct msg *m)
{
	struct import_event *e;

	if (im->n_events >= MAX_EVENTS)
		return msg_set(m, -EBADMSG, "%s: it claims to have more than %d events", im->path,
			       MAX_EVENTS);
	e = ARRAY_PUSH(im->events, im->n_events, im->cap_events);
	e->attr = *attr;
	while (ids.end - ids.p >= 8)
		add_id(im, bytes_u64(&ids), (uint32_t)(im->n_events - 1));
	return 0;
}

static bool section_bytes(const struct import *im, const struct perf_file_section *s,
			  struct bytes *b)
{
	if (s->offset > im->size || s->size > im->size - s->offset)
		return false;
	*b = (struct bytes){ im->data + s->offset, im->data + s->offset + s->size, false };
	return true;
}

static int read_attrs(struct import *im, const struct perf_file_header *h, struct msg *m)
{
	struct perf_file_section ids;
	struct perf_event_attr attr;
	struct bytes b, id_bytes;
	int err = 0;

	if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(ids) || h->attr_size > 4096 ||
	    !section_bytes(im, &h->attrs, &b))
		return msg_set(m, -EBADMSG, "%s: its header is damaged", im->path);
	while (!err && (uint64_t)(b.end - b.p) >= h->attr_size) {
		if (!take_attr(&b, h->attr_size - sizeof(ids), &attr))
			break;
		memcpy(&ids, bytes_take(&b, sizeof(ids)), sizeof(ids));
		if (!section_bytes(im, &ids, &id_bytes))
			return msg_set(m, -EBADMSG, "%s: the ids of an event lie outside of it",
				       im->path);
		err = add_event(im, &attr, id_bytes, m);
	}
	return err;
}

/* ---- Feature sections ---- */

/* @r: of @size bytes; in a section of the file it may be anywhere */
static void add_build_id(struct import *im, const void *r, size_t size)
{
	struct perf_build_id id;
	struct bytes b = { (const uint8_t *)r, (const uint8_t *)r + size, false };
	struct build_id bid = { .len = 20 };
	const char *path;

	if (size <= sizeof(id))
		return;
	memcpy(&id, bytes_take(&b, sizeof(id)), sizeof(id));
	path = bytes_text(&b, (uint64_t)(b.end - b.p));
	if (id.header.misc & PERF_MISC_BUILD_ID_SIZE)
		bid.len = (uint8_t)min_u64(id.size, sizeof(bid.bytes));
	memcpy(bid.bytes, id.id, bid.len);
	if (!strncmp(path, "[kernel.kallsyms]", 17) || !strncmp(path, "[kernel", 7)) {
		im->kernel = bid;
		return;
	}
	if (pev_perf_build_id(im->perf, path, bid.bytes, bid.len))
		checked(NULL);
}

static void read_build_ids(struct import *im, struct bytes b)
{
	struct perf_event_header r;

	while (b.end - b.p >= (ptrdiff_t)sizeof(r)) {
		memcpy(&r, b.p, sizeof(r));
		if (r.size < sizeof(r) || r.size > b.end - b.p)
			return;
		/* the type of these is not always set */
		add_build_id(im, b.p, r.size);
		b.p += r.size;
	}
}

static void read_event_desc(struct import *im, struct bytes b)
{
	uint32_t n = bytes_u32(&b), attr_size = bytes_u32(&b);

	for (uint32_t i = 0; i < n && !b.short_; i++) {
		const struct import_event *e = NULL;
		struct bytes ids;
		uint32_t n_ids;
		char *name;

		bytes_take(&b, attr_size);
		n_ids = bytes_u32(&b);
		name = header_string(&b);
		ids = b;
		bytes_take(&b, (uint64_t)n_ids * 8);
		if (!b.short_ && n_ids)
			e = import_event_by_id(im, bytes_u64(&ids));
		else if (!b.short_ && i < im->n_events)
			e = &im->events[i];
		if (e && *name && !e->name)
			((struct import_event *)e)->name = xstrdup(name);
		free(name);
	}
}

static void read_cmdline(struct import *im, struct bytes b)
{
	uint32_t n = bytes_u32(&b);
	struct strbuf text = { 0 };

	for (uint32_t i = 0; i < n && i < 1000 && !b.short_; i++) {
		char *word = header_string(&b);

		strbuf_addf(&text, "%s%s", i ? " " : "", word);
		free(word);
	}
	free(im->command);
	im->command = text.s;
}

static void read_clock_data(struct import *im, struct bytes b)
{
	uint64_t wall, clock;

	bytes_u32(&b); /* version */
	bytes_u32(&b); /* which clock */
	wall = bytes_u64(&b);
	clock = bytes_u64(&b);
	if (!b.short_ && wall > clock && wall < INT64_MAX)
		im->clock_offset = (int64_t)(wall - clock);
}

/* Assumes, without better data, that perf wrote the file after the last sample. */
static void read_sample_time(struct import *im, struct bytes b)
{
	uint64_t last;

	bytes_u64(&b);
	last = bytes_u64(&b);
	if (!b.short_ && !im->clock_offset && last && last < (uint64_t)im->written)
		im->clock_offset = im->written - (int64_t)last;
}

static void read_feature(struct import *im, uint64_t feature, struct bytes b)
{
	char **text = NULL;

	switch (feature) {
	case PERF_FEAT_TRACING_DATA:
		import_tracing_data(im, b);
		break;
	case PERF_FEAT_BUILD_ID:
		read_build_ids(im, b);
		break;
	case PERF_FEAT_HOSTNAME:
		text = &im->hostname;
		break;
	case PERF_FEAT_OSRELEASE:
		text = &im->release;
		break;
	case PERF_FEAT_ARCH:
		text = &im->machine;
		break;
	case PERF_FEAT_NRCPUS:
		bytes_u32(&b);
		im->cpus = bytes_u32(&b);
		break;
	case PERF_FEAT_CMDLINE:
		read_cmdline(im, b);
		break;
	case PERF_FEAT_EVENT_DESC:
		read_event_desc(im, b);
		break;
	case PERF_FEAT_SAMPLE_TIME:
		read_sample_time(im, b);
		break;
	case PERF_FEAT_CLOCK_DATA:
		read_clock_data(im, b);
		break;
	default:
		break;
	}
	if (text) {
		free(*text);
		*text = header_string(&b);
	}
}

static void read_features(struct import *im, const struct perf_file_header *h)
{
	struct bytes table = { im->data + im->records.offset + im->records.size,
			       im->data + im->size, false }, b;
	struct perf_file_section s;

	for (unsigned int i = 0; i < PERF_FEAT_MAX; i++) {
		const void *p;

		if (!(h->features[i / 64] >> i % 64 & 1))
			continue;
		p = bytes_take(&table, sizeof(s));
		if (!p)
			return;
		memcpy(&s, p, sizeof(s));
		if (section_bytes(im, &s, &b))
			read_feature(im, i, b);
	}
}

/* ---- What any record has ---- */

/* Returns where a sample has its id, in words behind the header. */
static int id_word(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(type & PERF_SAMPLE_ID))
		return -1;
	return __builtin_popcountll(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					    PERF_SAMPLE_ADDR));
}

/* All records end with these if sample_id_all is set, before the identifier. */
#define SAMPLE_ID_ALL                                                                  \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU)

/* Takes the members of a record, in their order, as far as we need them. */
static void take_head(struct bytes *b, uint64_t type, struct import_head *h)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID,       PERF_SAMPLE_TIME,
		PERF_SAMPLE_ADDR,	PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		if (!(type & order[i]))
			continue;
		switch (order[i]) {
		case PERF_SAMPLE_TID:
			h->pid = bytes_u32(b);
			h->tid = bytes_u32(b);
			break;
		case PERF_SAMPLE_TIME:
			h->time = bytes_u64(b);
			break;
		case PERF_SAMPLE_CPU:
			h->cpu = bytes_u32(b);
			break;
		default:
			bytes_u64(b);
		}
	}
}

static bool sample_head(const struct import *im, const struct perf_event_header *r,
			struct import_head *h)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	int word = id_word(im->events[0].attr.sample_type);
	uint64_t type, id;

	h->event = &im->events[0];
	if (word >= 0 && im->n_ids && (size_t)(b.end - b.p) >= 8 * ((size_t)word + 1)) {
		memcpy(&id, b.p + 8 * word, sizeof(id));
		h->event = import_event_by_id(im, id);
	}
	if (!h->event)
		return false;
	type = h->event->attr.sample_type;
	take_head(&b, type, h);
	return !b.short_;
}

#define KSYMBOL_NAME 16 /* behind the header */

/*
 * The end of the members that a record closes with. While several events of a CPU want functions, the
 * kernel says a size that grows with each of them: what is behind those members was there before.
 */
static const uint8_t *head_end(const struct perf_event_header *r, size_t head)
{
	const uint8_t *name = (const uint8_t *)(r + 1) + KSYMBOL_NAME, *end = (const uint8_t *)r + r->size;
	size_t len;

	if (r->type != PERF_RECORD_KSYMBOL || name >= end)
		return end;
	len = strnlen((const char *)name, (size_t)(end - name));
	/* padded to 8 bytes */
	len = ((len + 8) & ~(size_t)7) + head;
	return len < (size_t)(end - name) ? name + len : end;
}

bool import_head(const struct import *im, const struct perf_event_header *r,
		 struct import_head *h)
{
	const struct perf_event_attr *a;
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	uint64_t type;
	int words;

	*h = (struct import_head){ 0 };
	if (!im->n_events)
		return false;
	if (r->type == PERF_RECORD_SAMPLE)
		return sample_head(im, r, h);
	a = &im->events[0].attr;
	if (!a->sample_id_all || r->type >= PERF_USER_ATTR)
		return true;
	type = a->sample_type;
	words = __builtin_popcountll(type & (SAMPLE_ID_ALL | PERF_SAMPLE_IDENTIFIER));
	b.end = head_end(r, (size_t)words * 8);
	if (b.end - b.p < words * 8)
		return false;
	b.p = b.end - words * 8;
	take_head(&b, type & SAMPLE_ID_ALL, h);
	return true;
}

/* ---- The first pass ---- */

static void name_event(struct import *im, struct bytes b)
{
	uint64_t type = bytes_u64(&b), id = bytes_u64(&b);
	struct import_event *e = (struct import_event *)import_event_by_id(im, id);
	const char *name;

	if (type != PERF_UPDATE_NAME || !e)
		return;
	name = bytes_text(&b, (uint64_t)(b.end - b.p));
	if (*name) {
		free(e->name);
		e->name = xstrdup(name);
	}
}

static int pipe_attr(struct import *im, struct bytes b, struct msg *m)
{
	struct perf_event_attr attr;
	uint32_t size = 0;

	if (b.end - b.p >= 8)
		memcpy(&size, b.p + 4, sizeof(size));
	if (size < PERF_ATTR_SIZE_VER0 || size > b.end - b.p)
		size = PERF_ATTR_SIZE_VER0;
	return take_attr(&b, size, &attr) ? add_event(im, &attr, b, m) : 0;
}

/* "[kernel.kallsyms]_text": the address of a function, which distinguishes kernels */
static void note_kernel(struct import *im, struct bytes b)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const char *name;
	uint64_t pgoff;

	if (bytes_u32(&b) != UINT32_MAX || im->text_symbol)
		return;
	bytes_u32(&b);
	bytes_u64(&b);
	bytes_u64(&b);
	pgoff = bytes_u64(&b);
	name = bytes_text(&b, (uint64_t)(b.end - b.p));
	if (strncmp(name, kernel, sizeof(kernel) - 1) || !name[sizeof(kernel) - 1])
		return;
	im->text_symbol = xstrdup(name + sizeof(kernel) - 1);
	im->text_address = pgoff;
}

static int first_pass(struct import *im, const struct perf_event_header *r, bool stays,
		      struct msg *m)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	uint64_t feature;

	(void)stays;
	switch (r->type) {
	case PERF_RECORD_MMAP:
		note_kernel(im, b);
		break;
	case PERF_USER_ATTR:
		return im->pipe ? pipe_attr(im, b, m) : 0;
	case PERF_USER_EVENT_UPDATE:
		name_event(im, b);
		break;
	case PERF_USER_BUILD_ID:
		add_build_id(im, r, r->size);
		break;
	case PERF_USER_FEATURE:
		feature = bytes_u64(&b);
		read_feature(im, feature, b);
		break;
	case PERF_USER_TRACING_DATA:
		/* aligned, as always in a pipe: use the record in the file itself */
		if (stays && (const uint8_t *)r >= im->data) {
			b.p = (const uint8_t *)r + r->size;
			b.end = b.p + min_u64(import_behind(r), (uint64_t)(im->data + im->size - b.p));
			import_tracing_data(im, b);
		}
		break;
	default:
		break;
	}
	return 0;
}

/* ---- Opening ---- */

static int check_magic(struct import *im, uint64_t magic, struct msg *m)
{
	if (magic == PERF_FILE_MAGIC)
		return 0;
	if (magic == PERF_FILE_MAGIC_OTHER)
		return msg_set(m, -EBADMSG, "%s was recorded on a machine of the other byte order "
			       "(big-endian); import reads its own order only", im->path);
	if (!memcmp(im->data, "PERFFILE", 8))
		return msg_set(m, -EBADMSG, "%s is of the first version of perf.data, which perf "
			       "itself stopped writing in 2009", im->path);
	return msg_set(m, -EBADMSG, "%s is no perf.data", im->path);
}

/* What we call an event of perf; NULL if we have nothing like it. */
static const char *config_name(const struct perf_event_attr *a)
{
	static const uint32_t types[] = { PEV_TYPE_SOFTWARE, PEV_TYPE_HARDWARE };
	uint64_t config;
	uint32_t type;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (uint64_t c = 0; !pev_config_perf(types[i], c, &type, &config); c++)
			if (type == a->type && config == a->config)
				return pev_config_name(types[i], c);
	if (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY)
		return "dummy";
	if (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT)
		return "bpf-output";
	return NULL;
}

static void name_events(struct import *im)
{
	for (size_t i = 0; i < im->n_events; i++) {
		struct import_event *e = &im->events[i];
		const char *name = NULL;

		if (e->name)
			continue;
		if (e->attr.type == PERF_TYPE_TRACEPOINT)
			name = pev_perf_tracepoint(im->perf, e->attr.config);
		else
			name = config_name(&e->attr);
		if (name)
			e->name = xstrdup(name);
		else
			e->name = xasprintf("event-%u-0x%llx", e->attr.type,
					    (unsigned long long)e->attr.config);
	}
}

int import_open(struct import *im, struct msg *m)
{
	struct perf_file_header h = { 0 };
	int err;

	if (pev_perf_new(&im->perf))
		checked(NULL);
	if (im->size < PERF_PIPE_HEADER_SIZE)
		return msg_set(m, -EBADMSG, "%s is no perf.data", im->path);
	memcpy(&h, im->data, min_u64(sizeof(h), im->size));
	err = check_magic(im, h.magic, m);
	if (err)
		return err;
	im->pipe = h.size == PERF_PIPE_HEADER_SIZE;
	if (im->pipe) {
		im->records.offset = PERF_PIPE_HEADER_SIZE;
	} else {
		if (im->size < sizeof(h) || h.size < sizeof(h) || h.data.offset > im->size)
			return msg_set(m, -EBADMSG, "%s: its header is damaged", im->path);
		im->records = h.data;
		err = read_attrs(im, &h, m);
		if (err)
			return err;
	}
	/* a size of 0: perf was killed before it could write it */
	if (im->pipe || !im->records.size || im->records.size > im->size - im->records.offset)
		im->records.size = im->size - im->records.offset;
	else
		read_features(im, &h);
	if (!im->pipe && !h.data.size)
		im->why_end = "perf did not finish it";
	err = import_each(im, first_pass, m);
	if (!err && !im->n_events)
		err = msg_set(m, -EBADMSG, "%s has no events", im->path);
	name_events(im);
	return err;
}

void import_free(struct import *im)
{
	for (size_t i = 0; i < im->n_events; i++)
		free(im->events[i].name);
	free(im->events);
	free(im->ids);
	htab_free(&im->h_ids);
	pev_perf_free(im->perf);
	free(im->text_symbol);
	free(im->hostname);
	free(im->release);
	free(im->machine);
	free(im->command);
	if (im->data)
		munmap((void *)im->data, im->size);
}
