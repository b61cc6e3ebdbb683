/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the counters that mean the same on every machine. */
#ifndef PERFCTL_EVENT_NAMES_H
#define PERFCTL_EVENT_NAMES_H

#include "base/util.h"
#include "cli/suggest.h"

/**
 * struct counter_name - a counter that means the same everywhere
 * @name:   as in the kernel's catalog
 * @alias:  what perf users also call it, or NULL
 * @config: enum pev_software or enum pev_hardware
 * @unit:   "ns" or ""
 * @about:  for people
 */
struct counter_name {
	const char *name;
	const char *alias;
	uint64_t config;
	const char *unit;
	const char *about;
};

const struct counter_name *software_names(size_t *n);
const struct counter_name *hardware_names(size_t *n);
/* Finds a counter by name or alias; returns NULL if there is none. */
const struct counter_name *software_find(const char *name, size_t len);
const struct counter_name *hardware_find(const char *name, size_t len);

/* Offers all these names and aliases to a suggestion. */
void counter_names_suggest(struct suggestion *n);

#endif
