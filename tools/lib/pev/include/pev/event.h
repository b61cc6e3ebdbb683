/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: records of packets, decoded.
 */
#ifndef _PEV_EVENT_H
#define _PEV_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pev/meta.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pev_event - a record, decoded
 * @time:    ticks of the clock, all 64 bits
 * @cls:     its class
 * @cpu:     CPU, from the packet; UINT32_MAX for none
 * @tid:     0 if the event did not ask for it
 * @pid:     and everything below: what the class's @sample says, else 0 or NULL
 * @payload: start of the payload
 * @payload_len: bytes of it, padding behind not counted
 * @record:  start of the record
 * @record_len: bytes from @record to the end of the payload
 * @meta:    metadata of its trace
 * @stream:  where it came from; NULL outside a trace
 * @guest:   PEV_GUEST_*
 * @ustack_cookie: not 0: the record of an event of PEV_TYPE_USTACK whose payload has this cookie
 *           has @ustack, @uregs and @dump
 * @cgroup:  with PEV_EF_CGROUP: that of the thread, by its number in the second version's hierarchy
 * @packet:  start of its packet
 * @exit:    PEV_EXIT_WORD(): why the guest was left for which the host worked
 *
 * All pointers point into the packet. Call chains are ordered from the
 * innermost frame outwards; one that the record names is in an earlier record of the packet.
 *
 * Only the library allocates this structure, and later versions add members at its
 * end. A copy has the members that the program knows, and can be passed to all
 * functions below; it stays as long as the packet does.
 */
struct pev_event {
	uint64_t		time;
	const struct pev_class	*cls;
	const void		*payload;
	const void		*record;
	uint32_t		payload_len;
	uint32_t		record_len;
	const struct pev_meta	*meta;
	const struct pev_stream	*stream;
	uint32_t		cpu;
	uint32_t		tid;
	/* context */
	uint32_t		pid;
	uint32_t		sample_cpu;
	uint64_t		ip;
	uint64_t		addr;
	uint64_t		period;
	const uint64_t		*kstack;
	const uint64_t		*ustack;
	uint32_t		kstack_len;
	uint32_t		ustack_len;
	const uint64_t		*uregs;
	const uint64_t		*values;
	const uint8_t		*dump;
	uint32_t		uregs_len;
	uint32_t		values_len;
	uint64_t		dump_len;
	uint32_t guest;
	uint64_t ustack_cookie;
	uint64_t cgroup;
	const void *packet;
	uint64_t exit;
};

/**
 * struct pev_decoder - walks through the records of packets, one packet after another
 *
 * Any number of decoders may work on the same metadata in different threads.
 */
struct pev_decoder;

/**
 * pev_decoder_new() - a decoder, which has no packet yet
 * @flags: 0
 *
 * Free with pev_decoder_free(). Return: 0, -EINVAL for unknown @flags, -ENOMEM.
 */
int pev_decoder_new(unsigned int flags, struct pev_decoder **dec);
void pev_decoder_free(struct pev_decoder *dec);

/**
 * pev_decoder_packet() - start on a packet
 * @data: 8-byte aligned; must stay until the decoder goes to another packet
 * @len:  bytes that may be read; a packet that claims more is refused
 *
 * Return: 0, -EBADMSG for data that is not a packet of this trace.
 */
int pev_decoder_packet(struct pev_decoder *dec, const struct pev_meta *meta,
		       const void *data, size_t len);
/**
 * pev_decoder_partial() - start on an open packet, or go on in one
 * @len:  bytes up to the ring's head
 * @from: 0 or what pev_decoder_offset() gave for the same packet earlier
 * @time: pev_event.time of the last record before @from; not used if @from is 0
 *
 * Return: 0, -EBADMSG as above, -EINVAL: no record can be at @from.
 */
int pev_decoder_partial(struct pev_decoder *dec, const struct pev_meta *meta,
			const void *data, size_t len, size_t from, uint64_t time);
/**
 * pev_decoder_next() - the next record
 * @ev: set to the record, which stays until the next call for the same decoder
 *
 * Return: 1; 0 at the end; -EBADMSG if the rest of the packet makes no sense;
 * -ESTALE at a record with an id that the metadata does not have: read the metadata
 * again, pev_meta_update() it and call again.
 */
