// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces that follow each other. A channel has one UUID, and its rings count losses from its
 * beginning; readers join packets of one UUID to one stream, and take the count of a first
 * packet for what was lost before it. Each part has its own UUID and counts from 0 instead.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <pev/meta.h>
#include "core/compiler.h"
#include "trace/part.h"

#define UUID_TEXT 36

/**
 * struct trace_part - what a trace takes over from the one before it
 * @uuid:  of this one
 * @from:  of the metadata as they come, in text; empty before the first
 * @to:    @uuid in text
 * @bases: losses by ring that earlier parts have said
 */
struct trace_part {
	uint8_t uuid[16];
	char from[UUID_TEXT + 1];
	char to[UUID_TEXT + 1];
	uint64_t *bases;
	unsigned int nr_bases;
};

static void print_uuid(char text[UUID_TEXT + 1], const uint8_t uuid[16])
{
	for (unsigned int i = 0, at = 0; i < 16; i++)
		at += (unsigned int)sprintf(text + at, "%s%02x",
					    i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Random, as RFC 4122 has it */
static int make_uuid(struct trace_part *p)
{
	if (getrandom(p->uuid, sizeof(p->uuid), 0) != sizeof(p->uuid))
		return -EIO;
	p->uuid[6] = (p->uuid[6] & 0x0f) | 0x40;
	p->uuid[8] = (p->uuid[8] & 0x3f) | 0x80;
	print_uuid(p->to, p->uuid);
	return 0;
}

uint64_t part_base(const struct pev_writer *w, unsigned int ring)
{
	return w->part && ring < w->part->nr_bases ? w->part->bases[ring] : 0;
}

/* What has been said of a ring until now; a packet that comes late may have less. */
static uint64_t said(const struct pev_writer *w, unsigned int ring)
{
	uint64_t base = part_base(w, ring);

	if (ring < w->nr_files && w->files[ring].last.events_discarded > base)
		return w->files[ring].last.events_discarded;
	return base;
}

static int take_bases(struct trace_part *p, const struct pev_writer *before)
{
	unsigned int nr = before ? before->nr_files : 0;
	uint64_t *bases;

	if (before && before->part && before->part->nr_bases > nr)
		nr = before->part->nr_bases;
	bases = calloc(nr ? nr : 1, sizeof(*bases));
	if (!bases)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++)
		bases[i] = said(before, i);
	free(p->bases);
	p->bases = bases;
	p->nr_bases = nr;
	return 0;
}

PEV_EXPORT int pev_writer_continue(struct pev_writer *w, const struct pev_writer *before)
{
	struct trace_part *p;
	int ret;

	if ((w->meta && !w->part) || w->nr_files || w == before)
		return -EINVAL;
	if (w->part)
		return take_bases(w->part, before);
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	w->part = p;
	ret = make_uuid(p);
	if (!ret)
		ret = take_bases(p, before);
	if (ret)
		part_free(w);
	return ret;
}

void part_free(struct pev_writer *w)
{
	if (!w->part)
		return;
	free(w->part->bases);
	free(w->part);
	w->part = NULL;
}

static int find_uuid(struct trace_part *p, const char *text, size_t len)
{
	struct pev_meta *meta;
	int ret = pev_meta_parse(text, len, 0, &meta, NULL);

	if (ret)
		return ret;
	print_uuid(p->from, pev_meta_uuid(meta));
	pev_meta_free(meta);
	return 0;
}

int part_metadata(struct pev_writer *w, const char *text, size_t len, char **own)
{
	struct trace_part *p = w->part;
	int ret = 0;

	*own = NULL;
	if (!p)
		return 0;
	if (!*p->from)
		ret = find_uuid(p, text, len);
	if (ret)
		return ret;
	*own = malloc(len + 1);
	if (!*own)
		return -ENOMEM;
	memcpy(*own, text, len);
	(*own)[len] = '\0';
	for (char *at = *own; (at = memmem(at, len - (size_t)(at - *own), p->from, UUID_TEXT));)
		memcpy(at, p->to, UUID_TEXT);
	return 0;
}

void part_header(const struct pev_writer *w, const struct out_file *f, struct pev_packet *packet)
{
	if (!w->part)
		return;
	memcpy(packet->uuid, w->part->uuid, sizeof(packet->uuid));
	packet->events_discarded -= packet->events_discarded < f->base ? packet->events_discarded :
									 f->base;
}
