/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a store has: samples added up by time, host, service, event and call chain, and what the
 * numbers of these mean. Documentation/design/fleet.rst explains it.
 */
#ifndef PERFCTL_STORE_TABLES_H
#define PERFCTL_STORE_TABLES_H

#include "base/util.h"

#define STORE_VERSION 2
/* Samples of so many seconds are added up */
#define STORE_WINDOW 10
#define STORE_DAY 86400
/* Functions are found by the blocks of a file that they reach into */
#define STORE_BLOCK 65536

enum store_table {
	STORE_NAMES,
	STORE_FRAMES,
	STORE_STACKS,
	STORE_ROWS,
	STORE_VOIDS,
	STORE_SYMBOLS,
	STORE_TABLES,
};

/* pev_names.kind */
enum store_name {
	STORE_HOST = 1,
	STORE_SERVICE = 2,
	STORE_EVENT = 3,
	STORE_REMARK = 4, /* of a host, on its samples of that day: no row has its number */
};

/* pev_frames.kind */
enum store_frame {
	STORE_FRAME_NOWHERE = 0, /* no code is known there; place 0: no address either */
	STORE_FRAME_FILE = 1, /* at an offset in a file */
	STORE_FRAME_KERNEL = 2, /* a function of the kernel, by name; the path is its module's */
	STORE_FRAME_NAMED = 3, /* a function that only the process itself could name */
};

/* "pev_rows" and so on */
const char *store_table_name(enum store_table t);
/* Its columns in their order, as in CREATE TABLE */
const char *store_table_columns(enum store_table t);
/* How it keeps them */
const char *store_table_engine(enum store_table t);
/* Does it have days, which expire? */
bool store_table_has_days(enum store_table t);

#endif
