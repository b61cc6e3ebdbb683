// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes records and packets of the form that the kernel writes, from the
 * classes of a trace's metadata.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "ctf/encoder.h"
#include "ctf/meta.h"

#define TIME_MASK	((1ULL << PEV_TIME_BITS) - 1)
#define MAX_RECORD	(16U << 20)
#define MAX_PACKET (16U << 20)

/**
 * struct slot - the value of a field
 * @at:   place in the encoder's store of an array's, sequence's or string's bytes
 * @len:  number of them, 0 if there are none
 * @given: @value was set by pev_encoder_int()
 */
struct slot {
	size_t		at;
	size_t		len;
	uint64_t	value;
	bool		given;
};

struct pev_encoder {
	const struct pev_meta	*meta;
	const struct pev_stream_class *kind;	/* of all records, known with the first */
	pev_packet_fn		fn;
	void			*arg;
	bool			owns_arg;
	uint32_t		packet_size;
	uint32_t		cpu;
	uint64_t		instance;
	uint8_t			*packet;
	size_t			room;		/* bytes at @packet */
	size_t			pos;		/* 0: no packet is open */
	size_t			content;	/* end of the last record, without padding */
	uint64_t		seq;
	uint64_t		time;
	const struct class	*cls;		/* of the record begun, or NULL */
	uint64_t		record_time;
	uint32_t		tid;
	struct slot		*context;
	struct slot		*payload;
	unsigned int		room_slots;
	uint8_t			*store;		/* bytes given for the record begun */
	size_t			used_store;
	size_t			room_store;
};

static bool is_packet_size(uint32_t size)
{
	return size >= 256 && size <= MAX_PACKET && !(size % 8);
}

PEV_EXPORT int pev_encoder_new(const struct pev_meta *meta, uint32_t packet_size,
			       uint64_t instance, uint32_t cpu, pev_packet_fn fn,
			       void *arg, struct pev_encoder **out)
{
	struct pev_encoder *enc;

	*out = NULL;
	if (!is_packet_size(packet_size))
		return -EINVAL;
	enc = calloc(1, sizeof(*enc));
	if (enc)
		enc->packet = calloc(1, packet_size);
	if (!enc || !enc->packet) {
		free(enc);
		return -ENOMEM;
	}
	enc->meta = meta;
	enc->packet_size = packet_size;
	enc->room = packet_size;
	enc->instance = instance;
	enc->cpu = cpu;
	enc->fn = fn;
	enc->arg = arg;
	*out = enc;
	return 0;
}

PEV_EXPORT int pev_encoder_packets(struct pev_encoder *enc, uint32_t packet_size)
{
	if (!is_packet_size(packet_size))
		return -EINVAL;
	enc->packet_size = packet_size;
	return 0;
}

/* At its close the encoder calls fn once more, with no packet, to free arg. */
void encoder_own(struct pev_encoder *enc)
{
	enc->owns_arg = true;
}

static void open_packet(struct pev_encoder *enc, uint64_t time)
{
	struct pev_packet *packet = (struct pev_packet *)enc->packet;

	memset(enc->packet, 0, enc->room);
	packet->magic = PEV_PACKET_MAGIC;
	memcpy(packet->uuid, enc->meta->uuid, sizeof(packet->uuid));
	packet->stream_id = enc->kind->id;
	packet->stream_instance_id = enc->instance;
	packet->timestamp_begin = time;
	packet->packet_seq_num = enc->seq++;
	packet->cpu_id = enc->cpu;
	enc->time = time;
	enc->pos = PACKET_HEADER;
	enc->content = PACKET_HEADER;
}

static int close_packet(struct pev_encoder *enc)
{
	struct pev_packet *packet = (struct pev_packet *)enc->packet;
	size_t size = enc->room;

	if (!enc->pos)
		return 0;
	packet->timestamp_end = enc->time;
	packet->content_size = enc->content * 8;
	packet->packet_size = size * 8;
	enc->pos = 0;
	return enc->fn(enc->arg, packet, size);
}

PEV_EXPORT int pev_encoder_flush(struct pev_encoder *enc)
{
	int ret = close_packet(enc);

	return ret < 0 ? ret : 0;
}

PEV_EXPORT int pev_encoder_close(struct pev_encoder *enc)
{
	int ret;

	if (!enc)
		return 0;
	ret = close_packet(enc);
	if (enc->owns_arg)
		enc->fn(enc->arg, NULL, 0);
	free(enc->context);
	free(enc->payload);
	free(enc->store);
	free(enc->packet);
	free(enc);
	return ret < 0 ? ret : 0;
}

