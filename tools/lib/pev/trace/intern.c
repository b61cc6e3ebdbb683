// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes call chains once a packet. See intern.h.
 *
 * Where a record that comes says the lengths of its chains, one that is written says them in half
 * of the bits, and in the other half where in the packet each chain is: behind this word, or behind
 * the word of an earlier record. A record is never longer than before, and a packet is still read
 * alone. What finds no room in the table is written again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pev/writer.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "ctf/decode.h"
#include "ctf/meta.h"
#include "trace/intern.h"

#define SLOTS 4096U
/* Places in which a chain may be */
#define PROBES 4U
#define HASH 0x9e3779b97f4a7c15ULL

/**
 * struct slot - a chain of the packet
 * @round: of the packet; another one: the slot is free
 * @hash:  of the chain
 * @id:    of its word
 */
struct slot {
	uint32_t round;
	uint32_t hash;
	uint16_t id;
	uint16_t which;
};

/**
 * struct interner - what all streams of a trace share
 * @in:      metadata as they come; NULL: no record has chains
 * @out:     metadata as they are written
 */
struct interner {
	struct pev_meta *in;
	struct pev_meta *out;
};

/**
 * struct chain_table - the chains of the packet that a hand writes
 * @packet:  as it is written, of @room bytes
 * @round:   number of the packet
 */
struct chain_table {
	uint8_t *packet;
	size_t room;
	uint32_t round;
	struct slot slots[SLOTS];
};

PEV_EXPORT int pev_writer_intern(struct pev_writer *w)
{
	if (w->meta || pev_writer_packets_written(w) || w->interner)
		return -EINVAL;
	w->interner = calloc(1, sizeof(*w->interner));
	return w->interner ? 0 : -ENOMEM;
}

static void forget_metadata(struct interner *in)
{
	pev_meta_free(in->in);
	pev_meta_free(in->out);
	in->in = NULL;
	in->out = NULL;
}

void intern_free(struct pev_writer *w)
{
	if (!w->interner)
		return;
	forget_metadata(w->interner);
	free(w->interner);
	w->interner = NULL;
}

void intern_free_hand(struct hand *h)
{
	if (h->chains)
		free(h->chains->packet);
	free(h->chains);
	h->chains = NULL;
}

bool intern_any(const struct pev_writer *w)
{
	return w->interner && w->interner->in;
}

/* ---- Metadata ---- */

/* As all that writes metadata has it */
static const char whole[] = "\t\tuint32_t kstack_len;\n"
			    "\t\tuint32_t ustack_len;\n";
static const char by_name[] = "\t\tuint16_t kstack_len;\n"
			      "\t\tuint16_t ustack_len;\n"
			      "\t\tuint16_t kstack_id;\n"
			      "\t\tuint16_t ustack_id;\n";

#define WHOLE_LEN (sizeof(whole) - 1)
#define NAMED_LEN (sizeof(by_name) - 1)

static size_t count(const char *text, size_t len, const char *what, size_t what_len)
{
	const char *at = text, *end = text + len;
	size_t n = 0;

	while ((at = memmem(at, (size_t)(end - at), what, what_len))) {
		at += what_len;
		n++;
	}
	return n;
}

PEV_EXPORT int pev_meta_intern(const char *text, size_t len, char **out, size_t *out_len)
{
	size_t n = count(text, len, whole, WHOLE_LEN);
	const char *end = text + len, *next;
	char *to = malloc(len + n * (NAMED_LEN - WHOLE_LEN) + 1);

	*out = to;
	if (!to)
		return -ENOMEM;
	while (text < end && (next = memmem(text, (size_t)(end - text), whole, WHOLE_LEN))) {
		to = mempcpy(to, text, (size_t)(next - text));
		to = mempcpy(to, by_name, NAMED_LEN);
		text = next + WHOLE_LEN;
	}
	to = mempcpy(to, text, (size_t)(end - text));
	*to = '\0';
	*out_len = (size_t)(to - *out);
	return 0;
}

int intern_metadata(struct pev_writer *w, const char *text, const char *written, size_t len,
		    char **own, size_t *own_len)
{
	struct interner *in = w->interner;
	int ret;

	*own = NULL;
	if (!in || (!count(text, len, whole, WHOLE_LEN) && !count(text, len, by_name, NAMED_LEN)))
		return 0;
	ret = pev_meta_intern(written, len, own, own_len);
	if (ret)
		return ret;
	/* the same again is what comes most often */
	if (in->in && in->in->len == len && !memcmp(in->in->text, text, len))
		return 0;
	forget_metadata(in);
	ret = pev_meta_parse(text, len, 0, &in->in, NULL);
	if (!ret)
		ret = pev_meta_parse(*own, *own_len, 0, &in->out, NULL);
	if (!ret && in->in->nr_classes != in->out->nr_classes)
		ret = -EBADMSG;
	if (!ret)
		return 0;
	forget_metadata(in);
	free(*own);
	*own = NULL;
	return ret;
}

/* ---- Packets ---- */

