/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows on their way into a store. A batch has an id that is used for one attempt only. If it is
 * not known whether that succeeded, the id is made void in the store, and the rows are sent
 * under another one: whatever of the first attempt is there, or comes later, never counts.
 */
#ifndef PERFCTL_STORE_INSERT_H
#define PERFCTL_STORE_INSERT_H

#include "http.h"
#include "tables.h"

/**
 * struct store_batch - rows of one day
 * @day:  days since the epoch
 * @rows: of each table but the voids, in RowBinary
 * @samples: that they stand for
 */
struct store_batch {
	uint32_t day;
	struct strbuf rows[STORE_VOIDS];
	uint64_t samples;
};

/* One of pev_rows */
struct store_row {
	uint32_t time;
	uint64_t host, service, event, stack;
	uint32_t samples;
	uint64_t weight;
};

void store_batch_free(struct store_batch *b);
void store_batch_name(struct store_batch *b, enum store_name kind, uint64_t id, const char *name,
		      const char *more);
void store_batch_row(struct store_batch *b, const struct store_row *row);
/* Are there any rows but of what numbers mean? */
bool store_batch_is_empty(const struct store_batch *b);

/* Returns an id that no other attempt has. */
uint64_t store_new_id(void);
/*
 * Sends all, the rows last. *sent: these may be in the store under @id; false after an error means
 * that they are not, and never will be.
 */
int store_insert(struct http *h, struct store_batch *b, uint64_t id, bool *sent, struct msg *m);
/* Whatever was sent under @id counts no more; may be called again. */
int store_void(struct http *h, uint32_t day, uint64_t id, struct msg *m);

#endif
