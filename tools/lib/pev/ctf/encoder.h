/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the writer of a trace knows of encoders.
 */
#ifndef _PEV_CTF_ENCODER_H
#define _PEV_CTF_ENCODER_H

#include <pev/pev.h>

/* The encoder calls its function with a packet of NULL when it is closed */
void encoder_own(struct pev_encoder *enc);

/* Of the metadata that it was made with; NULL: no stream of id 0 has it */
const struct pev_class *encoder_class(const struct pev_encoder *enc, uint32_t id);

/**
 * encoder_body() - begin a record that the caller lays out
 * @cls:  as for pev_encoder_begin(), like @time
 * @room: bytes that it needs behind its tid
 * @at:   set to their place, which is aligned as in a packet
 *
 * Return: 0 or -errno. Give its end to encoder_commit_body(), or forget it.
 */
int encoder_body(struct pev_encoder *enc, const struct pev_class *cls, uint64_t time,
		 uint32_t tid, size_t room, uint8_t **at);
int encoder_commit_body(struct pev_encoder *enc, const uint8_t *end);

#endif /* _PEV_CTF_ENCODER_H */
