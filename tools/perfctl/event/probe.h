/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes by perf's PMUs kprobe and uprobe: an event for each time that a place in the
 * kernel or in a file is reached, or a function there returns.
 *
 *	PROBE	:= ( "kprobe" | "kretprobe" ) ":" [ MODULE ":" ] FUNCTION [ "+" OFFSET ] |
 *		   ( "uprobe" | "uretprobe" ) ":" FILE ":" ( FUNCTION [ "+" OFFSET ] | OFFSET )
 */
#ifndef PERFCTL_EVENT_PROBE_H
#define PERFCTL_EVENT_PROBE_H

#include "pmu_sysfs.h"

/**
 * struct probe - a probe as perf_event_open(2) takes it
 * @code:  of the PMU; config1 is to be the address of @place, config2 @offset
 * @place: the function or the file
 */
struct probe {
	struct pmu_code code;
	char *place;
	uint64_t offset;
};

/* Returns the length of the probe that a list of events begins with, without terms; 0: none */
size_t probe_length(const char *list);
/* Finds the PMU, and the function in the file; returns 0, or -errno with a sentence. */
int probe_make(struct probe *p, const char *text, struct msg *m);
void probe_free(struct probe *p);

#endif
