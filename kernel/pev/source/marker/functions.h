/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's functions that are connected to a marker. For marker.c and tests only. */
#ifndef _PEV_MARKER_FUNCTIONS_H
#define _PEV_MARKER_FUNCTIONS_H

#include <linux/list.h>
#include <linux/pev_marker.h>
#include <linux/types.h>

struct module;
struct pev_function;

/* Those that take longer than this in the mean are disconnected. */
#define PEV_FUNCTION_LIMIT_NS	250000

/**
 * struct pev_functions - the functions on a marker, never changed
 * @rcu:       freed when no marker can be inside
 * @nr:        of them
 * @functions: in the order of their connection
 */
struct pev_functions {
	struct rcu_head		rcu;
	unsigned int		nr;
	struct pev_function	*functions[];
};

/**
 * pev_functions_with() - all of @old, and one more
 * @old:  may be NULL
 * @name: of the marker
 * @fn:   as pev_marker_connect() got it
 * @data: the same
 *
 * Context: Process context, may sleep; @old does not change meanwhile.
 * Return: what replaces @old, or ERR_PTR(-ENOMEM) or ERR_PTR(-EEXIST).
 */
struct pev_functions *pev_functions_with(const struct pev_functions *old, const char *name,
					 pev_marker_fn fn, void *data);

/**
 * struct pev_function_choice - which functions shall go
 * @fn:   this one, called with @data
 * @data: see @fn
 * @mod:  those of this module
 * @slow: those that took long
 * @why:  is printed with each; NULL: nothing is printed
 */
struct pev_function_choice {
	pev_marker_fn		fn;
	void			*data;
	const struct module	*mod;
	bool			slow;
	const char		*why;
};

/**
 * pev_functions_without() - all of @old but those that shall go
 * @old:    may be NULL
 * @choice: any of its members that is not 0
 * @gone:   they are appended to it, for pev_functions_free()
 *
 * Context: Process context, may sleep; @old does not change meanwhile.
 * Return: what replaces @old: itself if none of them goes, NULL if all do.
 */
struct pev_functions *pev_functions_without(struct pev_functions *old,
					    const struct pev_function_choice *choice,
					    struct list_head *gone);

/**
 * pev_functions_free() - end functions that no array has any more
 * @gone: from pev_functions_without()
 *
 * Context: Process context, sleeps until none of them runs.
 */
void pev_functions_free(struct list_head *gone);

/**
 * pev_functions_call() - a marker fires
 * @all: its functions
 * @hit: what they are told
 *
 * Context: Any with preemption disabled, NMI included.
 */
void pev_functions_call(const struct pev_functions *all, const struct pev_marker_hit *hit);

/* Call @found from process context soon after a function has been found to be slow. */
void pev_functions_setup(void (*found)(void));

/* When the module goes. Process context; no function is called any more. */
void pev_functions_teardown(void);

#endif
