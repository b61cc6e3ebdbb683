/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What other parts know of decoding.
 */
#ifndef _PEV_CTF_DECODE_H
#define _PEV_CTF_DECODE_H

#include <sys/types.h>
#include "ctf/meta.h"

/**
 * struct pev_decoder - walks through the records of a packet
 * @event:  the last record
 * @kind:   class of its stream
 * @packet: its start
 * @time:   of the last record
 * @begin:  the least that a time may be, and @limit the most
 * @pos:    of the next record
 * @end:    bytes of header and records
 * @no_chain: the record that made no sense names a call chain that is not there
 */
struct pev_decoder {
	struct pev_event		event;
	const struct pev_meta		*meta;
	const struct pev_stream_class	*kind;
	const struct pev_stream		*stream;
	const uint8_t			*packet;
	uint64_t			time;
	uint64_t			begin;
	uint64_t			limit;
	size_t				pos;
	size_t				end;
	uint32_t			cpu;
	uint32_t			unknown_id;
	bool no_chain;
};

/**
 * decode_start() - start on a packet that was checked
 * @kind:    class of its stream
 * @content: bytes of header and records that may be read
 */
void decode_start(struct pev_decoder *dec, const struct pev_meta *meta,
		  const struct pev_stream_class *kind, const void *data, size_t content);
/* As pev_decoder_next(); the record is in dec->event */
int decode_next(struct pev_decoder *dec);
/* The same, but only records of some classes, by pev_class.index */
int decode_next_of(struct pev_decoder *dec, const bool *wanted);
/* Returns what is wrong with the header of a packet; NULL: nothing */
const char *packet_check(const struct pev_meta *meta, const struct pev_packet *packet);
/* Bytes of a record behind its header, of which @room may be read; -1: it does not fit */
ptrdiff_t decode_end(const struct class *cls, const uint8_t *body, size_t room);
/* Bytes of a record's header */
uint32_t event_header(const struct pev_event *ev);
/**
 * chain_find() - the frames that an earlier record of a packet has, whose word says the same id
 * @end:   of what may be read of the packet: where the record begins that names them
 * @which: CHAIN_*
 *
 * Return: false if no such record is there.
 */
bool chain_find(const uint8_t *packet, size_t end, unsigned int which, size_t id,
		const uint64_t **frames, uint32_t *len);
/**
 * part_locate() - find a field behind others that vary in length
 * @base:  start of the context or payload
 * @room:  bytes that may be read
 * @index: of the field; the number of fields asks for the end of the part
 * @count: set to the field's number of elements
 *
 * Return: bytes behind @base, -1 if it does not fit.
 */
ptrdiff_t part_locate(const struct part *part, const uint8_t *base, size_t room,
		      unsigned int index, size_t *count);

#endif /* _PEV_CTF_DECODE_H */
