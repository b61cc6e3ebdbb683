// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How much programs write at once: a histogram for each program, made in the kernel. It needs
 * CAP_PERFMON.
 *
 *	cc -o sizes sizes.c $(pkg-config --cflags --libs libpev) && ./sizes [SECONDS] | sort
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pev/pev.h>

static struct pev_error why;

static int must(int ret)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "sizes: %s\n", why.text[0] ? why.text : strerror(-ret));
	exit(1);
}

int main(int argc, char **argv)
{
	struct pev_table table = {
		.rows = 1024, .nr_keys = 2, .value = PEV_TABLE_OF_FIELD, .field = "ret",
		.keys = {
			{ .from = PEV_TABLE_COMM },
			{ .from = PEV_TABLE_FIELD, .bucket = PEV_TABLE_LOG2, .name = "ret" },
		},
	};
	const struct pev_table_row *row;
	struct pev_table_reader *reader;
	struct pev_table_sums sums;
	struct pev_attr attr;
	int fd;

	must(pev_table_open(&table, PEV_TABLE_SIGNED, &reader, &why));
	pev_attr_event(&attr, PEV_TYPE_TRACEPOINT, 0, "syscalls:sys_exit_write");
	pev_attr_record(&attr, pev_table_fd(reader), 1, 0);
	attr.target = PEV_TARGET_CPUS;
	fd = must(pev_attr_open(&attr, 0, &why));
	sleep(argc > 1 ? atoi(argv[1]) : 1);
	must(pev_fd_disable(fd, 0));
	must(pev_table_fetch(reader));

	for (size_t i = 0; (row = pev_table_row(reader, i)); i++) {
		uint64_t low, high;

		must(pev_table_bounds(&table.keys[1], row->key[2], &low, &high));
		/* what failed is below 0 */
		printf("%-16s %8" PRId64 " to %8" PRId64 " bytes: %8" PRIu64
		       " times, %10" PRId64 " in all\n",
		       (const char *)row->key, (int64_t)low, (int64_t)high,
		       (uint64_t)row->count, (int64_t)row->sum);
	}
	pev_table_sums(reader, &sums);
	printf("%" PRIu64 " calls = %" PRIu64 " above + %" PRIu64 " others + %" PRIu64 " lost\n",
	       (uint64_t)sums.generated.count, (uint64_t)sums.rows.count,
	       (uint64_t)sums.other.count, (uint64_t)sums.lost.count);
	close(fd);
	pev_table_close(reader);
	return 0;
}