PEV_EXPORT int pev_encoder_begin(struct pev_encoder *enc, const struct pev_class *pub,
				 uint64_t time, uint32_t tid)
{
	const struct class *cls = (const struct class *)pub;
	unsigned int nr = cls->context.nr > cls->payload.nr ? cls->context.nr :
			  cls->payload.nr;
	struct slot *more;

	enc->cls = NULL;
	if (enc->pos && time < enc->time)
		return -EINVAL;
	if (enc->kind && enc->kind != cls->stream)
		return -EINVAL;
	enc->kind = cls->stream;
	if (nr > enc->room_slots || !enc->context) {
		more = realloc(enc->context, (nr + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		enc->context = more;
		more = realloc(enc->payload, (nr + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		enc->payload = more;
		enc->room_slots = nr;
	}
	memset(enc->context, 0, cls->context.nr * sizeof(*enc->context));
	memset(enc->payload, 0, cls->payload.nr * sizeof(*enc->payload));
	enc->cls = cls;
	enc->record_time = time;
	enc->tid = tid;
	enc->used_store = 0;
	return 0;
}

static struct slot *find_slot(struct pev_encoder *enc, const char *name,
			      const struct pev_field **field)
{
	const struct pev_class *cls = &enc->cls->pub;

	*field = pev_class_field(cls, name);
	if (*field)
		return &enc->payload[(*field)->index];
	*field = pev_class_context_field(cls, name);
	return *field ? &enc->context[(*field)->index] : NULL;
}

PEV_EXPORT int pev_encoder_int(struct pev_encoder *enc, const char *name, uint64_t value)
{
	const struct pev_field *f;
	struct slot *slot;

	if (!enc->cls)
		return -EINVAL;
	slot = find_slot(enc, name, &f);
	if (!slot)
		return -ENOENT;
	if (f->shape != PEV_SHAPE_INT)
		return -EINVAL;
	slot->value = value;
	slot->given = true;
	return 0;
}

static int grow_store(struct pev_encoder *enc, size_t len)
{
	uint8_t *more;

	if (len > MAX_RECORD || enc->used_store > MAX_RECORD)
		return -E2BIG;
	if (enc->room_store - enc->used_store >= len)
		return 0;
	more = realloc(enc->store, 2 * (enc->used_store + len));
	if (!more)
		return -ENOMEM;
	enc->store = more;
	enc->room_store = 2 * (enc->used_store + len);
	return 0;
}

PEV_EXPORT int pev_encoder_data(struct pev_encoder *enc, const char *name,
				const void *data, size_t len)
{
	const struct pev_field *f;
	struct slot *slot;
	int ret;

	if (!enc->cls)
		return -EINVAL;
	slot = find_slot(enc, name, &f);
	if (!slot)
		return -ENOENT;
	if (f->shape == PEV_SHAPE_INT || len % f->size)
		return -EINVAL;
	if (f->shape == PEV_SHAPE_STRING)
		len = strnlen(data, len);
	ret = grow_store(enc, len);
	if (ret)
		return ret;
	if (len)
		memcpy(enc->store + enc->used_store, data, len);
	slot->at = enc->used_store;
	slot->len = len;
	enc->used_store += len;
	return 0;
}

/* Returns the largest value that integer @f can hold. */
static uint64_t largest(const struct pev_field *f)
{
	return f->size == 8 ? UINT64_MAX : (1ULL << (f->size * 8)) - 1;
}

/*
 * Lays out a part: with @to NULL only learns its size and fills in lengths and
 * offsets, else writes. Returns the size or -errno.
 */
static int64_t write_part(const struct part *part, struct slot *slots,
			  const uint8_t *store, uint8_t *to)
{
	size_t pos = 0, len;

	for (unsigned int i = 0; i < part->nr; i++) {
		const struct pev_field *f = &part->fields[i];
		struct slot *s = &slots[i];

		pos = align_up(pos, f->align);
		switch (f->shape) {
		case PEV_SHAPE_INT:
			if (to)
				memcpy(to + pos, &s->value, f->size);
			len = f->size;
			break;
		case PEV_SHAPE_ARRAY:
			len = (size_t)f->size * f->count;
			if (to && s->len)
				memcpy(to + pos, store + s->at, s->len < len ? s->len : len);
			break;
		case PEV_SHAPE_SEQUENCE:
			len = s->len;
			if (len / f->size > largest(&part->fields[f->length]))
				return -E2BIG;
			slots[f->length].value = len / f->size;
			if (to && len)
				memcpy(to + pos, store + s->at, len);
			break;
		default:
			len = s->len + 1;
			if (to && s->len)
				memcpy(to + pos, store + s->at, s->len);
			break;
		}
		pos += len;
		if (pos > MAX_RECORD)
			return -E2BIG;
	}
	return pos;
}

/* Sets <name>_off of each sequence to the place of its data, as __data_loc words have it. */
static int64_t set_offsets(const struct part *part, struct slot *slots)
{
	size_t pos = 0;

	for (unsigned int i = 0; i < part->nr; i++) {
		const struct pev_field *f = &part->fields[i], *off;
		size_t name_len = strlen(f->name);

		pos = align_up(pos, f->align);
		if (f->shape == PEV_SHAPE_SEQUENCE) {
			for (unsigned int k = 0; k < i; k++) {
				off = &part->fields[k];
				if (off->shape != PEV_SHAPE_INT || slots[k].given ||
				    strncmp(off->name, f->name, name_len) ||
				    strcmp(off->name + name_len, "_off"))
					continue;
				if (pos + 8 > largest(off))
					return -E2BIG;
				slots[k].value = pos + 8;
			}
			pos += slots[i].len;
		} else if (f->shape == PEV_SHAPE_STRING) {
			pos += slots[i].len + 1;
		} else {
			pos += (size_t)f->size * f->count;
		}
	}
	return 0;
}

/* Makes room for @size bytes in the open packet, or in a new one. */
static int make_room(struct pev_encoder *enc, size_t size)
{
	size_t need = PACKET_HEADER + size;
	uint8_t *more;
	int ret = 0;

	if (enc->pos && enc->pos + size > enc->room)
		ret = close_packet(enc);
	if (ret < 0)
		return ret;
	if (enc->pos)
		return 0;
	need = need > enc->packet_size ? align_up(need, 4096) : enc->packet_size;
	if (need != enc->room) {
		more = realloc(enc->packet, need);
		if (!more)
			return -ENOMEM;
		enc->packet = more;
		enc->room = need;
	}
	open_packet(enc, enc->record_time);
	return 0;
}

/* Writes the header of a record of at most @size bytes; *at is the place behind it. */
static int start_record(struct pev_encoder *enc, size_t size, uint8_t **at)
{
	const struct pev_stream_class *kind = enc->kind;
	uint32_t id = enc->cls->pub.id;
	uint32_t time = enc->record_time & TIME_MASK;
	int ret = make_room(enc, size);
	uint32_t word;
	uint8_t *to;
	bool form;

	if (ret)
		return ret;
	form = id >= PEV_ID_EXTENDED || enc->record_time - enc->time > TIME_MASK;
	word = form ? PEV_ID_EXTENDED | id << PEV_ID_BITS : id | time << PEV_ID_BITS;
	to = enc->packet + enc->pos;
	memcpy(to, &word, sizeof(word));
	if (form)
		memcpy(to + sizeof(word), &enc->record_time, sizeof(enc->record_time));
	if (kind->tid[form])
		memcpy(to + kind->tid[form], &enc->tid, sizeof(enc->tid));
	*at = to + kind->header[form];
	return 0;
}

static void end_record(struct pev_encoder *enc, const struct class *cls, const uint8_t *end)
{
	enc->time = enc->record_time;
	/* babeltrace takes padding behind the last record for another one */
	enc->content = (size_t)(end - enc->packet);
	if (cls->padded)
		enc->content = align_up(enc->content, 8);
	enc->pos = align_up(enc->content, 8);
}

PEV_EXPORT int pev_encoder_commit(struct pev_encoder *enc)
{
	const struct class *cls = enc->cls;
	int64_t context, payload, ret;
	size_t start, size;
	uint8_t *at;

	if (!cls)
		return -EINVAL;
	enc->cls = NULL;
	context = write_part(&cls->context, enc->context, enc->store, NULL);
	payload = write_part(&cls->payload, enc->payload, enc->store, NULL);
	ret = set_offsets(&cls->payload, enc->payload);
	if (context < 0 || payload < 0 || ret < 0)
		return context < 0 ? context : payload < 0 ? payload : ret;
	start = align_up(context, 8);
	/* the most it can take: in a new packet the shorter form may do */
	size = align_up(enc->kind->header[1] + start + payload, 8);
	enc->cls = cls;
	ret = start_record(enc, size, &at);
	if (!ret) {
		write_part(&cls->context, enc->context, enc->store, at);
		write_part(&cls->payload, enc->payload, enc->store, at + start);
		end_record(enc, cls, at + (cls->has_fields ? start + payload : (size_t)context));
	}
	enc->cls = NULL;
	return ret;
}

const struct pev_class *encoder_class(const struct pev_encoder *enc, uint32_t id)
{
	return pev_meta_class_by_id(enc->meta, 0, id);
}

int encoder_body(struct pev_encoder *enc, const struct pev_class *cls, uint64_t time,
		 uint32_t tid, size_t room, uint8_t **at)
{
	int ret = pev_encoder_begin(enc, cls, time, tid);

	/* where nothing goes is a place, too */
	if (!ret)
		ret = grow_store(enc, room ? room : 1);
	*at = enc->store;
	return ret;
}

int encoder_commit_body(struct pev_encoder *enc, const uint8_t *end)
{
	const struct class *cls = enc->cls;
	size_t len = (size_t)(end - enc->store);
	uint8_t *at;
	int ret = start_record(enc, align_up(enc->kind->header[1] + len, 8), &at);

	if (!ret) {
		memcpy(at, enc->store, len);
		end_record(enc, cls, at + len);
	}
	enc->cls = NULL;
	return ret;
}
