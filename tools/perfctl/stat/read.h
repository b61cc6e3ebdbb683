/* SPDX-License-Identifier: GPL-2.0 */
/* An event's number from what was counted. */
#ifndef PERFCTL_STAT_READ_H
#define PERFCTL_STAT_READ_H

#include "math.h"
#include "stat.h"

/* Returns what would have been counted in all of the time of the last round or interval. */
double stat_scale(const struct stat_event *e);
struct reading stat_read(const struct stat_result *r, size_t event, int part);
/* Adds up @event's kinds of cores, in all or a part; false if one of them was not counted. */
bool stat_read_sum(const struct stat_result *r, size_t event, int part, struct reading *sum);
/* task-clock or cpu-clock, for rates; 0: neither was counted. */
double stat_clock_ns(const struct stat_result *r);
/* Why there is no number; NULL if there is one. */
char *stat_why_not(const struct stat_result *r, size_t event);

#endif
