/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report --html: a page that shows a recording and needs nothing else. */
#ifndef PERFCTL_HTML_HTML_H
#define PERFCTL_HTML_HTML_H

#include "profile/load.h"
#include "profile/rows.h"

/* Sets what samples have to be loaded with. */
void html_load_config(const struct session *s, struct load_config *c);
/*
 * Writes the page to @path, "-" for the standard output. If the recording has @waits, these and
 * what wakes are events beside the others.
 */
int html_write(struct load *l, bool waits, const char *path, struct msg *m);

#endif
