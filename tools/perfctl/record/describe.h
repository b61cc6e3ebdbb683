/* SPDX-License-Identifier: GPL-2.0 */
/* All of a recording but its packets: metadata, and the directory info. */
#ifndef PERFCTL_RECORD_DESCRIBE_H
#define PERFCTL_RECORD_DESCRIBE_H

#include "recorder.h"

/* The text of the metadata as they are now */
int describe_text(struct recorder *r, struct strbuf *text, struct msg *m);
/* Writes the metadata, or what is new of them. @meta: gets them parsed; NULL: not needed */
int describe_metadata(struct recorder *r, struct pev_writer *w, struct pev_meta **meta,
		      struct msg *m);
/* Writes them, and what is known when a trace begins. @out: as @meta above, to be freed */
int describe_trace(struct recorder *r, struct pev_writer *w, struct pev_meta **out, struct msg *m);

/* Why what belongs to the begin of a recording could not be written */
int describe_failed(const struct recorder *r, int err, struct msg *m);

#endif
