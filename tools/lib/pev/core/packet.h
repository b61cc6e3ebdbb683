/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Packets as rings and stream files hold them.
 */
#ifndef _PEV_CORE_PACKET_H
#define _PEV_CORE_PACKET_H

#include <linux/pev.h>

/* Bytes before the first record of a packet */
#define PACKET_HEADER	sizeof(struct pev_packet)

#endif /* _PEV_CORE_PACKET_H */
