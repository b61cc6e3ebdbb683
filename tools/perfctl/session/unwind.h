/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes call chains, by libpev-sym, for samples that carry registers and a piece of the
 * stack (record -g dwarf). Others are passed through.
 */
#ifndef PERFCTL_SESSION_UNWIND_H
#define PERFCTL_SESSION_UNWIND_H

#include "machine.h"
#include "object.h"

#include <pev/pev.h>

/* frames of a chain at most: what fits into the largest piece of stack, nearly */
#define UNWIND_FRAMES 1024

/**
 * struct unwind - how one reader unwinds
 * @machine: "x86_64", NULL: not known
 * @regs:    mask of the registers in samples, 0: what perfctl records there
 * @u:       made for the first sample
 * @failed:  it could not be made
 * @ends:    samples by enum pev_unwind_end ...
 * @weights: ... and what they stand for
 * @ev:      the last one unwound
 */
struct unwind {
	const char *machine;
	uint64_t regs;
	struct pev_unwind *u;
	int failed;
	uint64_t ends[PEV_UNWIND_ENDS];
	double weights[PEV_UNWIND_ENDS];
	struct pev_event ev;
	uint64_t chain[UNWIND_FRAMES];
};

struct unwind *unwind_new(const struct pev_trace *trace);
void unwind_free(struct unwind *w);
/* To be called before objects are forgotten: their numbers are given to others. */
void unwind_forget(struct unwind *w);
/**
 * unwind_event() - an event with its user call chain
 * @w: NULL: does nothing
 * @end: out: why the chain ended; PEV_UNWIND_ENDS if nothing was unwound
 *
 * Return: @ev itself if it has nothing to unwind, or a copy with ustack, valid
 * until the next call.
 */
const struct pev_event *unwind_event(struct unwind *w, struct objects *os,
				     const struct mapset *space, const struct pev_event *ev,
				     enum pev_unwind_end *end);
/* Counts a chain for the notes; does nothing for PEV_UNWIND_ENDS. */
void unwind_count(struct unwind *w, enum pev_unwind_end end, const struct pev_event *ev);
/* Adds the counts of another one and clears them there. */
void unwind_merge(struct unwind *to, struct unwind *from);
/* Notes what share of the chains was cut, why, and what helps. */
void unwind_note(const struct unwind *w);

#endif
