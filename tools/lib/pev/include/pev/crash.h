/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: what a channel had when its kernel ended, as a trace.
 */
#ifndef _PEV_CRASH_H
#define _PEV_CRASH_H

#include <stdint.h>
#include <linux/pev.h>
#include <pev/error.h>
#include <pev/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pev_crash_report - what there was, and what became of it
 * @began:    when the channel was opened, ns since the epoch
 * @rings:    that were read
 * @bad_rings: of which nothing was, as their state makes no sense
 * @packets:  that were written
 * @records:  in these
 * @torn_packets: that were left out: their headers are not whole, or of another packet
 * @cut_packets: that were written up to a record that makes no sense
 * @cut_bytes: behind such records
 * @unpublished: bytes that writers had got room for, and did not come to publish
 * @lost:     records that had found no room
 */
struct pev_crash_report {
	uint64_t	began;
	uint32_t	rings;
	uint32_t	bad_rings;
	uint64_t	packets;
	uint64_t	records;
	uint64_t	torn_packets;
	uint64_t	cut_packets;
	uint64_t	cut_bytes;
	uint64_t	unpublished;
	uint64_t	lost;
};

/**
 * pev_crash_open() - open what an earlier boot left, see struct pev_crash
 * @err: the kernel's sentence on failure; may be NULL
 *
 * Return: a descriptor; -EACCES without CAP_PERFMON; -EOPNOTSUPP if no memory was set aside; -ENOENT
 * if it has nothing; -EBADMSG if that can't be read; -EBUSY; -errno as in pev_open(2).
 */
int pev_crash_open(struct pev_error *err);
/**
 * pev_crash_drop() - give it up; close the descriptor first
 *
 * Return: 0, -errno as in pev_open(2).
 */
int pev_crash_drop(struct pev_error *err);
/**
 * pev_crash_write() - write it as a trace
 * @fd:     from pev_crash_open(), or a file with the same bytes; its offset stays
 * @writer: to which nothing was written yet, but pev_writer_info()
 * @report: filled, also if it fails in the middle
 *
 * Whatever the bytes are, packets that are written can be read to their ends.
 *
 * Return: 0; -EBADMSG if the sizes or the metadata make no sense; -ENOMEM; -EIO and others of reading;
 * -errno of the writer.
 */
int pev_crash_write(int fd, struct pev_writer *writer, struct pev_crash_report *report,
		    struct pev_error *err);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_CRASH_H */
