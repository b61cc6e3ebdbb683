/* SPDX-License-Identifier: GPL-2.0 */
/* The table of sources, and what all sources together are asked. */
#ifndef _PEV_SOURCES_H
#define _PEV_SOURCES_H

#include <linux/types.h>

struct pev_info;
struct pev_source_ops;
struct pev_strbuf;

/**
 * pev_source_of() - the source of a type of event
 * @type: enum pev_type, as the user gave it
 *
 * Return: the source, or NULL if @type is none of an event.
 */
const struct pev_source_ops *pev_source_of(u32 type);

/* Fill in what a query tells of the sources. Process context. */
void pev_sources_info(struct pev_info *info);

/* Append the lines of all events that can be opened. Process context. */
void pev_sources_catalog(struct pev_strbuf *text);

/* At boot, before the first event. Return: 0 or an error. */
int pev_sources_setup(void);

/* No event is left, and no hook. Process context. */
void pev_sources_teardown(void);

#endif
