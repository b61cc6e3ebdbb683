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

static struct pev_error why;

static int must(int ret)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "faults: %s\n", why.text[0] ? why.text : strerror(-ret));
	exit(1);
}

int main(void)
{
	const struct pev_event *ev;
	struct pev_reader *reader;
	struct pev_value value;
	struct pev_attr attr;
	int channel, fd;

	/* a channel takes the records, an event makes them */
	pev_attr_channel(&attr, 65536);
	channel = must(pev_attr_open(&attr, 0, &why));
	pev_attr_event(&attr, PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL);
	pev_attr_record(&attr, channel, 1, PEV_SAMPLE_TID | PEV_SAMPLE_IP);
	attr.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL;
	fd = must(pev_attr_open(&attr, 0, &why));

	must(pev_fd_enable(fd, 0));
	memset(malloc(1 << 20), 1, 1 << 20);
	must(pev_fd_disable(fd, 0));

	must(pev_fd_read(fd, &value));
	printf("%" PRIu64 " faults, %" PRIu64 " records, %" PRIu64 " lost\n",
	       (uint64_t)value.value, (uint64_t)value.samples, (uint64_t)value.lost);
	/* the records of all CPUs, in order of time */
	must(pev_reader_open(NULL, channel, 0, &reader, &why));
	must(pev_reader_fetch(reader, PEV_FETCH_ALL, &why));
	while (pev_reader_next(reader, &ev) > 0)
		printf("%s tid %u ip 0x%" PRIx64 "\n", ev->cls->name, ev->tid, ev->ip);
	pev_reader_close(reader);
	return 0;
}
