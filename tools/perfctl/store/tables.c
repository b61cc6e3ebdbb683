// SPDX-License-Identifier: GPL-2.0
/* The tables of a store. See tables.h. */
#include "tables.h"

/* Rows that are sent again because their answer got lost are the same: merging leaves one. */
#define BY_ID "ReplacingMergeTree PARTITION BY day ORDER BY "

static const struct {
	const char *name;
	const char *columns;
	const char *engine;
} tables[STORE_TABLES] = {
	[STORE_NAMES] = {
		"pev_names",
		"day Date, kind UInt8, id UInt64, name String, more String",
		BY_ID "(kind, id)",
	},
	[STORE_FRAMES] = {
		"pev_frames",
		"day Date, id UInt64, kind UInt8, build_id String, path String, place UInt64, "
		"name String",
		BY_ID "id",
	},
	[STORE_STACKS] = {
		"pev_stacks",
		"day Date, id UInt64, program String, frames Array(UInt64)",
		BY_ID "id",
	},
	/* what is asked for is the time of some services */
	[STORE_ROWS] = {
		"pev_rows",
		"day Date, time UInt32, host UInt64, service UInt64, event UInt64, stack UInt64, "
		"samples UInt32, weight UInt64, batch UInt64",
		"MergeTree PARTITION BY day ORDER BY (service, time, host, event, stack)",
	},
	[STORE_VOIDS] = {
		"pev_voids",
		"day Date, batch UInt64",
		BY_ID "batch",
	},
	/* a file is the same on all days; a function is in each block that it reaches into */
	[STORE_SYMBOLS] = {
		"pev_symbols",
		"day Date, build_id String, block UInt32, place UInt64, size UInt64, name String",
		"ReplacingMergeTree(day) ORDER BY (build_id, block, place)",
	},
};

const char *store_table_name(enum store_table t)
{
	return tables[t].name;
}

const char *store_table_columns(enum store_table t)
{
	return tables[t].columns;
}

const char *store_table_engine(enum store_table t)
{
	return tables[t].engine;
}

bool store_table_has_days(enum store_table t)
{
	return t != STORE_SYMBOLS;
}
