/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of the kernel's that a module traces while it needs to. */
#ifndef _PEV_MODULE_TRACED_H
#define _PEV_MODULE_TRACED_H

#include <linux/ftrace.h>

/* What nobody calls. Linux lets a function be redirected by one only: each has its own. */
void pev_nothing(void);
void pev_nothing_mapped(void);
void pev_nothing_executed(void);

/**
 * struct pev_traced - a function that is traced now and then
 * @ops:        what is called, and its flags
 * @nothing:    is traced instead while nobody needs it
 * @registered: it was traced at some time
 * @stuck:      ftrace could not give it up, and the module stays
 *
 * Static, one for each function; @ops has PEV_TRACED_FLAGS at least. Its user serialises all calls.
 */
struct pev_traced {
	struct ftrace_ops ops;
	void (*nothing)(void);
	bool registered;
	bool stuck;
};

/* kernel.ftrace_enabled can't be set to 0 once one of them is registered. */
#define PEV_TRACED_FLAGS FTRACE_OPS_FL_PERMANENT

/**
 * pev_traced_on() - trace a function
 * @traced:   what is called
 * @function: where it begins
 *
 * Context: Process context; text is patched.
 * Return: 0, -EBUSY where kernel.ftrace_enabled is 0, or another error.
 */
int pev_traced_on(struct pev_traced *traced, unsigned long function);

/**
 * pev_traced_off() - trace it no more
 * @traced: of pev_traced_on()
 *
 * What is called may still run.
 *
 * Context: As pev_traced_on(). Waits for no task: what others wait for may be held.
 * Return: false where there is no memory for the change, or ftrace has given up: it still is
 * called.
 */
bool pev_traced_off(struct pev_traced *traced);

/**
 * pev_traced_teardown() - ... nor ever again
 * @traced: of pev_traced_off(), or never on
 *
 * Context: Process context. Waits until what is called no longer runs: for all ready tasks; for
 * ever if ftrace has given up.
 */
void pev_traced_teardown(struct pev_traced *traced);

#endif
