/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dynamic events of tracefs: what was written into kprobe_events, uprobe_events and
 * dynamic_events there.
 */
#ifndef PERFCTL_TRACEFS_DYNAMIC_H
#define PERFCTL_TRACEFS_DYNAMIC_H

#include <stdbool.h>

/**
 * dynamic_event_instead() - what pev has for the place of a dynamic event
 * @definitions: what is read from dynamic_events
 * @name:        "GROUP:EVENT"
 *
 * Return: an event for -e, with those of its fields that pev can record; free it. NULL: there is no
 * such definition, or nothing like it.
 */
char *dynamic_event_instead(const char *definitions, const char *name);

/* Is @name attached to another event, as "e:GROUP/EVENT SYSTEM.EVENT" says? */
bool dynamic_event_is_attached(const char *definitions, const char *name);

/* The text of dynamic_events; free it. NULL: it can't be read. */
char *dynamic_events_read(void);

#endif
