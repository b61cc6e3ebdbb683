/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads all that there is of an event, so that a sanitizer sees what lies outside.
 */
#ifndef EVENT_SUM_H
#define EVENT_SUM_H

#include <pev/pev.h>

/* Returns a sum, so that no access is left out. */
static uint64_t event_sum(const struct pev_event *ev)
{
	uint64_t sum = (uint64_t)pev_event_ns(ev) + ev->time + ev->ip + ev->pid + ev->tid + ev->period;
	char text[256];

	for (uint32_t i = 0; i < ev->kstack_len; i++)
		sum += ev->kstack[i];
	for (uint32_t i = 0; i < ev->ustack_len; i++)
		sum += ev->ustack[i];
	for (uint32_t i = 0; i < ev->uregs_len; i++)
		sum += ev->uregs[i];
	for (uint32_t i = 0; i < ev->values_len; i++)
		sum += ev->values[i];
	for (uint64_t i = 0; i < ev->dump_len; i++)
		sum += ev->dump[i];
	for (size_t i = 0; i < ev->payload_len; i++)
		sum += ((const uint8_t *)ev->payload)[i];
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		sum += pev_event_int(ev, &ev->cls->fields[i]);
		sum += pev_event_print_field(ev, &ev->cls->fields[i], 0, text, sizeof(text));
	}
	for (unsigned int i = 0; i < ev->cls->nr_context; i++)
		sum += pev_event_print_field(ev, &ev->cls->context[i], PEV_PRINT_CONTEXT, text,
					     sizeof(text));
	return sum;
}

#endif /* EVENT_SUM_H */
