// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of a program that writes what it likes, also while it is read; and a format of a
 * mark. The input is a head, how the program changes it while it is read, and the ring from
 * its beginning on.
 */
// FUZZ-SOURCES: tools/lib/pev/user/ring.c tools/lib/pev/user/parse.c
// FUZZ-CFLAGS: -iquote tools/lib/pev -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-RUNS: 20000
// FUZZ-SEEDS: tests/fuzz/seed_user_ring.py "$1"
#include "user/ring.h"

#include <pev/user.h>
#include <stdlib.h>
#include <string.h>

#define SIZE PEV_MIN_USER_RING

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct program {
	uint64_t head;
	uint64_t *words;
	uint64_t step;
	unsigned int taken;
};

/* A record is what its own head says it is, and lies in memory that does not change. */
static int take(void *arg, const uint64_t *words, uint32_t units)
{
	struct program *p = arg;
	uint64_t sum = 0;

	if (units < 2 || units > PACKET_UNITS || (words[0] & 0xffff) != units)
		abort();
	for (uint32_t i = 0; i < units; i++)
		sum += words[i];
	/* the program goes on meanwhile */
	p->head += p->step;
	p->words[sum % (SIZE / 8)] = sum;
	/* a ring has room for so many, and each reading is of one ring */
	if (++p->taken > 4 * SIZE / 16)
		abort();
	return 0;
}

static void parse(const uint8_t *data, size_t size)
{
	struct pev_user_class cls;
	char text[512];

	if (size >= sizeof(text))
		size = sizeof(text) - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	memset(&cls, 0, sizeof(cls));
	if (pev_user_parse(text, text + strlen(text) / 2, &cls))
		return;
	if (cls.nr_fields > PEV_USER_FIELDS)
		abort();
	for (uint32_t i = 0; i < cls.nr_fields; i++) {
		if (!*cls.fields[i].name || !cls.fields[i].bits || cls.fields[i].bits > 64)
			abort();
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(cls.fields[i].name, cls.fields[k].name))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program p = { 0 };
	struct user_ring ring = { .head = &p.head, .units = SIZE / 8 };

	parse(data, size);
	if (size < 16)
		return 0;
	p.words = calloc(1, SIZE);
	ring.data = p.words;
	memcpy(&p.head, data, 8);
	memcpy(&p.step, data + 8, 8);
	size -= 16;
	memcpy(p.words, data + 16, size < SIZE ? size : SIZE);
	for (int i = 0; i < 3; i++) {
		p.taken = 0;
		user_ring_read(&ring, take, &p);
		p.head += p.step << 1;
	}
	free(p.words);
	return 0;
}
