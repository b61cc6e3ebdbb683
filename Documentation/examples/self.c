// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Counts the instructions of a piece of this program, reading the counter
 * without a system call where that is possible.
 *
 *	cc -o self self.c $(pkg-config --cflags --libs libpev) && ./self [EVENT]
 *
 * EVENT is any name that "perfctl list" shows: cycles, INST_RETIRED:ANY_P, r00c0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <pev/pev.h>

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "instructions";
	volatile unsigned int sum = 0;
	uint64_t before, between, after;
	struct pev_self self;
	struct pev_attr attr;
	struct pev_error why;
	int ret;

	pev_attr_event(&attr, 0, 0, NULL);
	ret = pev_attr_by_name(&attr, name);
	if (ret) {
		fprintf(stderr, "self: %s: %s\n", name, strerror(-ret));
		return 1;
	}
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	ret = pev_self_open(&attr, &self, &why);
	if (ret < 0) {
		fprintf(stderr, "self: %s\n", why.text);
		return 1;
	}
	printf("the counter is read %s\n", ret ? "here" : "by read(2)");

	if (pev_self_read(&self, &before) || pev_self_read(&self, &between))
		return 1;
	for (unsigned int i = 0; i < 1000; i++)
		sum += i;
	if (pev_self_read(&self, &after))
		return 1;
	printf("%" PRIu64 " %s, and %" PRIu64 " for reading\n",
	       after - between - (between - before), name, between - before);
	pev_self_unmap(&self);
	close(self.fd);
	return 0;
}
