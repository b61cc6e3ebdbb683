/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: opening, and what can be done with descriptors of events and channels.
 *
 * pev_fd_enable(), pev_fd_disable() and pev_fd_reset() apply to one event; to a group
 * with its leader's descriptor and PEV_IOF_GROUP; to all events of a channel with
 * the channel's descriptor. Calls that a signal interrupts are made again.
 *
 * What these functions return if not 0 is described in pev_open(2).
 */
#ifndef _PEV_FD_H
#define _PEV_FD_H

#include <stddef.h>
#include <stdint.h>
#include <linux/pev.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum pev_way - how a process gets at the kernel's pev
 * @PEV_WAY_NONE:   not at all
 * @PEV_WAY_CALL:   by the system call
 * @PEV_WAY_DEVICE: by PEV_DEVICE, where pev is a module
 */
enum pev_way {
	PEV_WAY_NONE,
	PEV_WAY_CALL,
	PEV_WAY_DEVICE,
};

/**
 * pev_way() - try both ways
 * @call:   gets 0 if the system call is there, or ENOSYS: it is not, or EPERM: it is forbidden,
 *          as by a container; may be NULL
 * @device: gets 0 if the device can be used, or why not, such as ENOENT, EACCES, or ENOTTY: the
 *          device is not pev's; may be NULL
 *
 * Return: the way that pev_open() takes; it needs no preparation by this function.
 */
enum pev_way pev_way(int *call, int *device);

/**
 * pev_open() - pev_open(2), by the system call or by the device
 *
 * Return: an fd, 0 for PEV_TYPE_INFO and PEV_TYPE_CONTEXT, or -errno; -ENOSYS: there is no way,
 * -EPERM: the system call is forbidden, -EACCES: so is the device.
 */
int pev_open(const struct pev_attr *attr, size_t size, uint32_t flags);

/**
 * pev_attr_open() - open an event or a channel, with a sentence if that fails
 * @attr:  its refusal members are overwritten during the call and restored
 * @flags: 0; the descriptor is closed by execve()
 * @err:   filled on failure; may be NULL
 *
 * Return: a descriptor; -EINVAL for unknown @flags; -errno as in pev_open(2).
 */
int pev_attr_open(struct pev_attr *attr, unsigned int flags, struct pev_error *err);

/** pev_query_info() - what this kernel can do; -ENOSYS: it has no pev */
int pev_query_info(struct pev_info *info);

/** pev_fd_enable() - let an event count; @flags: 0 or PEV_IOF_GROUP */
int pev_fd_enable(int fd, unsigned int flags);
/** pev_fd_disable() - stop an event; @flags: 0 or PEV_IOF_GROUP */
int pev_fd_disable(int fd, unsigned int flags);
/** pev_fd_reset() - set an event's value to 0; @flags: 0 or PEV_IOF_GROUP */
int pev_fd_reset(int fd, unsigned int flags);
/**
 * pev_fd_set_period() - a new period, or frequency for events opened with PEV_F_FREQ
 * @fd: of an event; of a channel for all its events
 */
int pev_fd_set_period(int fd, uint64_t period);
/** pev_fd_set_filter() - replace the filter, on a channel that of all events; NULL removes it */
int pev_fd_set_filter(int fd, const char *filter, struct pev_error *err);
/**
 * pev_fd_id() - an event's id, and how long its records are
 * @lengths: NULL, or room for @room elements of what struct pev_id says of it
 */
int pev_fd_id(int fd, struct pev_id *id, uint16_t *lengths, unsigned int room);

/** pev_fd_read() - one event's value; -ENOSPC on a leader with PEV_F_READ_GROUP */
int pev_fd_read(int fd, struct pev_value *value);
/** pev_fd_read_group() - a group's values; returns their number */
int pev_fd_read_group(int fd, struct pev_value *values, unsigned int room);
/**
 * pev_fd_read_cpus() - values by CPU
 * @nr: in: room; out: elements that exist, also at -ENOSPC
 */
int pev_fd_read_cpus(int fd, struct pev_value *values, unsigned int *nr);
/** pev_fd_read_multiplexed() - what says how well a hardware event's value is known */
int pev_fd_read_multiplexed(int fd, struct pev_multiplexed *m);

/** pev_fd_read_counts() - where an event's occurrences went, and what it triggered */
int pev_fd_read_counts(int fd, struct pev_counts *counts);

/**
 * pev_fd_flush() - close the open packets of a channel, or record what an event of waits summed up
 *
 * Return: 0; 1 if there is more of an event's to be recorded, once the rings were read: call
 * again; -errno.
 */
int pev_fd_flush(int fd);
/**
 * pev_fd_snapshot() - close the packets and say what each ring holds
 * @spans: by number of the ring
 * @nr:    as in pev_fd_read_cpus()
 */
int pev_fd_snapshot(int channel_fd, struct pev_span *spans, unsigned int *nr);
/** pev_fd_act() - start, stop, freeze or thaw a channel: enum pev_action */
int pev_fd_act(int channel_fd, unsigned int action);
/** pev_fd_channel_state() - does it accept records, and how often did triggers change that? */
int pev_fd_channel_state(int channel_fd, struct pev_channel_state *state);
/** pev_fd_channel_info() - sizes and number of the rings of a channel */
int pev_fd_channel_info(int channel_fd, struct pev_channel_info *info);

/**
 * pev_fd_metadata() - the channel's metadata so far
 * @text: allocated with malloc(), NUL behind its end; free() it
 */
int pev_fd_metadata(int channel_fd, char **text, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_FD_H */
