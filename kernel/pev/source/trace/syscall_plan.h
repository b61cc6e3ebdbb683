/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is copied of what the arguments of each system call point to, and when.
 */
#ifndef _PEV_SYSCALL_PLAN_H
#define _PEV_SYSCALL_PLAN_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/syscalls.h>
#include <trace/syscall.h>

#define PEV_NR_ARGS	SYSCALL_DEFINE_MAXARGS

/* When an argument points to something: when its call begins, when it has worked. */
#define PEV_CALL_IN	BIT(0)
#define PEV_CALL_OUT	BIT(1)

/**
 * enum pev_call_amount - how much an argument points to
 * @PEV_AMOUNT_STRING:   up to a NUL
 * @PEV_AMOUNT_STRINGS:  pointers to strings, up to NULL
 * @PEV_AMOUNT_FIXED:    one element
 * @PEV_AMOUNT_NEXT:     as many as the next argument says, a long
 * @PEV_AMOUNT_NEXT_INT: as many as the next argument says, an int: what else
 *                       its register holds is garbage
 * @PEV_AMOUNT_AT_NEXT:  as many as the int says to which the next argument points
 * @PEV_AMOUNT_RETURNED: as many as the call returns, at most the next argument
 * @PEV_AMOUNT_BITS:     as many bits as the first argument says, an int
 * @PEV_AMOUNT_BUFFERS:  as many struct iovec as the next argument says, a long, and what
 *                       they point to
 * @PEV_AMOUNT_MESSAGE:  one, and the buffers that it names
 * @PEV_AMOUNT_REQUEST:  as the argument before it says, see struct pev_call_request
 */
enum pev_call_amount {
	PEV_AMOUNT_STRING,
	PEV_AMOUNT_STRINGS,
	PEV_AMOUNT_FIXED,
	PEV_AMOUNT_NEXT,
	PEV_AMOUNT_NEXT_INT,
	PEV_AMOUNT_AT_NEXT,
	PEV_AMOUNT_RETURNED,
	PEV_AMOUNT_BITS,
	PEV_AMOUNT_BUFFERS,
	PEV_AMOUNT_MESSAGE,
	PEV_AMOUNT_REQUEST,
};

/**
 * struct pev_call_rule - what an argument's declaration means
 * @type:   of the argument
 * @name:   its name; NULL: any
 * @next:   name or type of the argument behind it; NULL: any, or none
 * @call:   is in the name of the call; NULL: any
 * @kind:   enum pev_call_kind
 * @when:   PEV_CALL_IN, PEV_CALL_OUT, or both
 * @amount: enum pev_call_amount
 * @size:   bytes of an element
 * @most:   elements that may be there; 0: no bound
 */
struct pev_call_rule {
	const char	*type;
	const char	*name;
	const char	*next;
	const char	*call;
	u8		kind;
	u8		when;
	u8		amount;
	u16		size;
	u16		most;
};

/**
 * struct pev_call_masks - arguments of a system call, each a bit
 * @enter: what they point to may be copied when it begins
 * @exit:  when it ends
 * @out:   when it ends, whatever was there when it began
 */
struct pev_call_masks {
	u8	enter;
	u8	exit;
	u8	out;
};

/**
 * struct pev_call_plan - a system call
 * @kind: of each argument, enum pev_call_kind
 * @rule: of each argument, for pev_call_rule()
 * @of:   its texts; its texts and structures
 * @exec: when it works, the program that called is no more
 */
struct pev_call_plan {
	u8			kind[PEV_NR_ARGS];
	u8			rule[PEV_NR_ARGS];
	struct pev_call_masks	of[2];
	bool			exec;
};

int pev_call_plans_make(void);
void pev_call_plans_free(void);
const struct pev_call_plan *pev_call_plan(int nr);
const struct pev_call_rule *pev_call_rule(const struct pev_call_plan *plan, u8 arg);

#endif
