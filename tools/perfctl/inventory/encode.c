// SPDX-License-Identifier: GPL-2.0
/* Rows as records of a trace. See encode.h. */
#include "encode.h"

#include <errno.h>

int inventory_encode_init(struct inventory_encode *e, struct pev_encoder *enc,
			  const struct pev_meta *meta, uint64_t time)
{
	*e = (struct inventory_encode){ .enc = enc, .time = time };
	for (unsigned int i = 0; i < pev_meta_nr_classes(meta); i++) {
		const struct pev_class *cls = pev_meta_class(meta, i);
		int kind = inventory_class_kind(cls);

		if (kind >= 0)
			e->classes[kind] = cls;
	}
	for (int k = 0; k < INVENTORY_KINDS; k++)
		if (!e->classes[k])
			return -ENOENT;
	return 0;
}

int inventory_encode_row(void *encode, const struct inventory_row *row)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];
	struct inventory_encode *e = encode;
	int err = pev_encoder_begin(e->enc, e->classes[row->kind], e->time, 0);

	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name && !err; i++)
		err = pev_encoder_int(e->enc, d->numbers[i].name, row->n[i]);
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i] && !err; i++)
		err = pev_encoder_data(e->enc, d->texts[i], row->s[i],
				       strnlen(row->s[i], INVENTORY_TEXT));
	return err ? err : pev_encoder_commit(e->enc);
}