int pev_decoder_next(struct pev_decoder *dec, const struct pev_event **ev);
/** pev_decoder_offset() - bytes from the packet's start to the next record */
size_t pev_decoder_offset(const struct pev_decoder *dec);

/** pev_event_locate() - address of a payload field and its number of elements, NULL if damaged */
const void *pev_event_locate(const struct pev_event *ev, const struct pev_field *field,
			     size_t *count);

/** pev_load() - an integer from memory, sign-extended if it is signed */
static inline uint64_t pev_load(const void *at, unsigned int size, bool is_signed)
{
	switch (size) {
	case 1: {
		uint8_t v = *(const uint8_t *)at;

		return is_signed ? (uint64_t)(int8_t)v : v;
	}
	case 2: {
		uint16_t v;

		__builtin_memcpy(&v, at, sizeof(v));
		return is_signed ? (uint64_t)(int16_t)v : v;
	}
	case 4: {
		uint32_t v;

		__builtin_memcpy(&v, at, sizeof(v));
		return is_signed ? (uint64_t)(int32_t)v : v;
	}
	default: {
		uint64_t v;

		__builtin_memcpy(&v, at, sizeof(v));
		return v;
	}
	}
}

/**
 * pev_event_int() - value of an integer field of the payload
 * @field: of the event's class
 *
 * The first element of an array; 0 for NULL, strings and empty sequences.
 * Cast to int64_t if field->is_signed.
 */
static inline uint64_t pev_event_int(const struct pev_event *ev,
				     const struct pev_field *field)
{
	size_t count;
	const void *at;

	if (!field)
		return 0;
	if (field->shape == PEV_SHAPE_INT && field->offset >= 0)
		return pev_load((const char *)ev->payload + field->offset,
				field->size, field->is_signed);
	at = pev_event_locate(ev, field, &count);
	if (!at || !count || field->shape == PEV_SHAPE_STRING)
		return 0;
	return pev_load(at, field->size, field->is_signed);
}

/**
 * pev_event_text() - characters of a text field of the payload
 * @text: not NUL-terminated; NULL if the field is NULL or no text
 *
 * Return: number of bytes before the first NUL or the field's end.
 */
size_t pev_event_text(const struct pev_event *ev, const struct pev_field *field,
		      const char **text);
/** pev_event_copy_text() - the same as a NUL-terminated copy, cut to @size; returns @buf */
char *pev_event_copy_text(const struct pev_event *ev, const struct pev_field *field,
			  char *buf, size_t size);
/**
 * struct pev_request - the request that a thread worked for, as it said itself
 * @trace_high: the first 8 bytes of the trace id, the first one most significant
 * @trace_low:  the others
 * @span:       the span id, likewise
 */
struct pev_request {
	uint64_t trace_high;
	uint64_t trace_low;
	uint64_t span;
};

/**
 * pev_event_request() - the request of an event's record
 * @to: zeros if there is none
 *
 * Return: is there one? The thread may have said nothing, or the event was opened without
 * PEV_SAMPLE_CONTEXT, which the sample of its class says.
 */
bool pev_event_request(const struct pev_event *ev, struct pev_request *to);
/**
 * pev_event_whole() - a copy of a record for another packet
 * @to: 8-byte aligned; nothing is written if the record takes more than @size bytes
 *
 * A record may name a call chain that an earlier one of its packet has, see pev_writer_intern();
 * the copy has it itself. Others are copied as they are.
 *
 * Return: bytes of the copy.
 */
size_t pev_event_whole(const struct pev_event *ev, void *to, size_t size);
/** pev_event_ns() - time of an event in ns since the epoch */
int64_t pev_event_ns(const struct pev_event *ev);

#define PEV_PRINT_CONTEXT	(1U << 0)	/* the field is one of cls->context */
#define PEV_PRINT_LABEL (1U << 1) /* labels of enumerations, where there are */

/**
 * pev_event_print_field() - a field as people read it
 * @flags: 0 for a field of the payload, PEV_PRINT_*; others are ignored
 * @buf:   the text, cut to @size bytes with its NUL
 *
 * Integers in their base (hex with 0x), text in double quotes with control
 * characters escaped, arrays as "[1, 2, 3]", bytes as hex digits.
 *
 * Return: length of the full text without its NUL, as snprintf() does.
 */
int pev_event_print_field(const struct pev_event *ev, const struct pev_field *field,
			  unsigned int flags, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_EVENT_H */
