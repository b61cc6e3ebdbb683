/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What other parts of the library know of rings: channels that one of them fills with
 * rings in memory of its own, and pieces that are not taken after all.
 */
#ifndef _PEV_RING_RING_H
#define _PEV_RING_RING_H

#include <pev/ring.h>

/**
 * struct channel_source - fills the rings of a channel
 * @prepare:  called before rings are filled: adds those that there are now; 0 or -errno
 * @fetch:    fills a ring with what there is; of several rings at a time, by a thread each; NULL:
 *            they are filled already. < 0: -errno
 * @unmapped: called at the end of pev_channel_unmap()
 */
struct channel_source {
	void	*arg;
	int (*prepare)(void *arg);
	int (*fetch)(void *arg, unsigned int nr);
	void	(*unmapped)(void *arg);
};

/* Makes a channel; @fd is for polling. 0 or -ENOMEM */
int channel_make(const struct pev_channel_info *info, int fd, const struct channel_source *source,
		 struct pev_channel **channel);
/* Adds a ring, numbered as in @kernel; the memory stays the caller's. 0 or -ENOMEM */
int channel_add_ring(struct pev_channel *channel, const struct pev_ring_kernel *kernel,
		     struct pev_ring_user *user, const void *data);

/*
 * pev_channel_map_new() in two steps: maps rings that were added and returns how many, or -errno; and
 * fetches what there is for a ring, as threads may for rings of their own. 0 or -errno
 */
int channel_prepare(struct pev_channel *channel);
int channel_fetch(const struct pev_channel *channel, unsigned int nr);

/* Take back the piece that was handed out last: pev_ring_next() gives it again */
void ring_put_back(struct pev_ring *ring, const struct pev_piece *piece);

#endif /* _PEV_RING_RING_H */
