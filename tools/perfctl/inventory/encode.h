/* SPDX-License-Identifier: GPL-2.0 */
/* Rows as records of a trace. */
#ifndef PERFCTL_INVENTORY_ENCODE_H
#define PERFCTL_INVENTORY_ENCODE_H

#include "gather.h"

/**
 * struct inventory_encode - where rows go
 * @time: of all records
 */
struct inventory_encode {
	struct pev_encoder *enc;
	const struct pev_class *classes[INVENTORY_KINDS];
	uint64_t time;
};

/* Looks up the classes; -ENOENT if the metadata are without inventory_metadata(). */
int inventory_encode_init(struct inventory_encode *e, struct pev_encoder *enc,
			  const struct pev_meta *meta, uint64_t time);
/* An inventory_put() */
int inventory_encode_row(void *encode, const struct inventory_row *row);

#endif
