// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <pev/pev.h>
#include "layout_decode.h"

struct pev_meta *layout_metadata(const char *text)
{
	struct pev_meta *meta;
	struct pev_error err;

	if (!pev_meta_parse(text, strlen(text), 0, &meta, &err))
		return meta;
	printf("# %s\n", err.text);
	return NULL;
}

int layout_decode(struct pev_meta *meta, const void *packet, size_t size,
		  struct layout_record *records, unsigned int room)
{
	const struct pev_event *ev;
	struct pev_decoder *dec;
	unsigned int nr = 0;
	size_t at;
	int ret;

	if (pev_decoder_new(0, &dec))
		return -1;
	ret = pev_decoder_packet(dec, meta, packet, size);
	while (!ret) {
		at = pev_decoder_offset(dec);
		if (pev_decoder_next(dec, &ev) <= 0)
			break;
		if (nr < room)
			records[nr] = (struct layout_record) { .at = at, .id = ev->cls->id };
		nr++;
	}
	if (!ret)
		ret = pev_decoder_next(dec, &ev);
	pev_decoder_free(dec);
	return ret ? -1 : (int)nr;
}

void layout_end(struct pev_meta *meta)
{
	pev_meta_free(meta);
}
