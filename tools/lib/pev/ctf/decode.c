// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Decodes packets to events. Decoding neither allocates nor locks, and writes to
 * nothing but the decoder, so packets can be decoded in any number of threads.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "ctf/decode.h"

#define TIME_MASK	((1ULL << PEV_TIME_BITS) - 1)
#define ID_MASK		((1U << PEV_ID_BITS) - 1)
#define CACHE_LINE	64

static inline uint32_t load32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint64_t load64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

const char *packet_check(const struct pev_meta *meta, const struct pev_packet *packet)
{
	if (packet->magic != PEV_PACKET_MAGIC)
		return "no packet begins here";
	if (memcmp(packet->uuid, meta->uuid, sizeof(packet->uuid)))
		return "a packet of another trace";
	if (!meta_stream(meta, packet->stream_id))
		return "a packet of an unknown stream";
	if (packet->packet_size % 64 || packet->packet_size < PACKET_HEADER * 8 ||
	    packet->packet_size > (uint64_t)UINT32_MAX * 8)
		return "a packet of a senseless size";
	if (packet->content_size % 8 || packet->content_size < PACKET_HEADER * 8 ||
	    packet->content_size > packet->packet_size)
		return "a packet whose content has a senseless size";
	if (packet->timestamp_end < packet->timestamp_begin)
		return "a packet that ends before it begins";
	return NULL;
}

void decode_start(struct pev_decoder *dec, const struct pev_meta *meta,
		  const struct pev_stream_class *kind, const void *data, size_t content)
{
	const struct pev_packet *packet = data;

	dec->meta = meta;
	dec->kind = kind;
	dec->stream = NULL;
	dec->packet = data;
	dec->event.packet = data;
	dec->begin = packet->timestamp_begin;
	dec->time = packet->timestamp_begin;
	dec->limit = packet->timestamp_end;
	dec->pos = PACKET_HEADER;
	dec->end = content;
	dec->cpu = packet->cpu_id;
	dec->unknown_id = 0;
	dec->no_chain = false;
}

PEV_EXPORT int pev_decoder_new(unsigned int flags, struct pev_decoder **dec)
{
	*dec = NULL;
	if (flags)
		return -EINVAL;
	/* An event that lies across lines by chance costs a small record up to a tenth. */
	*dec = aligned_alloc(CACHE_LINE, align_up(sizeof(**dec), CACHE_LINE));
	if (!*dec)
		return -ENOMEM;
	memset(*dec, 0, sizeof(**dec));
	return 0;
}

PEV_EXPORT void pev_decoder_free(struct pev_decoder *dec)
{
	free(dec);
}

PEV_EXPORT int pev_decoder_packet(struct pev_decoder *dec, const struct pev_meta *meta,
				  const void *data, size_t len)
{
	const struct pev_packet *packet = data;

	if (len < PACKET_HEADER || packet_check(meta, packet) ||
	    packet->packet_size / 8 > len)
		return -EBADMSG;
	decode_start(dec, meta, meta_stream(meta, packet->stream_id), data,
		     packet->content_size / 8);
	return 0;
}

PEV_EXPORT int pev_decoder_partial(struct pev_decoder *dec, const struct pev_meta *meta,
				   const void *data, size_t len, size_t from, uint64_t time)
{
	const struct pev_packet *packet = data;
	const struct pev_stream_class *kind;

	if (len < PACKET_HEADER || packet->magic != PEV_PACKET_MAGIC ||
	    memcmp(packet->uuid, meta->uuid, sizeof(packet->uuid)))
		return -EBADMSG;
	kind = meta_stream(meta, packet->stream_id);
	if (!kind)
		return -EBADMSG;
	if (from && (from < PACKET_HEADER || from > len || from % 8))
		return -EINVAL;
	decode_start(dec, meta, kind, data, len);
	dec->limit = UINT64_MAX;
	if (from) {
		dec->pos = from;
		if (from > PACKET_HEADER)
			dec->time = time;
	}
	return 0;
}

