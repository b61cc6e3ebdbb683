// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Counts the page faults of a piece of this program, and records where each one
 * happened. No special right is needed.
 *
 *	cc -o faults faults.c $(pkg-config --cflags --libs libpev) && ./faults
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pev/pev.h>

static struct pev_why why;

static int must(int ret)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "faults: %s\n", why.text[0] ? why.text : strerror(-ret));
	exit(1);
}

/* The packets of one CPU's ring, record by record, where they lie */
static void print_ring(struct pev_ring *ring, const struct pev_meta *meta)
{
	struct pev_decoder dec;
	struct pev_piece piece;
	struct pev_event ev;
	uint32_t size = pev_ring_packet_size(ring);

	while (pev_ring_next(ring, &piece) > 0) {
		for (size_t at = 0; at < piece.len; at += size) {
			if (pev_decode_packet(&dec, meta, (const char *)piece.data + at, size))
				continue;
			while (pev_decode_next(&dec, &ev) > 0)
				printf("%s tid %u ip 0x%" PRIx64 "\n", ev.cls->name, ev.tid,
				       ev.ip);
		}
	}
	pev_ring_release(ring);
}

int main(void)
{
	struct pev_channel *channel;
	struct pev_value value;
	struct pev_attr attr;
	struct pev_meta *meta;
	int ring_fd, fd;
	size_t len;
	char *text;

	/* a channel takes the records, an event makes them */
	pev_attr_channel(&attr, 65536);
	ring_fd = must(pev_open_why(&attr, &why));
	pev_attr_event(&attr, PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL);
	pev_attr_record(&attr, ring_fd, 1, PEV_SAMPLE_TID | PEV_SAMPLE_IP);
	attr.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL;
	fd = must(pev_open_why(&attr, &why));

	must(pev_enable(fd, false));
	memset(malloc(1 << 20), 1, 1 << 20);
	must(pev_disable(fd, false));

	must(pev_read_value(fd, &value));
	printf("%" PRIu64 " faults, %" PRIu64 " records, %" PRIu64 " lost\n",
	       (uint64_t)value.value, (uint64_t)value.samples, (uint64_t)value.lost);
	must(pev_flush(ring_fd));
	must(pev_read_metadata(ring_fd, &text, &len));
	must(pev_meta_parse(text, len, &meta, NULL));
	must(pev_channel_map(ring_fd, &channel));
	for (unsigned int cpu = 0; cpu < pev_channel_nr_cpus(channel); cpu++)
		if (pev_channel_ring(channel, cpu))
			print_ring(pev_channel_ring(channel, cpu), meta);
	return 0;
}