/* Two sums that do not wait for each other */
static uint32_t hash_chain(const uint64_t *frames, uint32_t len, unsigned int which)
{
	const uint64_t *end = frames + (len & ~1U);
	uint64_t even = len * 2 + which, odd = HASH;

	for (; frames < end; frames += 2) {
		even = (even ^ frames[0]) * HASH;
		odd = (odd ^ frames[1]) * HASH;
	}
	if (len & 1)
		even = (even ^ frames[0]) * HASH;
	return (uint32_t)((even ^ odd >> 3) * HASH >> 32);
}

/* Does the word at @id have that chain? */
static bool has_chain(const struct chain_table *t, uint16_t id, unsigned int which,
		      const uint64_t *frames, uint32_t len)
{
	const uint8_t *at = t->packet + id * 8U;
	struct chain_word word;

	memcpy(&word, at, sizeof(word));
	at += sizeof(word);
	if (which == CHAIN_USER)
		at += word.len[CHAIN_KERNEL] * sizeof(*frames);
	return word.len[which] == len && !memcmp(at, frames, len * sizeof(*frames));
}

/* Returns the name of the same chain before, or 0: then @own is its name from now on. */
static uint16_t name_chain(struct chain_table *t, unsigned int which, const uint64_t *frames,
			   uint32_t len, uint16_t own)
{
	uint32_t hash = hash_chain(frames, len, which);
	struct slot *take = &t->slots[hash % SLOTS], *s;

	for (unsigned int i = 0; i < PROBES; i++) {
		s = &t->slots[(hash + i) % SLOTS];
		if (s->round != t->round) {
			take = s;
			break;
		}
		if (s->hash == hash && s->which == which && has_chain(t, s->id, which, frames, len))
			return s->id;
	}
	if (own)
		*take = (struct slot){ t->round, hash, own, (uint16_t)which };
	return 0;
}

/**
 * struct chains - those of a record that comes
 * @word: where it says them, in its packet
 * @size: bytes behind the word
 */
struct chains {
	const uint64_t *frames[CHAINS];
	uint32_t len[CHAINS];
	size_t word;
	size_t size;
};

/* Returns false if there are none that fit into the @room behind the word, or can be written. */
static bool get_chains(const struct class *cls, const uint8_t *data, size_t record, size_t word,
		       size_t room, struct chains *c)
{
	const uint64_t *frames = (const uint64_t *)(data + word + sizeof(struct chain_word));
	struct chain_word named = { 0 };

	if (cls->named) {
		memcpy(&named, data + word, sizeof(named));
		c->len[CHAIN_KERNEL] = named.len[CHAIN_KERNEL];
		c->len[CHAIN_USER] = named.len[CHAIN_USER];
	} else {
		memcpy(c->len, data + word, sizeof(c->len));
	}
	/* no kernel makes longer ones */
	if (c->len[CHAIN_KERNEL] > UINT16_MAX || c->len[CHAIN_USER] > UINT16_MAX)
		return false;
	c->word = word;
	c->frames[CHAIN_KERNEL] = frames;
	c->frames[CHAIN_USER] = frames + c->len[CHAIN_KERNEL];
	c->size = (c->len[CHAIN_KERNEL] + c->len[CHAIN_USER]) * sizeof(*frames);
	if (c->size > room)
		return false;
	for (unsigned int i = 0; cls->named && i < CHAINS; i++)
		if (named.id[i] && !named.len[i] &&
		    !chain_find(data, record, i, named.id[i], &c->frames[i], &c->len[i]))
			return false;
	return true;
}

/* Writes a word at @at, and behind it the chains that were not there before. Returns their end. */
static size_t put_chains(struct chain_table *t, const struct chains *c, size_t at)
{
	uint16_t own = at % 8 || at / 8 > UINT16_MAX ? 0 : (uint16_t)(at / 8), id;
	struct chain_word word = { 0 };
	size_t to = at + sizeof(word);

	for (unsigned int i = 0; i < CHAINS; i++) {
		if (!c->len[i])
			continue;
		id = name_chain(t, i, c->frames[i], c->len[i], own);
		word.id[i] = id ? id : own;
		if (id)
			continue;
		word.len[i] = (uint16_t)c->len[i];
		memcpy(t->packet + to, c->frames[i], c->len[i] * sizeof(uint64_t));
		to += c->len[i] * sizeof(uint64_t);
	}
	memcpy(t->packet + at, &word, sizeof(word));
	return to;
}

static bool is_interned(const struct interner *in, const struct class *cls)
{
	return cls->chains >= 0 && in->out->classes[cls->pub.index]->named &&
	       in->out->classes[cls->pub.index]->chains == cls->chains;
}

/* Finds the class of a record, and the place behind its header. */
static const struct class *class_at(const struct pev_stream_class *kind, const uint8_t *record,
				    size_t room, size_t *header)
{
	uint32_t word, id;
	bool form;

	*header = 0;
	if (room < kind->header[0])
		return NULL;
	memcpy(&word, record, sizeof(word));
	id = word & ((1U << PEV_ID_BITS) - 1);
	form = id == PEV_ID_EXTENDED;
	if (room < kind->header[form])
		return NULL;
	*header = kind->header[form];
	if (form)
		id = word >> PEV_ID_BITS;
	return id < kind->nr_ids ? kind->by_id[id] : NULL;
}