PEV_EXPORT size_t pev_decoder_offset(const struct pev_decoder *dec)
{
	return dec->pos;
}

static inline uint64_t load_field(const struct pev_field *f, const uint8_t *at)
{
	return pev_load(at, f->size, false);
}

/* How many elements a field at @pos has; false if they do not fit. @places: of moving fields */
static ALWAYS_INLINE bool count_elements(const struct part *part, const struct pev_field *f,
					 const uint8_t *base, size_t pos, size_t room,
					 const uint32_t *places, uint64_t *n)
{
	*n = f->count;
	if (f->shape == PEV_SHAPE_SEQUENCE) {
		const struct pev_field *l = &part->fields[f->length];
		bool fixed = (unsigned int)f->length < part->fixed;

		*n = load_field(l, base + (fixed ? (uint32_t)l->offset :
						   places[f->length - part->fixed]));
	} else if (f->shape == PEV_SHAPE_STRING) {
		const uint8_t *nul = memchr(base + pos, 0, room - pos);

		if (!nul)
			return false;
		*n = nul - (base + pos) + 1;
	}
	/* a division would cost more than the rest of the loop */
	return *n <= room - pos && *n * f->size <= room - pos;
}

ptrdiff_t part_locate(const struct part *part, const uint8_t *base, size_t room,
		      unsigned int index, size_t *count)
{
	uint32_t places[MAX_MOVING];
	size_t pos = part->size, size;
	uint64_t n;

	if (room < part->size)
		return -1;
	if (index < part->fixed) {
		*count = part->fields[index].count;
		return part->fields[index].offset;
	}
	for (unsigned int i = part->fixed; i < part->nr; i++) {
		const struct pev_field *f = &part->fields[i];

		pos = align_up(pos, f->align);
		if (pos > room)
			return -1;
		places[i - part->fixed] = pos;
		if (!count_elements(part, f, base, pos, room, places, &n))
			return -1;
		size = n * f->size;
		if (i == index) {
			*count = n;
			return pos;
		}
		pos += size;
	}
	*count = 0;
	return index == part->nr ? (ptrdiff_t)pos : -1;
}

/* Decodes the sequences of a context. Returns its end, -1 if it does not fit. */
static ALWAYS_INLINE ptrdiff_t decode_context(const struct class *cls, struct pev_event *ev,
					      const uint8_t *base, size_t room)
{
	const struct part *part = &cls->context;
	uint32_t places[MAX_MOVING];
	size_t pos = part->size;

	for (unsigned int i = part->fixed, m = 0; i < part->nr; i++, m++) {
		const struct pev_field *f = &part->fields[i];
		uint64_t n;

		pos = align_up(pos, f->align);
		if (unlikely(pos > room))
			return -1;
		places[m] = pos;
		if (unlikely(!count_elements(part, f, base, pos, room, places, &n)))
			return -1;
		if (cls->seen_pointer[m] && n) {
			const void *at = base + pos;

			memcpy((char *)ev + cls->seen_pointer[m], &at, sizeof(at));
			if (cls->seen_length[m] == offsetof(struct pev_event, dump_len))
				ev->dump_len = n;
			else
				memcpy((char *)ev + cls->seen_length[m],
				       &(uint32_t){ n }, sizeof(uint32_t));
		}
		pos += n * f->size;
	}
	return pos;
}

bool chain_find(const uint8_t *packet, size_t end, unsigned int which, size_t id,
		const uint64_t **frames, uint32_t *len)
{
	size_t first = id * 8 + sizeof(struct chain_word);
	struct chain_word word;

	if (id * 8 < PACKET_HEADER || first > end)
		return false;
	memcpy(&word, packet + id * 8, sizeof(word));
	if (word.id[which] != id || !word.len[which])
		return false;
	if (which == CHAIN_USER)
		first += word.len[CHAIN_KERNEL] * sizeof(uint64_t);
	if (first + word.len[which] * sizeof(uint64_t) > end)
		return false;
	*frames = (const uint64_t *)(packet + first);
	*len = word.len[which];
	return true;
}

