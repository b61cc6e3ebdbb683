/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Call chains that are written once a packet: a later record names the one that has them.
 * Documentation/design/interning.rst has why.
 */
#ifndef _PEV_TRACE_INTERN_H
#define _PEV_TRACE_INTERN_H

#include "trace/writer.h"

/*
 * The functions below do nothing with a writer that does not intern.
 *
 * Learns what records are like. @text: as it is given to the writer; @written: what is to be written
 * of it. @own: what is to be written instead, of @own_len bytes, which the caller frees; NULL:
 * @written is right. Returns 0 or -errno.
 */
int intern_metadata(struct pev_writer *w, const char *text, const char *written, size_t len,
		    char **own, size_t *own_len);
/* Is there any record that names chains? */
bool intern_any(const struct pev_writer *w);
/**
 * intern_packet() - write a packet with each chain once
 * @data: a whole packet, its size is right; set to the new one, which is there until the next call
 * @used: set to the bytes of it
 *
 * Return: 0, -ESTALE if the metadata do not describe a record yet, -ENOMEM.
 */
int intern_packet(struct pev_writer *w, struct out_file *f, const uint8_t **data, size_t *used);
void intern_free(struct pev_writer *w);
void intern_free_hand(struct hand *h);

#endif /* _PEV_TRACE_INTERN_H */
