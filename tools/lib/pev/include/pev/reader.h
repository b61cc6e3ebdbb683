/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: the events of a channel as they happen, of all CPUs in order of time.
 *
 *	pev_reader_open(NULL, channel, 0, &reader, &err);
 *	do {
 *		ready = pev_reader_wait(reader, -1);
 *		end = ready < 0 || ready & PEV_POLL_HANGUP;
 *		pev_reader_fetch(reader, end ? PEV_FETCH_ALL : 0, &err);
 *		while (pev_reader_next(reader, &ev) > 0)
 *			consume(ev);
 *	} while (!end);
 *
 * A reader empties the rings of its channel, so a channel has one reader. It holds
 * events back until no CPU can have an older one: those of one fetch come out after
 * the next one.
 */
#ifndef _PEV_READER_H
#define _PEV_READER_H

#include <stdint.h>
#include <pev/engine.h>
#include <pev/error.h>
#include <pev/event.h>
#include <pev/ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_reader;

/**
 * pev_reader_open() - read a channel; free with pev_reader_close()
 * @engine:  of the channel; NULL if @channel is a descriptor of pev_attr_open()
 * @channel: handle or descriptor; stays the caller's and must stay open
 * @flags:   0
 *
 * Return: 0; -EINVAL for unknown @flags; -EOPNOTSUPP for a channel in overwrite mode;
 * -ENOMEM; -errno of the kernel.
 */
int pev_reader_open(struct pev_engine *engine, int channel, unsigned int flags,
		    struct pev_reader **reader, struct pev_error *err);
void pev_reader_close(struct pev_reader *reader);

/**
 * pev_reader_wait() - wait for a watermark
 * @timeout_ms: -1: for ever
 *
 * Return: as pev_channel_poll().
 */
int pev_reader_wait(struct pev_reader *reader, int timeout_ms);

#define PEV_FETCH_ALL	(1U << 0)	/* hold nothing back */

/**
 * pev_reader_fetch() - take what the rings have
 * @flags: 0; PEV_FETCH_ALL when no more events come, or where a wrong order of the
 *         events around this call does no harm
 *
 * Copies the packets and gives their space back to the kernel at once.
 *
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM (the packets stay in the rings), -errno
 * of the kernel.
 */
int pev_reader_fetch(struct pev_reader *reader, unsigned int flags, struct pev_error *err);
/**
 * pev_reader_next() - the next event
 * @ev: valid, with all it points to, until the next call for the same reader
 *
 * Metadata of events that were added to the channel is read as it is needed.
 *
 * Return: 1; 0 if there is none: fetch again.
 */
int pev_reader_next(struct pev_reader *reader, const struct pev_event **ev);

/**
 * pev_reader_metadata() - read the channel's metadata now
 *
 * Return: the metadata, which pev_reader_next() extends, until pev_reader_close();
 * NULL with @err filled: no event writes into the channel yet, or no memory.
 */
const struct pev_meta *pev_reader_metadata(struct pev_reader *reader, struct pev_error *err);
/** pev_reader_channel() - its rings, to look at */
const struct pev_channel *pev_reader_channel(const struct pev_reader *reader);
/** pev_reader_damaged() - packets that could not be decoded to their end */
uint64_t pev_reader_damaged(const struct pev_reader *reader);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_READER_H */
