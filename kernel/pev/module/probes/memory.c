// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the probes of trace events of memory, files and block devices, generated from
 * Linux's headers.
 */
#include <linux/blkdev.h>
#include <linux/filelock.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/workqueue.h>
#define CREATE_TRACE_POINTS
#include <trace/events/block.h>
#include <trace/events/damon.h>
#include <trace/events/filelock.h>
#include <trace/events/filemap.h>
#include <trace/events/fs_dax.h>
#include <trace/events/fscache.h>
#include <trace/events/huge_memory.h>
#include <trace/events/jbd2.h>
#include <trace/events/ksm.h>
#include <trace/events/kyber.h>
#include <trace/events/migrate.h>
#include <trace/events/mmap.h>
#include <trace/events/mmap_lock.h>
#include <trace/events/page_isolation.h>
#include <trace/events/page_pool.h>
#include <trace/events/pagemap.h>
#include <trace/events/thp.h>
#include <trace/events/vmalloc.h>
#include <trace/events/vmscan.h>
