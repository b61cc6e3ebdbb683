/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Packets as rings and stream files hold them.
 */
#ifndef _PEV_CORE_PACKET_H
#define _PEV_CORE_PACKET_H

#include <stdint.h>
#include <linux/pev.h>

/* Bytes before the first record of a packet */
#define PACKET_HEADER	sizeof(struct pev_packet)

/* Call chains of a record */
enum { CHAIN_KERNEL, CHAIN_USER, CHAINS };

/**
 * struct chain_word - what is before the call chains of a record that may name them
 * @len: frames that follow, of each
 * @id:  where in the packet the word is that the frames follow, in 8 bytes: this word or an earlier
 *       one; 0: there is no chain, or nothing names it
 *
 * Others have two lengths of 32 bits in its place.
 */
struct chain_word {
	uint16_t len[CHAINS];
	uint16_t id[CHAINS];
};

#endif /* _PEV_CORE_PACKET_H */
