/* SPDX-License-Identifier: GPL-2.0 */
/* Finds probes of sys/sdt.h by their names, and what they can record. */
#ifndef PERFCTL_EVENT_PROBE_USDT_H
#define PERFCTL_EVENT_PROBE_USDT_H

#include "probe_fields.h"
#include "program/usdt.h"

/**
 * probe_usdt_fn - called for each probe
 * @name:   "FILE:PROVIDER:NAME"
 * @places: all places with that name
 * @n:      of them
 *
 * Return: 0, or -errno with a sentence: then no other is called.
 */
typedef int (*probe_usdt_fn)(void *arg, const struct program *p, const char *name,
			     const struct usdt_probe *places, size_t n, struct msg *m);
/**
 * probe_usdt_find() - find the probes that a text names
 * @text: "FILE:PROVIDER:NAME", the last two may have globs; "FILE:NAME": of any provider
 *
 * Return: 0, or -errno with a sentence.
 */
int probe_usdt_find(const char *text, probe_usdt_fn found, void *arg, struct msg *m);
/**
 * probe_usdt_fields() - what a place records
 * @name: for messages
 * @text: fields as typed, @len bytes; NULL: all arguments that can be recorded
 * @say:  note those that can't be
 *
 * Return: 0, or -errno with a sentence.
 */
int probe_usdt_fields(struct probe_fields *to, const struct program *p, const char *name,
		      const struct usdt_probe *place, const char *text, size_t len, bool say,
		      struct strbuf *strings, struct msg *m);

#endif
