/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's symbols in a recording: all of them are some megabytes, of which a recording
 * needs some dozen.
 */
#ifndef PERFCTL_RECORD_KERNEL_SYMBOLS_H
#define PERFCTL_RECORD_KERNEL_SYMBOLS_H

#include <pev/pev.h>

/**
 * kernel_symbols_reduce() - leave the symbols that addresses in a recording need
 * @w:      all packets are written
 * @path:   of the recording
 * @packed: it is compressed
 *
 * All symbols stay in a recording beside whose packets they are small. Where some of it cannot be
 * read or written, they stay, too.
 */
void kernel_symbols_reduce(struct pev_writer *w, const char *path, bool packed);

#endif
