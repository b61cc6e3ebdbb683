/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What hostile.c has in common with the code of its guests, one for each architecture: what the guest
 * chooses from, and what it counts. That code is guest-x86.h and guest-ppc.h, each of which has
 *
 *	GUEST_PAGE, GUEST_READ_ONLY, GUEST_HOLE, GUEST_TABLES
 *			addresses to be wrong about
 *	GUEST_READ_ONLY_FLAGS, GUEST_READ_ONLY_PROT
 *			how one of them is read-only
 *	guest_open()	its machine
 *	guest_set_up()	all from the beginning, in memory that is 0 but for what is here
 *	guest_fill()	other words, of its own
 *	guest_judge()	what the host has to find out: how often it saw what is not its own
 */
#ifndef GUEST_H
#define GUEST_H

#include "vmm_calls.h"

/* So many calls of a guest until it asks its host, who changes what it takes its words from. */
#define BATCH 256

#define STATE 0x4000 /* of the guest's generator */
#define CALLS 0x4004
#define REFUSED 0x4008
#define NMIS 0x400c
#define READS 0x4010 /* of a counter that was not 0 */
#define FAULTS 0x4014 /* at an attempt */
#define LEAKS 0x4018 /* of a value that can't be the guest's own */
#define OPS 0x4100 /* operations to choose from, 16 */
#define WORDS 0x4200 /* words to choose from, 64 */
#define TEMPLATE 0x4400 /* of an area */
#define PAIRS 0x4600 /* of an operation and its argument, 32 */

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t below(uint64_t n)
{
	return (rnd() >> 20) % n;
}

#if defined(__x86_64__)
#include "guest-x86.h"
#else
#include "guest-ppc.h"
#endif

#endif
