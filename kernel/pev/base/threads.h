/* SPDX-License-Identifier: GPL-2.0 */
/* How large a hash of threads is. */
#ifndef _PEV_THREADS_H
#define _PEV_THREADS_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>

/**
 * pev_threads_bits() - bits of the number of a bucket
 *
 * About four times as many threads as buckets are what memory allows for, whosever they are.
 */
static inline unsigned int pev_threads_bits(void)
{
	return clamp(ilog2(totalram_pages() / 128 + 1), 8, 16);
}

#endif
