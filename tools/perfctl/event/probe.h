/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes: an event for each time that a place in the kernel or in a file is reached, or a
 * function there returns. By perf's PMUs kprobe and uprobe, or by pev, which also takes
 * many functions of the kernel at once, and records what FIELDS name.
 *
 *	PROBE	:= PLACE [ "(" FIELDS ")" ]
 *	PLACE	:= ( "kprobe" | "kretprobe" ) ":" [ MODULE ":" ] FUNCTION [ "+" OFFSET ] |
 *		   ( "kprobe" | "kretprobe" ) ":" GLOB |
 *		   ( "uprobe" | "uretprobe" ) ":" FILE ":" ( FUNCTION [ "+" OFFSET ] | OFFSET )
 *	FIELDS	:= see probe_fields.h
 */
#ifndef PERFCTL_EVENT_PROBE_H
#define PERFCTL_EVENT_PROBE_H

#include "pmu_sysfs.h"
#include "probe_fields.h"

/**
 * struct probe - a probe as perf_event_open(2) takes it
 * @code:  of the PMU; config1 is to be the address of @place, config2 @offset
 * @place: the function or the file
 */
struct probe {
	struct pmu_code code;
	char *place;
	uint64_t offset;
};

/* Returns the length of the probe that a list of events begins with, without terms; 0: none */
size_t probe_length(const char *list);
/* Finds the PMU, and the function in the file; returns 0, or -errno with a sentence. */
int probe_make(struct probe *p, const char *text, struct msg *m);
void probe_free(struct probe *p);

/**
 * struct probe_places - a probe as pev_open(2) takes it
 * @head:    attr.config is its address
 * @places:  names are offsets in @strings
 * @results: why each was left out, 0: it was not; NULL: none may be
 * @fields:  what is recorded
 * @strings: the names
 */
struct probe_places {
	struct pev_probe head;
	struct pev_probe_place *places;
	size_t nr;
	size_t cap;
	int32_t *results;
	struct probe_fields fields;
	struct strbuf strings;
};

/* Finds the places that a text names; returns 0, or -errno with a sentence. */
int probe_places_make(struct probe_places **to, const char *text, struct msg *m);
/* Returns the text without its fields, to be freed. */
char *probe_place(const char *text);
/* Notes which of them the kernel left out; the event was opened. */
void probe_places_note(const struct probe_places *p, const char *label);
void probe_places_free(struct probe_places *p);

#endif
