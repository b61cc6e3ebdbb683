/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: packets made in user space.
 *
 * Makes packets in user space from the classes of a trace's metadata, for the
 * state of processes that ran before the recording: records of pev:mmap and
 * pev:comm in a stream file of their own.
 *
 *	pev_encoder_begin(enc, cls, time, tid);
 *	pev_encoder_int(enc, "pid", pid);
 *	pev_encoder_data(enc, "filename", name, strlen(name) + 1);
 *	pev_encoder_commit(enc);
 */
#ifndef _PEV_ENCODER_H
#define _PEV_ENCODER_H

#include <stddef.h>
#include <stdint.h>
#include <pev/meta.h>
#include <pev/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_encoder;

/** typedef pev_packet_fn - takes a finished packet; what it returns below 0 is passed on */
typedef int (*pev_packet_fn)(void *arg, const void *packet, size_t len);

/**
 * pev_encoder_new() - records of one class of streams to packets
 * @packet_size: bytes, 256 to 16 MiB and a multiple of 8; a record that does not fit gets a
 *               larger packet of its own
 * @instance:    in the packets: what tells the stream from others of the trace; the
 *               number of a ring, or PEV_STREAM_USER and more
 * @cpu:         in the packets; UINT32_MAX for none
 */
int pev_encoder_new(const struct pev_meta *meta, uint32_t packet_size, uint64_t instance,
		    uint32_t cpu, pev_packet_fn fn, void *arg, struct pev_encoder **enc);
/**
 * pev_writer_encoder() - the same into file stream_<name> of a trace
 *
 * Its instance is one that no ring and no other encoder of the writer has. Close the encoder before the writer.
 */
int pev_writer_encoder(struct pev_writer *writer, const struct pev_meta *meta,
		       const char *name, uint32_t cpu, struct pev_encoder **enc);
/**
 * pev_encoder_packets() - packets from the next one on have another size
 * @packet_size: as in pev_encoder_new(); large ones compress better where records are alike
 *
 * Return: 0 or -EINVAL.
 */
int pev_encoder_packets(struct pev_encoder *enc, uint32_t packet_size);
/** pev_encoder_flush() - hand out the packet that is begun, if there is one */
int pev_encoder_flush(struct pev_encoder *enc);
/** pev_encoder_close() - hand out the last packet and free */
int pev_encoder_close(struct pev_encoder *enc);

/**
 * pev_encoder_begin() - a record; all its fields are 0
 * @cls:  of the same class of streams as that of the first record
 * @time: not before the last one's
 */
int pev_encoder_begin(struct pev_encoder *enc, const struct pev_class *cls,
		      uint64_t time, uint32_t tid);
/**
 * pev_encoder_int() - an integer of the payload, or of the context
 *
 * A name is looked for in the payload first. Return: 0, -ENOENT for a field
 * that the class does not have.
 */
int pev_encoder_int(struct pev_encoder *enc, const char *field, uint64_t value);
/**
 * pev_encoder_data() - bytes of an array, sequence or string
 * @data: copied
 * @len:  bytes; too many for an array are cut, too few filled with 0. The
 *        length of a sequence is set by this, and <name>_off if there is one.
 */
int pev_encoder_data(struct pev_encoder *enc, const char *field, const void *data,
		     size_t len);
int pev_encoder_commit(struct pev_encoder *enc);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_ENCODER_H */
