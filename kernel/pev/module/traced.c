// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how a function is traced for a while only. To give tracing up for good is to wait, with
 * ftrace's lock held, until each task that was ready to run has run: for seconds, if a user has
 * one that it is never the turn of. Others open events meanwhile. Tracing is therefore given up as
 * the module goes. Until then a function that nobody calls is traced instead, which costs nothing.
 */
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include "traced.h"

/*
 * Kbuild has this file compiled for tracing, as no other of pev's. An operand that nothing uses
 * keeps the compiler from making one function of all.
 */
#define NOTHING(name, nr)                     \
	noinline void name(void)              \
	{                                     \
		asm volatile("" : : "i"(nr)); \
	}

NOTHING(pev_nothing, 0)
NOTHING(pev_nothing_mapped, 1)
NOTHING(pev_nothing_executed, 2)

/* After an error ftrace changes no code any more: the function calls @traced for ever. */
static void stay(struct pev_traced *traced)
{
	if (traced->stuck)
		return;
	traced->stuck = true;
	__module_get(THIS_MODULE);
}

int pev_traced_on(struct pev_traced *traced, unsigned long function)
{
	int err = ftrace_set_filter_ip(&traced->ops, function, 0, 1);

	if (err || traced->registered)
		return err;
	err = register_ftrace_function(&traced->ops);
	traced->registered = !err;
	/* it failed half-way: the function may have been changed */
	if (err && traced->ops.flags & FTRACE_OPS_FL_ENABLED)
		stay(traced);
	return err;
}

bool pev_traced_off(struct pev_traced *traced)
{
	int err = ftrace_set_filter_ip(&traced->ops, (unsigned long)traced->nothing, 0, 1);

	if (err && err != -ENOMEM)
		stay(traced);
	return !err;
}

void pev_traced_teardown(struct pev_traced *traced)
{
	bool stuck = traced->registered && unregister_ftrace_function(&traced->ops);

	/* it is too late to stay otherwise: what is called would be gone */
	if (stuck || traced->stuck)
		pr_err("pev: ftrace has given up after an error, and the module can't go\n");
	while (stuck || traced->stuck)
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
	traced->registered = false;
	ftrace_free_filter(&traced->ops);
}
