/* SPDX-License-Identifier: GPL-2.0 */
/* What ran where and when, and single events. */
#ifndef PERFCTL_HTML_TRACKS_H
#define PERFCTL_HTML_TRACKS_H

#include "enc.h"
#include "profile/load.h"

/* Adds members to the page's data. */
int html_put_tracks(struct strbuf *out, struct html_enc *e, struct html_threads *ts,
		    const struct load *l, struct msg *m);

#endif