/* Decodes chains that the record does not have, but names. */
static bool decode_names(struct pev_decoder *dec, const struct class *cls, const uint8_t *base)
{
	struct pev_event *ev = &dec->event;
	struct chain_word word;

	memcpy(&word, base + cls->chains, sizeof(word));
	if (word.id[CHAIN_KERNEL] && !word.len[CHAIN_KERNEL] &&
	    !chain_find(dec->packet, dec->pos, CHAIN_KERNEL, word.id[CHAIN_KERNEL], &ev->kstack,
			&ev->kstack_len))
		return false;
	return !word.id[CHAIN_USER] || word.len[CHAIN_USER] ||
	       chain_find(dec->packet, dec->pos, CHAIN_USER, word.id[CHAIN_USER], &ev->ustack,
			  &ev->ustack_len);
}

/* Clears one by one: a memset() becomes a loop, which costs more than the rest. */
static inline void clear_context(struct pev_event *ev)
{
	ev->pid = 0;
	ev->sample_cpu = 0;
	ev->ip = 0;
	ev->addr = 0;
	ev->period = 0;
	ev->kstack = NULL;
	ev->ustack = NULL;
	ev->kstack_len = 0;
	ev->ustack_len = 0;
	ev->uregs = NULL;
	ev->values = NULL;
	ev->dump = NULL;
	ev->uregs_len = 0;
	ev->values_len = 0;
	ev->dump_len = 0;
	ev->guest = 0;
	ev->ustack_cookie = 0;
	ev->cgroup = 0;
}

static inline void decode_loads(const struct class *cls, struct pev_event *ev,
				const uint8_t *base)
{
	const struct field_load *l = cls->loads, *wide = l + cls->nr_wide, *end = l + cls->nr_loads;

	for (; l < wide; l++)
		memcpy((char *)ev + l->to, base + l->from, sizeof(uint64_t));
	for (; l < end; l++)
		memcpy((char *)ev + l->to, base + l->from, sizeof(uint32_t));
}

/* Returns the bytes of the payload at @start behind the header, -1 if it does not fit. */
static inline ptrdiff_t payload_size(const struct class *cls, const uint8_t *payload, size_t room,
				     size_t start)
{
	size_t count;

	if (unlikely(start + cls->payload.size > room))
		return -1;
	if (cls->payload.fixed == cls->payload.nr)
		return cls->payload.size;
	return part_locate(&cls->payload, payload, room - start, cls->payload.nr, &count);
}

/* Decodes context and payload behind the header. Returns the end, -1 if they don't fit. */
static ALWAYS_INLINE ptrdiff_t decode_body(struct pev_decoder *dec, const struct class *cls,
					   const uint8_t *base, size_t room)
{
	struct pev_event *ev = &dec->event;
	ptrdiff_t end = cls->context.size, len;
	size_t start;

	if (unlikely(cls->head > room))
		return -1;
	clear_context(ev);
	decode_loads(cls, ev, base);
	if (cls->context.fixed != cls->context.nr) {
		end = decode_context(cls, ev, base, room);
		if (unlikely(end < 0))
			return -1;
		if (cls->named && unlikely(!decode_names(dec, cls, base))) {
			dec->no_chain = true;
			return -1;
		}
	}
	start = align_up(end, 8);
	ev->payload = base + start;
	ev->payload_len = 0;
	if (!cls->payload.nr)
		return end;
	len = payload_size(cls, base + start, room, start);
	if (unlikely(len < 0))
		return -1;
	ev->payload_len = len;
	return start + len;
}

ptrdiff_t decode_end(const struct class *cls, const uint8_t *base, size_t room)
{
	ptrdiff_t end = cls->context.size, len;
	size_t start, count;

	if (unlikely(cls->head > room))
		return -1;
	if (cls->context.fixed != cls->context.nr) {
		end = part_locate(&cls->context, base, room, cls->context.nr, &count);
		if (unlikely(end < 0))
			return -1;
	}
	if (!cls->payload.nr)
		return end;
	start = align_up(end, 8);
	len = payload_size(cls, base + start, room, start);
	return unlikely(len < 0) ? -1 : (ptrdiff_t)start + len;
}

