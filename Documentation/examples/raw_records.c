// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Walks raw rings: where a record ends is known from PEV_IOC_ID, not from the metadata. */
#include <pev/pev.h>
#include <stdio.h>
#include <stdlib.h>

static int check(int ret, const char *text)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "%s\n", text);
	exit(1);
}

/* Prints the record at @rec; returns the next one. */
static const char *walk(const char *rec, const struct pev_id *id, const uint16_t *lengths)
{
	const char *p = rec, *payload;

	p += (*(uint32_t *)p & PEV_ID_EXTENDED) == PEV_ID_EXTENDED ? 12 : 4;
	printf("tid %-6u", *(uint32_t *)p);
	p += id->fixed_size;
	if (id->varying & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
		p += 8 + 8 * (((uint32_t *)p)[0] + ((uint32_t *)p)[1]);
	if (id->varying & PEV_SAMPLE_UREGS)
		p += 8 + 8 * *(uint64_t *)p;
	if (id->varying & PEV_SAMPLE_READ)
		p += 8 + 8 * *(uint64_t *)p;
	if (id->varying & PEV_SAMPLE_USTACK_DUMP)
		p += 8 + *(uint64_t *)p;
	payload = p;
	p += id->payload_size;
	for (unsigned int i = 0; i < id->nr_lengths; i++)
		p += *(uint16_t *)(payload + lengths[i]);
	printf("%5zd bytes, of which the payload has %zd\n", p - rec, p - payload);
	return rec + (p - rec + 7) / 8 * 8;
}

static void packets(const struct pev_piece *piece, const struct pev_id *id,
		    const uint16_t *lengths)
{
	const char *p = piece->data, *last = p + piece->len;

	while (p < last) {
		const struct pev_packet *packet = (const void *)p;
		const char *rec = p + sizeof(*packet), *end = p + packet->content_size / 8;

		while (rec < end)
			rec = walk(rec, id, lengths);
		p += packet->packet_size / 8;
	}
}

int main(int argc, char **argv)
{
	struct pev_channel *channel;
	struct pev_attr attr;
	struct pev_piece piece;
	struct pev_error why;
	struct pev_id id;
	uint16_t lengths[64];
	int rings;

	pev_attr_channel(&attr, 1 << 16);
	rings = check(pev_attr_open(&attr, 0, &why), why.text);
	pev_attr_event(&attr, 0, 0, NULL);
	check(pev_attr_by_name(&attr, argc > 1 ? argv[1] : "pev:fork"), "no such event");
	pev_attr_record(&attr, rings, 1, PEV_SAMPLE_TID | PEV_SAMPLE_USTACK);
	check(pev_fd_id(check(pev_attr_open(&attr, 0, &why), why.text), &id, lengths, 64), "no id");
	system("true");
	pev_fd_flush(rings);
	check(pev_channel_map(rings, 0, &channel), "no rings");
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(channel); nr++)
		while (pev_channel_ring(channel, nr) &&
		       pev_ring_next(pev_channel_ring(channel, nr), &piece) > 0)
			packets(&piece, &id, lengths);
	return 0;
}
