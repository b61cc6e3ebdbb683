/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: rings in memory.
 *
 * Discard mode, for each ring that has data:
 *
 *	while (pev_ring_next(ring, &piece) > 0)
 *		consume(piece.data, piece.len);
 *	pev_ring_release(ring);
 *
 * piece.data points into the mapped ring; it is valid until pev_ring_release(),
 * which gives the space of all pieces handed out so far back to the kernel.
 */
#ifndef _PEV_RING_H
#define _PEV_RING_H

#include <stddef.h>
#include <stdint.h>
#include <linux/pev.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_channel;
struct pev_ring;

/**
 * struct pev_piece - whole packets as they lie in a ring, or part of one
 * @data:     the first packet; 8-byte aligned
 * @len:      bytes; a multiple of the packet size unless @flags has PEV_PIECE_PARTIAL
 * @position: of @data in the ring's count
 * @flags:    PEV_PIECE_*
 * @reserved: not written
 */
struct pev_piece {
	const void	*data;
	size_t		len;
	uint64_t	position;
	uint32_t	flags;
	uint32_t	reserved[5];
};

#define PEV_PIECE_PARTIAL	(1U << 0)	/* the packet is open: its header is not final */

/**
 * pev_channel_map() - map all rings that there are
 * @fd:    of the channel; stays the caller's and must stay open
 * @flags: 0
 *
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM, -errno of the kernel.
 */
int pev_channel_map(int fd, unsigned int flags, struct pev_channel **channel);
void pev_channel_unmap(struct pev_channel *channel);
/** pev_channel_map_new() - map rings that were added since; returns how many */
int pev_channel_map_new(struct pev_channel *channel);
const struct pev_channel_info *pev_channel_info(const struct pev_channel *channel);
int pev_channel_fd(const struct pev_channel *channel);
/** pev_channel_nr_rings() - rings are numbered below this; some may be NULL */
unsigned int pev_channel_nr_rings(const struct pev_channel *channel);
/** pev_channel_ring() - by number; NULL if there is none, as for a CPU that was never online */
struct pev_ring *pev_channel_ring(const struct pev_channel *channel, unsigned int nr);
#define PEV_POLL_DATA	1	/* a ring has reached its watermark */
#define PEV_POLL_HANGUP	2	/* no event writes into the channel any more */

/**
 * pev_channel_poll() - wait until there is something to read
 * @timeout_ms: -1: for ever
 *
 * Return: PEV_POLL_* bits; 0 if the time is up; -EINTR at a signal; -EBADF if the
 * channel's descriptor was closed; -errno.
 */
int pev_channel_poll(struct pev_channel *channel, int timeout_ms);
/** pev_channel_lost() - sum of the rings' lost counts */
uint64_t pev_channel_lost(const struct pev_channel *channel);

/**
 * pev_ring_attach() - a ring in memory that the caller mapped or made up
 * @user: NULL in overwrite mode
 *
 * Return: 0 or -EINVAL for sizes that make no ring. Free with pev_ring_detach().
 */
int pev_ring_attach(const struct pev_ring_kernel *kernel, struct pev_ring_user *user,
		    const void *data, uint64_t ring_size, uint32_t packet_size,
		    struct pev_ring **ring);
void pev_ring_detach(struct pev_ring *ring);

/**
 * pev_ring_next() - the next run of complete packets, not copied
 *
 * Return: 1 with @piece filled, 0 if there is none, -EOVERFLOW once if the ring's
 * head makes no sense (the reader then goes on at the newest data).
 */
int pev_ring_next(struct pev_ring *ring, struct pev_piece *piece);
/** pev_ring_partial() - the open packet behind the complete ones; returns 1 or 0 */
int pev_ring_partial(struct pev_ring *ring, struct pev_piece *piece);
/** pev_ring_release() - give back what pev_ring_next() handed out */
void pev_ring_release(struct pev_ring *ring);
/** pev_ring_release_to() - give back everything before a position */
void pev_ring_release_to(struct pev_ring *ring, uint64_t position);
/** pev_ring_unread() - bytes that pev_ring_next() has not handed out yet, open packet included */
uint64_t pev_ring_unread(const struct pev_ring *ring);
/**
 * pev_ring_copy() - copy one complete packet out of a ring in overwrite mode
 * @position: a multiple of the packet size
 * @buf:      room for one packet
 *
 * Return: 1, 0 if the packet is not complete yet, -ESTALE if it was overwritten.
 */
int pev_ring_copy(const struct pev_ring *ring, uint64_t position, void *buf);
uint64_t pev_ring_head(const struct pev_ring *ring);
uint64_t pev_ring_oldest(const struct pev_ring *ring);
uint64_t pev_ring_lost(const struct pev_ring *ring);
/** pev_ring_number() - of the ring in its channel */
uint32_t pev_ring_number(const struct pev_ring *ring);
/** pev_ring_cpu() - the CPU that writes it, -1 for a ring that belongs to no CPU */
int pev_ring_cpu(const struct pev_ring *ring);
uint32_t pev_ring_packet_size(const struct pev_ring *ring);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_RING_H */
