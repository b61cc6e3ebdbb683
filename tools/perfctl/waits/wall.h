/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wall-clock time: the samples of a recording stand for the time that threads ran, and beside
 * them is the time that they waited.
 */
#ifndef PERFCTL_WAITS_WALL_H
#define PERFCTL_WAITS_WALL_H

#include "filter.h"
#include "profile/load.h"

/**
 * wall_add() - make ns of the weights of an event's samples, and add waits to it
 * @l:     loaded, without what tells of waits
 * @event: its number
 * @comm:  globs: only these programs, NULL: the recorded command, or all
 *
 * Samples of others than the command's threads are taken out. Afterwards the weights of the event
 * are ns of threads' time, running or not.
 */
int wall_add(struct load *l, uint32_t event, const char *comm, struct msg *m);

/**
 * wall_add_events() - add two events to the profile: wall-clock time, and waits by what ended them
 * @l:     loaded with spans of time, without what tells of waits
 * @first: number of the first of them; weights from it on are ns
 *
 * The first has what the recorded command's threads ran, by the samples of the recording's first
 * event, and what they waited; the second their waits by the stacks of what woke them.
 */
int wall_add_events(struct load *l, uint32_t *first, struct msg *m);

#endif
