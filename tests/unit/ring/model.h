/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring under test and what must be in it: every record that was reserved is
 * noted by its position, and a reader that knows nothing but the ABI decodes
 * packets as a CTF reader does and compares.
 */
#ifndef PEV_TEST_MODEL_H
#define PEV_TEST_MODEL_H

#include <linux/kernel.h>
#include "gate.h"
#include "ring.h"

/**
 * struct note - a record that must be in the ring
 * @pos:  of its body; 0: none
 * @seq:  number among all that were generated, from 1
 * @id:   event id
 * @body: bytes
 * @t0:   clock before the reservation
 * @t1:   clock after it
 */
struct note {
	u64 pos;
	u64 seq;
	u32 id;
	u32 body;
	u64 t0;
	u64 t1;
};

/**
 * struct walk - a reader's place
 * @pos:       next byte to decode
 * @time:      of the last record
 * @end:       timestamp_end of the last packet
 * @discarded: events_discarded of the last packet
 * @records:   decoded so far
 */
struct walk {
	u64 pos;
	u64 time;
	u64 end;
	u64 discarded;
	u64 records;
};

struct model {
	struct pev_ring ring;
	struct pev_ring_kernel kernel;
	struct pev_ring_user user;
	struct note *notes;	/* by body position in the ring / 4 */
	u64 generated;
	u64 lost;
	u64 unarmed;
	struct pev_gate gate;
	u64 changes; /* by model_act() ... */
	int changing; /* ... and those that nest now */
	u64 wakes;
	bool check_times;	/* the clock never steps back */
	struct walk reader;
};

void model_init(struct model *m, u32 packets, u32 packet_size, u32 clock, bool overwrite);
void model_reset(struct model *m);
void model_free(struct model *m);
bool model_write(struct model *m, u32 id, u32 body);
void model_act(struct model *m, u32 action);
void model_walk(struct model *m, struct walk *w, u64 head);
void model_check(struct model *m);
u32 model_word(u64 seq, u32 i);
u64 model_now(void);

void fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#define expect(cond, fmt, ...) do {					\
	if (unlikely(!(cond)))						\
		fail("%s:%d: %s: " fmt, __FILE__, __LINE__, #cond, ##__VA_ARGS__); \
} while (0)

#endif
