/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes of a perf.data, from a file or a pipe. */
#ifndef PERFCTL_IMPORT_INPUT_H
#define PERFCTL_IMPORT_INPUT_H

#include "import.h"

/**
 * import_input() - map import.path, "-" for the standard input
 * @beside: what comes through a pipe is kept in a temporary file beside this one, as
 *          it is read twice
 */
int import_input(struct import *im, const char *beside, struct msg *m);

#endif
