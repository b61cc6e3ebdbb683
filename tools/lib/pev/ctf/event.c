// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds and prints the fields of decoded events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "ctf/decode.h"

static const struct class *class_of(const struct pev_event *ev)
{
	return (const struct class *)ev->cls;
}

PEV_EXPORT const void *pev_event_locate(const struct pev_event *ev,
					const struct pev_field *field, size_t *count)
{
	const struct part *part = &class_of(ev)->payload;
	ptrdiff_t at;

	*count = 0;
	if (!field || field->index >= part->nr)
		return NULL;
	at = part_locate(part, ev->payload, ev->payload_len, field->index, count);
	return at < 0 ? NULL : (const char *)ev->payload + at;
}

uint32_t event_header(const struct pev_event *ev)
{
	uint32_t word;

	memcpy(&word, ev->record, sizeof(word));
	return class_of(ev)->stream->header[(word & ((1U << PEV_ID_BITS) - 1)) == PEV_ID_EXTENDED];
}

PEV_EXPORT bool pev_event_request(const struct pev_event *ev, struct pev_request *to)
{
	const int32_t at = class_of(ev)->request;

	if (at < 0) {
		memset(to, 0, sizeof(*to));
		return false;
	}
	memcpy(to, (const uint8_t *)ev->record + event_header(ev) + at, sizeof(*to));
	return to->trace_high || to->trace_low || to->span;
}

static const void *locate_context(const struct pev_event *ev, const struct pev_field *field,
				  size_t *count)
{
	const struct part *part = &class_of(ev)->context;
	uint32_t header;
	ptrdiff_t at;

	*count = 0;
	if (field->index >= part->nr)
		return NULL;
	header = event_header(ev);
	at = part_locate(part, (const uint8_t *)ev->record + header, ev->record_len - header,
			 field->index, count);
	return at < 0 ? NULL : (const char *)ev->record + header + at;
}

/* The chains that a record names; those that it has stay. */
static void find_named(const struct pev_event *ev, struct chain_word *word,
		       const uint64_t *frames[CHAINS])
{
	size_t end = (size_t)((const uint8_t *)ev->record - (const uint8_t *)ev->packet);
	uint32_t len;

	for (unsigned int i = 0; i < CHAINS; i++)
		if (word->id[i] && !word->len[i] &&
		    chain_find(ev->packet, end, i, word->id[i], &frames[i], &len))
			word->len[i] = (uint16_t)len;
}

PEV_EXPORT size_t pev_event_whole(const struct pev_event *ev, void *to, size_t size)
{
	const struct class *cls = class_of(ev);
	const uint64_t *frames[CHAINS] = { NULL };
	const uint8_t *at = ev->record;
	struct chain_word word;
	size_t head, len = ev->record_len;

	if (!cls->named || !ev->packet) {
		if (len <= size)
			memcpy(to, at, len);
		return len;
	}
	head = event_header(ev) + (size_t)cls->chains;
	memcpy(&word, at + head, sizeof(word));
	len -= (word.len[CHAIN_KERNEL] + (size_t)word.len[CHAIN_USER]) * sizeof(uint64_t);
	frames[CHAIN_KERNEL] = (const uint64_t *)(at + head + sizeof(word));
	frames[CHAIN_USER] = frames[CHAIN_KERNEL] + word.len[CHAIN_KERNEL];
	at = (const uint8_t *)(frames[CHAIN_USER] + word.len[CHAIN_USER]);
	find_named(ev, &word, frames);
	len += (word.len[CHAIN_KERNEL] + (size_t)word.len[CHAIN_USER]) * sizeof(uint64_t);
	if (len > size)
		return len;
	memset(word.id, 0, sizeof(word.id));
	to = mempcpy(to, ev->record, head);
	to = mempcpy(to, &word, sizeof(word));
	for (unsigned int i = 0; i < CHAINS; i++)
		to = mempcpy(to, frames[i], word.len[i] * sizeof(uint64_t));
	memcpy(to, at, (size_t)((const uint8_t *)ev->record + ev->record_len - at));
	return len;
}

PEV_EXPORT size_t pev_event_text(const struct pev_event *ev, const struct pev_field *field,
				 const char **text)
{
	size_t count;

	*text = NULL;
	if (!field || field->size != 1 || field->shape == PEV_SHAPE_INT)
		return 0;
	*text = pev_event_locate(ev, field, &count);
	return *text ? strnlen(*text, count) : 0;
}

