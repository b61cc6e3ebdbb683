/* SPDX-License-Identifier: GPL-2.0 */
/* The files of events. */
#ifndef _PEV_EVENT_FILE_H
#define _PEV_EVENT_FILE_H

struct file;
struct pev_event;

/* A file whose release closes @event, or an ERR_PTR(). */
struct file *pev_event_file(struct pev_event *event);

/* The event behind @file, NULL if it is no event. */
struct pev_event *pev_event_from_file(struct file *file);

#endif
