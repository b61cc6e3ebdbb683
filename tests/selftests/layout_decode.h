/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the records of a packet begin by its metadata: libpev's answer, in a file
 * apart as its header can't be included beside pev_util.h.
 */
#ifndef LAYOUT_DECODE_H
#define LAYOUT_DECODE_H

#include <stddef.h>
#include <stdint.h>

struct layout_record {
	uint32_t	at;
	uint32_t	id;
};

struct pev_meta;

struct pev_meta *layout_metadata(const char *text);
/* Returns the number of records, or -1 if the packet is damaged; @records: the first @room. */
int layout_decode(struct pev_meta *meta, const void *packet, size_t size,
		  struct layout_record *records, unsigned int room);
void layout_end(struct pev_meta *meta);

#endif
