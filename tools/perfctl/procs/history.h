/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ran since a flight recorder began: the processes of that moment, and all
 * starts, mappings and exits since. The recorder's rings lose these with their
 * oldest records, so they go into a channel of their own, and are kept.
 */
#ifndef PERFCTL_PROCS_HISTORY_H
#define PERFCTL_PROCS_HISTORY_H

#include "event/plan.h"
#include "event/set.h"

/**
 * struct packet_store - packets, one behind the other
 */
struct packet_store {
	uint8_t *p;
	size_t len, cap;
};

/**
 * struct proc_history - the history
 * @target:  of the recorder; NULL: the history is not open
 * @fd:      the channel, or -1
 * @plan:    of the sideband events
 * @set:     those events
 * @meta:    of the channel, the reader's
 * @enc:     makes packets for @newer
 * @time:    of the last record
 * @older:   begins with all that ran at one moment, and reaches to the next such moment
 * @newer:   begins with the last such moment; becomes @older when it is too large
 * @began:   all that runs was asked for once
 * @lost:    records that the channel had lost when all that runs was last asked for
 */
struct proc_history {
	const struct target *target;
	int fd;
	struct event_plan plan;
	struct event_set set;
	struct pev_reader *reader;
	const struct pev_meta *meta;
	struct pev_encoder *enc;
	uint64_t time;
	struct packet_store older, newer;
	uint64_t lost;
	bool began;
};

int proc_history_open(struct proc_history *h, const struct target *t, uint32_t clock,
		      struct msg *m);
/* Reads the channel; 0 or -errno */
int proc_history_read(struct proc_history *h);
/* Writes all of it into a trace with @meta */
int proc_history_write(struct proc_history *h, struct pev_writer *w, const struct pev_meta *meta,
		       struct msg *m);
void proc_history_close(struct proc_history *h);

#endif