PEV_EXPORT char *pev_event_copy_text(const struct pev_event *ev,
				     const struct pev_field *field, char *buf, size_t size)
{
	const char *text;
	size_t len = pev_event_text(ev, field, &text);

	if (!size)
		return buf;
	if (len >= size)
		len = size - 1;
	if (len)
		memcpy(buf, text, len);
	buf[len] = '\0';
	return buf;
}

PEV_EXPORT int64_t pev_event_ns(const struct pev_event *ev)
{
	return pev_meta_ns(ev->meta, ev->time);
}

/* A string that is cut where the buffer ends, but counted to its own end */
struct out {
	char	*buf;
	size_t	size;
	size_t	len;
};

static void put(struct out *o, const char *text, size_t len)
{
	if (o->len < o->size) {
		size_t n = o->size - o->len < len ? o->size - o->len : len;

		memcpy(o->buf + o->len, text, n);
	}
	o->len += len;
}

static void put_int(struct out *o, const struct pev_field *f, const void *at)
{
	uint64_t v = pev_load(at, f->size, f->is_signed);
	char text[32];
	int len;

	if (f->base == 16)
		len = snprintf(text, sizeof(text), "0x%" PRIx64,
			       pev_load(at, f->size, false));
	else if (f->base == 8)
		len = snprintf(text, sizeof(text), "0%" PRIo64, pev_load(at, f->size, false));
	else if (f->is_signed)
		len = snprintf(text, sizeof(text), "%" PRId64, (int64_t)v);
	else
		len = snprintf(text, sizeof(text), "%" PRIu64, v);
	put(o, text, len);
}

static void put_value(struct out *o, const struct pev_field *f, const void *at, unsigned int flags)
{
	const char *label = NULL;

	if (flags & PEV_PRINT_LABEL)
		label = pev_field_label(f, pev_load(at, f->size, f->is_signed));
	if (label)
		put(o, label, strlen(label));
	else
		put_int(o, f, at);
}

static void put_text(struct out *o, const char *text, size_t len)
{
	char escaped[8];
	int n;

	put(o, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c == '"' || c == '\\')
			n = snprintf(escaped, sizeof(escaped), "\\%c", c);
		else if (c == '\n')
			n = snprintf(escaped, sizeof(escaped), "\\n");
		else if (c == '\t')
			n = snprintf(escaped, sizeof(escaped), "\\t");
		else if (c < 0x20 || c == 0x7f)
			n = snprintf(escaped, sizeof(escaped), "\\x%02x", c);
		else
			n = snprintf(escaped, sizeof(escaped), "%c", c);
		put(o, escaped, n);
	}
	put(o, "\"", 1);
}

static void put_bytes(struct out *o, const uint8_t *at, size_t count)
{
	char hex[3];

	for (size_t i = 0; i < count; i++) {
		snprintf(hex, sizeof(hex), "%02x", at[i]);
		put(o, hex, 2);
	}
}

static void put_array(struct out *o, const struct pev_field *f, const char *at, size_t count)
{
	put(o, "[", 1);
	for (size_t i = 0; i < count; i++) {
		if (i)
			put(o, ", ", 2);
		put_int(o, f, at + i * f->size);
	}
	put(o, "]", 1);
}

PEV_EXPORT int pev_event_print_field(const struct pev_event *ev,
				     const struct pev_field *field, unsigned int flags,
				     char *buf, size_t size)
{
	struct out o = { buf, size, 0 };
	const void *at;
	size_t count;

	at = flags & PEV_PRINT_CONTEXT ? locate_context(ev, field, &count) :
					 pev_event_locate(ev, field, &count);
	if (!at)
		put(&o, "?", 1);
	else if (field->shape == PEV_SHAPE_STRING ||
		 (field->is_text && field->size == 1 && field->shape != PEV_SHAPE_INT))
		put_text(&o, at, strnlen(at, count));
	else if (field->shape == PEV_SHAPE_INT)
		put_value(&o, field, at, flags);
	else if (field->size == 1 && !field->is_signed)
		put_bytes(&o, at, count);
	else
		put_array(&o, field, at, count);
	if (size)
		buf[o.len < size ? o.len : size - 1] = '\0';
	return o.len;
}
