/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: open performance events, read their rings, write and read traces.
 *
 * Rules that hold for every function here:
 *
 * - what can fail returns a negative errno (-ENOSYS: this kernel has no pev),
 *   never sets errno and never prints; a function that explains failures takes
 *   a struct pev_error, for which NULL is always allowed;
 * - objects that the library allocates are freed by the function named beside
 *   their constructor; freeing NULL does nothing;
 * - no hidden global state: different objects may be used by different threads.
 *   One object may be used by one thread at a time, but everything declared
 *   const may be read by any number of threads.
 *
 * Each part has a header, which can be included alone; this one includes all.
 */
#ifndef _PEV_PEV_H
#define _PEV_PEV_H

#include <pev/attr.h>
#include <pev/catalog.h>
#include <pev/context.h>
#include <pev/crash.h>
#include <pev/encoder.h>
#include <pev/engine.h>
#include <pev/error.h>
#include <pev/event.h>
#include <pev/fd.h>
#include <pev/hardware.h>
#include <pev/meta.h>
#include <pev/perf.h>
#include <pev/reader.h>
#include <pev/ring.h>
#include <pev/table.h>
#include <pev/trace.h>
#include <pev/user.h>
#include <pev/version.h>
#include <pev/writer.h>

#endif /* _PEV_PEV_H */
