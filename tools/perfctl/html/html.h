/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report --html: a page that shows a recording and needs nothing else. */
#ifndef PERFCTL_HTML_HTML_H
#define PERFCTL_HTML_HTML_H

#include "profile/load.h"
#include "profile/rows.h"

/* Bits of the columns that samples must have been loaded with. */
#define HTML_MASK (1u << SORT_COMM | 1u << SORT_PID | 1u << SORT_TID | 1u << SORT_TIME)
/* A recording is cut into this many time ranges, so that parts of it can be shown. */
#define HTML_SPANS 240

/* Writes the page to @path, "-" for the standard output. */
int html_write(const struct load *l, const char *path, struct msg *m);

#endif