/* Bytes of a record behind its header, -1 if it does not fit; @chains: of those in it */
static ptrdiff_t body_size(const struct class *cls, const uint8_t *body, size_t room, size_t chains)
{
	size_t context = cls->context.size + chains;

	if (cls->context.nr != cls->context.fixed + (cls->chains >= 0 ? CHAINS : 0) ||
	    cls->payload.nr != cls->payload.fixed)
		return decode_end(cls, body, room);
	if (cls->payload.nr)
		context = align_up(context, 8) + cls->payload.size;
	return context > room ? -1 : (ptrdiff_t)context;
}

/**
 * struct walk - through a packet
 * @content: bytes of it
 * @pos:     of the next record
 * @from:    what is before was written ...
 * @to:      ... in so many bytes
 */
struct walk {
	const struct pev_stream_class *kind;
	const uint8_t *data;
	size_t content;
	size_t pos;
	size_t from;
	size_t to;
};

/* Passes over a record, after it has written what is before its chains, and these. */
static int put_record(const struct interner *in, struct chain_table *t, struct walk *k)
{
	const uint8_t *record = k->data + k->pos;
	size_t header, room, word, run;
	struct chains c = { .size = 0 };
	const struct class *cls = class_at(k->kind, record, k->content - k->pos, &header);
	bool interned;
	ptrdiff_t size;

	if (!cls)
		return header ? -ESTALE : -EBADMSG;
	room = k->content - k->pos - header;
	if (cls->context.size > room)
		return -EBADMSG;
	word = k->pos + header + (size_t)cls->chains;
	if (cls->chains >= 0 &&
	    !get_chains(cls, k->data, k->pos, word, room - cls->context.size, &c))
		return -EBADMSG;
	size = body_size(cls, record + header, room, c.size);
	if (size < 0)
		return -EBADMSG;
	interned = is_interned(in, cls);
	if (interned) {
		run = word - k->from;
		memcpy(t->packet + k->to, k->data + k->from, run);
		k->to = put_chains(t, &c, k->to + run);
		k->from = word + sizeof(struct chain_word) + c.size;
	}
	k->pos += align_up(header + (size_t)size, 8);
	return 0;
}

static int make_room(struct chain_table *t, size_t need)
{
	uint8_t *more;

	if (need <= t->room)
		return 0;
	more = realloc(t->packet, need);
	if (!more)
		return -ENOMEM;
	t->packet = more;
	t->room = need;
	return 0;
}

static void next_round(struct chain_table *t)
{
	if (++t->round)
		return;
	memset(t->slots, 0, sizeof(t->slots));
	t->round = 1;
}

/* What readers take for damage, as it is, behind the records that can be read. */
static const uint32_t no_record[2] = { UINT32_MAX, UINT32_MAX };

/* Writes what is behind the last chains, and the header. Returns the bytes of the packet. */
static size_t end_packet(struct chain_table *t, const struct walk *k, bool damaged)
{
	size_t rest = (damaged ? k->pos : k->content) - k->from, to = k->to, size;
	struct pev_packet *head = (struct pev_packet *)t->packet;

	memcpy(t->packet + to, k->data + k->from, rest);
	to += rest;
	if (damaged) {
		memcpy(t->packet + to, no_record, sizeof(no_record));
		to += sizeof(no_record);
	}
	size = align_up(to, 8);
	memset(t->packet + to, 0, size - to);
	memcpy(head, k->data, sizeof(*head));
	head->content_size = to * 8;
	head->packet_size = size * 8;
	return size;
}

int intern_packet(struct pev_writer *w, struct out_file *f, const uint8_t **data, size_t *used)
{
	const struct pev_packet *packet = (const struct pev_packet *)*data;
	const struct interner *in = w->interner;
	struct chain_table *t = f->hand->chains;
	struct walk k = {
		.kind = meta_stream(in->in, packet->stream_id),
		.data = *data,
		.content = packet->content_size / 8,
		.pos = PACKET_HEADER,
		.from = PACKET_HEADER,
		.to = PACKET_HEADER,
	};
	int ret;

	if (!k.kind || k.content < PACKET_HEADER || packet->content_size > packet->packet_size)
		return -EINVAL;
	if (!t)
		t = f->hand->chains = calloc(1, sizeof(*t));
	ret = t ? make_room(t, packet->packet_size / 8 + sizeof(no_record)) : -ENOMEM;
	if (ret)
		return ret;
	next_round(t);
	while (!ret && k.pos < k.content)
		ret = put_record(in, t, &k);
	/* what is described later has been in the ring before; what is not described then never is */
	if (ret == -ESTALE && f->stale != in->in->len) {
		f->stale = in->in->len;
		return ret;
	}
	*used = end_packet(t, &k, ret < 0);
	*data = t->packet;
	return 0;
}
