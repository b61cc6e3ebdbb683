/* SPDX-License-Identifier: GPL-2.0 */
/* Signals in words: their names, why they came, what handles them. */
#ifndef PERFCTL_STRACE_SIGNALS_H
#define PERFCTL_STRACE_SIGNALS_H

#include "base/util.h"

/* "SIGINT", "SIGRT_3", or the number if no signal has it */
void signals_put_name(struct strbuf *b, int sig);
/* "SI_USER"; some codes mean something else for each signal. */
void signals_put_code(struct strbuf *b, int sig, int code);
/* "SIG_DFL", "SIG_IGN" or an address */
void signals_put_handler(struct strbuf *b, uint64_t handler);

#endif
