/* SPDX-License-Identifier: GPL-2.0 */
/* The CTF text of a channel. */
#ifndef _PEV_METADATA_H
#define _PEV_METADATA_H

struct pev_channel;
struct pev_event;
struct pev_strbuf;

int pev_metadata_begin(struct pev_channel *channel);
int pev_metadata_event(struct pev_strbuf *text, struct pev_event *event);

#endif