/**
 * struct head - what the header of a record says
 * @record: its start
 * @body:   what is behind the header
 * @room:   bytes from there that may be read
 * @form:   PEV_ID_EXTENDED or not: which header it has
 */
struct head {
	const struct class	*cls;
	const uint8_t		*record;
	const uint8_t		*body;
	size_t			room;
	uint64_t		time;
	uint32_t		form;
};

/* Returns as pev_decoder_next() does. */
static inline int decode_head(struct pev_decoder *dec, struct head *h)
{
	const struct pev_stream_class *kind = dec->kind;
	const uint8_t *record = dec->packet + dec->pos;
	size_t room = dec->end - dec->pos;
	const struct class *cls;
	uint32_t word, id, form;
	uint64_t time;

	if (dec->pos >= dec->end)
		return 0;
	if (unlikely(room < kind->header[0]))
		return -EBADMSG;
	word = load32(record);
	id = word & ID_MASK;
	form = id == PEV_ID_EXTENDED;
	if (likely(!form)) {
		time = (dec->time & ~TIME_MASK) | word >> PEV_ID_BITS;
		if (time < dec->time)
			time += TIME_MASK + 1;
	} else {
		if (unlikely(room < kind->header[1]))
			return -EBADMSG;
		id = word >> PEV_ID_BITS;
		time = load64(record + sizeof(word));
	}
	if (unlikely(time > dec->limit || time < dec->begin))
		return -EBADMSG;
	cls = likely(id < kind->nr_ids) ? kind->by_id[id] : NULL;
	if (unlikely(!cls)) {
		dec->unknown_id = id;
		return -ESTALE;
	}
	h->cls = cls;
	h->record = record;
	h->body = record + kind->header[form];
	h->room = room - kind->header[form];
	h->time = time;
	h->form = form;
	return 1;
}

/* Steps behind a record, given the @end of its body. Returns the record's length. */
static inline size_t step(struct pev_decoder *dec, const struct head *h, size_t end)
{
	size_t len = h->body + end - h->record;

	dec->time = h->time;
	dec->pos += align_up(len, 8);
	return len;
}

/*
 * Is inlined in both callers, with all of its parts: a compiler left to itself calls the
 * parts, which costs a small record a sixth more.
 */
static ALWAYS_INLINE int next_record(struct pev_decoder *dec)
{
	struct pev_event *ev = &dec->event;
	const struct pev_stream_class *kind = dec->kind;
	ptrdiff_t end;
	struct head h;
	int ret;

	ret = decode_head(dec, &h);
	if (unlikely(ret <= 0))
		return ret;
	end = decode_body(dec, h.cls, h.body, h.room);
	if (unlikely(end < 0))
		return -EBADMSG;
	ev->time = h.time;
	ev->cls = &h.cls->pub;
	ev->record = h.record;
	ev->record_len = step(dec, &h, end);
	ev->meta = dec->meta;
	ev->stream = dec->stream;
	ev->cpu = dec->cpu;
	ev->tid = kind->tid[h.form] ? load32(h.record + kind->tid[h.form]) : 0;
	return 1;
}

int decode_next(struct pev_decoder *dec)
{
	return next_record(dec);
}

PEV_EXPORT int pev_decoder_next(struct pev_decoder *dec, const struct pev_event **ev)
{
	*ev = &dec->event;
	return next_record(dec);
}

int decode_next_of(struct pev_decoder *dec, const bool *wanted)
{
	ptrdiff_t end;
	struct head h;
	int ret;

	while ((ret = decode_head(dec, &h)) > 0) {
		if (wanted[h.cls->pub.index])
			return decode_next(dec);
		end = decode_end(h.cls, h.body, h.room);
		if (unlikely(end < 0))
			return -EBADMSG;
		step(dec, &h, end);
	}
	return ret;
}
